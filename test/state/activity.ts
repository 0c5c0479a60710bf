import type { BeatingClock } from '../../src/state/clock.ts';
import type { StateStorage } from '../../src/state/storage.ts';
import type { VirtualProcess } from '../../src/state/conformance/virtual-processes.ts';

/** What processes are doing in a place: fake time passes when nobody does anything that takes real time. */
export interface Activity {
  readonly isIdle: () => boolean;
  /** The place, as a process uses it. */
  readonly watched: (process: VirtualProcess, storage: StateStorage) => StateStorage;
  /** The clock of a process for the place itself: who sleeps does nothing. */
  readonly clockOf: (process: VirtualProcess) => BeatingClock;
  /** Nothing more comes of a process. */
  readonly ended: (process: VirtualProcess) => void;
}

/** Watches what processes do. */
export function createActivity(): Activity {
  const counts = new Map<VirtualProcess, number>();
  const gone = new Set<VirtualProcess>();
  const change = (process: VirtualProcess, by: 1 | -1) => void counts.set(process, (counts.get(process) ?? 0) + by);
  const counted =
    <A extends readonly unknown[], T>(process: VirtualProcess, work: (...about: A) => Promise<T>) =>
    async (...about: A): Promise<T> => {
      change(process, 1);
      return work(...about).finally(() => change(process, -1));
    };
  return {
    isIdle: () => [...counts].every(([process, count]) => count === 0 || gone.has(process)),
    watched: (process, storage) => ({
      ...storage,
      lease: {
        of: storage.lease.of,
        look: counted(process, storage.lease.look),
        swap: counted(process, storage.lease.swap),
        ...(storage.lease.lastCounter === undefined
          ? {}
          : { lastCounter: counted(process, storage.lease.lastCounter) }),
        ...(storage.lease.prove === undefined ? {} : { prove: counted(process, storage.lease.prove) }),
        ...(storage.lease.isNewest === undefined ? {} : { isNewest: counted(process, storage.lease.isNewest) }),
      },
      documents: {
        put: counted(process, storage.documents.put),
        get: counted(process, storage.documents.get),
        remove: counted(process, storage.documents.remove),
        list: counted(process, storage.documents.list),
      },
      load: counted(process, storage.load),
      begin: counted(process, storage.begin),
      add: counted(process, storage.add),
      save: counted(process, storage.save),
      remove: counted(process, storage.remove),
    }),
    clockOf: (process) => ({
      ...process.clock,
      sleep: async (ms) => {
        change(process, -1);
        await process.clock.sleep(ms);
        change(process, 1);
      },
    }),
    ended: (process) => void gone.add(process),
  };
}
