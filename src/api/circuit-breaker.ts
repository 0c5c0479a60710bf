import { attempts } from './attempts.ts';
import type { PlatformError } from './platform-error.ts';
import { isNoConnection } from './failures.ts';
import type { KeyLimit, ReadLimit } from './key-limit.ts';
import { whenAborted } from './sleep.ts';

/** The report of a client that the platform takes no requests for now, or takes them again. Times in milliseconds. */
export type Pause =
  | {
      readonly event: 'paused';
      readonly why: Why;
      /** The system's code of a connection that could not be opened, such as `ECONNREFUSED`. */
      readonly code: string | undefined;
      /** Good answers before. */
      readonly goodAnswers: number;
      /** The longest wait. */
      readonly limitMs: number;
    }
  | { readonly event: 'resumed'; readonly waitedMs: number };

/**
 * The cause of a pause. `key`: the platform rejects a key that it accepted before (401). `sign-in`: a proxy that let requests
 * through before asks for a sign-in of its own (401). `throttled`: the platform asks to wait (429). `unreachable`: it gave good
 * answers before, and takes no connection now.
 */
export type Why = 'key' | 'sign-in' | 'throttled' | 'unreachable';

/** Whether a refusal may be about one request alone: a test at once shows whether the others are refused too. Never throws. */
export function isMaybeAlone(why: Why | undefined): boolean {
  return why === 'key' || why === 'sign-in';
}

/** The facts of a wait without success. */
export interface InVain {
  /**
   * `limit`: the longest wait has passed. `used up`: the key has a limit whose window is longer than the longest wait, or it
   * was refused within the uses of a new key, which has such a limit. `refused`: the key is refused, and nothing is waited for.
   */
  readonly is: 'limit' | 'interrupted' | 'used up' | 'refused';
  readonly why: Why;
  /** The code of the refusal that `why` is of. */
  readonly code: string | undefined;
  readonly goodAnswers: number;
  readonly waitedMs: number;
  /** The number of tests whether the platform takes requests again. */
  readonly tries: number;
  /** The last refusal: of a request, or of such a test. */
  readonly last: PlatformError;
  /** The limit of the key, where it was read and the key has one. */
  readonly keyLimit?: KeyLimit | undefined;
}

/** The permission to send, or the reason against it; `ended`: the client was closed. */
export type Leave =
  | {
      readonly is: 'granted';
      readonly epoch: number;
      readonly hasWaited: boolean;
      /** true: the first test was answered, at once: the platform accepts the key, so the refusal was about one request. */
      readonly isKeyGood?: true;
    }
  | InVain
  | { readonly is: 'ended' };

/** Holds the requests of a client back while the platform takes none: then the circuit is open. */
export interface CircuitBreaker {
  /** Good answers so far. */
  readonly goodAnswers: () => number;
  /** Resolves when the circuit is closed, or when waiting is in vain. */
  whenClosed(signal?: AbortSignal): Promise<Leave>;
  /** The number of the present time in which the circuit is closed; undefined while it is open. */
  readonly epoch: () => number | undefined;
  /** Notes a good answer, and how many uses of the key it was. */
  noteAnswer(uses?: number): void;
  /** Notes the limit that the key has as of now. */
  noteLimit(limit: ReadLimit | 'none'): void;
  /** Opens the circuit because of a refusal in an epoch; false: waiting is useless. */
  trip(refusal: PlatformError, why: Why, epoch: number): boolean;
  /** Interrupts all waiting requests for good, and leaves no timer. */
  end(): void;
}

/** The surroundings of a circuit breaker. */
export interface CircuitBreakerOptions {
  /** Tests once whether the platform takes requests; resolves with the refusal when it does not. */
  readonly ask: () => Promise<PlatformError | undefined>;
  /** Waits so many milliseconds, or until the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** A number from 0 up to 1, for the jitter. */
  readonly random: () => number;
  /** Milliseconds since some moment, which only grow. */
  readonly now: () => number;
  /** The longest wait in a row. Milliseconds. */
  readonly limitMs: number;
  /** The limit of a key that was made without one of its own, where the key may be such a key. */
  readonly limitOfNewKey?: KeyLimit | undefined;
  readonly onPause: (pause: Pause) => void;
}

