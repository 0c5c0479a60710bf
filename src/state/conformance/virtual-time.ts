import type { BeatingClock } from '../clock.ts';

/** Time of the tests: it stands still until a test moves it, and what is due happens in the same order each time. */
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
      sleep((task) => start({ at: now + Math.max(0, ms), everyMs: undefined, task, life }), signal),
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

/** Resolves when a timer calls, or when the signal aborts. */
function sleep(start: (task: () => void) => () => void, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      stop();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const stop = start(wake);
    if (signal?.aborted === true) wake();
    else signal?.addEventListener('abort', wake);
  });
}
