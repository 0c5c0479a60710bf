import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WireRequest } from '../../src/api/wire.ts';
import { openJournal } from '../../src/apply/journal.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { recordOf, stateWith } from '../../src/state/conformance/states.ts';
import { nodeDisk } from '../../src/state/disk.ts';
import { withWaves } from '../../src/state/wave.ts';
import { diskError, hooked } from '../state/faulty-disk.ts';
import { everything, operationOf, results, worldOver } from '../support/faults.ts';
import { testKeys } from '../support/state-key.ts';
import { bench, head } from '../support/world.ts';

/** The records of a run on the disk: before the requests that they announce, and together. */

/** A state in a folder, and what of its journal would survive a loss of power. */
function watched() {
  let written = '';
  const seen = { durable: '', syncs: 0 };
  const disk = hooked(nodeDisk, async ({ name, path, text = '' }, work) => {
    if (!path.includes('state.journal')) return work();
    const done = await work();
    if (name === 'append') written += text;
    if (name === 'sync') {
      seen.durable = written;
      seen.syncs++;
    }
    return done;
  });
  return { seen, store: localStore(mkdtempSync(join(tmpdir(), 'trueup-journal-')), { disk, keys: testKeys }) };
}

/** A platform that answers writes by rounds: all that wait, once no other comes. */
function inRounds(send: (request: WireRequest) => Promise<void>) {
  let waiting: (() => void)[] = [];
  const rounds = { count: 0 };
  const wait = async (request: WireRequest) => {
    await send(request);
    await new Promise<void>((answered) => {
      waiting.push(answered);
      const arrived = waiting.length;
      setTimeout(() => {
        if (waiting.length !== arrived) return;
        rounds.count++;
        const all = waiting;
        waiting = [];
        for (const answer of all) answer();
      }, 30);
    });
  };
  return { rounds, wait };
}

const services = Array.from({ length: 100 }, (_, n) => `s${n}`);
const text = `${head}environments:
  production:
    redis:
${services.map((name) => `      ${name}: { dockerImage: "redis:8", databasePassword: password-1, deploy: never }\n`).join('')}`;

