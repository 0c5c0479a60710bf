import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { createTransport } from '../../src/api/transport.ts';
import type { WireRequest } from '../../src/api/wire.ts';

/** A platform, or a proxy before it, whose errors cost a run its time. */

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const megabytes = 1_000_000;

/** A server that answers every request with one status and one body. */
async function answering(status: number, body: string) {
  let requests = 0;
  let pieces = 0;
  /** Counts what the server got rid of: it goes on when the one before was taken. */
  function* inPieces() {
    for (let at = 0; at < body.length; at += megabytes) {
      pieces += 1;
      yield body.slice(at, at + megabytes);
    }
  }
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(status, { 'content-type': 'application/json' });
    Readable.from(inPieces()).pipe(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = createTransport({ url });
  cleanups.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
    () => transport.close(),
  );
  return { url, send: transport.send, requests: () => requests, sentMegabytes: () => pieces };
}

const get: WireRequest = { method: 'GET', path: '/api/project.all', headers: {}, body: undefined };

test.each([500, 502, 404, 301])(
  'S25: an answer %i of 40 MB is read to 64 KiB, and its rest is cancelled',
  async (status) => {
    const platform = await answering(status, 'x'.repeat(40 * megabytes));
    const { body } = await platform.send(get);
    expect(body).toBe('x'.repeat(64 * 1024));
    expect(platform.sentMegabytes()).toBeLessThan(25);
  },
);

test('S25: of ten errors of 40 MB, at each attempt of a read, Trueup reads the beginning', async () => {
  const platform = await answering(500, JSON.stringify({ message: 'x'.repeat(40 * megabytes) }));
  const { send, url } = platform;
  const redact = (text: string) => text.replaceAll('top secret', '***');
  const client = createClient({ send, url, apiKey: 'k', redact, sleep: () => Promise.resolve() });
  await expect(client.call('user.all', {})).rejects.toMatchObject({ status: 500 });
  expect(platform.requests()).toBeGreaterThan(1);
  expect(platform.sentMegabytes()).toBeLessThan(25 * platform.requests());
});

test('S25: an error that quotes a large request is read whole: its code says whether anything can take effect', async () => {
  const content = '"'.repeat(900_000 / 2);
  const message = `Failed query: insert, params: ${JSON.stringify({ content })}`;
  const error = JSON.stringify({ message, stack: message, code: 'INTERNAL_SERVER_ERROR' });
  const platform = await answering(500, error);
  const { body } = await platform.send({ ...get, method: 'POST', body: JSON.stringify({ content }) });
  expect(body).toBe(error);
});

test('S25: an answer that is no error is read whole', async () => {
  const platform = await answering(200, 'x'.repeat(40 * megabytes));
  expect((await platform.send(get)).body).toHaveLength(40 * megabytes);
});
