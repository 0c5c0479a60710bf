import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, type RequestListener, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, Socket, createServer as createRawServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../src/api/client.ts';
import { type TransportOptions, createTransport } from '../../src/api/transport.ts';
import type { Send, WireRequest } from '../../src/api/wire.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Platform {
  readonly url: string;
  /** Connections that were opened so far. */
  readonly sockets: Socket[];
  /** Requests that arrived so far, such as `GET /x`. */
  readonly requests: string[];
}

/** A server that answers with the given listener. */
async function serve(listener: RequestListener): Promise<Platform> {
  const sockets: Socket[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  // The server would keep connections far longer than the client may use them.
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, requests };
}

/** A server that writes bytes of its own; it is told each time that a whole request has arrived. */
async function serveRaw(onRequest: (socket: Socket, count: number) => void): Promise<Platform> {
  const sockets: Socket[] = [];
  const requests: string[] = [];
  const server = createRawServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      const line = /^(GET|POST) \S+/.exec(bytes.toString());
      if (!line) return;
      requests.push(line[0]);
      onRequest(socket, requests.length);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, requests };
}

function open(options: TransportOptions): Send {
  const transport = createTransport(options);
  cleanups.push(() => transport.close());
  return transport.send;
}

function connect(options: TransportOptions & Pick<ClientOptions, 'connections'>): Client {
  const { connections, ...rest } = options;
  return createClient({
    send: open(rest),
    url: options.url,
    ...(connections === undefined ? {} : { connections }),
    ...(options.isLong === undefined ? {} : { isLong: options.isLong }),
    apiKey: 'k',
    redact: (text) => text,
    sleep: () => Promise.resolve(),
  });
}

const get: WireRequest = { method: 'GET', path: '/api/user.all', headers: {}, body: undefined };
const post: WireRequest = {
  method: 'POST',
  path: '/api/compose.deploy',
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
};

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a request', () => {
  it('goes out as it is, and its answer comes back', async () => {
    const platform = await serve((request, response) => {
      void readAll(request).then((body) => {
        const { method, url, headers } = request;
        response.writeHead(201, { 'content-type': 'application/json', 'X-Two': ['a', 'b'] });
        response.end(JSON.stringify({ method, url, body, key: headers['x-api-key'], type: headers['content-type'] }));
      });
    });
    const send = open({ url: platform.url });
    const answer = await send({ ...post, headers: { ...post.headers, 'x-api-key': 'k' } });
    expect(answer.status).toBe(201);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['x-two']).toBe('a, b');
    expect(JSON.parse(answer.body)).toEqual({
      method: 'POST',
      url: '/api/compose.deploy',
      body: '{"a":1}',
      key: 'k',
      type: 'application/json',
    });
  });

  it('goes below the path of the address', async () => {
    const platform = await serve((_request, response) => response.end());
    await open({ url: `${platform.url}/platform/` })(get);
    expect(platform.requests).toEqual(['GET /platform/api/user.all']);
  });

  it('gets its text whole where a letter is split between two packets', async () => {
    const bytes = Buffer.from('"äöü€"');
    const platform = await serve((_request, response) => {
      response.write(bytes.subarray(0, 2));
      setTimeout(() => response.end(bytes.subarray(2)), 30);
    });
    expect((await open({ url: platform.url })(get)).body).toBe('"äöü€"');
  });

  it('gets answers that are no success like any other', async () => {
    const platform = await serve((_request, response) => {
      response.statusCode = 500;
      response.end('boom');
    });
    expect(await open({ url: platform.url })(get)).toMatchObject({ status: 500, body: 'boom' });
  });

  it('does not follow a redirect', async () => {
    const platform = await serve((_request, response) => {
      response.writeHead(308, { location: '/elsewhere' });
      response.end();
    });
    expect((await open({ url: platform.url })(post)).status).toBe(308);
    expect(platform.requests).toEqual(['POST /api/compose.deploy']);
  });

  it('waits for a free connection, and is not late because of that', async () => {
    let inFlight = 0;
    let most = 0;
    const platform = await serve((_request, response) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      setTimeout(() => {
        inFlight -= 1;
        response.end('1');
      }, 250);
    });
    const client = connect({ url: platform.url, connections: 2, deadlineMs: 1_200 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => client.call('user.all', {})));
    expect(answers).toEqual(Array.from({ length: 12 }, () => 1));
    expect(client.counts.reads).toBe(12);
    expect(most).toBe(2);
    expect(platform.sockets).toHaveLength(2);
  });

  it('goes out after each of several answers that come together, before the next answer is worked on', async () => {
    const together = 4;
    const waiting: ServerResponse[] = [];
    const platform = await serve((_request, response) => {
      if (waiting.push(response) === together) for (const each of waiting.splice(0)) each.end('1');
    });
    const events: string[] = [];
    // A process that stands still for long lets timers fire before its next request.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    cleanups.push(() => Promise.resolve(clock.mockRestore()));
    const onSent = (): void => void events.push('sent');
    subscribe('undici:client:sendHeaders', onSent);
    cleanups.push(() => Promise.resolve(void unsubscribe('undici:client:sendHeaders', onSent)));
    const client = connect({ url: platform.url, connections: together });
    const work = async () => {
      for (let count = 0; count < 5; count++) {
        await client.call('user.all', {});
        events.push('answered');
      }
    };
    await Promise.all(Array.from({ length: together }, work));
    const last = events.lastIndexOf('sent');
    const between = events.slice(events.indexOf('answered'), last + 1);
    expect(between).toEqual(Array.from({ length: (5 - 1) * together }, () => ['answered', 'sent']).flat());
    expect(platform.sockets).toHaveLength(together);
  });

  it('gives its slot back when it fails', async () => {
    const platform = await serveRaw((socket, count) => {
      if (count < 3) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n1');
    });
    const send = open({ url: platform.url });
    await expect(send(get)).rejects.toThrow();
    await expect(send(get)).rejects.toThrow();
    expect((await send(get)).body).toBe('1');
  });
});

