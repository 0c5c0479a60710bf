import type { BeatingClock } from '../../src/state/clock.ts';
import type { Medium } from '../../src/state/medium.ts';
import type { VirtualProcess } from '../support/virtual-processes.ts';

/** What processes are doing in a place: fake time passes when nobody does anything that takes real time. */
export interface Activity {
  readonly isIdle: () => boolean;
  /** The place, as a process uses it. */
  readonly watched: (process: VirtualProcess, medium: Medium) => Medium;
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
    watched: (process, medium) => ({
      ...medium,
      lease: {
        of: medium.lease.of,
        look: counted(process, medium.lease.look),
        swap: counted(process, medium.lease.swap),
        ...(medium.lease.lastCounter === undefined ? {} : { lastCounter: counted(process, medium.lease.lastCounter) }),
        ...(medium.lease.prove === undefined ? {} : { prove: counted(process, medium.lease.prove) }),
        ...(medium.lease.isNewest === undefined ? {} : { isNewest: counted(process, medium.lease.isNewest) }),
      },
      load: counted(process, medium.load),
      begin: counted(process, medium.begin),
      add: counted(process, medium.add),
      save: counted(process, medium.save),
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
