import { withoutSlash } from './slash.ts';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { sendOver as sendOverAgent } from './agent.ts';
import { attempts } from './attempts.ts';
import { TransportError } from './platform-error.ts';
import type { Send, WireAnswer, WireRequest } from './wire.ts';

/** The address and the limits of a transport. */
export interface TransportOptions {
  /** The platform's address, such as `https://platform.example`; a path in it comes before `/api`. */
  readonly url: string;
  /** The deadline of a whole request: connecting, headers and body; or that of each, by its path below `/api/`. Milliseconds. */
  readonly deadlineMs?: number | ((operation: string) => number);
  /** The longest answer that is read. Bytes. */
  readonly bodyLimit?: number;
  /** Tells by its path below `/api/` whether a request takes minutes to be answered: closing does not wait for it. */
  readonly isLong?: (operation: string) => boolean;
  /** Throws when no write may start any more; asked when one is about to go out, after it waited for a connection. */
  readonly mayWrite?: () => void;
}

/**
 * Sends requests over HTTP. `send` rejects when no whole answer came, and with whatever `mayWrite` throws; `close` ends the
 * connections, and does not wait for the answers to long requests; nor for others when they are given up.
 */
export interface Transport {
  readonly send: Send;
  close(isAbandoned?: boolean): Promise<void>;
}

/** An agent, and the function that sends a request over it. */
interface Open {
  readonly agent: Dispatcher;
  readonly sendOver: typeof sendOverAgent;
}

/** Connections that are opened when they are needed: as many as there are requests on their way. */
interface Connections {
  readonly open: () => Promise<Open>;
  /** Ends them: after the requests that are under way, or with a reason at once. */
  end(reason?: Error): Promise<void>;
}

/**
 * Makes the transport to a platform; each request is sent once, and no redirect is followed.
 *
 * @throws {TypeError} when `url` is no address.
 */
