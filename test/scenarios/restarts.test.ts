import { describe, expect, test } from 'vitest';
import type { Pause } from '../../src/api/circuit-breaker.ts';
import { createClient } from '../../src/api/client.ts';
import { extendedContracts } from '../../src/api/contract.ts';
import type { Send } from '../../src/api/wire.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { createChance } from '../../src/emulator/faults/chance.ts';
import { applyThrough, batching, fullPlatform } from '../support/bulk.ts';
import { edited, objectsOf, whole } from '../support/unreliable.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/** A server that restarts in the middle of a run: it refuses connections for a while, and breaks off what is on its way. */

const coded = (code: string) => Object.assign(new Error(code), { code });

/** A client of a server that is down for so long from a request on. */
function restarting(made: Bench, { from, ms, bulk }: { from: number; ms: number; bulk: boolean }) {
  const emulator = batching(made);
  const chance = createChance(from);
  const pauses: Pause[] = [];
  let sent = 0;
  let downAt: number | undefined;
  const isDown = (): boolean => downAt !== undefined && made.clock.monotonic() - downAt < ms;
  const send: Send = async (request) => {
    sent += 1;
    if (sent === from) downAt = made.clock.monotonic();
    if (isDown()) throw coded('ECONNREFUSED');
    const answer = await emulator.send(request);
    // What was on its way is lost, after it was executed or before.
    if (isDown() && chance() < 0.5) throw coded('ECONNRESET');
    return answer;
  };
  const client = createClient({
    send,
    contract: extendedContracts.dokploy,
    url: 'emulator:',
    apiKey: 'emulator-key',
    redact: made.redact,
    sleep: made.clock.sleep,
    clock: made.clock.monotonic,
    random: () => 0.5,
    bulk,
    onPause: (pause) => pauses.push(pause),
  });
  return { client, pauses, sent: () => sent };
}

describe.each([true, false])('an apply waits for a server that restarts for 20 s (bulk reads: %s)', (bulk) => {
  test.each([2, 9, 40, 75, 120, 190])('from its request %i on', async (from) => {
    const calm = await fullPlatform();
    const made = await fullPlatform();
    const quiet = restarting(calm, { from: 0, ms: 0, bulk });
    expect((await applyThrough(calm, edited, quiet.client, {})).outcomes.filter(isNotDone)).toEqual([]);
    const { client, pauses } = restarting(made, { from, ms: 20_000, bulk });
    const result = await applyThrough(made, edited, client, {});
    expect(result.outcomes.filter(isNotDone)).toEqual([]);
    expect(objectsOf(made)).toEqual(objectsOf(calm));
    if (quiet.sent() > from) expect(pauses.map(({ event }) => event)).toEqual(['paused', 'resumed']);
    const after = restarting(made, { from: 0, ms: 0, bulk });
    const again = await plan(await made.manifest(edited), { ...made.world(), client: after.client });
    expect(again.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  });
});

const isNotDone = ({ result }: { readonly result: string }): boolean => result !== 'done';

test('a plan and a drift wait as well, and are those of a quiet day', async () => {
  const made = await fullPlatform();
  const { client, pauses } = restarting(made, { from: 6, ms: 20_000, bulk: false });
  const seen = await plan(await made.manifest(whole), { ...made.world(), client });
  expect(seen.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  expect(pauses).toMatchObject([{ event: 'paused', why: 'unreachable' }, { event: 'resumed' }]);
});

test('a wrong address fails before anything waits', async () => {
  const made = bench();
  const { client, pauses } = restarting(made, { from: 1, ms: Infinity, bulk: true });
  const begin = made.clock.monotonic();
  await expect(applyThrough(made, whole, client, {})).rejects.toThrow('the server refused the connection');
  expect(pauses).toEqual([]);
  expect(made.clock.monotonic() - begin).toBeLessThan(10_000);
});
