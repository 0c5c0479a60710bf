import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** A request that a receiver got. */
interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer of a receiver; `cut` ends the connection without one, `never` keeps it open. */
type Answer =
  | 'cut'
  | 'never'
  | number
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> };

/**
 * Starts receivers of webhooks for the tests of this file, and stops them afterwards. Each gives its answers in turn, then
 * 200; a GET is no message.
 */
export function receivers() {
  const servers: ReturnType<typeof createServer>[] = [];
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  return async (...answers: Answer[]) => {
    const received: Received[] = [];
    const server = createServer((request, response) => {
      if (request.method === 'GET') {
        response.writeHead(404).end('no page');
        return;
      }
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url: path, headers } = request;
        received.push({ method, path, headers, body: Buffer.concat(chunks).toString('utf8') });
        const answer = answers.shift() ?? 200;
        if (answer === 'never') return;
        if (answer === 'cut') response.destroy();
        else if (typeof answer === 'number') response.writeHead(answer).end('answer-of-the-receiver');
        else response.writeHead(answer.status, answer.headers).end();
      });
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/hooks/T0123456789abcdefghij`, received };
  };
}