/** The cause for which all requests have to wait; undefined: the error is about one request alone. Never throws. */
export function whyToWait({ status, code, isKeyRefused, failure }: PlatformError): Why | undefined {
  if (status === 429) return 'throttled';
  if (isKeyRefused) return 'key';
  if (failure === 'redirect' && status === 401) return 'sign-in';
  if (failure === 'proxy' || status !== undefined || code === undefined) return undefined;
  return isNoConnection(code) ? 'unreachable' : undefined;
}

/** The wait that the platform asks for. Milliseconds. */
function askedMs({ retryAfterSeconds = 0 }: PlatformError): number {
  return retryAfterSeconds * 1_000;
}

/** The time from one opening of the circuit to its closing. */
interface Outage {
  /** The cause by the last refusal that has one: what is said of an outage is not of two. */
  why: Why;
  code: string | undefined;
  readonly waiters: Set<(leave: Leave) => void>;
  /** Ends the sleep between two questions when no request waits any more. */
  wake: AbortController;
  isAsking: boolean;
  /** Whether it was reported as a pause: what may be about one request alone is not, before the test is refused too. */
  isReported: boolean;
  waitedMs: number;
  last: PlatformError;
}

/** The most uses whose answers may come after the refusal that they led to. */
const usesOnTheirWay = 10;

