import type { BeatingClock } from '../../src/state/clock.ts';
import type { VirtualTime } from '../../src/state/conformance/virtual-time.ts';
import { began, virtualTime } from '../../src/state/conformance/virtual-time.ts';

/** Resolves when all promises are settled that can be: when the event loop comes round, and nothing waits for it any more. */
export async function whenSettled(): Promise<void> {
  const isPending = (): boolean => process.getActiveResourcesInfo().includes('Immediate');
  do await new Promise((resolve) => setImmediate(resolve));
  while (isPending());
}

/** Moves a time on, from timer to timer, until a work is done that waits for nothing else. */
export async function finishIn<T>(time: VirtualTime, work: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const over = work.finally(() => {
    state.isOver = true;
  });
  over.catch(() => undefined);
  for (;;) {
    await whenSettled();
    if (state.isOver) return over;
    if (!time.step()) throw new Error('everybody waits, and nothing will happen');
  }
}

/** A clock that a test sets to a time; waits take no time. */
export function calendar(day: string) {
  const base = selfMovingClock();
  let ahead = 0;
  const wall = () => base.wall() + ahead;
  const setTime = (time: number) => (ahead = time - base.wall());
  const setDay = (one: string) => setTime(Date.parse(`${one}T12:00:00Z`));
  setDay(day);
  return {
    clock: { ...base, wall },
    setDay,
    addDays: (days: number) => setTime(wall() + days * 86_400_000),
    day: () => new Date(wall()).toISOString().slice(0, 10),
  };
}

/** A clock that moves on by itself while somebody sleeps. */
export interface SelfMovingClock extends BeatingClock {
  /** Waits for work that does nothing but sleep, without a stop in between. */
  readonly leap: (work: Promise<void>) => Promise<void>;
}

/** Whether this thread waits for a file: that takes as long as the disk likes, and no time of a test. */
function isDiskBusy(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq') || name === 'CloseReq');
}

/** So that what takes the machine a moment, such as a deployment of the emulator, is not late by minutes. Milliseconds. */
const most = 5_000;

/**
 * A clock on which waiting takes no time: after one turn of the machine's timers it is as late as whoever sleeps the
 * shortest wants it to be. It stands still while nobody sleeps or a file is read or written, however long the machine takes.
 */
export function selfMovingClock(wall = began): SelfMovingClock {
  const time = virtualTime(0, wall);
  let sleeping = 0;
  let isTurning = false;
  let isLeaping = false;
  const turn = (): void => {
    isTurning = false;
    if (sleeping === 0) return;
    if (isDiskBusy()) return wait();
    const next = time.next() ?? time.now();
    time.moveTo(isLeaping ? next : Math.min(next, time.now() + most));
    wait();
  };
  const wait = (): void => {
    if (isTurning || sleeping === 0) return;
    isTurning = true;
    setTimeout(turn, 0);
  };
  return {
    ...time.clock,
    sleep: async (ms, signal) => {
      sleeping += 1;
      wait();
      await time.clock.sleep(ms, signal);
      sleeping -= 1;
    },
    leap: async (work) => {
      isLeaping = true;
      await work.finally(() => {
        isLeaping = false;
      });
    },
  };
}
