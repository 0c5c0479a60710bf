import type { BeatingClock } from '../../src/state/clock.ts';

/** Time of the tests: it stands still until somebody moves it, and what is due happens in the same order each time. */
export interface VirtualTime {
  /** Milliseconds since the beginning of this time. */
  readonly now: () => number;
  /** The clock of a life in this time: its timers wait while that does not run. */
  readonly clockOf: (life: Life) => BeatingClock;
  /** The clock of a life that always runs. */
  readonly clock: BeatingClock;
  /** Calls a task at a moment; gives what takes that back. */
  readonly at: (moment: number, task: () => void) => () => void;
  /** The moment of the timer that is due first; undefined: nothing waits. */
  readonly next: () => number | undefined;
  /** Moves on to a moment, and calls what is due: by moment, then as it was begun. Gives whether that was anything. */
  readonly moveTo: (moment: number) => boolean;
  /** Moves on to the timer that is due first, and calls that one. Gives whether there was one. */
  readonly step: () => boolean;
}

/** Who reads a clock and waits by it. */
interface Life {
  readonly runs: () => boolean;
  /** What it takes for now, in milliseconds of the time that it lives in. */
  readonly sees: (now: number) => number;
  /** How far its wall clock was set forward, in milliseconds. */
  readonly setBy: () => number;
}

interface Timer {
  at: number;
  readonly everyMs: number | undefined;
  readonly task: () => void;
  readonly life: Life;
}

/** The wall clock at the beginning of every virtual time. */
export const began = Date.UTC(2030, 0, 1);

const always: Life = { runs: () => true, sees: (now) => now, setBy: () => 0 };

/** Begins a time, at a moment in milliseconds; `wall` is what the wall clock says at the moment 0. */
export function virtualTime(moment = 0, wall = began): VirtualTime {
  let now = moment;
  const timers = new Set<Timer>();

  const start = (timer: Timer): (() => void) => {
    timers.add(timer);
    return () => void timers.delete(timer);
  };

  const clockOf = (life: Life): BeatingClock => ({
    wall: () => wall + life.sees(now) + life.setBy(),
    monotonic: () => life.sees(now),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          stop();
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const stop = start({ at: now + Math.max(0, ms), everyMs: undefined, task: wake, life });
        if (signal?.aborted === true) wake();
        else signal?.addEventListener('abort', wake);
      }),
    every: (ms, task) => start({ at: now + ms, everyMs: ms, task, life }),
  });

  const call = (timer: Timer): void => {
    if (timer.everyMs === undefined) timers.delete(timer);
    else timer.at = now + timer.everyMs; // a beat that was missed is not made up for
    timer.task();
  };

  /** Of two at the same moment the one that was begun first. */
  const first = (): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) if (timer.life.runs() && (next === undefined || timer.at < next.at)) next = timer;
    return next;
  };

  return {
    now: () => now,
    clockOf,
    clock: clockOf(always),
    at: (at, task) => start({ at, everyMs: undefined, task, life: always }),
    next: () => first()?.at,
    moveTo: (to) => {
      now = Math.max(now, to);
      const due = [...timers].filter(({ at, life }) => at <= now && life.runs());
      // One that was due may have taken another back.
      for (const timer of due.toSorted((a, b) => a.at - b.at)) if (timers.has(timer)) call(timer);
      return due.length > 0;
    },
    step: () => {
      const next = first();
      if (next === undefined) return false;
      now = Math.max(now, next.at);
      call(next);
      return true;
    },
  };
}

/** Moves a time on, from timer to timer, until a work is done that waits for nothing else. */
export async function finishIn<T>(time: VirtualTime, work: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const over = work.finally(() => {
    state.isOver = true;
  });
  over.catch(() => undefined);
  for (;;) {
    // All promises that can be settled are settled when the event loop comes round.
    await new Promise((resolve) => setImmediate(resolve));
    if (state.isOver) return over;
    if (!time.step()) throw new Error('everybody waits, and nothing will happen');
  }
}

/** A clock that moves on by itself while somebody sleeps. */
export interface SelfMovingClock extends BeatingClock {
  /** Waits for work that does nothing but sleep, without a stop in between. */
  readonly leap: (work: Promise<void>) => Promise<void>;
}

/** So that what takes the machine a moment, such as a deployment of the emulator, is not late by minutes. Milliseconds. */
const most = 5_000;

/**
 * A clock on which waiting takes no time: after one turn of the machine's timers it is as late as whoever sleeps the
 * shortest wants it to be. It stands still while nobody sleeps, however long the machine takes.
 */
export function selfMovingClock(wall = began): SelfMovingClock {
  const time = virtualTime(0, wall);
  let sleeping = 0;
  let isTurning = false;
  let isLeaping = false;
  const turn = (): void => {
    isTurning = false;
    if (sleeping === 0) return;
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