export function createTransport(options: TransportOptions): Transport {
  const { deadlineMs = attempts.request.deadlineMs, bodyLimit = attempts.request.maxAnswerBytes } = options;
  const { isLong = () => false, mayWrite } = options;
  const { origin, pathname } = new URL(options.url);
  const prefix = withoutSlash(pathname);
  const deadlineOf = typeof deadlineMs === 'number' ? () => deadlineMs : deadlineMs;
  const connectMs = typeof deadlineMs === 'number' ? deadlineMs : attempts.request.deadlineMs;
  const usual = createConnections(connectMs, mayWrite);
  const long = createConnections(connectMs, mayWrite);
  const timers = createTurns();

  async function exchange(open: () => Promise<Open>, request: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
    const { agent, sendOver } = await open();
    await timers.haveTurn();
    signal.throwIfAborted();
    const response = await sendOver(agent, {
      origin,
      path: prefix + request.path,
      method: request.method,
      // Uncompressed, so that the limit holds for what was sent and what is kept alike.
      headers: { 'accept-encoding': 'identity', ...request.headers },
      body: request.body ?? null,
      signal,
    });
    const body = await readBody(response, { whole: bodyLimit, ofError: errorLimit(request) });
    await timers.letPass();
    return { status: response.statusCode, headers: flattenHeaders(response.headers), body };
  }

  async function send(request: WireRequest): Promise<WireAnswer> {
    const operation = request.path.replace(/^\/api\/|\?.*$/g, '');
    const { open } = isLong(operation) ? long : usual;
    return inTime(operation, (signal) => exchange(open, request, signal));
  }

  async function inTime<T>(operation: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = deadlineOf(operation);
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const late = new TransportError('DEADLINE', `no whole answer within ${limit} ms`);
        controller.abort(late);
        // While it connects, undici heeds the signal only when connecting ends; then it sends nothing.
        reject(late);
      }, limit);
    });
    try {
      return await Promise.race([work(controller.signal), deadline]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function close(isAbandoned = false): Promise<void> {
    const reason = new Error('it was closed before the answer came');
    await Promise.all([usual.end(isAbandoned ? reason : undefined), long.end(reason)]);
  }

  return { send, close };
}

/** Makes connections. Opens none yet. */
function createConnections(connectMs: number, mayWrite?: () => void): Connections {
  let opening: Promise<Open> | undefined;
  let isEnded = false;

  async function open(): Promise<Open> {
    if (isEnded) throw new Error('the connections are closed');
    // Loaded at the first request: commands without requests start sooner.
    const { Agent, sendOver } = await import('./agent.ts');
    const { idleMs, signOfLifeMs } = attempts.connection;
    const agent = new Agent({
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // The one deadline rules; these only keep undici's own timers out of its way.
      connect: { timeout: connectMs, keepAliveInitialDelay: signOfLifeMs },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return { agent: mayWrite === undefined ? agent : agent.compose(asking(mayWrite)), sendOver };
  }

  return {
    open: () => (opening ??= open()),
    async end(reason) {
      isEnded = true;
      const { agent } = (await opening) ?? {};
      await (reason === undefined ? agent?.close() : agent?.destroy(reason));
    },
  };
}

/** Asks before a write goes out on its connection; one that may not is not sent, and rejects with what was thrown. */
function asking(mayWrite: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    if (options.method !== 'POST') return dispatch(options, handler);
    return dispatch(options, {
      onRequestStart: (controller, context) => {
        handler.onRequestStart?.(controller, context);
        mayWrite();
      },
      onResponseStart: (...about) => handler.onResponseStart?.(...about),
      onResponseData: (...about) => handler.onResponseData?.(...about),
      onResponseEnd: (...about) => handler.onResponseEnd?.(...about),
      onResponseError: (...about) => handler.onResponseError?.(...about),
    });
  };
}

/** When due timers fire, between requests. */
interface Turns {
  /** Lets due timers fire, unless they did just now. */
  haveTurn(): Promise<void>;
  /**
   * Waits after an answer until its connection is free. Of answers that come together each has a turn of its own: the request
   * that follows the first is on its way before the work after the second begins.
   */
  letPass(): Promise<void>;
}

/**
 * After a long stretch of computing, a connection may be past its idle time while the timer that ends it has not had its
 * turn yet. Between two immediates there is always a turn for timers.
 */
function createTurns(): Turns {
  /** No due timer has waited since before that. Milliseconds. */
  let firedSince = Number.NEGATIVE_INFINITY;
  let passed = Promise.resolve();
  const nextTurn = async (): Promise<void> => {
    const since = performance.now();
    await immediate();
    firedSince = since;
  };
  return {
    haveTurn: async () => {
      if (performance.now() - firedSince <= attempts.connection.lateMs) return;
      await immediate();
      await nextTurn();
    },
    letPass: () => {
      const pass = passed.then(() => immediate());
      // undici sends over a used connection one turn later.
      passed = pass.then(nextTurn);
      return pass;
    },
  };
}

/** Most bytes that are read of an error; it may quote the request, and whether it has a code matters. */
function errorLimit({ body = '' }: WireRequest): number {
  return attempts.request.maxErrorBytes + attempts.request.quotedPerByte * Buffer.byteLength(body);
}

/** Reads a body; limits are in bytes. A success above its limit throws, an error above its own is cut. */
async function readBody(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  limits: { readonly whole: number; readonly ofError: number },
): Promise<string> {
  // An error that comes before the first read, or after the last, must not end the program.
  body.on('error', () => {});
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    body.destroy();
    throw new TransportError('ENCODING', 'the answer is compressed although that was not asked for');
  }
  const isError = statusCode < 200 || statusCode > 299;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    chunks.push(chunk);
    // Leaving the loop destroys the body, and with it the connection.
    if (isError && size > limits.ofError) break;
    if (size > limits.whole) throw new TransportError('BODY_LIMIT', `the answer is longer than ${limits.whole} bytes`);
  }
  const read = Buffer.concat(chunks);
  if (isError) return new TextDecoder().decode(read.subarray(0, limits.ofError));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(read);
  } catch {
    throw new TransportError('NOT_UTF8', 'the answer is not UTF-8 text');
  }
}

function flattenHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
