import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Client, ClientOptions, OwnConnection } from '../../src/api/client.ts';
import { createClient, interruptible } from '../../src/api/client.ts';
import { PlatformError, TransportError } from '../../src/api/platform-error.ts';
import { createTransport } from '../../src/api/transport.ts';
import type { WireAnswer } from '../../src/api/wire.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';

/** Work on a connection of its own: first the connection, then a look, then a request made of what it showed. */

const json = { 'content-type': 'application/json' };
const ok: WireAnswer = { status: 200, headers: json, body: '{}' };
const bare: WireAnswer = { status: 401, headers: json, body: '{"message":"Unauthorized"}' };
const tooMany: WireAnswer = { status: 429, headers: json, body: '{"message":"Too many requests"}' };
const broken: WireAnswer = { status: 502, headers: {}, body: 'Bad gateway' };

/** A platform whose answers a test lets go one by one; a request that is not on its way has not been sent. */
function platform(options: Partial<ClientOptions> = {}) {
  const underWay: { readonly request: string; readonly answer: (answer: WireAnswer | Error) => void }[] = [];
  const sent: string[] = [];
  let now = 0;
  const client = createClient({
    send: (wire) => {
      const request = `${wire.path.replace('/api/', '')}${wire.body === undefined ? '' : ` ${wire.body}`}`;
      sent.push(request);
      return new Promise((resolve, reject) => {
        underWay.push({ request, answer: (answer) => (answer instanceof Error ? reject(answer) : resolve(answer)) });
      });
    },
    url: 'https://platform.example',
    apiKey: 'k',
    redact: (text) => text,
    random: () => 0.5,
    clock: () => now,
    sleep: (ms) => {
      now += ms;
      return Promise.resolve();
    },
    ...options,
  });
  const settle = () => new Promise((resolve) => void setImmediate(resolve));
  return {
    client,
    sent,
    /** Answers the oldest request that is on its way. */
    answer: async (answer: WireAnswer | Error = ok) => {
      await settle();
      underWay.shift()?.answer(answer);
      await settle();
    },
    onTheirWay: async () => {
      await settle();
      return underWay.map(({ request }) => request);
    },
  };
}

/** Reads a compose, and saves what the look was the how-manieth. */
function lookAndSave(client: Client, composeId: string, looks: string[] = []): Promise<unknown> {
  return client.withConnection('compose.update', async (own) => {
    looks.push(own.hasPaused ? 'after a pause' : 'at once');
    await own.call('compose.one', { composeId });
    return own.invoke('compose.update', { composeId, name: `look ${looks.length}` });
  });
}

test('an overloaded platform gets half as many requests at a time, and more again after good answers', async () => {
  const fewer: number[] = [];
  const { client, answer, onTheirWay } = platform({ connections: 4, onFewer: (count) => fewer.push(count) });
  const ids = Array.from({ length: 24 }, (_, at) => `c${at}`);
  const reads = Promise.all(ids.map((composeId) => client.call('compose.one', { composeId })));
  expect(await onTheirWay()).toHaveLength(4);
  await answer(broken);
  await answer(broken);
  expect(await onTheirWay()).toHaveLength(2);
  expect(fewer).toEqual([2]);
  const counts: number[] = [];
  for (let count = 0; count < 10; count += 1) {
    await answer();
    counts.push((await onTheirWay()).length);
  }
  expect(counts).toEqual([2, 3, 3, 3, 4, 4, 4, 4, 4, 4]);
  while ((await onTheirWay()).length > 0) await answer();
  expect(await reads).toHaveLength(24);
  expect(fewer).toEqual([2]);
});

