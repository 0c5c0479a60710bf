import { readingOnly } from '../../src/api/client.ts';
import type { Operation } from '../../src/api/contract.ts';
import type { Emulator } from '../../src/emulator/emulator.ts';
import type { Drift, DriftOptions } from '../../src/drift/drift-run.ts';
import { findDrift } from '../../src/drift/drift-run.ts';
import type { Bench } from './world.ts';

/** Compares the platform of a test with a manifest, as `trueup drift` does. */
export async function driftOf(
  made: Bench,
  files: string | Record<string, string>,
  options: Partial<DriftOptions> = {},
): Promise<Drift> {
  const folder = { folder: made.folder, file: 'trueup.yaml' };
  return findDrift(await made.manifest(files), made.world(), { folder, now: made.clock.wall(), ...options });
}

/** The client that drift reads with. */
export function clientOf(made: Bench) {
  return readingOnly(made.world().client);
}

/** Somebody changes something on the platform by hand. */
export async function edit(
  { emulator, apiKey = 'emulator-key' }: { readonly emulator: Pick<Emulator, 'send'>; readonly apiKey?: string },
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { status, body } = await emulator.send({
    method: 'POST',
    path: `/api/${operation}`,
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  if (status !== 200) throw new Error(`${operation}: ${status} ${body}`);
  return body === '' ? undefined : JSON.parse(body);
}
