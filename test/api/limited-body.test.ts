import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { readData } from '../../src/api/answer.ts';
import { readAtMost } from '../../src/api/limited-body.ts';
import { parseJson } from '../../src/api/parse-json.ts';
import { createTransport } from '../../src/api/transport.ts';
import { parseState } from '../../src/state/parse.ts';
import { authenticityOf } from '../../src/state/authenticity.ts';
import { testKey } from '../support/state-key.ts';

/** Each empty object of an answer takes two bytes on the way, and sixty of the memory. */

const many = (part: string) => `[${`${part},`.repeat(2_000_000)}1]`;

test.each(['{}', '[]', '[{}]'])('JSON with millions of %s is not parsed', (part) => {
  const text = many(part);
  expect(() => parseJson(text)).toThrow('has more than 2000000 objects and lists');
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: text };
  expect(readData(answer)).toEqual({ isData: false, why: 'has more than 2000000 objects and lists' });
  const about = { location: 'the state', text };
  expect(() =>
    parseState(about, authenticityOf(testKey, { keyName: 'the key', acceptUnsealed: () => undefined })),
  ).toThrow('has more than 2000000 objects and lists');
});

test('large texts, and as many other values, are', () => {
  const text = JSON.stringify({ file: 'x'.repeat(8_000_000) });
  expect(JSON.stringify(parseJson(text))).toBe(text);
  expect(parseJson(many('1'))).toHaveLength(2_000_001);
});

test('an answer of a platform without end is given up at 64 MiB', async () => {
  const part = Buffer.alloc(1024 * 1024, ' ');
  let sent = 0;
  const server = createServer((_request, response) => {
    const more = () => {
      for (let isOpen = true; isOpen && sent < 200; sent++) isOpen = response.write(part);
      if (sent < 200) response.once('drain', more);
      else response.end();
    };
    more();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const transport = createTransport({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const asked = transport.send({ method: 'GET', path: '/api/user.get', headers: {}, body: undefined });
  const ended = asked.then(
    () => 'whole',
    ({ code }: { code: string }) => code,
  );
  // Not the answer itself, which would be printed.
  expect(await ended).toBe('BODY_LIMIT');
  expect(sent).toBeLessThan(200);
  await transport.close(true);
  server.close().closeAllConnections();
});

test.each([1, 2, 3, 7, 64, 1_000])('bytes in pieces of %s are the same bytes', async (size) => {
  const bytes = Buffer.from('größer ✓ 🚀 '.repeat(100));
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, at * size + size),
  );
  const read = (limit: number) => readAtMost({ body: inTurn(pieces) }, limit);
  expect(await read(bytes.length)).toEqual(bytes);
  expect(await read(bytes.length - 1)).toBe(undefined);
});

test('a million small pieces take as much memory as their bytes', async () => {
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  function* small() {
    for (let at = 0; at < 1_000_000; at++) {
      if (at % 100_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed - before);
      yield Buffer.from('x');
    }
  }
  expect(await readAtMost({ body: inTurn(small()) }, 2_000_000)).toHaveLength(1_000_000);
  expect(most).toBeLessThan(60_000_000);
});

// oxlint-disable-next-line require-await -- a body is read piece by piece
async function* inTurn(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* pieces;
}