test.each<[halves: boolean, what: string, badly: WireAnswer | Error]>([
  [true, '429', tooMany],
  [true, '502', broken],
  [true, '503', { ...broken, status: 503 }],
  [true, '504', { ...broken, status: 504 }],
  [true, 'no answer in time', new TransportError('DEADLINE', 'no whole answer within 30000 ms')],
  [false, '500', { ...broken, status: 500 }],
  [false, '404', { ...broken, status: 404 }],
  [false, 'a rejected key', bare],
  [false, 'a lost connection', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
])('it halves the requests at a time (%s): %s', async (halves, _, badly) => {
  const fewer: number[] = [];
  const { client, answer, onTheirWay } = platform({ connections: 4, onFewer: (count) => fewer.push(count) });
  const ids = Array.from({ length: 4 }, (__, at) => `c${at}`);
  const reads = Promise.allSettled(ids.map((composeId) => client.call('compose.one', { composeId })));
  await answer();
  await answer(badly);
  while ((await onTheirWay()).length > 0) await answer();
  await reads;
  expect(fewer).toEqual(halves ? [2] : []);
});

describe('work on a connection of its own', () => {
  test('reads and sends over it, one after the other, and waits for no other request then', async () => {
    const { client, answer, sent, onTheirWay } = platform({ connections: 1 });
    const first = lookAndSave(client, 'a');
    const other = client.call('user.all', {});
    expect(await onTheirWay()).toEqual(['compose.one?composeId=a']);
    await answer();
    expect(await onTheirWay()).toEqual(['compose.update {"composeId":"a","name":"look 1"}']);
    await answer();
    expect(await onTheirWay()).toEqual(['user.all']);
    await answer();
    expect(await Promise.all([first, other])).toEqual([{}, {}]);
    expect(sent).toHaveLength(3);
    expect(client.counts).toEqual({ reads: 2, writes: 1 });
  });

  test('begins when there is a connection, and not before', async () => {
    const { client, answer, onTheirWay } = platform({ connections: 1 });
    const looks: string[] = [];
    const other = client.call('user.all', {});
    const work = lookAndSave(client, 'a', looks);
    expect(await onTheirWay()).toEqual(['user.all']);
    expect(looks).toEqual([]);
    await answer();
    expect(looks).toEqual(['at once']);
    await answer();
    await answer();
    await Promise.all([other, work]);
  });

  test('never waits for the connections of other work that reads', async () => {
    const { client, answer, sent } = platform({ connections: 4 });
    const all = Array.from({ length: 40 }, (_, at) => lookAndSave(client, `c${at}`));
    for (let count = 0; count < 80; count += 1) await answer();
    expect(await Promise.all(all)).toHaveLength(40);
    expect(sent).toHaveLength(80);
  });

  test('gives the connection back when it fails, and when nothing is sent', async () => {
    const { client, answer } = platform({ connections: 1 });
    const why = new Stop('platform', []);
    await expect(client.withConnection('compose.update', () => Promise.reject(why))).rejects.toBe(why);
    expect(await client.withConnection('compose.update', () => Promise.resolve('nothing to do'))).toBe('nothing to do');
    const read = client.call('user.all', {});
    await answer();
    expect(await read).toEqual({});
  });

  test('sends a failed read again over its own connection, and a failed write never', async () => {
    const { client, answer, sent } = platform({ connections: 1 });
    const work = lookAndSave(client, 'a').catch((error: unknown) => error);
    await answer(broken);
    await answer();
    await answer(broken);
    expect(await work).toMatchObject({ operation: 'compose.update', outcome: 'unknown' });
    expect(sent.map((request) => request.split(/[ ?]/)[0])).toEqual(['compose.one', 'compose.one', 'compose.update']);
  });

  test('of an operation that takes minutes keeps no other waiting', async () => {
    const isLong = (operation: string) => operation === 'compose.deploy';
    const { client, answer, onTheirWay } = platform({ connections: 1, isLong });
    const long = client.withConnection('compose.deploy', (own) => own.call('compose.deploy', { composeId: 'a' }));
    const short = client.call('user.all', {});
    expect(await onTheirWay()).toEqual(['compose.deploy {"composeId":"a"}', 'user.all']);
    await answer();
    await answer();
    await Promise.all([long, short]);
  });

  test('inside of such work is done over the same connection', async () => {
    const { client, answer } = platform({ connections: 1 });
    const seen: boolean[] = [];
    const work = client.withConnection('compose.update', (own) =>
      own.withConnection('compose.update', async (inner: OwnConnection) => {
        seen.push(inner.hasPaused);
        return inner.call('user.all', {});
      }),
    );
    await answer();
    expect(await work).toEqual({});
    expect(seen).toEqual([false]);
  });
});

describe('work that the platform refuses unexecuted', () => {
  test.each([
    ['429', tooMany],
    ['a 401 without a code', bare],
  ])('reads again before it sends again, after a %s', async (_what, refusal) => {
    const { client, answer, sent } = platform();
    const looks: string[] = [];
    const work = lookAndSave(client, 'a', looks);
    await answer(); // the look
    await answer(refusal); // the write
    await answer(); // user.get: the platform takes requests again
    await answer();
    await answer();
    expect(await work).toEqual({});
    expect(looks).toEqual(['at once', 'after a pause']);
    expect(sent.slice(1)).toEqual([
      'compose.update {"composeId":"a","name":"look 1"}',
      'user.get',
      'compose.one?composeId=a',
      'compose.update {"composeId":"a","name":"look 2"}',
    ]);
  });

  test('starts again when its read is refused, too', async () => {
    const { client, answer } = platform();
    const looks: string[] = [];
    const work = lookAndSave(client, 'a', looks);
    await answer(tooMany);
    await answer();
    await answer();
    await answer();
    expect(await work).toEqual({});
    expect(looks).toEqual(['at once', 'after a pause']);
  });

  test('knows of a pause that it only waited for, and of one that was over when it got its connection', async () => {
    const { client, answer } = platform({ connections: 1 });
    const looks: string[] = [];
    const first = client.call('user.all', {});
    const second = lookAndSave(client, 'a', looks);
    await answer(tooMany); // of the first: the second waits for its connection
    const third = lookAndSave(client, 'b', looks);
    await answer(); // user.get
    for (let count = 0; count < 5; count += 1) await answer();
    await Promise.all([first, second, third]);
    expect(looks).toEqual(['after a pause', 'after a pause']);
  });

  test('is given up after ten times, although others get through', async () => {
    const { client, answer, sent } = platform();
    const work = lookAndSave(client, 'a').catch((error: unknown) => error);
    for (let count = 0; count < 10; count += 1) {
      await answer(); // the look
      await answer(tooMany);
      await answer(); // user.get
    }
    expect(await work).toMatchObject({ operation: 'compose.update', status: 429, outcome: 'not executed' });
    expect(sent.filter((request) => request.startsWith('compose.update'))).toHaveLength(10);
  });

  test('is not repeated where the work takes the refusal for an answer', async () => {
    const { client, answer, sent } = platform();
    const work = client.withConnection('compose.update', async (own) => {
      try {
        return await own.call('user.all', {});
      } catch (error) {
        return error instanceof PlatformError ? error.status : 'another error';
      }
    });
    await answer(tooMany);
    expect(await work).toBe(429);
    expect(sent).toEqual(['user.all']);
  });

  test('ends with the run, and its error states that nothing was sent', async () => {
    const stopping = new AbortController();
    const { client, answer } = platform({
      sleep: (_ms, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
    });
    const looks: string[] = [];
    const work = lookAndSave(interruptible(client, stopping.signal), 'a', looks).catch((error: unknown) => error);
    await answer();
    await answer(tooMany);
    stopping.abort();
    expect(await work).toMatchObject({ operation: 'compose.update', outcome: 'not executed', status: 429 });
    client.close();
    expect(await lookAndSave(client, 'b', looks).catch((error: unknown) => error)).toMatchObject({
      operation: 'compose.update',
      outcome: 'not executed',
      failure: 'connection',
    });
    expect(looks).toEqual(['at once']);
  });
});

test('over HTTP, a write follows the reads of its own connection, while other work waits for a connection', async () => {
  const bodies: string[] = [];
  const sockets = new Set<unknown>();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      bodies.push(`${request.url} ${body}`);
      response.writeHead(200, json).end(JSON.stringify({ seen: bodies.length }));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = createTransport({ url });
  const client = createClient({ send: transport.send, url, apiKey: 'k', redact: (text) => text, connections: 1 });
  const work = (composeId: string) =>
    client.withConnection('compose.update', async (own) => {
      const row = (await own.call('compose.one', { composeId })) as { seen: number };
      return own.invoke('compose.update', { composeId, name: String(row.seen) });
    });
  await Promise.all([work('a'), client.call('user.all', {}), work('b')]);
  await transport.close();
  server.close();
  expect(bodies).toEqual([
    '/api/compose.one?composeId=a ',
    '/api/compose.update {"composeId":"a","name":"1"}',
    '/api/user.all ',
    '/api/compose.one?composeId=b ',
    '/api/compose.update {"composeId":"b","name":"4"}',
  ]);
  expect(sockets.size).toBe(1);
});

test.each([
  ['https://127.0.0.1', 'Write http://127.0.0.1:443.'],
  ['https://[::1]:3000/trueup', 'Write http://[::1]:3000/trueup.'],
  [
    'https://deploy.example.com:3000',
    'Write the address that the dashboard opens at in a browser: this port serves no https.',
  ],
])('https at %s, which speaks http, names no other port, and keeps the path', async (url, remedy) => {
  const error = Object.assign(new Error('write EPROTO: wrong version number'), { code: 'EPROTO' });
  const made = createClient({ send: () => Promise.reject(error), url, apiKey: 'k', redact: (text) => text });
  expect(await made.invoke('user.get', {}, { isDiagnostic: true }).catch((reason: unknown) => reason)).toMatchObject({
    remedy,
  });
});

test('https at a port that speaks http is said so, with the address to write', async () => {
  const server = createServer((_request, response) => response.end('{}'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const transport = createTransport({ url });
  const made = createClient({
    send: transport.send,
    url,
    apiKey: 'k',
    redact: (text) => text,
    sleep: () => Promise.resolve(),
  });
  const error: unknown = await made.invoke('user.get', {}).catch((reason: unknown) => reason);
  await transport.close();
  await new Promise((closed) => server.close(closed));
  expect(error).toBeInstanceOf(PlatformError);
  expect(error).toMatchObject({
    sentence: expect.stringContaining('the server answers without TLS') as string,
    remedy: `Write http://127.0.0.1:${port}.`,
    outcome: 'not executed',
  });
  expect((error as PlatformError).message).not.toMatch(/openssl|ssl3/i);
});
