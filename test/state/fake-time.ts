import { setTimeout } from 'node:timers/promises';
import type { BeatingClock } from '../../src/state/clock.ts';
import type { Host } from '../../src/state/host.ts';

/** Time that passes when a test says so, and processes that live in it. */

/** A process: it can be stopped, go on, be killed, and have its wall clock set. */
export interface FakeProcess {
  readonly clock: BeatingClock;
  readonly host: Host;
  /** As SIGSTOP does: time passes, and nothing runs. */
  stop(): void;
  goOn(): void;
  kill(): void;
  /** Somebody sets its clock forward, or back. */
  setClock(byMs: number): void;
  /** Its clocks stand still, as between a look at them and the next step. */
  freezeClock(): void;
}

/** Time, and the processes in it. */
export interface FakeTime {
  /** Milliseconds since the test began. */
  readonly now: () => number;
  readonly pass: (ms: number) => Promise<void>;
  readonly process: (about?: { readonly machine?: string }) => FakeProcess;
}

/** The wall clock at the beginning. */
export const began = Date.UTC(2025, 0, 1);

interface Timer {
  at: number;
  readonly every: number | undefined;
  readonly task: () => void;
}

/** Makes time, of a place whose disks or servers take some that is real. */
export function fakeTime({
  whilePassing = () => Promise.resolve(),
  isIdle = () => true,
}: {
  /** Told of every step, before anything happens then. */
  readonly whilePassing?: (ms: number) => Promise<void>;
  /** Whether everything that was begun is done. */
  readonly isIdle?: () => boolean;
} = {}): FakeTime {
  let now = 0;
  let pids = 0;
  const alive = new Set<number>();
  const owners: { readonly timers: Set<Timer>; readonly runs: () => boolean }[] = [];

  /** Does what is due; false: nothing was. */
  const fire = (): boolean => {
    let hasFired = false;
    for (const { timers, runs } of owners) {
      if (!runs()) continue;
      for (const timer of timers) {
        if (timer.at > now) continue;
        if (timer.every === undefined) timers.delete(timer);
        else timer.at = now + timer.every; // a beat that was missed is not made up for
        timer.task();
        hasFired = true;
      }
    }
    return hasFired;
  };

  /** Lets everything come to its end that was set off. */
  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3; quiet = isIdle() ? quiet + 1 : 0) await setTimeout(2);
  };

  return {
    now: () => now,
    pass: async (ms) => {
      for (let left = ms; left > 0;) {
        const step = Math.min(left, 500);
        await whilePassing(step);
        now += step;
        left -= step;
        if (fire()) await settle();
      }
    },
    process: ({ machine = 'here' } = {}) => {
      const pid = ++pids;
      const timers = new Set<Timer>();
      let isStopped = false;
      let set = 0;
      let frozen: number | undefined;
      alive.add(pid);
      owners.push({ timers, runs: () => !isStopped && alive.has(pid) });
      const read = () => frozen ?? now;
      return {
        clock: {
          wall: () => began + read() + set,
          monotonic: read,
          sleep: (ms) =>
            new Promise((resolve) => {
              timers.add({ at: now + ms, every: undefined, task: resolve });
            }),
          every: (ms, task) => {
            const timer = { at: now + ms, every: ms, task };
            timers.add(timer);
            return () => void timers.delete(timer);
          },
        },
        host: {
          owner: `user${pid}@${machine} pid ${pid}`,
          machine,
          pid,
          isAlive: (other) => alive.has(other),
          newId: () => `${pid}-${Math.random().toString(36).slice(2)}`,
        },
        stop: () => {
          isStopped = true;
        },
        goOn: () => {
          isStopped = false;
        },
        kill: () => void alive.delete(pid),
        setClock: (byMs) => {
          set += byMs;
        },
        freezeClock: () => {
          frozen = now;
        },
      };
    },
  };
}
