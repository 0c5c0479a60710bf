import type { PlatformError } from './errors.ts';

/** What a client tells when the platform takes nothing for now, and when it goes on. Times in milliseconds. */
export type Pause =
  | {
      readonly event: 'paused';
      /** `key`: the key that was good is refused without a reason. `throttled`: the platform asks to wait. */
      readonly why: Why;
      /** Answers that came before. */
      readonly goodAnswers: number;
      /** The longest that is waited. */
      readonly limitMs: number;
    }
  | { readonly event: 'resumed'; readonly waitedMs: number };

/** Why nothing is sent: a 401 without a code after good answers, or 429. */
export type Why = 'key' | 'throttled';

/** What is known when waiting was in vain. */
export interface InVain {
  readonly is: 'limit' | 'interrupted';
  readonly why: Why;
  readonly goodAnswers: number;
  readonly waitedMs: number;
  readonly tries: number;
  /** What came last: of a request, or of a question whether the platform takes some again. */
  readonly last: PlatformError;
}

/** What may be sent: something of the opening with this number, or nothing any more. */
type Passage = { readonly is: 'open'; readonly opening: number; readonly hasWaited: boolean } | InVain;

/** Holds the requests of a client back while the platform takes none. */
export interface Gate {
  /** Good answers so far. */
  readonly goodAnswers: () => number;
  /** Resolves when a request may be sent, or when waiting is in vain. */
  pass(signal?: AbortSignal): Promise<Passage>;
  /** Notes a good answer. */
  noteAnswer(): void;
  /** Closes for what a request of an opening got; false when there is no use in waiting. */
  close(refusal: PlatformError, why: Why, opening: number): boolean;
}

/** What a gate works with. */
export interface GateOptions {
  /** Asks once whether the platform takes requests; what it answers when it does not. */
  readonly ask: () => Promise<PlatformError | undefined>;
  /** Waits so many milliseconds, or until the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  /** Milliseconds since some moment. */
  readonly now: () => number;
  readonly limitMs: number;
  readonly onPause: (pause: Pause) => void;
}

/** Why the requests of a client have to wait; undefined when an error is about one request alone. */
export function whyToWait({ status, code }: PlatformError): Why | undefined {
  if (status === 429) return 'throttled';
  return status === 401 && code === undefined ? 'key' : undefined;
}

/** The wait that the platform asks for. */
function askedMs({ retryAfterSeconds = 0 }: PlatformError): number {
  return retryAfterSeconds * 1_000;
}

const backOff = { firstMs: 1_000, mostMs: 30_000 };

/** A gate that is closed. */
interface Closure {
  readonly why: Why;
  readonly waiters: Set<(passage: Passage) => void>;
  /** Ends the sleep between two questions when nobody waits any more. */
  wake: AbortController;
  isAsking: boolean;
  waitedMs: number;
  last: PlatformError;
}

/** Makes a gate, which is open. */
export function createGate({ ask, sleep, random, now, limitMs, onPause }: GateOptions): Gate {
  let goodAnswers = 0;
  let openings = 0;
  let closed: Closure | undefined;
  // Of all closings since the last good answer: opening alone does not renew the patience.
  let spentMs = 0;
  let tries = 0;

  const inVain = (is: InVain['is'], { why, last }: Closure): InVain => ({
    is,
    why,
    goodAnswers,
    waitedMs: spentMs,
    tries,
    last,
  });

  function settle(closure: Closure, passage: Passage): void {
    closed = undefined;
    for (const go of closure.waiters) go(passage);
  }

  function open(closure: Closure): void {
    openings += 1;
    onPause({ event: 'resumed', waitedMs: closure.waitedMs });
    settle(closure, { is: 'open', opening: openings, hasWaited: true });
  }

  function spend(closure: Closure, ms: number): void {
    closure.waitedMs += ms;
    spentMs += ms;
  }

  async function watch(closure: Closure): Promise<void> {
    closure.isAsking = true;
    while (closure.waiters.size > 0) {
      const left = limitMs - spentMs;
      if (left <= 0 || askedMs(closure.last) > left) {
        settle(closure, inVain('limit', closure));
        return;
      }
      const jittered = random() * Math.min(backOff.mostMs, backOff.firstMs * 2 ** tries);
      const delay = Math.min(Math.max(askedMs(closure.last), jittered), left);
      closure.wake = new AbortController();
      await sleep(delay, closure.wake.signal);
      if (closure.waiters.size === 0) break;
      const before = now();
      const refusal = await ask();
      tries += 1;
      spend(closure, delay + now() - before);
      if (refusal === undefined) {
        open(closure);
        return;
      }
      closure.last = refusal;
    }
    closure.isAsking = false;
  }

  function pass(signal?: AbortSignal): Promise<Passage> {
    const closure = closed;
    if (closure === undefined) return Promise.resolve({ is: 'open', opening: openings, hasWaited: false });
    if (signal?.aborted === true) return Promise.resolve(inVain('interrupted', closure));
    return new Promise((resolve) => {
      const leave = (): void => {
        go(inVain('interrupted', closure));
        if (closure.waiters.size === 0) closure.wake.abort();
      };
      const go = (passage: Passage): void => {
        closure.waiters.delete(go);
        signal?.removeEventListener('abort', leave);
        resolve(passage);
      };
      closure.waiters.add(go);
      signal?.addEventListener('abort', leave);
      if (!closure.isAsking) void watch(closure);
    });
  }

  return {
    goodAnswers: () => goodAnswers,
    pass,
    noteAnswer: () => {
      goodAnswers += 1;
      if (closed !== undefined) return; // it was sent before
      spentMs = 0;
      tries = 0;
    },
    close: (refusal, why, opening) => {
      // It was sent before the gate opened last, and says nothing of now.
      if (opening !== openings || closed !== undefined) return true;
      const isBadKey = why === 'key' && goodAnswers === 0;
      if (isBadKey || spentMs >= limitMs || askedMs(refusal) > limitMs - spentMs) return false;
      closed = {
        why,
        waiters: new Set(),
        wake: new AbortController(),
        isAsking: false,
        waitedMs: 0,
        last: refusal,
      };
      onPause({ event: 'paused', why, goodAnswers, limitMs });
      return true;
    },
  };
}
