import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import type { WireAnswer, WireRequest } from '../api/wire.ts';
import { writeAnswer } from './deliver.ts';
import type { Emulator } from './emulator.ts';
import { HungUp } from './error-answers.ts';
import type { Delivered } from './faults/delivery.ts';
import type { Faults } from './faults/faults.ts';

/** Where and how an emulator listens. */
export interface ServeOptions {
  /** Default: 127.0.0.1, because answers hold secrets in clear. */
  host?: string;
  /** Default: 0, any free port. */
  port?: number;
  /** Delays every answer. */
  latencyMs?: number;
  /** The longest body that is read, in bytes; default 1 MiB. */
  bodyLimit?: number;
  /** What goes wrong with requests; default: nothing. */
  faults?: Faults;
}

/**
 * Serves an emulator over HTTP. To close it ends its process: the next one finds it restarted.
 *
 * @throws {Error} when the port cannot be opened.
 */
export async function serve(
  emulator: Emulator,
  options: ServeOptions = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const { host = '127.0.0.1', port = 0, latencyMs = 0, bodyLimit = 1024 * 1024 } = options;
  let isClosing = false;

  const server = createServer((request, response) => {
    if (!isMeant(request.headers.host, [host.toLowerCase(), request.socket.localAddress ?? ''])) {
      request.resume();
      writeAnswer(response, misdirected(request.headers.host), isClosing);
      return;
    }
    void answerTo(options.faults?.deliver ?? emulator.send, request, bodyLimit).then((answer) => {
      const write = () => {
        if (answer === undefined) response.destroy();
        else writeAnswer(response, answer, isClosing);
      };
      if (latencyMs > 0) setTimeout(write, latencyMs);
      else write();
    });
  });
  // The platform ends a connection without traffic after this time, and says so in the header of each answer.
  server.keepAliveTimeout = 5_000;
  server.listen(port, host);
  await once(server, 'listening');

  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}`,
    async close() {
      isClosing = true;
      const closed = once(server, 'close');
      server.close();
      emulator.restart();
      await closed;
    },
  };
}

/**
 * Returns true for a Host header with a loopback name, one of the `hosts` that the server listens on, or any IP address
 * when it listens on all. A page of another site can make a name of its own resolve to this machine (DNS rebinding), and
 * the key of the emulator is public.
 */
function isMeant(header: string | undefined, hosts: readonly string[]): boolean {
  const name = (header ?? '')
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  if (name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))) return true;
  const listensOnAll = hosts.includes('0.0.0.0') || hosts.includes('::');
  return hosts.includes(name) || (listensOnAll && isIP(name) !== 0);
}

function misdirected(header: string | undefined): WireAnswer {
  return plain(421, `The emulator does not answer for the host ${JSON.stringify(header ?? '')}`, {
    connection: 'close',
  });
}

/** The answer to a request; undefined when it gets none. */
async function answerTo(
  send: (request: WireRequest) => Promise<Delivered>,
  request: IncomingMessage,
  bodyLimit: number,
): Promise<Delivered | undefined> {
  try {
    const body = await readBody(request, bodyLimit);
    if (body === undefined) {
      request.resume();
      return plain(413, 'Body exceeded 1mb limit', { connection: 'close' });
    }
    const { method = 'GET', url: path = '/' } = request;
    return await send({ method, path, headers: headersOf(request), body });
  } catch (error) {
    if (error instanceof HungUp) return undefined;
    // The world could not be saved, or the client went away while it was sending.
    return plain(500, error instanceof Error ? error.message : String(error));
  }
}

/** The body of a request; undefined when it is longer than allowed. */
async function readBody(request: IncomingMessage, bodyLimit: number): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > bodyLimit) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyLimit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

function plain(status: number, body: string, headers: Record<string, string> = {}): WireAnswer {
  return { status, headers: { 'content-type': 'text/plain', ...headers }, body };
}