describe('a connection', () => {
  it('is used again soon, and never after 3 s of silence', async () => {
    const platform = await serve((_request, response) => response.end('1'));
    const send = open({ url: platform.url });
    await send(post);
    await pause(50);
    await send(post);
    expect(platform.sockets).toHaveLength(1);
    await pause(3_100);
    await send(post);
    expect(platform.sockets).toHaveLength(2);
  });

  it('is not used after 3 s of silence even when the program was too busy to notice', async () => {
    const platform = await serve((_request, response) => response.end('1'));
    const send = open({ url: platform.url });
    await send(post);
    await pause(20);
    // What follows a file's arrival comes before due timers, so only a transport that lets them fire first passes.
    await readFile(new URL(import.meta.url));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_100);
    await send(post);
    expect(platform.sockets).toHaveLength(2);
  });

  it('is given up sooner when the server asks for that', async () => {
    const platform = await serve((_request, response) => {
      response.setHeader('keep-alive', 'timeout=1');
      response.end('1');
    });
    const send = open({ url: platform.url });
    await send(post);
    await send(post);
    expect(platform.sockets).toHaveLength(2);
  });

  it('ends with the transport', async () => {
    const platform = await serve((_request, response) => response.end('1'));
    const transport = createTransport({ url: platform.url });
    await transport.send(get);
    const [socket] = platform.sockets;
    const ended = new Promise((resolve) => socket?.once('close', resolve));
    await transport.close();
    await ended;
    await expect(transport.send(get)).rejects.toThrow();
  });
});

