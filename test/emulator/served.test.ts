import { describe, expect, test } from 'vitest';
import { contract, extension } from '../../src/api/contract.ts';
import { createEmulator, type LoggedRequest } from '../../src/emulator/emulator.ts';
import { routeOf } from '../../src/emulator/served.ts';
import { callerOf, inputs } from './caller.ts';

const headers = { 'x-api-key': 'emulator-key', 'content-type': 'application/json' };
const get = (path: string) => ({ method: 'GET', path, headers, body: undefined });
const post = (path: string, body: string) => ({ method: 'POST', path, headers, body });

describe('requests', () => {
  test('without the right key are answered with a bare 401', async () => {
    const { send } = createEmulator({ apiKey: 'k' });
    for (const sent of [{}, { 'x-api-key': 'other' }]) {
      const answer = await send({ ...get('/api/user.get'), headers: sent });
      expect([answer.status, answer.body]).toEqual([401, '{"message":"Unauthorized"}']);
    }
    expect((await send({ ...get('/api/user.get'), headers: { 'x-api-key': 'k' } })).status).toBe(200);
  });

  test('find their operation in any case of letters', async () => {
    const { send } = createEmulator();
    expect((await send(get('/api/User.GET'))).status).toBe(200);
  });

  test('with the wrong method or for an unknown operation are a 404 that names no path', async () => {
    const { send } = createEmulator();
    for (const request of [
      post('/api/user.get', '{}'),
      get('/api/user.nothing'),
      get('/other'),
      get('/api/toString'),
    ]) {
      const answer = await send(request);
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.body)).toEqual({
        message: 'Not found',
        code: 'NOT_FOUND',
        issues: [],
        data: { code: 'NOT_FOUND', httpStatus: 404, zodError: null },
      });
    }
  });

  test('with a trailing slash are sent to the path without it', async () => {
    const { send } = createEmulator();
    const answer = await send(get('/api/compose.one/?composeId=x'));
    expect([answer.status, answer.headers['location']]).toEqual([308, '/api/compose.one?composeId=x']);
  });

  test('with HEAD are answered 204', async () => {
    const { send } = createEmulator();
    expect(await send({ ...get('/api/user.get'), method: 'HEAD' })).toEqual({ status: 204, headers: {}, body: '' });
  });

  test('with another content type than JSON are refused with 415, also without a body', async () => {
    const { send } = createEmulator();
    const answer = await send({ ...post('/api/compose.deploy', ''), headers: { 'x-api-key': 'emulator-key' } });
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([415, { code: 'UNSUPPORTED_MEDIA_TYPE' }]);
  });

  test('with broken JSON are refused before the key is checked', async () => {
    const { send } = createEmulator();
    const answer = await send({ ...post('/api/compose.deploy', '{'), headers: { 'content-type': 'application/json' } });
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([400, { message: 'Invalid JSON', issues: [] }]);
  });

  test('with a body that is no object count as an empty one', async () => {
    const { send } = createEmulator();
    for (const body of ['null', '[1]', '"text"', '']) {
      const answer = await send(post('/api/compose.deploy', body));
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: ['composeId'] }] });
    }
  });

  test('with a body over 1 MiB are refused as plain text', async () => {
    const { send } = createEmulator();
    const answer = await send(post('/api/environment.create', JSON.stringify({ name: 'n'.repeat(1024 * 1024) })));
    expect([answer.status, answer.body]).toEqual([413, 'Body exceeded 1mb limit']);
  });

  test('are logged in sequence with their inputs', async () => {
    const emulator = createEmulator();
    const call = callerOf(emulator.send);
    await call('compose.one', { composeId: 'x' });
    await call('compose.deploy', {});
    await emulator.act('user.get');
    expect(emulator.log).toEqual<LoggedRequest[]>([
      { method: 'GET', operation: 'compose.one', status: 404, input: { composeId: 'x' } },
      { method: 'POST', operation: 'compose.deploy', status: 400, input: {} },
    ]);
  });
});

