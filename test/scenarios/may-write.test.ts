import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { createTransport } from '../../src/api/transport.ts';
import { diagnostic, Stop } from '../../src/diagnostics/diagnostic.ts';
import { isLost } from '../../src/apply/attempt.ts';
import { stopOf } from '../../src/state/conformance/states.ts';

/** No write starts when the lock is lost, however long it waited before. */

const lost = () => new Stop('locked', [diagnostic('locked', 'the lock is lost')]);
const endings: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(endings.splice(0).map((end) => end())));

/** A server that tells what arrives, and answers when it is told to. */
async function platform() {
  const arrived: string[] = [];
  const waiting: ServerResponse[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    arrived.push(`${request.method ?? ''} ${request.url ?? ''}`);
    waiting.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let isMine = true;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = createTransport({
    url,
    mayWrite: () => {
      if (!isMine) throw lost();
    },
  });
  endings.push(
    () => transport.close(),
    () => new Promise((done) => server.close(done)),
  );
  return {
    arrived,
    client: createClient({ send: transport.send, url, apiKey: 'key', redact: (text) => text, connections: 1 }),
    answer: () => {
      for (const response of waiting.splice(0)) {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
      }
    },
    lose: () => {
      isMine = false;
    },
  };
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => void setTimeout(resolve, 2));
};

describe('a write', () => {
  test('is sent while the lock is held, and not afterwards; reads are', async () => {
    const { arrived, client, answer, lose } = await platform();
    const writing = client.call('redis.start', { redisId: 'r1' });
    await until(() => arrived.length === 1);
    answer();
    expect(await writing).toEqual({ ok: true });
    lose();
    const stop = await stopOf(client.call('redis.start', { redisId: 'r2' }));
    expect(stop.failure).toBe('locked');
    // It is proven that it was not executed: nobody has to look for what it did.
    expect(isLost(stop)).toBe(false);
    const reading = client.call('redis.one', { redisId: 'r1' });
    await until(() => arrived.length === 2);
    answer();
    expect(await reading).toEqual({ ok: true });
    expect(arrived).toEqual(['POST /api/redis.start', 'GET /api/redis.one?redisId=r1']);
  });

  test('that waited for its turn is not sent when the lock was lost meanwhile', async () => {
    const { arrived, client, answer, lose } = await platform();
    const first = client.call('redis.start', { redisId: 'r1' });
    const second = client.call('redis.start', { redisId: 'r2' });
    await until(() => arrived.length === 1);
    lose();
    answer();
    expect(await first).toEqual({ ok: true });
    expect((await stopOf(second)).failure).toBe('locked');
    expect(arrived).toEqual(['POST /api/redis.start']);
  });

  test('that waited for its connection is not sent when the lock was lost meanwhile', async () => {
    const { arrived, client, lose } = await platform();
    // The first request: undici is loaded, and the connection made, before it can go out.
    const writing = client.call('redis.start', { redisId: 'r1' });
    await new Promise((resolve) => void setImmediate(resolve));
    lose();
    expect((await stopOf(writing)).failure).toBe('locked');
    expect(arrived).toEqual([]);
  });
});
