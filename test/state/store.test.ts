import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { localStore } from '../../src/state/local.ts';
import { memoryStore } from '../../src/state/memory.ts';
import { newState } from '../../src/state/new-state.ts';
import type { State, StateRecord, StateStore } from '../../src/state/state.ts';

/** What every place for a state does: one suite over all of them. */

const local: StateStore[] = [];
const opened = (folder: string): StateStore => {
  const store = localStore(folder);
  local.push(store);
  return store;
};
// Reading closes a journal that is open.
afterAll(() => Promise.all(local.map((store) => store.read())));

const stores: readonly (readonly [string, () => { store: StateStore; restart: () => StateStore }])[] = [
  [
    'in memory',
    () => {
      let store = memoryStore();
      return { store, restart: () => (store = memoryStore(store.state)) };
    },
  ],
  [
    'in a folder',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'trueup-state-'));
      return { store: opened(folder), restart: () => opened(folder) };
    },
  ],
];

const record = (id: string | null, more: Partial<StateRecord> = {}): StateRecord => ({
  kind: 'redis',
  id,
  parent: 'production',
  dependsOn: ['production'],
  pairs: {
    name: { wanted: { value: 'a' }, answered: { value: 'A' } },
    env: { wanted: { digest: 'x' }, answered: { digest: 'y' }, kept: false },
  },
  options: { protect: true },
  ...more,
});

function stateWith(resources: State['resources'], serial = 1): State {
  return { ...newState('org_1', 'prj_1'), lineage: 'line', digestKey: 'key', serial, resources };
}

describe.each(stores)('a state %s', (_title, make) => {
  test('is not there before it is written', async () => {
    expect(await make().store.read()).toBeUndefined();
  });

  test('is read as it was written, by this run and by the next', async () => {
    const { store, restart } = make();
    const state = stateWith({ 'production.redis.a': record('1'), '["__proto__"].redis["x.y"]': record(null) });
    await store.write(state);
    expect(await store.read()).toEqual(state);
    expect(await restart().read()).toEqual(state);
  });

  test('keeps its lineage and counts its versions', async () => {
    const { store } = make();
    const first = stateWith({});
    await store.write(first);
    await store.write({ ...first, serial: 2 });
    expect(await store.read()).toMatchObject({ lineage: 'line', serial: 2 });
  });

  test('holds what was appended, also when the run ends without writing', async () => {
    const { store, restart } = make();
    const state = stateWith({ a: record('1'), b: record('2') });
    await store.write(state);
    const base = (await store.read()) ?? state;
    await store.append(base, 'c', record(null));
    await store.append(base, 'c', record('3'));
    await store.append(base, 'a', null);
    expect((await restart().read())?.resources).toEqual({ b: record('2'), c: record('3') });
  });

  test('holds what was appended before it was ever written', async () => {
    const { store, restart } = make();
    const base = stateWith({}, 0);
    await store.append(base, 'a', record(null));
    expect(await restart().read()).toEqual({ ...base, resources: { a: record(null) } });
  });

  test('holds many records that are appended at the same time', async () => {
    const { store, restart } = make();
    const base = stateWith({}, 0);
    const names = Array.from({ length: 500 }, (_, index) => `r${index}`);
    await Promise.all(names.map((name) => store.append(base, name, record(name))));
    expect(Object.keys((await restart().read())?.resources ?? {}).toSorted()).toEqual(names.toSorted());
  });

  test('remembers what was removed over two runs that did not end', async () => {
    const { store, restart } = make();
    await store.write(stateWith({ a: record('1'), b: record('2') }));
    await store.append((await store.read()) ?? stateWith({}), 'a', null);
    const second = restart();
    await second.append((await second.read()) ?? stateWith({}), 'b', record('3'));
    expect((await restart().read())?.resources).toEqual({ b: record('3') });
  });

  test('has a resource at its new address only, when a run that moved it did not end', async () => {
    const { store, restart } = make();
    await store.write(stateWith({ old: record('1') }));
    const saved = (await store.read()) ?? stateWith({});
    const moved = { ...saved, resources: { new: record('1') } };
    await store.append(moved, 'other', record('2'));
    expect((await restart().read())?.resources).toEqual({ new: record('1'), other: record('2') });
  });

  test('forgets what was appended when it is written as a whole', async () => {
    const { store, restart } = make();
    const base = stateWith({}, 0);
    await store.append(base, 'a', record('1'));
    await store.write({ ...base, serial: 1, resources: { b: record('2') } });
    const next = restart();
    expect((await next.read())?.resources).toEqual({ b: record('2') });
    await next.append({ ...base, serial: 1, resources: { b: record('2') } }, 'c', record('3'));
    expect((await restart().read())?.resources).toEqual({ b: record('2'), c: record('3') });
  });

  test('is not changed through what was given or read', async () => {
    const { store } = make();
    const resources: Record<string, StateRecord> = { a: record('1') };
    await store.write(stateWith(resources));
    resources['b'] = record('2');
    expect(Object.keys((await store.read())?.resources ?? {})).toEqual(['a']);
  });

  test('lets one run in, and the next one when that is out', async () => {
    const { store } = make();
    const first = await store.lock('apply');
    const refused = await store.lock('plan').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Stop);
    expect(refused).toMatchObject({ failure: 'locked', diagnostics: [{ code: 'locked' }] });
    await first.release();
    const second = await store.lock('plan');
    await first.release(); // once more: it is not ours any more
    await expect(store.lock('drift')).rejects.toThrow('locked');
    await second.release();
  });
});
