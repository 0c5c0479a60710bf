import { expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import { stop } from '../../src/diagnostics/diagnostic.ts';
import type { StateStore } from '../../src/state/state.ts';
import { type PlanRequest, session } from '../../src/workflow/session.ts';
import { connection, everything, plansNothing, platformOver } from '../support/faults.ts';
import { type Bench, bench } from '../support/world.ts';

/** A preview is opened, pushed to and closed while its runs are killed at each of their writes. */

const at = (tag: string) => `trueup: 1
platform: emulator
project: prj_1
environment: pr
preview: { seed: [application.api.schedules.seed] }
application:
  api:
    source: { type: docker, image: "nginx:${tag}" }
    schedules: { seed: { cronExpression: '0 3 * * *', command: npm run seed } }
redis: { cache: { dockerImage: redis:8, databasePassword: correct-horse-4711 } }
`;

/** A run that dies at a write, which lands or does not. False: it had fewer writes. */
async function isKilled(
  made: Bench,
  text: string,
  { write: dying, lands, ...request }: PlanRequest & { readonly write: number; readonly lands: boolean },
): Promise<boolean> {
  let [writes, isDead] = [0, false];
  const { append, write } = made.store;
  const dead = () => Promise.reject(stop('state', 'state-unusable', 'killed'));
  const store: StateStore = {
    ...made.store,
    append: (base, ...entry) => (isDead ? dead() : append(base, ...entry)),
    write: (state) => (isDead ? dead() : write(state)),
  };
  const send: Send = async (wire) => {
    if (isDead) throw connection('ECONNREFUSED');
    const isLast = wire.method === 'POST' && ++writes === dying;
    isDead = isLast;
    const answer = isLast && !lands ? undefined : await made.emulator.send(wire);
    if (isLast || answer === undefined) throw connection('ECONNRESET');
    return answer;
  };
  const about = { purpose: 'apply', clock: made.clock };
  await session(await made.manifest(text), platformOver(made, send, store), about, async (run) =>
    run.apply(await run.plan(request), everything),
  ).catch(() => undefined);
  return isDead;
}

/** What no deletion takes from the platform: logs of what ran, images, volumes of databases, and ids in lists of members. */
const kept = new Set(['deployment', 'pulled', 'volume', 'member']);

/** Everything else that the platform holds, by table. */
const held = ({ emulator: { world } }: Bench) =>
  Object.fromEntries(Object.entries(structuredClone(world.tables)).filter(([table]) => !kept.has(table)));

test.each([true, false])('nothing is left, and nothing else is touched; the last write lands: %s', async (lands) => {
  let kills = 0;
  for (let write = 1; ; write += 1) {
    const made = bench();
    const before = held(made);
    const wasKilled = [await isKilled(made, at('1'), { write, lands })];
    await made.apply(at('1'), everything);
    await plansNothing(made, at('1'));
    wasKilled.push(await isKilled(made, at('2'), { write, lands }));
    await made.apply(at('2'), everything);
    await plansNothing(made, at('2'));
    wasKilled.push(await isKilled(made, at('2'), { write, lands, destroys: true }));
    await made.destroy(at('2'));
    expect([write, held(made)]).toEqual([write, before]);
    expect(Object.keys(made.store.state?.resources ?? {})).toEqual([]);
    kills += wasKilled.filter(Boolean).length;
    if (!wasKilled.includes(true)) break;
  }
  expect(kills).toBeGreaterThan(8);
});