describe('the deadline', () => {
  it('ends a request that gets no answer', async () => {
    const platform = await serve(() => {});
    await expect(open({ url: platform.url, deadlineMs: 200 })(get)).rejects.toMatchObject({ code: 'DEADLINE' });
  });

  it('ends an answer that drips', async () => {
    const platform = await serve((_request, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    await expect(open({ url: platform.url, deadlineMs: 200 })(get)).rejects.toMatchObject({ code: 'DEADLINE' });
  });

  it('ends headers that drip', async () => {
    const platform = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(open({ url: platform.url, deadlineMs: 200 })(get)).rejects.toMatchObject({ code: 'DEADLINE' });
  });

  it('ends a connection that never comes about', async () => {
    const platform = await serveRaw(() => {});
    const url = platform.url.replace('http:', 'https:');
    await expect(open({ url, deadlineMs: 200 })(get)).rejects.toMatchObject({ code: 'DEADLINE' });
  });
});

describe('a long request', () => {
  const isLong = (operation: string) => operation === 'compose.deploy';

  it('keeps no other waiting, and none of its kind', async () => {
    const held: ServerResponse[] = [];
    const platform = await serve((request, response) => {
      if (request.method === 'POST') held.push(response);
      else response.end('"short"');
    });
    const client = connect({ url: platform.url, connections: 2, isLong, deadlineMs: 5_000 });
    const long = Array.from({ length: 6 }, () => client.call('compose.deploy', { composeId: 'c' }));
    await expect.poll(() => held.length).toBe(6);
    const short = await Promise.all(Array.from({ length: 8 }, () => client.call('user.all', {})));
    expect(short).toEqual(Array.from({ length: 8 }, () => 'short'));
    expect(platform.sockets).toHaveLength(8);
    for (const response of held) response.end('"long"');
    expect(await Promise.all(long)).toEqual(Array.from({ length: 6 }, () => 'long'));
  });

  it('has the deadline of its operation, and the others have theirs', async () => {
    const platform = await serve((_request, response) => {
      setTimeout(() => response.end('late'), 400);
    });
    const deadlineMs = (operation: string) => (isLong(operation) ? 5_000 : 100);
    const send = open({ url: platform.url, isLong, deadlineMs });
    const long = send(post);
    await expect(send(get)).rejects.toMatchObject({ code: 'DEADLINE' });
    expect((await long).body).toBe('late');
  });

  it('is given up at its own deadline', async () => {
    const platform = await serve(() => {});
    const send = open({ url: platform.url, isLong, deadlineMs: (operation) => (isLong(operation) ? 100 : 5_000) });
    await expect(send(post)).rejects.toMatchObject({ code: 'DEADLINE' });
  });

  it('has no more than 64 beside it, and then waits its turn', async () => {
    const held: ServerResponse[] = [];
    const platform = await serve((_request, response) => held.push(response));
    const client = connect({ url: platform.url, isLong, deadlineMs: 15_000 });
    const long = Array.from({ length: 70 }, () => client.call('compose.deploy', { composeId: 'c' }));
    await expect.poll(() => held.length).toBe(64);
    await pause(50);
    expect(held).toHaveLength(64);
    for (const response of held) response.end('1');
    await expect.poll(() => held.length).toBe(70);
    for (const response of held.slice(64)) response.end('1');
    expect(await Promise.all(long)).toHaveLength(70);
  });

  it('goes on a connection that is kept alive, so that no router forgets it', async () => {
    const platform = await serve((_request, response) => response.end('1'));
    const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    try {
      await open({ url: platform.url, isLong })(post);
      expect(keepAlive.mock.calls.filter(([isOn]) => isOn)).toEqual([[true, 15_000]]);
    } finally {
      keepAlive.mockRestore();
    }
  });

  it('ends with the transport, in words, while a short one is waited for', async () => {
    const platform = await serve((request, response) => {
      if (request.method === 'GET') setTimeout(() => response.end('short'), 100);
    });
    const transport = createTransport({ url: platform.url, isLong, deadlineMs: 10_000 });
    const client = createClient({ send: transport.send, url: platform.url, apiKey: 'k', redact: (text) => text });
    const long = client.call('compose.deploy', { composeId: 'c' });
    const said = expect(long).rejects.toMatchObject({
      failure: 'connection',
      outcome: 'unknown',
      message: expect.stringContaining('closed before the answer came') as string,
    });
    const short = transport.send(get);
    await expect.poll(() => platform.requests.length).toBe(2);
    await transport.close();
    await said;
    expect((await short).body).toBe('short');
  });

  it('is not begun after the transport was closed, even as the first one', async () => {
    const platform = await serve((_request, response) => response.end('1'));
    const transport = createTransport({ url: platform.url, isLong });
    await transport.close();
    for (const request of [post, get]) await expect(transport.send(request)).rejects.toThrow();
    expect(platform.requests).toEqual([]);
  });
});

describe('an answer', () => {
  it('may be as long as the limit', async () => {
    const platform = await serve((_request, response) => response.end('x'.repeat(1_000)));
    expect((await open({ url: platform.url, bodyLimit: 1_000 })(get)).body).toHaveLength(1_000);
  });

  it('is not read beyond the limit', async () => {
    let written = 0;
    const platform = await serve((_request, response) => {
      const pump = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) written += 65_536;
        written += 65_536;
        response.once('drain', pump);
      };
      pump();
    });
    const send = open({ url: platform.url, bodyLimit: 100_000 });
    await expect(send(get)).rejects.toMatchObject({ code: 'BODY_LIMIT' });
    expect(written).toBeLessThan(50_000_000);
  });

  it('is refused when it is not UTF-8: other text in its place would count as drift', async () => {
    const platform = await serve((request, response) => {
      const status = request.url === '/api/error' ? 500 : 200;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(Buffer.from('{"description":"caf\xe9"}', 'latin1'));
    });
    await expect(open({ url: platform.url })(get)).rejects.toMatchObject({ code: 'NOT_UTF8' });
    await expect(open({ url: platform.url })({ ...get, path: '/api/error' })).resolves.toMatchObject({ status: 500 });
  });

  it('is refused when it is compressed, because that was not asked for', async () => {
    const platform = await serve((request, response) => {
      expect(request.headers['accept-encoding']).toBe('identity');
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync('x'.repeat(10_000_000)));
    });
    await expect(open({ url: platform.url })(get)).rejects.toMatchObject({ code: 'ENCODING' });
  });

  it.each(['identity', 'Identity', '', ' identity , IDENTITY'])(
    'is read with content-encoding: %j',
    async (encoding) => {
      const platform = await serve((_request, response) => {
        response.setHeader('content-encoding', encoding);
        response.end('[1]');
      });
      await expect(open({ url: platform.url })(get)).resolves.toMatchObject({ status: 200, body: '[1]' });
    },
  );

  it.each([
    ['with less than its length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n[1,2]'],
    [
      'with less than its length on a connection that ends',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 10\r\n\r\n[1]',
    ],
    ['without its last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n[1,2]\r\n'],
    [
      'without its last chunk on a connection that ends',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\n[1,2]\r\n',
    ],
    ['without any chunk', 'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['without the end of its headers', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['without anything', ''],
    ['that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ])('%s is no answer', async (_what, bytes) => {
    const platform = await serveRaw((socket) => socket.end(bytes));
    await expect(open({ url: platform.url })(post)).rejects.toThrow();
    expect(platform.requests).toHaveLength(1);
  });

  it('cut off by a reset is no answer', async () => {
    const platform = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n[1,2]', () => socket.resetAndDestroy());
    });
    await expect(open({ url: platform.url })(post)).rejects.toThrow();
    expect(platform.requests).toHaveLength(1);
  });
});

