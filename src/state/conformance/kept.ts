import { expect } from './expect.ts';
import type { Cases } from './bench.ts';
import { recordOf, stateWith } from './states.ts';
import type { StateRecord } from '../record.ts';

/** The content of a state: what was written and appended is read again, whole. */
export const keptTests: Cases = {
  'is nothing before it is written': async ({ readAnew }) => {
    expect(await readAnew()).toBeUndefined();
  },

  'is read as it was written, by this run and by the next': async ({ enter, leave, readAnew }) => {
    const one = await enter();
    const state = stateWith({ 'production.redis.a': recordOf('1'), '["__proto__"].redis["x.y"]': recordOf(null) });
    await one.store.write(state);
    expect(await one.store.read()).toEqual(state);
    await leave(one);
    expect(await readAnew()).toEqual(state);
  },

  'keeps its lineage and counts its versions': async ({ enter, leave, readAnew }) => {
    const one = await enter();
    await one.store.write(stateWith({}));
    await one.store.write(stateWith({}, 2));
    expect(await readAnew()).toMatchObject({ lineage: 'line', serial: 2 });
    await leave(one);
  },

  'has the appended records, also when the run ends without writing': async ({ enter, leave, resourcesNow }) => {
    const one = await enter();
    await one.store.write(stateWith({ a: recordOf('1'), b: recordOf('2') }));
    const base = (await one.store.read()) ?? stateWith({});
    await one.store.append(base, 'c', recordOf(null));
    await one.store.append(base, '__proto__', recordOf('4'));
    await one.store.append(base, 'c', recordOf('3'));
    await one.store.append(base, 'a', null);
    await leave(one);
    const resources = (await resourcesNow()) ?? {};
    expect(Object.keys(resources).toSorted()).toEqual(['__proto__', 'b', 'c']);
    expect(Object.getOwnPropertyDescriptor(resources, '__proto__')?.value).toEqual(recordOf('4'));
    expect(resources).toMatchObject({ b: recordOf('2'), c: recordOf('3') });
  },

  'has records that were appended before the first write': async ({ enter, leave, readAnew }) => {
    const one = await enter();
    const base = stateWith({}, 0);
    await one.store.append(base, 'a', recordOf(null));
    await leave(one);
    expect(await readAnew()).toEqual({ ...base, resources: { a: recordOf(null) } });
  },

  'holds a pending create with its key, and a pending write beside a pending deployment': async ({
    enter,
    leave,
    readAnew,
  }) => {
    const one = await enter();
    const sent = { at: 1_700_000_000_000, timeoutMs: 60_000 };
    const record = recordOf(null, {
      pending: { is: 'create', ...sent, key: { name: 'main', port: null }, says: {}, sends: 1 },
    });
    const service = recordOf('1', { pending: { is: 'write', ...sent, timeoutMs: 600_000 } });
    const pending = { ...sent, mark: 'm', inputs: 'i', newest: null };
    await one.store.append(stateWith({}, 0), 'a', record);
    await one.store.append(stateWith({}, 0), 'a', { stale: { code: true } }, 'deployments');
    await one.store.append(stateWith({}, 0), 'b', service);
    await one.store.append(stateWith({}, 0), 'b', { stale: {}, pending }, 'deployments');
    await leave(one);
    expect(await readAnew()).toMatchObject({
      resources: { a: record, b: service },
      deployments: { a: { stale: { code: true } }, b: { stale: {}, pending } },
    });
  },

  'has the deployments of services beside their records, until one of the two is removed': async ({
    enter,
    leave,
    readAnew,
  }) => {
    const one = await enter();
    const services = { a: recordOf('1'), b: recordOf('2'), c: recordOf('3') };
    const state = { ...stateWith(services), deployments: { a: { inputs: 'a' }, b: { inputs: 'b' }, c: {} } };
    await one.store.write(state);
    expect(await one.store.read()).toEqual(state);
    await one.store.append(state, 'a', null, 'deployments');
    await one.store.append(state, 'b', null);
    await one.store.append(state, 'c', { inputs: 'c' }, 'deployments');
    await leave(one);
    const { b: _, ...resources } = services;
    expect(await readAnew()).toEqual({ ...state, resources, deployments: { c: { inputs: 'c' } } });
  },

  'keeps removals over two runs that did not end': async ({ enter, leave, resourcesNow }) => {
    const one = await enter();
    await one.store.write(stateWith({ a: recordOf('1'), b: recordOf('2') }));
    await one.store.append((await one.store.read()) ?? stateWith({}), 'a', null);
    await leave(one);
    const two = await enter();
    await two.store.append((await two.store.read()) ?? stateWith({}), 'b', recordOf('3'));
    await leave(two);
    expect(await resourcesNow()).toEqual({ b: recordOf('3') });
  },

  'has a resource at its new address only, when a run that moved it did not end': async ({
    enter,
    leave,
    resourcesNow,
  }) => {
    const one = await enter();
    await one.store.write(stateWith({ old: recordOf('1') }));
    const saved = (await one.store.read()) ?? stateWith({});
    await one.store.append({ ...saved, resources: { new: recordOf('1') } }, 'other', recordOf('2'));
    await leave(one);
    expect(await resourcesNow()).toEqual({ new: recordOf('1'), other: recordOf('2') });
  },

  'drops appended records when it is written as a whole': async ({ enter, leave, resourcesNow }) => {
    const one = await enter();
    const base = stateWith({}, 0);
    await one.store.append(base, 'a', recordOf('1'));
    const whole = { ...base, serial: 1, resources: { b: recordOf('2') } };
    await one.store.write(whole);
    expect(await resourcesNow()).toEqual({ b: recordOf('2') });
    await one.store.append(whole, 'c', recordOf('3'));
    await leave(one);
    expect(await resourcesNow()).toEqual({ b: recordOf('2'), c: recordOf('3') });
  },

  'is the written version, also when it has the number of the version before': async ({
    enter,
    leave,
    resourcesNow,
  }) => {
    const one = await enter();
    const base = stateWith({ a: recordOf('1') });
    await one.store.write(base);
    await one.store.append(base, 'a', recordOf('2'));
    await one.store.write({ ...base, resources: { a: recordOf('3') } });
    expect(await resourcesNow()).toEqual({ a: recordOf('3') });
    await one.store.append({ ...base, resources: { a: recordOf('3') } }, 'b', recordOf('4'));
    await leave(one);
    expect(await resourcesNow()).toEqual({ a: recordOf('3'), b: recordOf('4') });
  },

  'is not changed through its input or a value that was read': async ({ enter, leave }) => {
    const one = await enter();
    const resources: Record<string, StateRecord> = { a: recordOf('1') };
    await one.store.write(stateWith(resources));
    resources['b'] = recordOf('2');
    expect(Object.keys((await one.store.read())?.resources ?? {})).toEqual(['a']);
    await leave(one);
  },

  'is removed as if it never was, and another one begins there': async ({ enter, leave, readAnew }) => {
    const one = await enter();
    const state = stateWith({ a: recordOf('1') });
    await one.store.write(state);
    await one.store.append(state, 'b', recordOf('2'));
    await one.store.documents.put('kept', 'text');
    await one.store.remove();
    expect(await one.store.read()).toBeUndefined();
    await leave(one);
    expect(await readAnew()).toBeUndefined();
    const two = await enter();
    expect([two.lease.newest(), await two.store.documents.list()]).toEqual([undefined, ['kept']]);
    await two.store.documents.remove('kept');
    await two.store.documents.remove('kept');
    expect(await two.store.documents.list()).toEqual([]);
    const begun = { ...stateWith({ c: recordOf('3') }, 1), lineage: 'another' };
    await two.store.write(begun);
    await two.store.append(begun, 'd', recordOf('4'));
    await leave(two);
    expect((await readAnew())?.resources).toEqual({ c: recordOf('3'), d: recordOf('4') });
  },

  'does not mix with another state of the same place': async ({ ground, time }) => {
    const process = time.process();
    const [mine, other] = [await ground.open(process), await ground.open(process, 'other')];
    await Promise.all([mine.lock({ purpose: 'apply' }), other.lock({ purpose: 'apply' })]);
    await mine.write(stateWith({ a: recordOf('1') }));
    await other.write(stateWith({ b: recordOf('2') }));
    await other.append(stateWith({ b: recordOf('2') }), 'c', recordOf('3'));
    await mine.write(stateWith({ a: recordOf('4') }, 2));
    expect((await mine.read())?.resources).toEqual({ a: recordOf('4') });
    expect((await other.read())?.resources).toEqual({ b: recordOf('2'), c: recordOf('3') });
    await Promise.all([mine.close(), other.close()]);
  },
};
