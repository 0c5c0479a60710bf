import { describe, expect, it } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../src/api/client.ts';
import type { Operation } from '../../src/api/contract.ts';
import { PlatformError, TransportError } from '../../src/api/platform-error.ts';
import type { Send, WireAnswer, WireRequest } from '../../src/api/wire.ts';

const apiKey = 'key-of-the-tests';

/** A platform that gives these answers, one after the other; the last one again and again. */
function scripted(
  replies: readonly (WireAnswer | Error)[],
  options: Partial<ClientOptions> = {},
): { client: Client; requests: WireRequest[]; naps: number[] } {
  const requests: WireRequest[] = [];
  const naps: number[] = [];
  const send: Send = (request) => {
    const reply = replies[Math.min(requests.length, replies.length - 1)];
    requests.push(request);
    return reply instanceof Error || reply === undefined
      ? Promise.reject(reply ?? new Error('no reply'))
      : Promise.resolve(reply);
  };
  const client = createClient({
    send,
    url: 'https://platform.example',
    apiKey,
    redact: (text) => text.replaceAll('sesame', '(secret)'),
    sleep: (ms) => {
      naps.push(ms);
      return Promise.resolve();
    },
    random: () => 0.5,
    ...options,
  });
  return { client, requests, naps };
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

function coded(code: string): Error {
  return Object.assign(new Error(`${code} at sesame`), { code });
}

async function failureOf(work: Promise<unknown>): Promise<PlatformError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PlatformError) return error;
  throw new Error('not a PlatformError', { cause: error });
}

const ok = json(200, { composeId: 'c1' });
const read = (client: Client): Promise<unknown> => client.call('compose.one', { composeId: 'c1' });
const write = (client: Client): Promise<unknown> => client.call('compose.deploy', { composeId: 'c1' });

describe('a call', () => {
  it('reads with a query and the key', async () => {
    const { client, requests } = scripted([ok]);
    expect(await read(client)).toEqual({ composeId: 'c1' });
    expect(requests).toEqual([
      {
        method: 'GET',
        path: '/api/compose.one?composeId=c1',
        headers: { accept: 'application/json', 'x-api-key': apiKey },
        body: undefined,
      },
    ]);
  });

  it('writes with a JSON body and the key', async () => {
    const { client, requests } = scripted([json(200, true)]);
    expect(await client.call('redis.saveEnvironment', { redisId: 'r1', env: null })).toBe(true);
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/api/redis.saveEnvironment',
        headers: { accept: 'application/json', 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: '{"redisId":"r1","env":null}',
      },
    ]);
  });

  it('sends an empty object for an operation without input', async () => {
    const { client, requests } = scripted([json(200, 'token')]);
    await client.call('user.generateToken', {});
    expect(requests[0]?.body).toBe('{}');
    expect(requests[0]?.headers['content-type']).toBe('application/json');
  });

  it('hides a short key as a whole word only', () => {
    const hidden = (key: string, text: string): string =>
      createClient({
        send: async () => ok,
        url: 'https://platform.example',
        apiKey: key,
        redact: (shown) => shown,
      }).redact(text);
    expect(hidden('log', 'log: the logs of a catalogue say log')).toBe(
      '(API key): the logs of a catalogue say (API key)',
    );
    expect(hidden('$é', 'a key $é, quoted "$é", and $éa')).toBe('a key (API key), quoted "(API key)", and $éa');
    expect(hidden('a-b', 'x=a-b and aa-b')).toBe('x=(API key) and aa-b');
    expect(hidden('long-key', 'x-long-keys')).toBe('x-(API key)s');
  });

  it('leaves empty values out of a query and encodes the others', async () => {
    const { client, requests } = scripted([json(200, [])]);
    await client.call('postgres.search', { q: '', name: 'a b&c=é', limit: 5, offset: 0, projectId: undefined });
    await client.call('user.all', {});
    expect(requests.map(({ path }) => path)).toEqual([
      '/api/postgres.search?name=a+b%26c%3D%C3%A9&limit=5&offset=0',
      '/api/user.all',
    ]);
  });

  it('sends its input without defaults', async () => {
    const { client, requests } = scripted([ok]);
    await client.call('redis.create', { name: 'r', databasePassword: 'p', environmentId: 'e' });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ name: 'r', databasePassword: 'p', environmentId: 'e' });
  });

  it('lets an open-ended operation take more than is documented', async () => {
    const { client, requests } = scripted([{ status: 200, headers: {}, body: '' }]);
    await client.invoke('compose.deployTemplate', { id: 'x' });
    expect(requests[0]?.body).toBe('{"id":"x"}');
  });

  it('takes an empty answer for success without data', async () => {
    const { client } = scripted([{ status: 200, headers: { 'content-type': 'application/json' }, body: '' }]);
    expect(await write(client)).toBeUndefined();
  });

  it('counts the requests that were sent', async () => {
    const { client } = scripted([json(500, {}), ok]);
    await read(client);
    await write(client);
    await failureOf(client.invoke('compose.one', {}));
    expect(client.counts).toEqual({ reads: 2, writes: 1 });
  });
});

