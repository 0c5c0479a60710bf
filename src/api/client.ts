import { readData } from './answer.ts';
import { type Call, fail } from './call.ts';
import { type Input, type Operation, endpointOf, isOperation } from './contract.ts';
import { type Failure, PlatformError } from './errors.ts';
import { explainRefusal, explainSilence } from './failures.ts';
import { buildRequest } from './request.ts';
import type { Send, WireAnswer, WireRequest } from './wire.ts';

/** Calls operations of the platform; every failure is a PlatformError. */
export interface Client {
  /** Calls an operation; a wrong operation name or member does not compile. */
  call<Op extends Operation>(operation: Op, input: Input<Op>): Promise<unknown>;
  /** The same for code that treats all operations alike; the input is checked at run time only. */
  invoke(operation: Operation, input: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Requests sent so far, retries included. */
  readonly counts: { reads: number; writes: number };
}

/** What a client works with. */
export interface ClientOptions {
  readonly send: Send;
  /** The platform's address, for messages only. */
  readonly url: string;
  readonly apiKey: string;
  /** Replaces every secret of the run in a text. */
  readonly redact: (text: string) => string;
  /** Waits so many milliseconds. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** A number from 0 up to 1, for the jitter. */
  readonly random?: () => number;
  /** How often a read is sent at most; 4 by default. A write is sent once, always. */
  readonly readAttempts?: number;
}

const maxRetryAfterSeconds = 30;
const backOff = { firstMs: 500, maxMs: 8_000 };

/** Makes a client that checks inputs, sends requests, repeats failed reads and explains failures. */
export function createClient(options: ClientOptions): Client {
  const { send, apiKey, readAttempts = 4, random = Math.random, sleep = wait } = options;
  const redact = (text: string): string => hide(apiKey, options.redact(hide(apiKey, text)));
  const base = describeAddress(options.url);
  const counts = { reads: 0, writes: 0 };

  async function invoke(operation: Operation, input: Readonly<Record<string, unknown>>): Promise<unknown> {
    const isWrite = isOperation(operation) && endpointOf(operation).method === 'POST';
    const call: Call = { operation, url: `${base}/api/${operation}`, isWrite, redact };
    const request = buildRequest(call, input, apiKey);
    for (let attempt = 1; ; attempt += 1) {
      if (isWrite) counts.writes += 1;
      else counts.reads += 1;
      const result = await attemptOnce(call, send, request);
      if (!(result instanceof PlatformError)) return result.data;
      // A write is never repeated here: only someone who looks at the platform can know whether it took effect.
      if (isWrite || attempt >= readAttempts || !isTransient(result.failure)) throw result;
      await sleep(computeDelay(attempt, random, result.retryAfterSeconds));
    }
  }

  return { call: (operation, input) => invoke(operation, input), invoke, counts };
}

async function attemptOnce(call: Call, send: Send, request: WireRequest): Promise<{ data: unknown } | PlatformError> {
  let answer: WireAnswer;
  try {
    answer = await send(request);
  } catch (error) {
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

function isTransient(failure: Failure): boolean {
  return failure === 'connection' || failure === 'timeout' || failure === 'throttled' || failure === 'server';
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

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
