import { createClient } from '../../src/api/client.ts';
import { extendedContracts } from '../../src/api/contract.ts';
import type { Client } from '../../src/api/client.ts';
import type { Send } from '../../src/api/wire.ts';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { diagnosticJson } from '../../src/render/diagnostics-json.ts';
import { planJson } from '../../src/render/plan-json.ts';
import { plan } from '../../src/reconcile.ts';
import type { Platform } from '../../src/session.ts';
import type { Bench } from './world.ts';

/** The platform of a bench as a server of the profile dokploy, and what is planned there with bulk reads and without. */

/** A client that reads in bulk unless `bulk` is false, and the reason why it stopped, if it did. */
export interface BulkClient {
  readonly client: Client;
  readonly off: readonly string[];
}

/** A server of the profile over the world of a bench; its log is its own. */
export function batching(made: Bench): Emulator {
  return createEmulator({ world: made.emulator.world, profile: 'dokploy', now: () => new Date(made.clock.wall()) });
}

/** A client over requests that go this way. Pauses take no time. */
export function bulkClient(
  made: Bench,
  send: Send,
  options: { bulk?: boolean; apiKey?: string; connections?: number } = {},
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

/** A plan as a document without its counts of requests, or what refuses it. */
export async function planned(made: Bench, text: string, client: Client): Promise<string> {
  try {
    const result = await plan(await made.manifest(text), { ...made.world(), client });
    return JSON.stringify(planJson({ plan: result, counts: { reads: 0, writes: 0 } }), null, 1);
  } catch (error) {
    if (error instanceof Stop) return JSON.stringify(error.diagnostics.map(diagnosticJson), null, 1);
    throw error;
  }
}
