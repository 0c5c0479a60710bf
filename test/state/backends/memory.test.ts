import { createMemory, memoryStore } from '../../../src/state/backends/memory.ts';
import type { Memory } from '../../../src/state/backends/memory.ts';
import type { StateStorage } from '../../../src/state/storage.ts';
import { storeOver } from '../../../src/state/store.ts';
import { expect, test } from 'vitest';
import type { Where } from '../../../src/state/conformance/bench.ts';
import { recordOf, stateWith, stopOf } from '../../../src/state/conformance/states.ts';
import { conforms } from '../conformance.ts';
import type { VirtualProcess } from '../../../src/state/conformance/virtual-processes.ts';
import { processTime } from '../../../src/state/conformance/virtual-processes.ts';

conforms('in memory', { isShared: false }, () => {
  const time = processTime();
  const memories = new Map<string, Memory>();
  const deaths = new Map<VirtualProcess, { left: number; where: Where; die: () => void }>();
  let isDown = false;
  let bytes = 0;
  const place = time.process().clock;
  const operation = async <T>(process: VirtualProcess, work: () => Promise<T>): Promise<T> => {
    if (isDown) throw new Error('out of memory');
    const death = deaths.get(process);
    if (death !== undefined && --death.left <= 0) {
      if (death.left === 0 && death.where === 'after') await work();
      death.die();
      return new Promise<never>(() => undefined);
    }
    return work();
  };
  const seenBy = (process: VirtualProcess, { storage }: Memory): StateStorage => ({
    ...storage,
    lease: {
      ...storage.lease,
      look: () => operation(process, storage.lease.look),
      swap: (seen, entry) => operation(process, () => storage.lease.swap(seen, entry)),
    },
    load: (authenticity) => operation(process, () => storage.load(authenticity)),
    begin: (base, writer) => operation(process, () => storage.begin(base, writer)),
    add: (wave, writer) => {
      bytes += JSON.stringify(wave).length;
      return operation(process, () => storage.add(wave, writer));
    },
    save: (state, writer) => operation(process, () => storage.save(state, writer)),
  });
  return Promise.resolve({
    time,
    open: (process, name = '') => {
      const memory = memories.get(name) ?? createMemory(place);
      memories.set(name, memory);
      return Promise.resolve(storeOver(seenBy(process, memory), { ...process, keys: memory.keys }));
    },
    dieAt: (process, left, where) => new Promise((die) => void deaths.set(process, { left, where, die })),
    breakDown: () => {
      isDown = true;
    },
    mend: () => {
      isDown = false;
    },
    written: () => bytes,
    close: () => Promise.resolve(),
  });
});

test('a store in memory shows its state, and how often it was written as a whole', async () => {
  const store = memoryStore();
  await store.append(stateWith({}), 'a', recordOf('1'));
  expect(store.state?.resources).toEqual({ a: recordOf('1') });
  expect(store.writes).toBe(0);
  await store.write(stateWith({}));
  expect(store.writes).toBe(1);
  store.state = undefined;
  expect(await store.read()).toBeUndefined();
});

test('a state is read once under the lock, and again after what this process wrote', async () => {
  const memory = createMemory(processTime().process().clock);
  let loads = 0;
  const load: StateStorage['load'] = (authenticity) => {
    loads += 1;
    return memory.storage.load(authenticity);
  };
  const store = storeOver({ ...memory.storage, load }, { keys: memory.keys });
  memory.state = stateWith({ a: recordOf('1') });
  await store.read();
  await store.read();
  expect(loads).toBe(2); // anybody may write it meanwhile
  await store.lock({ purpose: 'apply', timeoutMs: 0 });
  const first = await store.read();
  expect(await store.read()).toBe(first);
  expect(loads).toBe(3);
  await store.append(stateWith({ a: recordOf('1') }), 'b', recordOf('2'));
  expect(Object.keys((await store.read())?.resources ?? {})).toStrictEqual(['a', 'b']);
  await store.write(stateWith({ c: recordOf('3') }, 5));
  expect(Object.keys((await store.read())?.resources ?? {})).toStrictEqual(['c']);
  expect(loads).toBe(5);
  await store.close();
});

test('a record that goes on from an older version than the one that was saved is refused, and the newer one stays', async () => {
  const store = memoryStore();
  const base = stateWith({ a: recordOf('1') }, 4);
  await store.lock({ purpose: 'apply' });
  await store.append(base, 'b', recordOf('2'));
  const saved = stateWith({ a: recordOf('1'), b: recordOf('2') }, 5);
  const writing = store.write(saved);
  expect((await stopOf(store.append(base, 'c', recordOf('3')))).message).toContain('was made from version 4');
  await writing;
  expect((await stopOf(store.append(base, 'c', recordOf('3')))).message).toContain('is at version 5');
  expect(store.state).toEqual(saved);
  await store.append(saved, 'c', recordOf('3'));
  expect(Object.keys(store.state?.resources ?? {})).toEqual(['a', 'b', 'c']);
  await store.close();
});
