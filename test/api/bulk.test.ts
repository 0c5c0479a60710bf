import { describe, expect, test } from 'vitest';
import { createBulk } from '../../src/api/bulk.ts';
import type { Client, ClientOptions } from '../../src/api/client.ts';
import { createClient } from '../../src/api/client.ts';
import { extendedContracts } from '../../src/api/contract.ts';
import { namesOf } from '../../src/api/translate.ts';
import { TransportError } from '../../src/api/platform-error.ts';
import type { Send, WireAnswer, WireRequest } from '../../src/api/wire.ts';

const batches = { ...extendedContracts.dokploy, hasBatches: true };
const json = (status: number, body: unknown): WireAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const isBatch = ({ path }: WireRequest): boolean => path.startsWith('/api/trpc/');
const operationsIn = ({ path }: WireRequest): string[] => path.replace(/^\/api\/(trpc\/)?|\?.*$/g, '').split(',');
const lost = { message: 'Compose not found', code: 'NOT_FOUND', data: { path: 'compose.one' } };
const right = { message: "You don't have access to this service", code: 'UNAUTHORIZED', data: { path: 'compose.one' } };

/** The single answer to a read of this platform, whose stacks are there unless they are named `lost` or `hidden`. */
function single({ path }: WireRequest): WireAnswer {
  const [, operation = '', query = ''] = /^\/api\/([^?]*)\??(.*)$/.exec(path) ?? [];
  const id = new URLSearchParams(query).get('composeId');
  if (operation === 'user.get') return json(200, { userId: 'u' });
  if (operation === 'certificates.all') return json(200, []);
  if (operation === 'sshKey.all') return json(200, [{ sshKeyId: 's' }]);
  if (id?.startsWith('lost') === true) return json(404, lost);
  if (id?.startsWith('hidden') === true) return json(401, right);
  return json(200, { composeId: id, name: `stack ${id}` });
}

/** The answer to a batch: that to each of its reads. */
function together(request: WireRequest): WireAnswer {
  const query = new URLSearchParams(request.path.split('?')[1]);
  const input = JSON.parse(query.get('input') ?? '{}') as Record<string, { json: Record<string, string> }>;
  const answers = operationsIn(request).map((operation, index) => {
    const path = `/api/${operation}?${new URLSearchParams(input[index]?.json).toString()}`;
    return single({ ...request, path });
  });
  const items = answers.map(({ status, body }) => {
    const data = JSON.parse(body) as typeof lost;
    if (status === 200) return { result: { data: { json: data } } };
    const { message, code } = data;
    return { error: { json: { message, code: -32000, data: { code, httpStatus: status, path: 'x' } } } };
  });
  const statuses = new Set(answers.map(({ status }) => status));
  return json(statuses.size === 1 ? (answers[0]?.status ?? 0) : 207, items);
}