describe('inputs', () => {
  test('of the wrong type are refused, never coerced', async () => {
    const emulator = createEmulator();
    const call = callerOf(emulator.send);
    const { body } = await call('redis.create', inputs.redis);
    const answer = await call('redis.update', {
      redisId: body['redisId'],
      replicas: '2',
      detachDokployNetwork: 'true',
    });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        message: 'Input validation failed',
        code: 'BAD_REQUEST',
        issues: [{ code: 'invalid_type', path: ['replicas'] }, { path: ['detachDokployNetwork'] }],
        data: { httpStatus: 400, path: 'redis.update', zodError: { fieldErrors: { replicas: [expect.any(String)] } } },
      },
    });
    expect((await call('compose.delete', { composeId: 'x' })).status).toBe(400);
  });

  test('with unknown members lose them silently, unless the emulator is strict', async () => {
    const input = { ...inputs.compose, descripton: 'misspelt' };
    const lenient = await callerOf(createEmulator().send)('compose.create', input);
    expect(lenient).toMatchObject({ status: 200, body: { description: null } });
    expect(lenient.body).not.toHaveProperty('descripton');

    const strict = await callerOf(createEmulator({ strict: true }).send)('compose.create', input);
    expect(strict).toMatchObject({
      status: 400,
      body: { issues: [{ code: 'unrecognized_keys', keys: ['descripton'] }] },
    });
  });

  test('with unknown members inside a swarm setting are always refused', async () => {
    const call = callerOf(createEmulator().send);
    const answer = await call('redis.update', { redisId: 'x', healthCheckSwarm: { Tests: [] } });
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ code: 'unrecognized_keys' }] } });
  });

  test('of a query are read as numbers where they belong, count as missing when empty, and must not repeat', async () => {
    const { send } = createEmulator();
    const status = async (path: string) => (await send(get(path))).status;
    expect(await status('/api/postgres.search?limit=5&offset=0&other=1')).toBe(200);
    expect(await status('/api/postgres.search?limit=five')).toBe(400);
    expect(await status('/api/postgres.search?limit=101')).toBe(400);
    expect(await status('/api/compose.one?composeId=')).toBe(400);
    expect(await status('/api/compose.one?composeId=a&composeId=b')).toBe(400);
  });
});

describe('operations', () => {
  test('of the document are all served', () => {
    expect(Object.keys(contract).filter((operation) => routeOf(operation) === undefined)).toEqual([]);
    expect(Object.keys(contract)).toHaveLength(192);
  });

  test('that the client knows are all served, none excepted', async () => {
    const { send } = createEmulator({ profile: 'dokploy' });
    const known = { ...contract, ...extension };
    const unknown: string[] = [];
    for (const [operation, { method }] of Object.entries(known)) {
      const answer = await send(method === 'GET' ? get(`/api/${operation}`) : post(`/api/${operation}`, '{}'));
      // The answer about an unknown operation names no path, that of an operation about an unknown thing does.
      if (answer.status === 404 && !answer.body.includes('"path"')) unknown.push(operation);
    }
    expect(unknown).toEqual([]);
    expect(Object.keys(known).length).toBeGreaterThan(400);
  });

  test('beyond the document can be left out, but not for the person at the pages', async () => {
    const emulator = createEmulator({ documentedOnly: true });
    expect((await emulator.send(get('/api/project.all'))).status).toBe(404);
    expect(await emulator.act('project.all')).toHaveLength(2);
  });

  test('of a person throw when they are refused', async () => {
    const emulator = createEmulator();
    await expect(emulator.act('compose.one', { composeId: 'x' })).rejects.toThrow('compose.one: 404');
  });

  test('with given ids and a given clock have the same results every time', async () => {
    const run = async () => {
      let count = 0;
      const newId = () => `id_${(count += 1)}`;
      const emulator = createEmulator({ newId, now: () => new Date('2026-01-02T03:04:05.678Z') });
      await emulator.act('postgres.create', { ...inputs.postgres, databasePassword: '' });
      await emulator.act('compose.create', inputs.compose);
      return JSON.stringify(emulator.world);
    };
    expect(await run()).toBe(await run());
    expect(await run()).toContain('"createdAt":"2026-01-02T03:04:05.678Z"');
  });

  test('report after each write that there is something to save', async () => {
    const emulator = createEmulator();
    let commits = 0;
    emulator.onCommit = () => (commits += 1);
    await emulator.act('user.get');
    expect(commits).toBe(0);
    await emulator.act('compose.create', inputs.compose);
    expect(commits).toBeGreaterThan(0);
  });
});
