import { Stop } from '../diagnostics/diagnostic.ts';
import { readData } from './answer.ts';
import { type Call, fail } from './call.ts';
import { type Input, type Operation, endpointOf, isOperation } from './contract.ts';
import { PlatformError } from './errors.ts';
import { explainRefusal, explainSilence } from './failures.ts';
import { buildRequest } from './request.ts';
import type { Pause } from './circuit-breaker.ts';
import { createCircuitBreaker, whyToWait } from './circuit-breaker.ts';
import { explainEnd, explainPause } from './pauses.ts';
import { sleep as wait } from './sleep.ts';
import type { Send, WireAnswer, WireRequest } from './wire.ts';

/** Calls operations of the platform; every failure is a PlatformError. */
export interface Client {
  /** Calls an operation; a wrong operation name or member does not compile. */
  call<Op extends Operation>(operation: Op, input: Input<Op>): Promise<unknown>;
  /** The same for code that treats all operations alike; the input is checked at run time only. */
  invoke(operation: Operation, input: Readonly<Record<string, unknown>>, options?: InvokeOptions): Promise<unknown>;
  /** Requests sent so far, retries included. */
  readonly counts: { reads: number; writes: number };
  /** Ends all waiting: requests that are not on their way fail as interrupted, and no timer is left. */
  close(): void;
}

/** How a request is late: `paused`, because the platform took none; `connected`, because it has its connection only now. */
export type Late = 'paused' | 'connected';

/** What can be said of one call. */
interface InvokeOptions {
  /** Ends waiting for a platform that takes no requests; a request under way is finished. */
  readonly signal?: AbortSignal;
  /**
   * Called before the request is sent when that had to wait: what was noted of the time of sending is not true, and what
   * it says may be old. Gives the input to send instead, if that is another; when it throws, nothing is sent.
   */
  readonly beforeLateSend?: (late: Late) => Promise<Readonly<Record<string, unknown>> | undefined>;
  /** It is sent for another one that has a connection and waits for it: it needs none of its own. */
  readonly hasTurn?: true;
  /** How many errors of the platform itself are its word: the last one is thrown. 6 by default. */
  readonly mostErrors?: number;
}

/** What a client works with. */
export interface ClientOptions {
  readonly send: Send;
  /** The platform's address, for messages only. */
  readonly url: string;
  readonly apiKey: string;
  /** Replaces every secret of the run in a text. */
  readonly redact: (text: string) => string;
  /** Waits so many milliseconds, or until the signal aborts. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** A number from 0 up to 1, for the jitter. */
  readonly random?: () => number;
  /** Milliseconds since some moment, which only grow. */
  readonly clock?: () => number;
  /**
   * How often a read is sent at most; 10 by default, and 4 when nothing was answered for a minute, or ever: the address
   * may be wrong. The sixth error of the platform itself is the answer. A write is repeated only when it surely was not executed.
   */
  readonly readAttempts?: number;
  /** How long it is waited, in a row, until the platform takes requests again; 10 minutes by default. Milliseconds. */
  readonly pauseLimitMs?: number;
  /** Told when the platform takes no requests for now, and when it does again. */
  readonly onPause?: (pause: Pause) => void;
}

const maxRetryAfterSeconds = 30;
const backOff = { firstMs: 500, maxMs: 8_000 };

/** How often a read is sent to a platform that does not answer; the key goes to no stranger more often than that. */
const inDoubt = { usual: 4, unreadable: 2 };

/** How long a good answer shows that the platform is there. Milliseconds. */
const shownFor = 60_000;

/** How often one request is held back at most although others get through. */
const mostRefusals = 10;

/**
 * Makes a client that checks inputs, sends requests, repeats failed reads and explains failures. When the platform
 * takes no requests for now, all of them wait: those that it refused unexecuted are repeated, writes too.
 */
