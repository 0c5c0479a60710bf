import { afterEach, expect, test, vi } from 'vitest';
import type { Ask } from '../../src/api/ask-address.ts';
import { exitOf } from '../../src/documents/result-document.ts';
import { everything } from '../../src/plan/narrow.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { memoryStore } from '../../src/state/backends/memory.ts';
import { withRotatedKey } from '../../src/state/digests.ts';
import { givenKey } from '../../src/state/key-sources.ts';
import { newState } from '../../src/state/new-state.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { applyInTime, ordersIn, passing, plansNothingMore, platformWith } from '../support/deploying.ts';
import { answering, everything as permissions, said, worldOver } from '../support/faults.ts';
import { application, compose, configuration, database, file, notesIn, planned } from '../support/restoring.ts';

/** Changes that failed and were taken back: refused by the next apply, and repeated by `apply --retry-failed`. */

afterEach(() => void vi.useRealTimers());

const retrying = { ...everything, retriesFailed: true } as const;
const domains = (more = '') =>
  `, domains: { shop.example.com: { ${more}https: true, certificateType: letsencrypt, port: 80, probe: { path: /health, within: 5s } } }`;
const web = (image: string) => application(image, domains());
const stack = (image: string, content: string) => compose(image, `${file(content)}${domains('serviceName: web, ')}`);
const silent =
  /was deployed and does not answer as its probe says: https:\/\/shop\.example\.com\/health: it answers 500/;
const repeated = [
  ['an application', web('web:1'), web('web:2'), web('web:3'), silent],
  ['a compose', stack('web:1', 'old'), stack('web:2', 'new'), stack('web:3', 'new'), silent],
  [
    'a database',
    database('postgres:17.1'),
    database('postgres:17.2-will-exit-1-after-2s'),
    database('postgres:17.3'),
    /does not stay up: Swarm put the former version back/,
  ],
] as const;

test.each(repeated)(
  'a change of %s that failed is repeated on demand only',
  async (_name, former, fresh, fixed, why) => {
    const made = platformWith(0);
    const site = { status: 200, asked: [] as number[] };
    const ask: Ask = async () => {
      site.asked.push(made.emulator.log.length);
      return { is: 'answer', status: site.status, location: undefined, body: '', lacks: undefined };
    };
    const known = () => Object.values(made.store.state?.deployments ?? {})[0];
    await applyInTime(made, former, { ask });
    const before = configuration(made);
    site.status = 500;
    for (const about of [{}, { narrowing: retrying }]) {
      ordersIn(made);
      site.asked = [];
      const begin = made.emulator.log.length;
      const result = await applyInTime(made, fresh, { ask, ...about });
      expect(said(result)).toMatch(why);
      expect(said(result)).toMatch(/the new version failed: .*; the former one runs again/);
      expect([exitOf(result), configuration(made), ordersIn(made).length]).toEqual(['partly', before, 2]);
      // Only the new version is asked: after its order, and before that of the former one.
      const orders = made.emulator.log.flatMap(({ operation }, at) => (/\.(re)?deploy$/.test(operation) ? at : []));
      const [ofFresh = 0, ofFormer = 0] = orders.filter((at) => at >= begin);
      expect(site.asked.length > 0).toBe(why === silent);
      expect(site.asked.filter((at) => at <= ofFresh || at > ofFormer)).toEqual([]);
      const { failed, pending, stale } = known() ?? {};
      expect([failed?.inputs, failed?.isRestoring, pending, stale]).toEqual([
        expect.any(String),
        undefined,
        undefined,
        undefined,
      ]);
      expect((await planned(made, fresh)).actions.flatMap(({ steps }) => steps)).toEqual([]);
      expect((await notesIn(made, fresh)).map(({ code }) => code)).toEqual(['failed-before']);
      expect([exitOf(await applyInTime(made, fresh, { ask })), ordersIn(made)]).toEqual(['failed', []]);
    }
    await plansNothingMore(made, former);
    site.status = 200;
    for (const [text, about] of [
      ...(why === silent ? [[fresh, { narrowing: retrying }] as const] : []),
      [fixed, {}] as const,
    ]) {
      const result = await applyInTime(made, text, { ask, ...about });
      expect([said(result), exitOf(result)]).toEqual(['', 'done']);
      if (text === fresh) expect(known()?.failed).toBe(undefined);
      await plansNothingMore(made, text);
    }
  },
);