describe('an input that does not fit', () => {
  it.each([
    ['a misspelt member', 'compose.update', { composeId: 'c', composeFil: 'x' }, 'composeFil: is not a member'],
    ['a missing member', 'compose.delete', { composeId: 'c' }, 'deleteVolumes: '],
    ['a wrong type', 'compose.delete', { composeId: 'c', deleteVolumes: 'yes' }, 'deleteVolumes: '],
    ['null where it is not allowed', 'compose.update', { composeId: 'c', command: null }, 'command: '],
    ['an empty id', 'compose.one', { composeId: '' }, 'composeId: '],
    ['an empty required query value', 'environment.byProjectId', { projectId: '' }, 'projectId: must not be empty'],
    [
      'a misspelt member deep inside',
      'redis.update',
      { redisId: 'r', healthCheckSwarm: { Tests: [] } },
      'healthCheckSwarm.Tests: is not a member',
    ],
    ['what JSON cannot carry', 'backup.create', { ...backup(), metadata: 1n }, 'cannot be written as JSON'],
  ] as const)('with %s is refused before anything is sent', async (_what, operation, input, named) => {
    const { client, requests } = scripted([ok]);
    const error = await failureOf(client.invoke(operation, input));
    expect(error).toMatchObject({ failure: 'invalid', outcome: 'not executed', status: undefined });
    expect(error.message).toContain(named);
    expect(requests).toEqual([]);
  });

  it('is refused for an operation that does not exist', async () => {
    const { client, requests } = scripted([ok]);
    const error = await failureOf(client.invoke('compose.explode' as Operation, {}));
    expect(error).toMatchObject({ failure: 'invalid', outcome: 'not executed' });
    expect(requests).toEqual([]);
  });

  it('is refused above a million bytes, counted as bytes', async () => {
    const { client, requests } = scripted([ok]);
    const frame = '{"composeId":"c","composeFile":""}'.length;
    const fits = 'é'.repeat((1_000_000 - frame) / 2);
    await client.call('compose.update', { composeId: 'c', composeFile: fits });
    expect(Buffer.byteLength(requests[0]?.body ?? '')).toBe(1_000_000);
    const error = await failureOf(client.call('compose.update', { composeId: 'c', composeFile: `${fits}x` }));
    expect(error).toMatchObject({ failure: 'too large', outcome: 'not executed' });
    expect(requests).toHaveLength(1);
  });

  it('shows no secret', async () => {
    const { client } = scripted([ok]);
    const error = await failureOf(client.invoke('compose.update', { composeId: 'c', sesame: 1 }));
    expect(error.message).toContain('(secret): is not a member');
  });

  function backup(): Record<string, unknown> {
    return { schedule: '* * * * *', prefix: '/', destinationId: 'd', database: 'x', databaseType: 'postgres' };
  }
});

describe('a key', () => {
  it.each(['', 'with space', 'with-line-break\n'])('%j is refused before anything is sent', async (odd) => {
    const { client, requests } = scripted([ok], { apiKey: odd });
    expect(await failureOf(write(client))).toMatchObject({ failure: 'authentication', outcome: 'not executed' });
    expect(requests).toEqual([]);
  });
});

