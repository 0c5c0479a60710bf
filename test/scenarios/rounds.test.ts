import { expect, test } from 'vitest';
import { virtualTime } from '../../src/state/conformance/virtual-time.ts';
import { session } from '../../src/workflow/session.ts';
import type { Send } from '../../src/api/wire.ts';
import { batching, bulkClient, platformThrough } from '../support/bulk.ts';
import { everything, results } from '../support/faults.ts';
import { composeBody } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** How long the requests of a run take where nothing else takes any time: each 20 ms, at most ten at a time. */

const latencyMs = 20;
const connections = 10;

const range = (count: number) => Array.from({ length: count }, (_, n) => n);
const lines = (count: number, line: (n: number) => string) => range(count).map(line).join('');
/** 40 services in ten environments, with a domain and a file each: 130 objects in 50 scopes. */
const manifest = (text: string) => `${head}environments:
${lines(10, (e) => `  env${e}:\n    compose:\n${lines(4, (n) => `      s${n}: { ${composeBody}, description: ${text}, domains: { s${e}-${n}.example.com: { serviceName: web } }, files: { a.conf: { content: a } } }\n`)}`)}`;

/** Resolves when all that is under way waits for the time. */
async function untilIdle(): Promise<void> {
  for (let idle = 0; idle < 3; idle = process.getActiveResourcesInfo().includes('Immediate') ? 0 : idle + 1)
    await new Promise((resolve) => setImmediate(resolve));
}

interface Ran {
  readonly requests: number;
  /** How many times as long as one request all of them took. */
  readonly rounds: number;
}

/** Plans and applies a manifest, or destroys all of it, without deployments. */
function timed(): { made: Bench; run: (text: string, how: { bulk: boolean; destroys?: boolean }) => Promise<Ran> } {
  const time = virtualTime();
  const made = bench({ clock: time.clock });
  const run = async (text: string, { bulk, destroys = false }: { bulk: boolean; destroys?: boolean }) => {
    const emulator = batching(made);
    const send: Send = async (request) => {
      await time.clock.sleep(latencyMs);
      return emulator.send(request);
    };
    const { sleep } = time.clock;
    const { client, off } = bulkClient(made, send, { bulk, connections, sleep, clock: time.now });
    const read = await made.manifest(text);
    const options = { purpose: 'apply', clock: time.clock, connections };
    const began = time.now();
    const state = { isOver: false };
    const working = session(read, platformThrough(made, client), options, async (open) =>
      open.apply(await open.plan({ deploys: false, destroys }), everything),
    ).finally(() => (state.isOver = true));
    working.catch(() => undefined);
    for (await untilIdle(); !state.isOver; await untilIdle()) if (!time.step()) throw new Error('all wait for nothing');
    const result = await working;
    expect(Object.values(results(result)).filter((one) => one !== 'done')).toEqual([]);
    expect(off).toEqual([]);
    return { requests: emulator.log.length, rounds: (time.now() - began) / latencyMs };
  };
  return { made, run };
}

test.each([
  ['alone', { bulk: false, created: 21, unchanged: 5, updated: 17, destroyed: 13 }],
  ['in bulk', { bulk: true, created: 16, unchanged: 2, updated: 8, destroyed: 10 }],
])('where reads go %s, a run takes few rounds more than its requests fill', async (_, { bulk, ...most }) => {
  const { made, run } = timed();
  const created = await run(manifest('old'), { bulk });
  const unchanged = await run(manifest('old'), { bulk });
  const updated = await run(manifest('new'), { bulk });
  expect(await run(manifest('new'), { bulk })).toEqual(unchanged);
  const destroyed = await run(manifest('new'), { bulk, destroys: true });
  expect(made.store.state?.resources).toEqual({});

  for (const [{ requests, rounds }, limit] of [
    [created, most.created],
    [unchanged, most.unchanged],
    [updated, most.updated],
    [destroyed, most.destroyed],
  ] as const) {
    expect(rounds).toBeLessThanOrEqual(limit);
    // The reads of the plan, those before the writes and those after them wait for each other.
    expect(rounds).toBeLessThanOrEqual(Math.ceil(requests / connections) + 3);
  }
});