/** Makes a circuit breaker; its circuit is closed. Nothing in it throws, unless its surroundings do. */
export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { ask, sleep, random, now, limitMs, limitOfNewKey, onPause } = options;
  let goodAnswers = 0;
  let uses = 0;
  let keyLimit: ReadLimit | 'none' | undefined;
  /** The fewest uses at which the limit that was read can have run out. */
  let usedUpAt = -Infinity;
  let epoch = 0;
  let outage: Outage | undefined;
  let isEnded = false;
  // Of all outages since the last good answer: closing the circuit alone does not renew the patience.
  let spentMs = 0;
  let tries = 0;
  // How often the key turned out to be good since the last good answer to another request.
  let proofs = 0;

  const inVain = (is: InVain['is'], { why, code, last }: Outage): InVain => ({
    is,
    why,
    code,
    goodAnswers,
    waitedMs: spentMs,
    tries,
    last,
    keyLimit: typeof keyLimit === 'object' ? keyLimit : undefined,
  });

  function noteRefusal(current: Outage, refusal: PlatformError): void {
    current.last = refusal;
    const why = whyToWait(refusal);
    if (why === undefined) return;
    current.why = why;
    current.code = refusal.code;
  }

  function release(over: Outage, leave: Leave): void {
    outage = undefined;
    for (const go of over.waiters) go(leave);
  }

  function close(over: Outage): void {
    epoch += 1;
    if (!over.isReported) proofs += 1;
    if (over.isReported) onPause({ event: 'resumed', waitedMs: over.waitedMs });
    const proof = over.isReported ? {} : { isKeyGood: true as const };
    release(over, { is: 'granted', epoch, hasWaited: true, ...proof });
  }

  function reportPause(current: Outage): void {
    current.isReported = true;
    const { why, code } = current;
    onPause({ event: 'paused', why, code, goodAnswers, limitMs });
  }

  /** Sleeps a random time, which grows with the number of tries; at least and at most so many milliseconds. Gives the time. */
  async function nap(current: Outage, atLeast: number, count: number, atMost = Infinity): Promise<number> {
    const jittered = random() * Math.min(attempts.pause.longestMs, attempts.pause.firstMs * 2 ** count);
    const delay = Math.min(Math.max(atLeast, jittered), atMost);
    current.wake = new AbortController();
    await sleep(delay, current.wake.signal);
    return delay;
  }

  /** Why a key that the first test found refused is not waited for; undefined: it is. */
  function whyNotWait({ isKeyRefused }: PlatformError): InVain['is'] | undefined {
    if (goodAnswers === 0 || spentMs >= limitMs) return 'refused';
    if (!isKeyRefused) return undefined;
    const ofNewKey = limitOfNewKey !== undefined && uses <= limitOfNewKey.uses ? limitOfNewKey : 'none';
    const limit = keyLimit ?? ofNewKey;
    // A database that restarts refuses a key with many uses left.
    if (uses < usedUpAt) return undefined;
    return limit !== 'none' && limit.windowMs > limitMs ? 'used up' : undefined;
  }

  /** Tests at once whether the key is refused: a missing right and a restarting database look the same. */
  async function testKey(current: Outage): Promise<'over' | 'refused'> {
    // What is refused again and again, beside a good key, is not sent without a pause.
    if (proofs >= attempts.refused.denials) await nap(current, 0, proofs);
    if (current.waiters.size === 0) {
      current.isAsking = false;
      return 'over';
    }
    const refusal = await ask();
    if (isEnded) return 'over';
    if (refusal === undefined) {
      close(current);
      return 'over';
    }
    noteRefusal(current, refusal);
    const why = whyNotWait(refusal);
    if (why !== undefined) {
      release(current, inVain(why, current));
      return 'over';
    }
    reportPause(current);
    return 'refused';
  }

  async function watch(current: Outage): Promise<void> {
    current.isAsking = true;
    if (!current.isReported && (await testKey(current)) === 'over') return;
    while (current.waiters.size > 0) {
      const left = limitMs - spentMs;
      if (left <= 0 || askedMs(current.last) > left) {
        release(current, inVain('limit', current));
        return;
      }
      const delay = await nap(current, askedMs(current.last), tries, left);
      if (current.waiters.size === 0) break;
      const before = now();
      const refusal = await ask();
      tries += 1;
      const waited = delay + now() - before;
      current.waitedMs += waited;
      spentMs += waited;
      if (isEnded) return;
      if (refusal === undefined) {
        close(current);
        return;
      }
      noteRefusal(current, refusal);
    }
    current.isAsking = false;
  }

  function whenClosed(signal?: AbortSignal): Promise<Leave> {
    if (isEnded) return Promise.resolve({ is: 'ended' });
    const current = outage;
    if (current === undefined) return Promise.resolve({ is: 'granted', epoch, hasWaited: false });
    if (signal?.aborted === true) return Promise.resolve(inVain('interrupted', current));
    return new Promise((resolve) => {
      const interrupt = (): void => {
        go(inVain('interrupted', current));
        if (current.waiters.size === 0) current.wake.abort();
      };
      const go = (leave: Leave): void => {
        current.waiters.delete(go);
        unwatch();
        resolve(leave);
      };
      current.waiters.add(go);
      const unwatch = whenAborted(signal, interrupt);
      if (!current.isAsking) void watch(current);
    });
  }

  return {
    goodAnswers: () => goodAnswers,
    epoch: () => (outage === undefined && !isEnded ? epoch : undefined),
    noteLimit: (limit) => {
      keyLimit = limit;
      // Good answers may be on their way when the first refusal comes.
      if (limit !== 'none') usedUpAt = uses + limit.left - usesOnTheirWay;
    },
    whenClosed,
    noteAnswer: (used = 0) => {
      goodAnswers += 1;
      uses += used;
      if (outage !== undefined) return; // it answers a request from before
      spentMs = 0;
      tries = 0;
      proofs = 0;
    },
    trip: (refusal, why, sentIn) => {
      if (isEnded) return false;
      // It was sent before the circuit closed last, so it proves nothing about the present.
      if (sentIn !== epoch || outage !== undefined) return true;
      // The address is wrong, or the key: without a code that is no missing right, and user.get asks for none.
      const isKey = why === 'key' && (refusal.code === undefined || refusal.operation === 'user.get');
      const isWrong = goodAnswers === 0 && (why === 'unreachable' || why === 'sign-in' || isKey);
      if (isWrong || askedMs(refusal) > limitMs - spentMs) return false;
      const { code } = refusal;
      // A missing right shows without a wait.
      if (spentMs >= limitMs && (why !== 'key' || code === undefined)) return false;
      outage = {
        why,
        code,
        waiters: new Set(),
        wake: new AbortController(),
        isAsking: false,
        isReported: false,
        waitedMs: 0,
        last: refusal,
      };
      if (!isMaybeAlone(why)) reportPause(outage);
      return true;
    },
    end: () => {
      isEnded = true;
      if (outage === undefined) return;
      outage.wake.abort();
      release(outage, inVain('interrupted', outage));
    },
  };
}