describe('the client over the wire', () => {
  it('never sends a write twice, on a new connection or a used one', async () => {
    const platform = await serveRaw((socket, count) => {
      if (count === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntrue');
      else socket.destroy();
    });
    const client = connect({ url: platform.url, connections: 1 });
    expect(await client.call('compose.deploy', { composeId: 'c' })).toBe(true);
    for (let time = 0; time < 3; time += 1) {
      await expect(client.call('compose.deploy', { composeId: 'c' })).rejects.toMatchObject({
        failure: 'connection',
        outcome: 'unknown',
      });
    }
    await pause(100);
    expect(platform.requests).toHaveLength(4);
    expect(client.counts).toEqual({ reads: 0, writes: 4 });
  });

  it('repeats a read after an incomplete answer', async () => {
    const platform = await serveRaw((socket, count) => {
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n${count < 3 ? '[1' : '[1,2]'}`);
    });
    expect(await connect({ url: platform.url }).call('user.all', {})).toEqual([1, 2]);
    expect(platform.requests).toHaveLength(3);
  });

  it.each([
    ['no server', undefined, 'connection', 'not executed'],
    ['a reset', 'reset', 'connection', 'unknown'],
    ['half an answer', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[1,2', 'connection', 'unknown'],
    ['half of the JSON', 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n[1,2', 'unreadable', 'unknown'],
    [
      'a login page',
      'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>',
      'unreadable',
      'unknown',
    ],
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'connection', 'unknown'],
    ['a redirect', 'HTTP/1.1 302 Found\r\nlocation: /login\r\ncontent-length: 0\r\n\r\n', 'redirect', 'unknown'],
    ['a bad gateway', 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 3\r\n\r\nbad', 'server', 'unknown'],
    ['silence', 'silence', 'timeout', 'unknown'],
  ] as const)('explains %s in one sentence', async (_what, bytes, failure, outcome) => {
    const platform = await serveRaw((socket) => {
      if (bytes === 'reset') socket.resetAndDestroy();
      else if (bytes !== undefined && bytes !== 'silence') socket.end(bytes);
    });
    const url = bytes === undefined ? 'http://127.0.0.1:1' : platform.url;
    const error: unknown = await connect({ url, deadlineMs: 300 })
      .call('compose.deploy', { composeId: 'c' })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'PlatformError', failure, outcome });
    expect((error as Error).message).toMatch(
      /^(the|Trueup) .* \(compose\.deploy at http:\/\/127\.0\.0\.1:\d+\); (it was not sent|Trueup does not know .*)$/,
    );
    expect((error as Error).message).not.toMatch(/\n|node_modules|undefined/);
    expect(platform.requests).toHaveLength(bytes === undefined ? 0 : 1);
  });
});