/** A client, and the requests that it sent; `tamper` may give another answer to a request, or none. */
function platform(
  tamper: (request: WireRequest, count: number) => WireAnswer | Error | undefined = () => undefined,
  options: Partial<ClientOptions> = {},
) {
  const requests: WireRequest[] = [];
  const off: string[] = [];
  const send: Send = async (request) => {
    requests.push(request);
    const count = requests.filter((one) => isBatch(one) === isBatch(request)).length;
    await Promise.resolve();
    const answer = tamper(request, count) ?? (isBatch(request) ? together(request) : single(request));
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const client = createClient({
    send,
    url: 'https://platform.example',
    apiKey: 'key-of-the-tests',
    redact: (text) => text,
    contract: batches,
    sleep: () => Promise.resolve(),
    onBulkOff: (why) => off.push(why),
    ...options,
  });
  return {
    client,
    off,
    requests,
    sent: () => requests.map((one) => `${isBatch(one) ? 'together' : 'alone'}: ${operationsIn(one).join(' ')}`),
  };
}

const inBulk = { inBulk: true };
const who = (client: Client) => client.invoke('user.get', {}, inBulk);
const stack = (client: Client, id: string) => client.invoke('compose.one', { composeId: id }, inBulk);
const stacks = (client: Client, ids: readonly string[]) => Promise.allSettled(ids.map((id) => stack(client, id)));
const named = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`);
/** What a client without bulk reads answers. */
const answersAlone = async (ids: readonly string[]) => stacks(platform(undefined, { bulk: false }).client, ids);

describe('reads of one moment', () => {
  test('are one request, after one of the first was compared with its single read', async () => {
    const { client, sent, off } = platform();
    const answers = await Promise.all([who(client), stack(client, 'a'), stack(client, 'b')]);
    expect(answers).toEqual([
      { userId: 'u' },
      { composeId: 'a', name: 'stack a' },
      { composeId: 'b', name: 'stack b' },
    ]);
    expect(sent()).toEqual(['alone: compose.one', 'together: user.get compose.one compose.one']);
    await stacks(client, named(100));
    const counts = sent().map((one) => one.split(' ').length - 1);
    expect(counts).toEqual([1, 3, 40, 40, 20]);
    expect(client.counts).toEqual({ reads: 5, writes: 0 });
    expect(off).toEqual([]);
  });

  test('go together when they follow from answers that came at the same moment', async () => {
    const { client, sent } = platform();
    await Promise.all([who(client), stack(client, 'a')]);
    const later = async (id: string) => {
      await Promise.resolve().then(() => Promise.resolve());
      return stack(client, id);
    };
    await Promise.all([later('b'), later('c').then((answer) => answer), stack(client, 'd')]);
    expect(sent().slice(2)).toEqual(['together: compose.one compose.one compose.one']);
  });

  test('go together whether a signal can end their waiting or not; those of different signals do not', async () => {
    const { client, sent } = platform();
    await Promise.all([who(client), stack(client, 'a')]);
    const [one, other] = [new AbortController(), new AbortController()];
    const ending = (id: string, { signal }: AbortController) =>
      client.invoke('compose.one', { composeId: id }, { inBulk: true, signal });
    await Promise.all([stack(client, 'b'), ending('c', one), ending('d', other), ending('e', one), ending('f', other)]);
    expect(sent().slice(2)).toEqual([`together:${' compose.one'.repeat(3)}`, 'together: compose.one compose.one']);
  });

  test.each<[string, Partial<ClientOptions>]>([
    ['where the option says so', { bulk: false }],
    ['on a platform without batches', { contract: extendedContracts.standard }],
  ])('are sent alone %s', async (_, options) => {
    const { client, sent } = platform(undefined, options);
    await Promise.all([who(client), stack(client, 'a')]);
    expect(sent()).toEqual(['alone: user.get', 'alone: compose.one']);
  });

  test('are sent alone unless they ask for it; writes and reads on a connection of their own always', async () => {
    const { client, sent } = platform();
    const own = client.withConnection('compose.update', (one) => one.invoke('compose.one', { composeId: 'c' }, inBulk));
    const plain = client.invoke('compose.one', { composeId: 'a' });
    await Promise.all([own, plain, client.invoke('compose.stop', { composeId: 'b' }, inBulk)]);
    expect(sent()).toEqual(['alone: compose.one', 'alone: compose.one', 'alone: compose.stop']);
  });

  test('one read alone is no batch', async () => {
    const { client, sent } = platform();
    await stack(client, 'a');
    await Promise.all([who(client), stack(client, 'a')]);
    await stack(client, 'b');
    expect(sent().filter((one) => one.startsWith('together'))).toHaveLength(1);
    expect(sent().at(-1)).toBe('alone: compose.one');
  });

  test('that a single read has to prove are sent alone: errors, and empty lists', async () => {
    const ids = ['a', 'lost', 'b', 'hidden', 'c'];
    const { client, sent, off } = platform();
    const [answers, empty] = await Promise.all([stacks(client, ids), client.invoke('certificates.all', {}, inBulk)]);
    expect(answers).toEqual(await answersAlone(ids));
    expect(empty).toEqual([]);
    expect(sent()[1]).toBe(`together: ${'compose.one '.repeat(5)}certificates.all`);
    expect(sent().slice(2).toSorted()).toEqual(['alone: certificates.all', 'alone: compose.one', 'alone: compose.one']);
    expect(off).toEqual([]);
  });

  test('are checked before they are sent', async () => {
    const { client, requests } = platform();
    await expect(client.invoke('compose.one', { composeId: '' }, inBulk)).rejects.toThrow('must not be empty');
    expect(requests).toEqual([]);
  });
});

describe('the trial', () => {
  test('compares neither the caller, who may be counted, nor the version, which says little', async () => {
    const { client, sent } = platform((request) =>
      request.path.includes('Version') && !isBatch(request) ? json(200, 'v1') : undefined,
    );
    const version = client.invoke('settings.getDokployVersion', {}, inBulk);
    await Promise.all([version, who(client), stack(client, 'a')]);
    expect(sent()).toEqual(['alone: compose.one', 'together: settings.getDokployVersion user.get compose.one']);
  });

  test('passes over reads that the first batch has nothing for', async () => {
    const { client, sent, off } = platform();
    await Promise.all([who(client), client.invoke('certificates.all', {}, inBulk), stack(client, 'a')]);
    await stacks(client, named(2));
    expect(sent()).toEqual([
      'alone: certificates.all',
      'together: user.get certificates.all compose.one',
      'alone: compose.one',
      'together: compose.one compose.one',
    ]);
    expect(off).toEqual([]);
  });

  test('is made again when it proved nothing', async () => {
    const { client, sent, off } = platform();
    await Promise.allSettled([who(client), stack(client, 'lost')]);
    await stacks(client, named(2));
    expect(sent()).toEqual([
      'alone: compose.one',
      'together: user.get compose.one',
      'alone: user.get',
      'alone: compose.one',
      'together: compose.one compose.one',
    ]);
    expect(off).toEqual([]);
  });

  test('keeps at most eight batches from waiting for it', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const sizes: number[] = [];
    const { client } = platform(undefined, {
      connections: 20,
      send: async (request) => {
        sizes.push(operationsIn(request).length);
        await held;
        return isBatch(request) ? together(request) : single(request);
      },
    });
    const ids = named(400);
    const answers = stacks(client, ids);
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    expect(sizes).toEqual([1, ...Array.from({ length: 9 }, () => 40)]);
    release();
    expect(await answers).toEqual(await answersAlone(ids));
    expect(sizes.slice(10)).toEqual([40]);
  });

  test('decides about the batches beside it: what they answer is not used when it ends bulk reads', async () => {
    const ids = named(100);
    const { client, sent, off } = platform((request) =>
      isBatch(request)
        ? { ...together(request), body: together(request).body.replaceAll('stack c', 'stack x') }
        : undefined,
    );
    expect(await stacks(client, ids)).toEqual(await answersAlone(ids));
    expect(sent().filter((one) => one.startsWith('together'))).toHaveLength(4);
    expect(off).toEqual(['a batch answers compose.one otherwise than a single read']);
  });

  test('decides about the batches beside it: they are read again when it proved nothing', async () => {
    const ids = [...Array.from({ length: 40 }, () => 'lost'), ...named(60)];
    const { client, off, sent } = platform();
    expect(await stacks(client, ids)).toEqual(await answersAlone(ids));
    expect(off).toEqual([]);
    // The two beside it, and the same two again; the first of those is the next trial.
    expect(sent().filter((one) => one.startsWith('together'))).toHaveLength(5);
  });

  test('reads once more when both answers differ: the object may have been changed between them', async () => {
    let name = 'before';
    const { client, off } = platform((request) => {
      if (isBatch(request)) {
        name = 'after';
        return undefined;
      }
      return json(200, { composeId: 'a', name: name === 'before' ? 'before' : 'stack a' });
    });
    const answers = await Promise.all([stack(client, 'a'), who(client)]);
    expect(answers[0]).toEqual({ composeId: 'a', name: 'before' });
    expect(off).toEqual([]);
  });

  /** A platform on which a name changes before the requests of these numbers, counted over all of them. */
  const changing = (before: (count: number) => boolean, options: Partial<ClientOptions> = {}) => {
    let sent = 0;
    let version = 0;
    const made = platform(undefined, {
      ...options,
      send: async (request) => {
        made.requests.push(request);
        sent += 1;
        if (before(sent)) version += 1;
        const answer = isBatch(request) ? together(request) : single(request);
        const seen = { ...answer, body: answer.body.replaceAll('stack a', `stack a, version ${version}`) };
        await Promise.resolve();
        return seen;
      },
    });
    return made;
  };

  test.each([
    ['before the batch', 2],
    ['before the single read after it', 3],
    ['before the second batch', 4],
    ['before the last single read', 5],
  ])('one change %s does not end bulk reads', async (_, at) => {
    // The order of the first two requests is that of sending: the change may be seen by either first.
    for (const order of [(n: number) => n === at, (n: number) => n === 1 || n === at]) {
      const { client, off, sent } = changing(order);
      const answers = await Promise.all([stack(client, 'a'), who(client)]);
      expect(answers[1]).toEqual({ userId: 'u' });
      await stacks(client, named(30));
      expect(off).toEqual([]);
      expect(sent().at(-1)).toBe(`together:${' compose.one'.repeat(30)}`);
    }
  });

  test('lets no other begin while it compares again, and stays off where that is what came of it', async () => {
    const said: string[] = [];
    const asked: (readonly string[])[] = [];
    let answerLate = (): void => {};
    let singles = 0;
    const bulk = createBulk({
      onOff: (why) => said.push(why),
      send: (items) => {
        asked.push(items.map(({ path }) => path));
        return Promise.resolve({
          is: 'items',
          items: items.map(({ path }) => ({ data: path === 'a' ? 'new' : `another ${path}` })),
        });
      },
    });
    const alone = async (path: string): Promise<unknown> => {
      if (path !== 'a') return path;
      singles += 1;
      if (singles === 1) return 'old'; // it changes between this read and the batch
      await new Promise<void>((resolve) => (answerLate = resolve));
      return 'new';
    };
    const read = (path: string) =>
      bulk.read({ path, members: {}, signal: undefined, translate: (data) => data, alone: () => alone(path) });
    const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
    const first = [read('a'), read('b')];
    await turn();
    const second = [read('c'), read('d')];
    await turn();
    expect(asked).toEqual([['a', 'b']]);
    answerLate();
    expect(await Promise.all(first)).toEqual([{ data: 'old' }, { data: 'another b' }]);
    expect([bulk.status(), said]).toEqual([{ is: 'on' }, []]);
    await Promise.all(second);
    bulk.end();
    expect(bulk.status()).toMatchObject({ is: 'off' });
  });

  test('that is over when the run ends turns nothing on', async () => {
    let answerLate = (): void => {};
    let singles = 0;
    const bulk = createBulk({
      onOff: () => {},
      send: (items) => Promise.resolve({ is: 'items', items: items.map(() => ({ data: 'new' })) }),
    });
    const alone = async (): Promise<unknown> => {
      singles += 1;
      if (singles === 1) return 'old';
      await new Promise<void>((resolve) => (answerLate = resolve));
      return 'new';
    };
    const read = (path: string) =>
      bulk.read({ path, members: {}, signal: undefined, translate: (data) => data, alone });
    const reads = [read('a'), read('b')];
    await new Promise((resolve) => setTimeout(resolve, 5));
    bulk.end();
    answerLate();
    expect(await Promise.all(reads)).toEqual([{ data: 'old' }, undefined]);
    expect(bulk.status()).toMatchObject({ is: 'off' });
    expect(await read('c')).toBeUndefined();
  });

  test('a change that only the single read saw is compared again, between two single reads', async () => {
    let batches = 0;
    const { client, off, sent } = platform((request) => {
      if (!isBatch(request)) return json(200, { composeId: 'a', name: 'stack a, changed' });
      batches += 1;
      const answer = together(request);
      return batches === 1 ? answer : { ...answer, body: answer.body.replace('stack a', 'stack a, changed') };
    });
    const answers = await Promise.all([stack(client, 'a'), who(client)]);
    expect(answers).toEqual([{ composeId: 'a', name: 'stack a, changed' }, { userId: 'u' }]);
    expect(off).toEqual([]);
    expect(sent()).toEqual([
      'alone: compose.one',
      'together: compose.one user.get',
      'alone: compose.one',
      'together: compose.one user.get',
      'alone: compose.one',
    ]);
  });

  test('a value that changes all the time proves nothing, and is not called a wrong answer', async () => {
    const { client, off, sent } = changing(() => true);
    for (let round = 0; round < 5; round += 1) await Promise.all([stack(client, 'a'), who(client)]);
    expect(off).toEqual(['the data changed during each of 3 comparisons of a batch with single reads']);
    expect(sent().filter((one) => one.startsWith('together'))).toHaveLength(6);
    await stacks(client, named(3));
    expect(sent().slice(-3)).toEqual(['alone: compose.one', 'alone: compose.one', 'alone: compose.one']);
  });

  test('a comparison with another read follows one that proved nothing', async () => {
    const { client, off } = changing(() => true);
    await Promise.all([stack(client, 'a'), stack(client, 'b'), who(client)]);
    await Promise.all([stack(client, 'a'), stack(client, 'b'), who(client)]);
    await stacks(client, named(30));
    expect(off).toEqual([]);
    expect(client.bulkStatus()).toEqual({ is: 'on' });
  });

  test('a single read that fails while it is compared proves nothing', async () => {
    let alone = 0;
    const { client, off } = platform(
      (request, count) => {
        if (isBatch(request))
          return count > 2
            ? undefined
            : { ...together(request), body: together(request).body.replace('stack a', 'stack x') };
        alone += 1;
        return alone === 2 ? json(404, lost) : undefined;
      },
      { readAttempts: 1 },
    );
    await Promise.all([stack(client, 'a'), who(client)]);
    expect(off).toEqual([]);
    await stacks(client, named(3));
    expect(client.bulkStatus()).toEqual({ is: 'on' });
  });

  test('ends bulk reads when a batch answers otherwise than a single read', async () => {
    const { client, sent, off } = platform((request) =>
      isBatch(request)
        ? { ...together(request), body: together(request).body.replace('stack a', 'stack x') }
        : undefined,
    );
    expect(await Promise.all([who(client), stack(client, 'a')])).toEqual([
      { userId: 'u' },
      { composeId: 'a', name: 'stack a' },
    ]);
    await stacks(client, named(3));
    expect(sent().filter((one) => one.startsWith('together'))).toHaveLength(2);
    expect(off).toEqual(['a batch answers compose.one otherwise than a single read']);
  });
});

const translated = { names: namesOf({ groups: {}, operations: {}, members: {}, values: {} }) };
test.each([
  ['in the trial', {}, ['the answer to compose.one nests too deeply to be compared with that of a batch']],
  [
    'in the trial, translated',
    translated,
    ['the answer to compose.one nests too deeply to be compared with that of a batch'],
  ],
  ['later', {}, []],
  ['later, translated', translated, []],
])('an answer that nests too deeply for every use of it holds up no other read: %s', async (when, words, why) => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  // Node 26 writes any depth as JSON, and so compares it.
  const isCompared = writesAsJson(JSON.parse(deep));
  const nested = (answer: WireAnswer) => ({ ...answer, body: answer.body.replace('"stack deep"', deep) });
  const { client, off } = platform((request) => nested(isBatch(request) ? together(request) : single(request)), {
    contract: { ...batches, ...words },
  });
  if (when.startsWith('later')) await stacks(client, ['a', 'b']);
  const answers = await stacks(client, ['deep', 'c', 'd']);
  expect(answers.slice(1)).toMatchObject(['c', 'd'].map((id) => ({ status: 'fulfilled', value: { composeId: id } })));
  expect(off).toEqual(isCompared ? [] : why);
});

function writesAsJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== '';
  } catch {
    return false;
  }
}

describe('every surprise ends bulk reads for the run, is reported once, and changes no answer:', () => {
  const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Log in</title>' };
  const text = (status: number, body: string) => ({ status, headers: { 'content-type': 'text/plain' }, body });
  const itemsOf = (request: WireRequest) => JSON.parse(together(request).body) as unknown[];
  const place = 'from bulk reads at https://platform.example/api/trpc';
  const surprises: [string, (request: WireRequest) => WireAnswer | Error, string][] = [
    [
      '404',
      () => json(404, { message: 'Not found', code: 'NOT_FOUND', data: { code: 'NOT_FOUND', httpStatus: 404 } }),
      `the platform does not have this operation (404 ${place})`,
    ],
    [
      '414',
      () => text(414, 'URI Too Long'),
      `the server answered 414 (bulk reads at https://platform.example/api/trpc)`,
    ],
    ['431', () => text(431, ''), ''],
    ['503', () => text(503, 'Service Unavailable'), ''],
    ['403 of a proxy', () => text(403, 'Forbidden'), ''],
    ['400 of mixed operations', () => text(400, '{"error":{"json":{"message":"Cannot mix procedure types"}}}'), ''],
    ['a page', () => page, 'the answer to a batch has another form (status 200)'],
    ['half of the answer', (request) => ({ ...json(200, 0), body: together(request).body.slice(0, 40) }), ''],
    ['an item too few', (request) => json(200, itemsOf(request).slice(1)), ''],
    ['an item too many', (request) => json(200, [...itemsOf(request), ...itemsOf(request)]), ''],
    [
      'shuffled items',
      (request) => json(200, itemsOf(request).toReversed()),
      'the answer to a batch has something else in the place of compose.one',
    ],
    ['a reset connection', () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }), ''],
    ['an item that hangs', () => new TransportError('DEADLINE', 'no whole answer within 30000 ms'), ''],
    ['an answer that is too long', () => new TransportError('BODY_LIMIT', 'too long'), ''],
  ];

  test.each(surprises)('%s, at the beginning', async (_, surprise, why) => {
    const ids = named(30);
    const { client, off, sent } = platform((request) => (isBatch(request) ? surprise(request) : undefined));
    expect(await stacks(client, ids)).toEqual(await answersAlone(ids));
    await stacks(client, ids);
    expect(off).toEqual([expect.stringContaining(why)]);
    expect(off[0]).toMatch(/^(the|a) /);
    expect(sent().filter((one) => one.startsWith('together'))).toHaveLength(1);
  });

  test.each(surprises)('%s, in the middle of a run', async (_, surprise) => {
    const ids = named(120);
    const { client, off, sent } = platform((request, count) =>
      isBatch(request) && count === 3 ? surprise(request) : undefined,
    );
    await Promise.all([who(client), stack(client, 'a')]);
    expect(await stacks(client, ids)).toEqual(await answersAlone(ids));
    await stacks(client, ids);
    expect(off).toHaveLength(1);
    expect(sent().filter((one) => one.startsWith('together'))).toHaveLength(4);
  });
});