describe('an answer that is no success', () => {
  const absent = { message: 'Compose not found', code: 'NOT_FOUND', data: { path: 'compose.deploy' } };
  const noSuchPath = { message: 'Not found', code: 'NOT_FOUND', data: { code: 'NOT_FOUND', httpStatus: 404 } };
  const noDetails = { message: 'Not found', code: 'NOT_FOUND', issues: [] };
  const issues = [{ path: ['composeId'], message: 'Required' }];
  const unlicensed = { message: 'Valid enterprise license required', code: 'FORBIDDEN' };

  it.each([
    [400, { message: 'Error updating' }, 'invalid', 'unknown'],
    [400, { message: 'Invalid', issues: [] }, 'invalid', 'unknown'],
    [400, { message: 'Invalid', issues }, 'invalid', 'not executed'],
    [401, { message: 'Unauthorized' }, 'authentication', 'not executed'],
    [401, { message: 'No access', code: 'UNAUTHORIZED' }, 'authentication', 'not executed'],
    [403, { message: 'No', code: 'FORBIDDEN' }, 'forbidden', 'unknown'],
    [403, unlicensed, 'forbidden', 'not executed'],
    [404, absent, 'not found', 'unknown'],
    [404, noSuchPath, 'unreadable', 'not executed'],
    [404, noDetails, 'not found', 'not executed'],
    [404, { message: 'no route' }, 'unreadable', 'unknown'],
    [405, {}, 'invalid', 'unknown'],
    [408, {}, 'timeout', 'unknown'],
    [409, { message: 'Taken', code: 'CONFLICT' }, 'conflict', 'unknown'],
    [413, {}, 'too large', 'not executed'],
    [415, {}, 'invalid', 'not executed'],
    [418, {}, 'invalid', 'unknown'],
    [429, {}, 'throttled', 'not executed'],
    [500, { message: 'boom', code: 'INTERNAL_SERVER_ERROR' }, 'server', 'unknown'],
    [500, { message: 'Not found', code: 'NOT_FOUND' }, 'server', 'unknown'],
    [502, {}, 'server', 'unknown'],
    [301, {}, 'redirect', 'unknown'],
    [308, {}, 'redirect', 'unknown'],
    [304, {}, 'redirect', 'unknown'],
    [600, {}, 'server', 'unknown'],
    [199, {}, 'unreadable', 'unknown'],
  ] as const)('of %i %j is %s; a write is then %s', async (status, body, failure, outcome) => {
    const writing = scripted([json(status, body)], { pauseLimitMs: 0 });
    expect(await failureOf(write(writing.client))).toMatchObject({ status, failure, outcome });
    expect(writing.requests).toHaveLength(1);
    expect(writing.naps).toEqual([]);

    const reading = scripted([json(status, body)], { pauseLimitMs: 0 });
    expect(await failureOf(read(reading.client))).toMatchObject({ status, failure, outcome: 'not executed' });
  });

  it.each([
    [
      'https://sso.example.com/login?state=1',
      'A proxy before the platform answers, and leads to https://sso.example.com/login: let requests to /api pass without ' +
        'signing in, or write an address that goes around it.',
    ],
    [
      '/login',
      'A proxy before the platform answers, and leads to https://platform.example/login: let requests to /api pass without ' +
        'signing in, or write an address that goes around it.',
    ],
    [
      'https://deploy.example.com/api/compose.one?composeId=c1',
      'Set the address of the platform to https://deploy.example.com, if you know that as its address: the answer leads there, ' +
        'and Trueup follows no redirect.',
    ],
    [
      undefined,
      'A proxy before the platform answers: let requests to /api pass without signing in, or write an address that goes around it.',
    ],
  ])('of a redirect to %s says what leads on', async (location, remedy) => {
    const headers = location === undefined ? {} : { location };
    const { client } = scripted([{ status: 302, headers, body: '' }]);
    expect((await failureOf(read(client))).remedy).toBe(remedy);
  });

  it.each([
    ['a web page', '<html><title>Not found</title></html>', 'text/html'],
    ['a text', 'Not found', 'text/plain'],
    ['nothing', '', ''],
    ['half of the JSON', '{"code":"NOT_FOUND","mess', 'application/json'],
  ])('and %s with 404 does not report the object as absent', async (_what, body, type) => {
    const { client } = scripted([{ status: 404, headers: { 'content-type': type }, body }]);
    expect(await failureOf(read(client))).toMatchObject({ failure: 'unreadable', code: undefined });
  });

  it('quotes the text of the server, cut and without secrets', async () => {
    const said = `sesame ${'x'.repeat(400)} sesame`;
    const { client } = scripted([json(500, { message: said, code: 'INTERNAL_SERVER_ERROR' })]);
    const error = await failureOf(write(client));
    expect(error.serverMessage).toHaveLength(300);
    expect(error.message).toContain('500 INTERNAL_SERVER_ERROR: "(secret) xxx');
  });

  it('names the members that the platform refused', async () => {
    const { client } = scripted([json(400, { message: 'Input validation failed', issues })]);
    const error = await failureOf(write(client));
    expect(error.issues).toEqual([{ path: 'composeId', message: 'Required' }]);
    expect(error.message).toContain('"Input validation failed" (composeId: Required)');
  });

  it('never shows the key, a secret, a query value or credentials of the address', async () => {
    const everywhere = `sesame ${apiKey}`;
    const replies: readonly (WireAnswer | Error)[] = [
      json(500, {
        message: `Failed query: ${everywhere}\nparams: ${everywhere},hunter2`,
        code: 'INTERNAL_SERVER_ERROR',
        issues: [{ path: [everywhere], message: everywhere }],
        data: { path: everywhere },
      }),
      { status: 500, headers: { 'content-type': 'text/html' }, body: `<title>${everywhere}</title>${everywhere}` },
      { status: 502, headers: {}, body: everywhere },
      { status: 200, headers: { 'content-type': 'application/json' }, body: `{"a":"${everywhere}` },
      { status: 302, headers: { location: `https://other.example/?${everywhere}` }, body: everywhere },
      Object.assign(new Error(everywhere), { code: 'ODD' }),
    ];
    for (const reply of replies) {
      const { client } = scripted([reply], {
        url: 'https://user:hunter2@platform.example/x/?k=sesame',
        readAttempts: 1,
      });
      for (const work of [read(client), write(client), client.call('compose.one', { composeId: 'sesame' })]) {
        const error = await failureOf(work);
        const shown = [error.message, error.stack, String(error), JSON.stringify(error)].join('\n');
        expect(shown).not.toMatch(/sesame|hunter2|key-of-the-tests/);
        expect(error.url).toMatch(/^https:\/\/platform\.example\/x\/api\/compose\.(one|deploy)$/);
        expect(error.cause).toBeUndefined();
      }
    }
  });

  it('of what needs a license states that, and who gets one where', async () => {
    const { client } = scripted([json(403, unlicensed)]);
    const { sentence, known, remedy } = await failureOf(write(client));
    expect(sentence).toMatch(/^the platform does this only with an enterprise license \(403 from /);
    expect(known).toBe('The platform did not execute it.');
    expect(remedy).toMatch(/owner of the organization activate a license key in the dashboard, at Settings, License;/);
  });

  it('of a read after a write does not state that nothing was changed', async () => {
    const { client } = scripted([coded('ECONNRESET'), json(403, { message: 'No', code: 'FORBIDDEN' })]);
    expect((await failureOf(write(client))).message).toContain('Trueup does not know whether the platform executed it');
    expect((await failureOf(read(client))).message).not.toContain('nothing was changed');
    const { client: reading } = scripted([json(403, { message: 'No', code: 'FORBIDDEN' })]);
    expect((await failureOf(read(reading))).message).toMatch(/; nothing was changed$/);
  });

  it('of a client in this process names the scheme of its address', async () => {
    const { client } = scripted([json(403, {})], { url: 'emulator:' });
    const error = await failureOf(read(client));
    expect([error.url, error.message]).toEqual([
      'emulator:/api/compose.one',
      'the server answered 403 (compose.one at emulator:); nothing was changed',
    ]);
  });

  it('of a redirect names the remedy', async () => {
    const { client, requests } = scripted([json(308, {}, { location: 'https://other.example' })]);
    expect((await failureOf(read(client))).remedy).toContain(
      'Set the address of the platform to https://other.example, if you know that as its address: the answer leads there',
    );
    expect(requests).toHaveLength(1);
  });
});

describe('an answer that is no data', () => {
  it.each([
    ['a web page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
    ['JSON that is cut off', { status: 200, headers: { 'content-type': 'application/json' }, body: '{"a":' }],
  ])('such as %s leaves the outcome of a write unknown', async (_what, answer) => {
    const { client, requests } = scripted([answer]);
    expect(await failureOf(write(client))).toMatchObject({ failure: 'unreadable', outcome: 'unknown', status: 200 });
    expect(requests).toHaveLength(1);
    expect(await failureOf(read(client))).toMatchObject({ failure: 'unreadable', outcome: 'not executed' });
    expect(requests).toHaveLength(3);
  });
});

describe('no answer', () => {
  it.each([
    ['ECONNREFUSED', 'connection', 'not executed'],
    ['ENOTFOUND', 'connection', 'not executed'],
    ['EAI_AGAIN', 'connection', 'not executed'],
    ['ECONNRESET', 'connection', 'unknown'],
    ['EPIPE', 'connection', 'unknown'],
    ['UND_ERR_SOCKET', 'connection', 'unknown'],
    ['EHOSTUNREACH', 'connection', 'unknown'],
    ['CERT_HAS_EXPIRED', 'connection', 'unknown'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout', 'unknown'],
    ['UND_ERR_HEADERS_TIMEOUT', 'timeout', 'unknown'],
    ['UND_ERR_BODY_TIMEOUT', 'timeout', 'unknown'],
    ['ETIMEDOUT', 'timeout', 'unknown'],
    ['NEVER_HEARD_OF', 'connection', 'unknown'],
  ])('because of %s is %s; a write is then %s', async (code, failure, outcome) => {
    const { client, requests } = scripted([coded(code)]);
    expect(await failureOf(write(client))).toMatchObject({ failure, outcome, code, status: undefined });
    expect(requests).toHaveLength(1);
    expect(await failureOf(read(client))).toMatchObject({ failure, outcome: 'not executed' });
    expect(requests).toHaveLength(5);
  });

  it.each([
    ['CERT_HAS_EXPIRED', 'it has expired', /clock/],
    ['CERT_NOT_YET_VALID', 'it is not valid yet', /clock/],
    ['CERT_REVOKED', 'it was revoked', /another certificate/],
    ['CERT_UNTRUSTED', 'it is of an authority', /NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_GET_ISSUER_CERT', 'it comes without those of its authority', /NODE_EXTRA_CA_CERTS/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'it is self-signed', /NODE_EXTRA_CA_CERTS/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'it is for another host', /address/],
  ])('because of %s says what is wrong with the certificate, and what to do', async (code, fault, remedy) => {
    const { sentence, remedy: next } = await failureOf(read(scripted([coded(code)]).client));
    expect(sentence).toContain(`the certificate of the server is not trusted: ${fault}`);
    expect(next).toMatch(remedy);
  });

  it('in time, too much of it, or anything else that is thrown is explained', async () => {
    const late = scripted([new TransportError('DEADLINE', 'late')]);
    expect(await failureOf(write(late.client))).toMatchObject({ failure: 'timeout', outcome: 'unknown' });
    const long = scripted([new TransportError('BODY_LIMIT', 'long')]);
    expect(await failureOf(write(long.client))).toMatchObject({ failure: 'unreadable', outcome: 'unknown' });
    const within = scripted([new TypeError('fetch failed', { cause: coded('ECONNREFUSED') })]);
    expect(await failureOf(write(within.client))).toMatchObject({ failure: 'connection', outcome: 'not executed' });
    const timer = scripted([Object.assign(new Error('aborted'), { name: 'TimeoutError' })]);
    expect(await failureOf(write(timer.client))).toMatchObject({ failure: 'timeout', outcome: 'unknown' });
    const nothing = scripted([], {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the point of the test
      send: () => Promise.reject('a string'),
    });
    expect(await failureOf(write(nothing.client))).toMatchObject({ failure: 'connection', outcome: 'unknown' });
  });
});

describe('a failed read', () => {
  it.each([
    json(500, {}),
    json(503, {}),
    coded('ECONNRESET'),
    coded('ECONNREFUSED'),
    new TransportError('DEADLINE', ''),
  ])('is repeated: %o', async (reply) => {
    const { client, requests } = scripted([reply, reply, ok]);
    expect(await read(client)).toEqual({ composeId: 'c1' });
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map((request) => JSON.stringify(request))).size).toBe(1);
  });

  it('is given up after four attempts when nothing was answered before, with growing waits', async () => {
    const { client, requests, naps } = scripted([json(500, { message: 'boom' })]);
    expect(await failureOf(read(client))).toMatchObject({ failure: 'server', serverMessage: 'boom' });
    expect(requests).toHaveLength(4);
    expect(naps).toEqual([250, 500, 1_000]);
    expect(client.counts).toEqual({ reads: 4, writes: 0 });
  });

  it('is given up sooner when nothing was answered for a minute', async () => {
    let now = 0;
    const { client, requests } = scripted([ok, json(500, {})], { clock: () => now });
    await read(client);
    now = 60_000;
    await failureOf(read(client));
    expect(requests).toHaveLength(5);
  });

  it('is given up sooner after an interruption, which ends the wait before the next attempt', async () => {
    const stopping = new AbortController();
    const waits: string[] = [];
    const { client, requests } = scripted([ok, json(500, {})], {
      sleep: (_ms, signal) => {
        stopping.abort();
        waits.push(signal?.aborted === true ? 'ended' : 'whole');
        return Promise.resolve();
      },
    });
    await read(client);
    await failureOf(client.invoke('compose.one', { composeId: 'c1' }, stopping));
    expect(requests).toHaveLength(5);
    expect(waits).toEqual(['ended', 'whole', 'whole']);
  });

  it('is given up with its client, which ends the wait before the next attempt', async () => {
    const { client, requests } = scripted([ok, json(500, { message: 'boom' })], {
      sleep: (_ms, signal) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve());
        }),
    });
    await read(client);
    const waiting = failureOf(read(client));
    await new Promise((resolve) => void setImmediate(resolve));
    client.close();
    expect(await waiting).toMatchObject({ failure: 'server', serverMessage: 'boom' });
    expect(requests).toHaveLength(2);
    const after = await failureOf(read(client));
    expect(after).toMatchObject({ failure: 'connection', outcome: 'not executed' });
    expect(after.message).toContain('the run ended before Trueup sent it');
    expect(requests).toHaveLength(2);
  });

  it('is given up after ten attempts, once there was a good answer', async () => {
    const { client, requests, naps } = scripted([ok, json(500, { message: 'boom' })]);
    await read(client);
    expect(await failureOf(read(client))).toMatchObject({ failure: 'server', serverMessage: 'boom' });
    expect(requests).toHaveLength(11);
    expect(naps).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 4_000]);
  });

  it.each([
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>soon</html>' },
    { status: 200, headers: { 'content-type': 'application/json' }, body: '{"compo' },
  ])('is repeated when its answer is no data: %o', async (reply) => {
    const late = scripted([ok, reply, reply, reply, ok]);
    await read(late.client);
    expect(await read(late.client)).toEqual({ composeId: 'c1' });
    const early = scripted([reply, reply, ok]);
    expect(await failureOf(read(early.client))).toMatchObject({ failure: 'unreadable' });
    expect(early.requests).toHaveLength(2);
  });

  it('is repeated as often as is asked for', async () => {
    const { client, requests } = scripted([json(500, {})], { readAttempts: 1 });
    await failureOf(read(client));
    expect(requests).toHaveLength(1);
  });

  it.each([400, 401, 403, 404, 409, 413, 302])('is not repeated after %i', async (status) => {
    const { client, requests } = scripted([json(status, {})]);
    await failureOf(read(client));
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['2', 2_000],
    ['0', 0],
    ['3600', 30_000],
    ['nonsense', 250],
    [new Date(Date.now() - 60_000).toUTCString(), 0],
    [new Date(Date.now() + 3_600_000).toUTCString(), 30_000],
  ])('waits as long as the server asks with Retry-After %s, 30 s at most', async (header, ms) => {
    const { client, naps } = scripted([json(503, {}, { 'retry-after': header }), ok]);
    await read(client);
    expect(naps).toEqual([ms]);
  });

  it('waits until the date that the server gives', async () => {
    const date = new Date(Date.now() + 10_000).toUTCString();
    const { client, naps } = scripted([json(503, {}, { 'retry-after': date }), ok]);
    await read(client);
    expect(naps[0]).toBeGreaterThanOrEqual(8_000);
    expect(naps[0]).toBeLessThanOrEqual(11_000);
  });

  it('reports how long the server asked to wait', async () => {
    const { client } = scripted([json(503, {}, { 'retry-after': '90' })]);
    expect((await failureOf(write(client))).retryAfterSeconds).toBe(90);
  });
});

