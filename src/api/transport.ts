import { withoutSlash } from './slash.ts';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { attempts } from './attempts.ts';
import { Exchange } from './exchange.ts';
import { TransportError } from './platform-error.ts';
import { hostAndPort, proxyFor } from './proxy.ts';
import { explainProxy, type HttpProxy } from './proxy-error.ts';
import { timerMs } from './sleep.ts';
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

/** Connections that are opened when they are needed: as many as there are requests on their way. */
interface Connections {
  /** @throws {ProxyError} */
  readonly open: () => Promise<Dispatcher>;
  /** Why a request had none in so many milliseconds; undefined: that is not known. Never throws. */
  readonly whyNone: (withinMs: number) => Error | undefined;
  /** Ends them: after the requests that are under way, or with a reason at once. */
  end(reason?: Error): Promise<void>;
}

/**
 * Makes the transport to a platform, through the proxy that the environment names for its address. Each request is sent once,
 * and no redirect is followed.
 *
 * @throws {TypeError} when `url` is no address.
 */
export function createTransport(options: TransportOptions): Transport {
  const { deadlineMs = attempts.request.deadlineMs, bodyLimit = attempts.request.maxAnswerBytes } = options;
  const { isLong = () => false, mayWrite = () => undefined } = options;
  const { origin, pathname } = new URL(options.url);
  const prefix = withoutSlash(pathname);
  const deadlineOf = typeof deadlineMs === 'number' ? () => deadlineMs : deadlineMs;
  const connectMs = typeof deadlineMs === 'number' ? deadlineMs : attempts.request.deadlineMs;
  const usual = createConnections(new URL(origin), connectMs);
  const long = createConnections(new URL(origin), connectMs);
  const timers = createTurns();

  async function send(request: WireRequest): Promise<WireAnswer> {
    const operation = request.path.replace(/^\/api\/|\?.*$/g, '');
    const { open, whyNone } = isLong(operation) ? long : usual;
    const limit = deadlineOf(operation);
    const limits = { whole: bodyLimit, ofError: errorLimit(request) };
    const exchange = new Exchange({ limits, mayStart: request.method === 'POST' ? mayWrite : () => undefined });
    const timer = setTimeout(() => {
      const why = exchange.hasStarted ? undefined : whyNone(limit);
      exchange.giveUp(why ?? new TransportError('DEADLINE', `no whole answer within ${limit} ms`));
    }, timerMs(limit));
    begin(open, request, exchange).catch((error: unknown) => exchange.giveUp(error as Error));
    try {
      const answer = await exchange.answer;
      await timers.letPass();
      return answer;
    } finally {
      clearTimeout(timer);
    }
  }

  async function begin(open: () => Promise<Dispatcher>, request: WireRequest, exchange: Exchange): Promise<void> {
    const agent = await open();
    await timers.haveTurn();
    const { method, body = null } = request;
    // Uncompressed, so that the limit holds for what was sent and what is kept alike.
    const headers = { 'accept-encoding': 'identity', ...request.headers };
    exchange.sendOver(agent, { origin, path: prefix + request.path, method, headers, body });
  }

  async function close(isAbandoned = false): Promise<void> {
    const reason = new Error('it was closed before the answer came');
    await Promise.all([usual.end(isAbandoned ? reason : undefined), long.end(reason)]);
  }

  return { send, close };
}

/** Makes connections to a server. Opens none yet. */
function createConnections(server: URL, connectMs: number): Connections {
  let opening: Promise<Dispatcher> | undefined;
  let proxy: HttpProxy | undefined;
  let isEnded = false;

  async function open(): Promise<Dispatcher> {
    if (isEnded) throw new Error('the connections are closed');
    const { idleMs, signOfLifeMs } = attempts.connection;
    // The one deadline rules; these only keep undici's own timers out of its way.
    const connect = { timeout: connectMs, keepAliveInitialDelay: signOfLifeMs };
    const timeouts = { keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs, headersTimeout: 0, bodyTimeout: 0 };
    const kept = { pipelining: 1, ...timeouts };
    proxy = proxyFor(server);
    if (proxy !== undefined) {
      const { openProxied } = await import('./proxied.ts');
      return openProxied(proxy, server.protocol, { tunnelMs: connectMs, connect, kept });
    }
    // Loaded at the first request: commands without requests start sooner.
    const { Agent } = await import('./agent.ts');
    return new Agent({ ...kept, connect });
  }

  return {
    open: () => (opening ??= open()),
    whyNone: (withinMs) => proxy && explainProxy(proxy, hostAndPort(server), { withinMs }),
    async end(reason) {
      isEnded = true;
      const agent = await opening?.catch(() => undefined);
      await (reason === undefined ? agent?.close() : agent?.destroy(reason));
    },
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
  const waiting: (() => void)[] = [];
  let isPassing = false;
  const nextTurn = (then: () => void): void => {
    const since = performance.now();
    setImmediate(() => {
      firedSince = since;
      then();
    });
  };
  const pass = (): void => {
    waiting.shift()?.();
    // undici sends over a used connection one turn later.
    nextTurn(() => {
      isPassing = waiting.length > 0;
      if (isPassing) setImmediate(pass);
    });
  };
  return {
    haveTurn: async () => {
      if (performance.now() - firedSince <= attempts.connection.lateMs) return;
      await immediate();
      await new Promise<void>(nextTurn);
    },
    letPass: () =>
      new Promise((free) => {
        waiting.push(free);
        if (!isPassing) setImmediate(pass);
        isPassing = true;
      }),
  };
}

/** Most bytes that are read of an error; it may quote the request, and whether it has a code matters. */
function errorLimit({ body = '' }: WireRequest): number {
  return attempts.request.maxErrorBytes + attempts.request.quotedPerByte * Buffer.byteLength(body);
}
