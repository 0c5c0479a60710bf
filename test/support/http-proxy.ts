import { once } from 'node:events';
import { createServer, type RequestListener, request as send } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import type { Certificate } from './certificate.ts';

/** An HTTP proxy of this machine, written from RFC 9110: tunnels by CONNECT, and requests with whole addresses. */
export interface HttpProxyOfTest {
  readonly port: number;
  readonly url: string;
  /** What it was asked for, such as `CONNECT shop.example.com:443` and `GET http://shop.example.com/`. */
  readonly log: string[];
  /** The header `proxy-authorization` of each. */
  readonly authorizations: (string | undefined)[];
}

/** What a proxy does. */
interface ProxySettings {
  /** The ports of this machine that stand in for servers, by host and port; it answers 502 for others. */
  readonly servers?: Readonly<Record<string, number>>;
  /** `user:password`; it answers 407 without them. */
  readonly credentials?: string;
  /** Its only answer. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** It speaks TLS itself. */
  readonly certificate?: Certificate;
  /** true: it takes connections and does not answer. */
  readonly isSilent?: boolean;
}

/** The variables that name proxies, and the hosts without one. */
const variables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];

/**
 * Sets variables in the process of a test, and empties the others that name proxies. Certificates of the tests are trusted: a
 * program gets them by NODE_EXTRA_CA_CERTS, when it starts.
 */
export function nameProxy(env: Readonly<Record<string, string>>): void {
  const none = variables.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, ''] as const);
  const all = { ...Object.fromEntries(none), NODE_TLS_REJECT_UNAUTHORIZED: '0', ...env };
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Starts a proxy, which ends with the test. */
export async function serveProxy(settings: ProxySettings = {}): Promise<HttpProxyOfTest> {
  const { servers = {}, credentials, status, headers = {}, certificate, isSilent = false } = settings;
  const [log, authorizations, sockets]: [string[], (string | undefined)[], Set<Socket>] = [[], [], new Set()];
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;

  /** The port to go on to, or a status. */
  function judge(words: string, given: string | undefined, to: string): { port: number } | { status: number } {
    log.push(words);
    authorizations.push(given);
    if (status !== undefined) return { status };
    if (expected !== undefined && given !== expected) return { status: 407 };
    const port = servers[to];
    return port === undefined ? { status: 502 } : { port };
  }

  const forward: RequestListener = (request, response) => {
    const { method, url = '', headers: sent } = request;
    const { host, port, pathname, search } = new URL(url);
    const to = port === '' ? `${host}:80` : host;
    const verdict = judge(`${method} ${url}`, sent['proxy-authorization'], to);
    if (isSilent) return;
    if ('status' in verdict) {
      response.writeHead(verdict.status, headers).end('a page of the proxy');
      return;
    }
    const { 'proxy-authorization': _, ...others } = sent;
    const onward = send({ port: verdict.port, method, path: pathname + search, headers: others }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  };
  const server = certificate === undefined ? createServer(forward) : createSecure(certificate, forward);
  server.on('connect', (request, socket: Socket, head) => {
    const verdict = judge(`CONNECT ${request.url}`, request.headers['proxy-authorization'], request.url ?? '');
    socket.on('error', () => {});
    if (isSilent) return;
    if ('status' in verdict) {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${verdict.status} No\r\n${lines.join('')}content-length: 2\r\n\r\nno`);
      return;
    }
    const onward = connect(verdict.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    sockets.add(onward);
    onward.on('error', () => socket.destroy());
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const url = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  return { port, url, log, authorizations };
}

/** Serves an emulator, or what answers like one, by TLS until the test ends. Gives its port. */
export async function serveSecurely(emulator: Pick<Emulator, 'send'>, certificate: Certificate): Promise<number> {
  const server = createSecure(certificate, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => void parts.push(part));
    request.on('end', () => {
      const { method = 'GET', url: path = '/', headers } = request;
      const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      const body = parts.length === 0 ? undefined : Buffer.concat(parts).toString();
      void emulator.send({ method, path, headers: flat, body }).then((answer) => {
        response.writeHead(answer.status, answer.headers).end(answer.body);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return (server.address() as AddressInfo).port;
}
