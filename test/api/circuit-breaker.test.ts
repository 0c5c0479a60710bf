import { describe, expect, test } from 'vitest';
import type { Leave } from '../../src/api/circuit-breaker.ts';
import { createCircuitBreaker } from '../../src/api/circuit-breaker.ts';
import { PlatformError } from '../../src/api/platform-error.ts';

/** A circuit breaker on a clock that stands still until the test lets it go on. */

function refusal(status: number, retryAfterSeconds?: number): PlatformError {
  const about = { operation: 'user.all', url: 'https://platform.example/api/user.all', isWrite: false, event: 'no' };
  return new PlatformError({ ...about, failure: 'throttled', outcome: 'not executed', status, retryAfterSeconds });
}

function breaker(answers: (PlatformError | undefined)[] = []) {
  let now = 0;
  let asked = 0;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  const events: string[] = [];
  const made = createCircuitBreaker({
    ask: () => {
      asked += 1;
      return Promise.resolve(answers.shift());
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = {
          until: now + ms,
          wake: () => {
            sleepers.delete(sleeper);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake);
      }),
    random: () => 0.5,
    now: () => now,
    limitMs: 60_000,
    onPause: ({ event }) => events.push(event),
  });
  /** Lets time pass, and what was due happen. */
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    for (const { until, wake } of sleepers) if (until <= now) wake();
    await new Promise((resolve) => void setImmediate(resolve));
  };
  return { breaker: made, pass, asked: () => asked, sleepers: () => sleepers.size, events };
}

describe('the end of a run', () => {
  test('interrupts all who wait, asks nothing any more, and leaves no timer', async () => {
    const made = breaker([refusal(429)]);
    expect(made.breaker.trip(refusal(429), 'throttled', 0)).toBe(true);
    const waiting = [made.breaker.whenClosed(), made.breaker.whenClosed(new AbortController().signal)];
    await made.pass(1_000);
    expect(made.asked()).toBe(1);
    expect(made.sleepers()).toBe(1);
    made.breaker.end();
    const leaves = await Promise.all(waiting);
    expect(leaves.map(({ is }) => is)).toEqual(['interrupted', 'interrupted']);
    expect(made.sleepers()).toBe(0);
    await made.pass(600_000);
    expect(made.asked()).toBe(1);
    expect(made.events).toEqual(['paused']);
  });

  test('while it asks whether the platform takes requests again reports nothing any more', async () => {
    const made = breaker([undefined]);
    made.breaker.trip(refusal(429), 'throttled', 0);
    const waiting = made.breaker.whenClosed();
    const passing = made.pass(1_000);
    made.breaker.end();
    await passing;
    expect(await waiting).toMatchObject({ is: 'interrupted', why: 'throttled' });
    expect(made.events).toEqual(['paused']);
  });

  test('grants nothing afterwards, and no refusal opens the circuit', async () => {
    const made = breaker();
    made.breaker.end();
    expect(await made.breaker.whenClosed()).toEqual({ is: 'ended' } satisfies Leave);
    expect(made.breaker.trip(refusal(429), 'throttled', 0)).toBe(false);
    expect(made.sleepers()).toBe(0);
  });
});

describe('an open circuit', () => {
  test('closes when the platform takes requests again: an epoch later', async () => {
    const made = breaker([refusal(429), undefined]);
    made.breaker.noteAnswer();
    made.breaker.trip(refusal(401), 'key', 0);
    const waiting = made.breaker.whenClosed();
    await made.pass(500);
    await made.pass(1_000);
    expect(await waiting).toEqual({ is: 'granted', epoch: 1, hasWaited: true });
    expect(made.events).toEqual(['paused', 'resumed']);
    // A refusal from before says nothing of now.
    expect(made.breaker.trip(refusal(429), 'throttled', 0)).toBe(true);
    expect(await made.breaker.whenClosed()).toEqual({ is: 'granted', epoch: 1, hasWaited: false });
  });

  test('sleeps as long as the platform asks for, and gives up where that is too long', async () => {
    const made = breaker([undefined]);
    made.breaker.trip(refusal(429, 30), 'throttled', 0);
    const waiting = made.breaker.whenClosed();
    await made.pass(29_999);
    expect(made.asked()).toBe(0);
    await made.pass(1);
    expect(await waiting).toMatchObject({ is: 'granted' });
    expect(made.breaker.trip(refusal(429, 61), 'throttled', 1)).toBe(false);
  });
});
