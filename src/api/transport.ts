import type { Agent, Dispatcher } from 'undici';
import { TransportError } from './errors.ts';
import type { Send, WireAnswer, WireRequest } from './wire.ts';

/** How requests go to the platform. */
export interface TransportOptions {
  /** The platform's address, such as `https://platform.example`; a path in it comes before `/api`. */
  readonly url: string;
  /** The time for a whole request: connecting, headers and body; or that of each, by its operation. Milliseconds. */
  readonly deadlineMs?: number | ((operation: string) => number);
  /** The longest answer that is read. Bytes. */
  readonly bodyLimit?: number;
  /** Connections open at a time. */
  readonly connections?: number;
}

/** Sends requests over HTTP; close ends its connections. */
export interface Transport {
  readonly send: Send;
  close(): Promise<void>;
}

/**
 * Platforms and proxies close idle connections after 5 s or more, and a write sent into that moment has an unknown
 * outcome; so a connection is given up well before. Milliseconds.
 */
const idleMs = 2_900;

/** The time for a whole request when nobody says another one. Milliseconds. */
const usualDeadlineMs = 30_000;

/** Makes the transport to a platform; each request is sent once, and no redirect is followed. */
export function createTransport(options: TransportOptions): Transport {
  const { deadlineMs = usualDeadlineMs, bodyLimit = 64 * 1024 * 1024, connections = 4 } = options;
  const { origin, pathname } = new URL(options.url);
  const prefix = pathname.replace(/\/+$/, '');
  const takeSlot = createSlots(connections);
  const deadlineOf = typeof deadlineMs === 'number' ? () => deadlineMs : deadlineMs;
  let opening: Promise<Agent> | undefined;

  async function openAgent(): Promise<Agent> {
    // Loaded at the first request: commands without requests start about 50 ms sooner.
    const undici = await import('undici');
    return new undici.Agent({
      connections,
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // The one deadline rules; these only keep undici's own timers out of its way.
      connect: { timeout: typeof deadlineMs === 'number' ? deadlineMs : usualDeadlineMs },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async function exchange(request: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
    opening ??= openAgent();
    const agent = await opening;
    await passTimers();
    signal.throwIfAborted();
    const response = await agent.request({
      origin,
      path: prefix + request.path,
      method: request.method,
      // Uncompressed, so that the limit holds for what was sent and what is kept alike.
      headers: { ...request.headers, 'accept-encoding': 'identity' },
      body: request.body ?? null,
      signal,
    });
    return {
      status: response.statusCode,
      headers: flattenHeaders(response.headers),
      body: await readBody(response, bodyLimit),
    };
  }

  async function send(request: WireRequest): Promise<WireAnswer> {
    // The deadline starts with a free connection: a request that only waits its turn is not late.
    const release = await takeSlot();
    const limit = deadlineOf(request.path.replace(/^\/api\/|\?.*$/g, ''));
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
      return await Promise.race([exchange(request, controller.signal), deadline]);
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  async function close(): Promise<void> {
    const agent = await opening;
    await agent?.close();
  }

  return { send, close };
}

/** Gives out so many slots at a time, first come first served; each comes with the function that gives it back. */
function createSlots(count: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = count;
  const release = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return async () => {
    if (free > 0) {
      free -= 1;
    } else {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
    return release;
  };
}

/**
 * Lets due timers fire. After a long stretch of computing, a connection may be past its idle time while the timer
 * that ends it has not had its turn yet; between two immediates there is always a turn for timers.
 */
async function passTimers(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

async function readBody({ headers, body }: Dispatcher.ResponseData, limit: number): Promise<string> {
  // An error that comes before the first read, or after the last, must not end the program.
  body.on('error', () => {});
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    body.destroy();
    throw new TransportError('ENCODING', 'the answer is compressed although that was not asked for');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the body, and with it the connection.
    if (size > limit) throw new TransportError('BODY_LIMIT', `the answer is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function flattenHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