describe('a platform that takes no requests for now', () => {
  const unauthorized = (request: WireRequest) =>
    json(
      401,
      operationsIn(request).map((path) => ({
        error: {
          json: { message: 'UNAUTHORIZED', code: -32001, data: { code: 'UNAUTHORIZED', httpStatus: 401, path } },
        },
      })),
    );
  const refusals: [string, (request: WireRequest) => WireAnswer][] = [
    ['every item is UNAUTHORIZED', unauthorized],
    ['a bare 401', () => json(401, { message: 'Unauthorized' })],
    ['429', () => ({ status: 429, headers: { 'retry-after': '1' }, body: '' })],
  ];

  test.each(refusals)('is waited for, and the batch is sent again: %s', async (_, refusal) => {
    const { client, off, sent } = platform((request, count) =>
      isBatch(request) && count === 2 ? refusal(request) : undefined,
    );
    await Promise.all([who(client), stack(client, 'a')]);
    expect(await stacks(client, named(5))).toEqual(await answersAlone(named(5)));
    expect(sent().slice(2)).toEqual([
      `together:${' compose.one'.repeat(5)}`,
      'alone: user.get',
      `together:${' compose.one'.repeat(5)}`,
    ]);
    expect(off).toEqual([]);
  });

  test.each(refusals)(
    'batches that are refused alone are given up, and hold no other request: %s',
    async (_, refusal) => {
      const pauses: unknown[] = [];
      const slept: number[] = [];
      const { client, off, sent } = platform((request) => (isBatch(request) ? refusal(request) : undefined), {
        onPause: (pause) => pauses.push(pause),
        sleep: (ms) => Promise.resolve(void slept.push(ms)),
      });
      expect(await stacks(client, named(100))).toEqual(await answersAlone(named(100)));
      await stacks(client, named(30));
      const status = refusal({ method: 'GET', path: '/api/trpc/x', headers: {}, body: undefined }).status;
      expect(off).toEqual([`the platform refuses batches (${status}) and takes single requests`]);
      expect({ pauses, slept }).toEqual({ pauses: [], slept: [] });
      // Three batches, each sent three times at most, and asked about after each refusal.
      expect(sent().filter((one) => one.startsWith('together')).length).toBeLessThanOrEqual(9);
    },
  );

  test.each(refusals)(
    'batches that are refused alone from the middle of a run on are given up: %s',
    async (_, refusal) => {
      const { client, off, sent } = platform((request, count) =>
        isBatch(request) && count > 1 ? refusal(request) : undefined,
      );
      await Promise.all([who(client), stack(client, 'a')]);
      expect(await stacks(client, named(5))).toEqual(await answersAlone(named(5)));
      expect(off).toHaveLength(1);
      expect(sent().filter((one) => one.startsWith('together'))).toHaveLength(4);
    },
  );

  test.each(refusals)('a platform that refuses single requests too is waited for: %s', async (_, refusal) => {
    const pauses: string[] = [];
    let refused = 0;
    const { client, off, sent } = platform(
      (request) => {
        if (sent().length < 3 || refused > 12) return undefined;
        refused += 1;
        return isBatch(request) ? refusal(request) : json(refusal(request).status, { message: 'Unauthorized' });
      },
      { onPause: ({ event }) => pauses.push(event) },
    );
    await Promise.all([who(client), stack(client, 'a')]);
    expect(await stacks(client, named(5))).toEqual(await answersAlone(named(5)));
    expect(off).toEqual([]);
    expect(pauses).toEqual(['paused', 'resumed']);
    expect(sent().at(-1)).toBe(`together:${' compose.one'.repeat(5)}`);
  });

  test('a key that was never accepted is refused as by single reads, without a note', async () => {
    const refuse = (request: WireRequest) =>
      isBatch(request) ? unauthorized(request) : json(401, { message: 'Unauthorized' });
    const { client, off } = platform(refuse);
    const [first, second] = await Promise.allSettled([who(client), stack(client, 'a')]);
    for (const answer of [first, second])
      expect(answer).toMatchObject({ status: 'rejected', reason: { isKeyRefused: true, failure: 'authentication' } });
    expect(off).toEqual([]);
  });

  test('an interrupted run reports no surprise, and every read ends', async () => {
    const over = new AbortController();
    const { client, off } = platform((request) => {
      if (!isBatch(request)) return undefined;
      over.abort();
      return new TransportError('ABANDONED', 'the run was interrupted');
    });
    const reads = named(3).map((id) =>
      client.invoke('compose.one', { composeId: id }, { inBulk: true, signal: over.signal }),
    );
    await Promise.allSettled(reads);
    expect(off).toEqual([]);
  });

  test('a closed client reports no surprise', async () => {
    const made = platform((request) => {
      if (!isBatch(request)) return undefined;
      made.client.close();
      return new TransportError('ABANDONED', 'the run was interrupted');
    });
    const ended = await stacks(made.client, named(3));
    expect(ended).toHaveLength(3);
    expect(made.off).toEqual([]);
  });
});

test('nothing is said of bulk reads where no single read is answered: the address is wrong, not they', async () => {
  const wrong = { status: 404, headers: {}, body: 'Not found' };
  const { client, off } = platform(() => wrong);
  const answers = await Promise.allSettled([who(client), stack(client, 'a'), stack(client, 'b')]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(off).toEqual([]);

  const made = platform((request) => (isBatch(request) ? wrong : undefined));
  await Promise.all([who(made.client), stack(made.client, 'a'), stack(made.client, 'b')]);
  expect(made.off).toEqual([expect.stringContaining('the server answered 404 (bulk reads')]);
});
