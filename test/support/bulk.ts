import { createClient } from '../../src/api/client.ts';
import { extendedContracts } from '../../src/api/contract.ts';
import type { Client, ClientOptions } from '../../src/api/client.ts';
import type { Send } from '../../src/api/wire.ts';
import type { ApplyResult } from '../../src/apply/job.ts';
import type { Emulator, EmulatorOptions } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { FaultPlan } from '../../src/emulator/faults/fault-plan.ts';
import { faultPlan } from '../../src/emulator/faults/fault-plan.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { diagnosticJson } from '../../src/render/diagnostics-json.ts';
import { planDocument } from '../../src/documents/plan-document.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import type { Platform } from '../../src/workflow/session.ts';
import { session } from '../../src/workflow/session.ts';
import { everything } from './faults.ts';
import { whole } from './unreliable.ts';
import type { Bench } from './world.ts';
import { bench } from './world.ts';

/** The platform of a bench as a server of the profile dokploy, and what is planned there with bulk reads and without. */

/** A client that reads in bulk unless `bulk` is false, and the reason why it stopped, if it did. */
export interface BulkClient {
  readonly client: Client;
  readonly off: readonly string[];
}

/** A server of the profile over the world of a bench; its log is its own. */
export function batching(made: Bench, options: Pick<EmulatorOptions, 'newId'> = {}): Emulator {
  const now = () => new Date(made.clock.wall());
  return createEmulator({ world: made.emulator.world, profile: 'dokploy', now, ...options });
}

/** A client over requests that go this way. Pauses take no time. */
export function bulkClient(
  made: Bench,
  send: Send,
  options: Partial<Pick<ClientOptions, 'bulk' | 'apiKey' | 'limitOfNewKey' | 'connections' | 'sleep' | 'clock'>> = {},
): BulkClient {
  const off: string[] = [];
  const client = createClient({
    send,
    contract: extendedContracts.dokploy,
    url: 'emulator:',
    apiKey: 'emulator-key',
    redact: made.redact,
    sleep: () => Promise.resolve(),
    random: () => 0.5,
    onBulkOff: (why) => off.push(why),
    ...options,
  });
  return { client, off };
}

/** The platform of a bench whose requests go through a client, for sessions. */
export function platformThrough(made: Bench, client: Client): Platform {
  const platform = made.platform();
  return { ...platform, connect: async (about) => ({ ...(await platform.connect(about)), client }) };
}

/** Applies a manifest, or deletes what the state holds, through a client. */
export async function applyThrough(
  made: Bench,
  text: string,
  client: Client,
  about: { readonly destroys?: boolean; readonly connections?: number; readonly signal?: AbortSignal } = {},
): Promise<ApplyResult> {
  const { destroys = false, connections = 8, signal } = about;
  const at = { purpose: 'apply', clock: made.clock, connections };
  return session(await made.manifest(text), platformThrough(made, client), at, async (run) =>
    run.apply(await run.plan({ destroys }), everything, signal === undefined ? {} : { signal }),
  );
}

/** Three batches in ten fail, in every way that they can, and now and then another read. */
export function batchFaults(seed: number): FaultPlan {
  return faultPlan.parse({
    seed,
    faults: [
      {
        on: 'trpc',
        chance: '30%',
        oneOf: [
          { before: 'drop' },
          { after: 'drop' },
          { before: { answer: 404 } },
          { before: { answer: 414 } },
          { before: { answer: 429, retryAfter: '1s' } },
          { before: { answer: 503 } },
          { before: { page: 200 } },
          { after: { cut: 'json' } },
          { after: { cut: 'reset' } },
          { after: { items: 'fewer' } },
          { after: { items: 'more' } },
          { after: { items: 'shuffled' } },
          { after: { items: 'failed' } },
        ],
      },
      { on: 'GET', chance: '3%', before: 'drop' },
    ],
  });
}

/** A platform with something of everything, made once. */
let full: Promise<Pick<Bench, 'emulator' | 'store'>> | undefined;

async function makeFull(): Promise<Bench> {
  const made = bench();
  await made.apply(whole, everything);
  return made;
}

/** A copy of a platform with something of everything, to which the manifest `whole` was applied. */
export async function fullPlatform(): Promise<Bench> {
  const { emulator, store } = await (full ??= makeFull());
  const made = bench({ emulate: { world: structuredClone(emulator.world) } });
  made.store.state = store.state;
  return made;
}

/** A plan as a document without its counts of requests, or what refuses it. */
export async function planned(made: Bench, text: string, client: Client): Promise<string> {
  try {
    const result = await plan(await made.manifest(text), { ...made.world(), client });
    return JSON.stringify(planDocument({ plan: result, counts: { reads: 0, writes: 0 } }), null, 1);
  } catch (error) {
    if (error instanceof Stop) return JSON.stringify(error.diagnostics.map(diagnosticJson), null, 1);
    throw error;
  }
}