export function createClient(options: ClientOptions): Client {
  const { send, apiKey, readAttempts = 10, random = Math.random, sleep = wait } = options;
  const redact = (text: string): string => hide(apiKey, options.redact(hide(apiKey, text)));
  const base = describeAddress(options.url);
  const counts = { reads: 0, writes: 0 };
  const underWay = new Set<Promise<unknown>>();
  const now = options.clock ?? (() => performance.now());
  let goodAt = -Infinity;
  /** Ends the waits between attempts, each of its own. */
  const naps = new Set<() => void>();
  let isClosed = false;
  const breaker = createCircuitBreaker({
    ask,
    sleep,
    random,
    now,
    limitMs: options.pauseLimitMs ?? 600_000,
    onPause: options.onPause ?? (() => undefined),
  });

  const callOf = (operation: Operation): Call => {
    const isWrite = isOperation(operation) && endpointOf(operation).method === 'POST';
    return { operation, url: `${base}/api/${operation}`, isWrite, redact };
  };

  async function attempt(call: Call, request: WireRequest): Promise<{ data: unknown } | PlatformError> {
    if (call.isWrite) counts.writes += 1;
    else counts.reads += 1;
    const result = await attemptOnce(call, send, request);
    if (!(result instanceof PlatformError)) {
      breaker.noteAnswer();
      goodAt = now();
    }
    return result;
  }

  /** Whether the platform takes requests again: a refusal with a code is about the caller's rights. */
  async function ask(): Promise<PlatformError | undefined> {
    const call = callOf('user.get');
    // Requests that have a connection already may wait for this one.
    const result = await attempt(call, { ...buildRequest(call, {}, apiKey), hasTurn: true });
    const isTaken = !(result instanceof PlatformError) || (result.status === 401 && result.code !== undefined);
    return isTaken ? undefined : result;
  }

  async function obtainLeave(call: Call, signal?: AbortSignal, renew?: () => Promise<unknown>): Promise<number> {
    for (;;) {
      const leave = await breaker.whenClosed(signal);
      if (leave.is === 'ended') throw explainEnd(call);
      if (leave.is !== 'granted') throw explainPause(call, leave);
      if (!leave.hasWaited || renew === undefined) return leave.epoch;
      await renew();
    }
  }

  /** A request that can be made anew when it is late. */
  function ready(call: Call, input: Readonly<Record<string, unknown>>, about: InvokeOptions) {
    const { beforeLateSend, hasTurn } = about;
    const build = (said: Readonly<Record<string, unknown>>): WireRequest => {
      const request = { ...buildRequest(call, said, apiKey), ...(hasTurn === undefined ? {} : { hasTurn }) };
      return beforeLateSend === undefined ? request : { ...request, renew: () => renew('connected') };
    };
    let request = build(input);
    const renew = async (late: Late): Promise<WireRequest> => {
      const other = await beforeLateSend?.(late);
      if (other !== undefined) request = build(other);
      return request;
    };
    return {
      now: () => request,
      ...(beforeLateSend === undefined ? {} : { afterPause: () => renew('paused') }),
    };
  }

  async function nap(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const over = new AbortController();
    const wake = (): void => over.abort();
    naps.add(wake);
    signal?.addEventListener('abort', wake);
    await sleep(ms, over.signal);
    naps.delete(wake);
    signal?.removeEventListener('abort', wake);
  }

  const isThere = (): boolean => now() - goodAt < shownFor;

  /** Whether a failure may be over the next time. Of a platform that is there, nobody else's page is its word. */
  function isTransient({ failure, status = 0, code }: PlatformError): boolean {
    if (failure !== 'unreadable') return failure === 'connection' || failure === 'timeout' || failure === 'server';
    return code === undefined && status >= 200 && (status < 300 || isThere());
  }

  function mostAttempts({ failure }: PlatformError, signal: AbortSignal | undefined): number {
    if (isThere() && signal?.aborted !== true) return readAttempts;
    return Math.min(readAttempts, failure === 'unreadable' ? inDoubt.unreadable : inDoubt.usual);
  }

  const invoke: Client['invoke'] = async (operation, input, about = {}) => {
    const call = callOf(operation);
    const request = ready(call, input, about);
    let failures = 0;
    const { mostErrors = 6 } = about;
    let errors = 0;
    for (let refusals = 0; ;) {
      const epoch = await obtainLeave(call, about.signal, request.afterPause);
      const answer = attempt(call, request.now());
      underWay.add(answer);
      const result = await answer.finally(() => underWay.delete(answer));
      if (!(result instanceof PlatformError)) return result.data;
      const why = whyToWait(result);
      if (why === undefined) {
        failures += 1;
        // What the platform itself says again and again is no trouble on the way.
        errors += result.code === undefined ? 0 : 1;
        if (errors === mostErrors) throw result;
        // Only someone who looks at the platform can know whether a write took effect.
        if (call.isWrite || failures >= mostAttempts(result, about.signal) || !isTransient(result)) throw result;
        const delay = computeDelay(failures, random, result.retryAfterSeconds);
        // What is read after an interruption ends the run, and is read with as much care.
        await nap(delay, about.signal?.aborted === true ? undefined : about.signal);
        if (isClosed) throw result;
      } else {
        refusals += 1;
        // Of several first requests that are sent at once, a refused one may come back before a good one.
        if (why === 'key' && breaker.goodAnswers() === 0) await Promise.allSettled(underWay);
        if (refusals === mostRefusals || !breaker.trip(result, why, epoch)) throw result;
      }
    }
  };

  const close = (): void => {
    isClosed = true;
    for (const wake of naps) wake();
    breaker.end();
  };

  return { call: (operation, input) => invoke(operation, input), invoke, counts, close };
}

/** The same client, which waits for a platform that takes no requests only until the signal aborts. */
export function interruptible(client: Client, signal: AbortSignal): Client {
  const invoke: Client['invoke'] = (operation, input, options) =>
    client.invoke(operation, input, { signal, ...options });
  return { ...client, call: invoke, invoke };
}

/** The same client for what is read for the sake of a write that has a connection and waits for it. */
export function inItsTurn(client: Client): Client {
  const invoke: Client['invoke'] = (operation, input, options) =>
    client.invoke(operation, input, { ...options, hasTurn: true });
  return { ...client, call: invoke, invoke };
}

async function attemptOnce(call: Call, send: Send, request: WireRequest): Promise<{ data: unknown } | PlatformError> {
  let answer: WireAnswer;
  try {
    answer = await send(request);
  } catch (error) {
    if (error instanceof Stop || error instanceof PlatformError) throw error; // it was kept from being sent
    return explainSilence(call, error);
  }
  if (answer.status < 200 || answer.status > 299) return explainRefusal(call, answer);
  const read = readData(answer);
  if (read.isData) return { data: read.data };
  return fail(call, {
    failure: 'unreadable',
    outcome: 'unknown',
    event: `the answer (status ${answer.status}) ${read.why}`,
    status: answer.status,
  });
}

/** Full jitter, so that parallel reads do not come back together; a wait the server asked for is kept. Milliseconds. */
function computeDelay(attempt: number, random: () => number, retryAfterSeconds: number | undefined): number {
  if (retryAfterSeconds !== undefined) return Math.min(retryAfterSeconds, maxRetryAfterSeconds) * 1_000;
  return random() * Math.min(backOff.maxMs, backOff.firstMs * 2 ** (attempt - 1));
}

/** Origin and path: an address may carry credentials. */
function describeAddress(url: string): string {
  if (!URL.canParse(url)) return '(unreadable address)';
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}

function hide(secret: string, text: string): string {
  return secret === '' ? text : text.replaceAll(secret, '(API key)');
}