test('each of 100 creates is on the disk before its request, and the disk is synced a few times for each round of answers', async () => {
  const made = bench();
  const { seen, store } = watched();
  const early: unknown[] = [];
  const { rounds, wait } = inRounds((request) => {
    const { name = '' } = JSON.parse(request.body ?? '{}') as { readonly name?: string };
    if (name !== '' && !seen.durable.includes(`production.redis.${name}"`)) early.push(name);
    return Promise.resolve();
  });
  const world = worldOver(
    made,
    async (request) => {
      if (operationOf(request) === 'redis.create') await wait(request);
      return made.emulator.send(request);
    },
    store,
  );
  await store.lock({ purpose: 'apply' });
  const planned = await plan(await made.manifest(text), world);
  const result = await applyPlan(planned, world, { permissions: everything, connections: 10, clock: made.clock });
  expect(new Set(Object.values(results(result)))).toEqual(new Set(['done']));
  expect(early).toEqual([]);
  expect(rounds.count).toBeGreaterThanOrEqual(services.length / 10);
  expect(seen.syncs).toBeLessThan(5 * rounds.count);
  const again = await plan(await made.manifest(text), world);
  expect(again.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  await store.close();
});

test('a record that goes with the next is on the disk before the next, and a disk that fails refuses that one', async () => {
  let isFull = false;
  const disk = hooked(nodeDisk, ({ name, path }, work) =>
    isFull && name === 'append' && path.includes('state.journal') ? Promise.reject(diskError('ENOSPC')) : work(),
  );
  const folder = mkdtempSync(join(tmpdir(), 'trueup-journal-'));
  const store = localStore(folder, { disk, keys: testKeys });
  const journal = openJournal(store, stateWith({}));
  await journal.save('a', { record: recordOf('1') }, 'with the next');
  await journal.save('b', { record: recordOf('2') });
  const onDisk = async () => (await localStore(folder, { keys: testKeys }).read())?.resources;
  expect(await onDisk()).toEqual({ a: recordOf('1'), b: recordOf('2') });
  isFull = true;
  await journal.save('a', 'gone', 'with the next');
  await expect(journal.save('b', { record: recordOf('3') })).rejects.toThrow('ENOSPC');
  // What the platform did stays known to this run; what was only announced does not.
  expect([journal.now('a'), journal.now('b')]).toEqual([null, recordOf('2')]);
  expect(await onDisk()).toEqual({ a: recordOf('1'), b: recordOf('2') });
  await store.close();
});

test.each([1, 2])('a service is kept with its deployments or not at all: append %i is refused', async (at) => {
  const store = localStore(mkdtempSync(join(tmpdir(), 'trueup-journal-')), { keys: testKeys });
  let count = 0;
  const append: typeof store.append = (base, ...entry) =>
    ++count === at ? Promise.reject(diskError('ENOSPC')) : store.append(base, ...entry);
  const journal = openJournal({ ...store, append }, stateWith({}));
  const deploys = { stale: {} };
  await expect(journal.save('a', { record: recordOf('1'), deploys })).rejects.toThrow('ENOSPC');
  expect([journal.now('a'), journal.wave()]).toEqual([undefined, []]);
  await journal.save('a', { record: recordOf('2'), deploys });
  expect(journal.wave().map(([, content]) => content)).toEqual([recordOf('2'), deploys]);
  await store.close();
});

test('a service that is removed and created again has the deployments that are saved then, equal or none', async () => {
  const deploys = { inputs: 'digest-1', stale: {} };
  const base = { ...stateWith({ a: recordOf('1'), b: recordOf('2') }), deployments: { a: deploys, b: deploys } };
  const folder = mkdtempSync(join(tmpdir(), 'trueup-journal-'));
  const store = localStore(folder, { keys: testKeys });
  const journal = openJournal(store, base);
  await journal.save('a', 'gone');
  await journal.save('a', { record: recordOf('3') });
  await journal.save('a', { deploys });
  await journal.save('b', 'gone');
  await journal.save('b', { record: recordOf('4') });
  const replayed = await localStore(folder, { keys: testKeys }).read();
  expect(replayed?.resources).toEqual({ a: recordOf('3'), b: recordOf('4') });
  expect(replayed?.deployments).toEqual({ a: deploys });
  // The state that is saved at the end of the run is the same one.
  expect(withWaves(base, [journal.wave()])).toEqual(replayed);
  await store.close();
});

test.each([
  [
    'the next request for it',
    'application: { shop: { source: { type: docker, image: nginx }, deploy: never } }',
    'application.saveDockerProvider',
    'application',
  ],
  [
    'a request for what is below it',
    'redis: { cache: { databasePassword: password-1, deploy: never, mounts: { /more: { type: volume, volumeName: more } } } }',
    'mounts.create',
    'redis',
  ],
] as const)('the id of a created object is on the disk before %s', async (_, block, next, table) => {
  const made = bench();
  const { seen, store } = watched();
  const known: boolean[] = [];
  const send = (request: WireRequest) => {
    const [id] = Object.keys(made.emulator.world.tables[table]);
    if (operationOf(request) === next) known.push(seen.durable.includes(`"id":"${id}"`));
    return made.emulator.send(request);
  };
  const world = worldOver(made, send, store);
  const manifest = await made.manifest(`${head}environments:\n  production:\n    ${block}\n`);
  await store.lock({ purpose: 'apply' });
  const planned = await plan(manifest, world);
  const result = await applyPlan(planned, world, { permissions: everything, connections: 4, clock: made.clock });
  expect(new Set(Object.values(results(result)))).toEqual(new Set(['done']));
  expect(known).toEqual([true]);
  const again = await plan(manifest, world);
  expect(again.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  await store.close();
});