describe('a date in Retry-After', () => {
  const date = (ms: number) => new Date(ms).toUTCString();
  const skews = [3, 0, -3].map((hours) => hours * 3_600_000);

  it.each(skews)('counts from the Date of the same answer, where the clocks differ by %d ms', async (skew) => {
    const at = Date.now() + skew;
    const { client } = scripted([json(503, {}, { date: date(at), 'retry-after': date(at + 90_000) })]);
    expect((await failureOf(write(client))).retryAfterSeconds).toBe(90);
  });

  it.each([{}, { date: 'soon' }])(
    'counts from the clock of this machine where the answer has none: %o',
    async (headers) => {
      const { client } = scripted([json(503, {}, { ...headers, 'retry-after': date(Date.now() + 90_000) })]);
      expect((await failureOf(write(client))).retryAfterSeconds).toBeOneOf([89, 90]);
    },
  );
});

describe('the types', () => {
  it('refuse a wrong operation, a wrong member and a wrong value', () => {
    const { client } = scripted([ok]);
    const attempts = (): Promise<unknown>[] => [
      client.call('compose.one', { composeId: 'c' }),
      client.call('compose.update', { composeId: 'c', composeFile: 'x' }),
      // @ts-expect-error no such operation
      client.call('compose.explode', { composeId: 'c' }),
      // @ts-expect-error no such member
      client.call('compose.update', { composeId: 'c', composeFil: 'x' }),
      // @ts-expect-error a member is missing
      client.call('compose.delete', { composeId: 'c' }),
      // @ts-expect-error a value of the wrong type
      client.call('compose.delete', { composeId: 'c', deleteVolumes: 'no' }),
      // @ts-expect-error not one of the values
      client.call('compose.update', { composeId: 'c', composeType: 'pod' }),
      // @ts-expect-error null is not allowed
      client.call('compose.update', { composeId: 'c', command: null }),
      // @ts-expect-error no such operation
      client.invoke('compose.explode', {}),
    ];
    expect(attempts).toBeTypeOf('function');
  });
});