test('a change that failed is repeated on demand only under another key of the state too', async () => {
  const made = platformWith(0);
  let status = 200;
  const ask: Ask = async () => ({ is: 'answer', status, location: undefined, body: '', lacks: undefined });
  await applyInTime(made, web('web:1'), { ask });
  status = 500;
  await applyInTime(made, web('web:2'), { ask });
  const { state = newState('', '') } = made.store;
  const key = newStateKey();
  const store = memoryStore(undefined, { keys: givenKey(key.text(), 'the next key') });
  await store.write({ ...withRotatedKey(state, await made.store.key(), key), serial: state.serial + 1 });
  const world = { ...worldOver(made, made.emulator.send, store), ask };
  const applied = async (narrowing: typeof everything = everything) => {
    const next = await passing(plan(await made.manifest(web('web:2')), world, { narrowing }));
    const result = await passing(applyPlan(next, world, { permissions, connections: 4 }));
    return [exitOf(result), ordersIn(made).length];
  };
  ordersIn(made);
  expect(await applied()).toEqual(['failed', 0]);
  status = 200;
  expect(await applied(retrying)).toEqual(['done', 1]);
  expect(await applied()).toEqual(['done', 0]);
  expect(store.state?.earlierKeys).toBe(undefined);
});

const cut = [
  ['the same change, which holds', 'web:2-will-start', 'web:2-will-start', true],
  ['the same change, which dies', 'web:2-will-exit-1-after-5s', 'web:2-will-exit-1-after-5s', false],
  ['another change, which holds', 'web:2-will-exit-1-after-5s', 'web:3-will-start', true],
  ['another change, which dies', 'web:2-will-exit-1-after-5s', 'web:3-will-exit-1-after-5s', false],
] as const;

test.each(cut)(
  'a run that ends before %s is known to hold leaves that to the next one',
  async (_name, first, second, holds) => {
    const made = platformWith(0);
    const site = { status: 200 };
    const ask: Ask = async () => ({
      is: 'answer',
      status: site.status,
      location: undefined,
      body: '',
      lacks: undefined,
    });
    await applyInTime(made, web('web:1'), { ask });
    site.status = 500;
    const failed = await applyInTime(made, web(first), { ask });
    expect(said(failed)).toContain('; the former one runs again');
    site.status = 200;
    const ended = new AbortController();
    const send = answering(made, (operation) => {
      if (operation.startsWith('docker.') && ordersIn(made).length > 0) ended.abort();
      return undefined;
    });
    ordersIn(made);
    const narrowing = first === second ? retrying : everything;
    const interrupted = await applyInTime(made, web(second), { ask, send, narrowing, signal: ended.signal });
    expect(said(interrupted)).toContain('the run was interrupted before it was known to stay up');
    ordersIn(made);
    const next = await applyInTime(made, web(second), { ask });
    expect([exitOf(next), ordersIn(made)]).toEqual([holds ? 'done' : 'failed', []]);
    if (holds) await plansNothingMore(made, web(second));
    else {
      expect(said(next)).toMatch(/does not stay up: .*it failed: task: non-zero exit \(1\)/);
      // What runs is the version that fails, and nothing says otherwise.
      expect((await notesIn(made, web(second))).map(({ message }) => message)).not.toContainEqual(
        expect.stringContaining('the former version was deployed again'),
      );
      await applyInTime(made, web('web:4'), { ask });
      await plansNothingMore(made, web('web:4'));
    }
  },
);