describe('a login page', () => {
  it.each([
    [302, true, 'https://deploy.example.com/dokploy'],
    [302, true, 'https://deploy.example.com/api'],
    [302, true, 'http://deploy.example.com'],
    [302, true, 'https://deploy.example.com:3000'],
    [302, false, 'https://deploy.example.com/dokploy'],
    [302, false, 'http://deploy.example.com:3000'],
    [200, true, 'https://deploy.example.com/dokploy'],
    [404, true, 'https://deploy.example.com:3000'],
  ])('(%d, after a good answer: %s) sends the API key of %s nowhere else', async (status, isUp, url) => {
    const platform = { isUp };
    const client = createClient({
      url,
      apiKey: 'the-key-of-a-test',
      redact: (text) => text,
      sleep: () => Promise.resolve(),
      send: () =>
        Promise.resolve(
          platform.isUp
            ? { status: 200, headers: {}, body: '{"role":"owner","organizationId":"o"}' }
            : { status, headers: { location: 'https://sso.example.com/login' }, body: '<!doctype html>' },
        ),
    });
    if (isUp) await client.call('user.get', {});
    platform.isUp = false;
    const { remedy } = await failureOf(client.call('sshKey.all', {}));
    expect(remedy).toMatch(
      status === 302 ? /leads to https:\/\/sso\.example\.com\/login/ : /no proxy or login page answers/,
    );
    expect(remedy).not.toMatch(/is not the root address|[Ww]rite http|such as/);
  });
});
