import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { WireAnswer } from '../../../src/api/wire.ts';
import { openEmulator } from '../../../src/emulator/emulator-on-disk.ts';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { createFaults } from '../../../src/emulator/faults/faults.ts';
import { faultPlan } from '../../../src/emulator/faults/fault-plan.ts';

/** What each fault does to a request in process. */

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const key = { 'x-api-key': 'emulator-key', 'content-type': 'application/json' };

/** A platform over which the requests of a file go wrong. */
function platform(file: string) {
  const emulator = createEmulator();
  const told: string[] = [];
  const { send } = createFaults(emulator, faultPlan.parse(parse(file)), (line) => told.push(line));
  const get = (operation: string, input: Record<string, string> = {}) =>
    send({
      method: 'GET',
      path: `/api/${operation}?${new URLSearchParams(input).toString()}`,
      headers: key,
      body: undefined,
    });
  const post = (operation: string, input: Record<string, unknown>) =>
    send({ method: 'POST', path: `/api/${operation}`, headers: key, body: JSON.stringify(input) });
  return {
    emulator,
    told,
    get,
    post,
    environment: (name: string) => post('environment.create', { name, projectId: 'prj_1' }),
    /** The names of the environments that there are in truth. */
    names: () =>
      Object.values(emulator.world.tables.environment)
        .filter(({ projectId }) => projectId === 'prj_1')
        .map(({ name }) => name),
    /** The names of the environments as they are read. */
    listed: async () =>
      rows(await get('environment.byProjectId', { projectId: 'prj_1' })).map(({ name }) => name as string),
    log: () => emulator.log.map(({ operation, status, fault }) => [operation, status, fault]),
  };
}

function rows({ body }: WireAnswer): Record<string, unknown>[] {
  return JSON.parse(body) as Record<string, unknown>[];
}

/** What became of a request, and when: its status, or the code of what was thrown. */
async function fate(work: Promise<WireAnswer>): Promise<number | string> {
  return work.then(
    ({ status }) => status,
    (error: unknown) => String((error as { code?: unknown }).code),
  );
}

/** What became of a request after so many milliseconds. */
async function after(ms: number, work: Promise<WireAnswer>): Promise<number | string | undefined> {
  let seen: number | string | undefined;
  void fate(work).then((value) => {
    seen = value;
  });
  await vi.advanceTimersByTimeAsync(ms);
  return seen;
}

describe('before it is executed', () => {
  test('a request is delayed', async () => {
    const { environment, names } = platform('faults: [{ on: environment.create, before: { delay: 2s } }]');
    const made = environment('a');
    expect(await after(1_999, made)).toBeUndefined();
    expect(names()).not.toContain('a');
    expect(await after(1, made)).toBe(200);
    expect(names()).toContain('a');
  });

  test('its connection ends', async () => {
    const { environment, names, log } = platform('faults: [{ on: environment.create, before: drop }]');
    expect(await fate(environment('a'))).toBe('ECONNRESET');
    expect(names()).not.toContain('a');
    expect(log()).toEqual([['environment.create', 0, 'before: drop']]);
  });

  test.each([
    [500, 'text/plain', 'error 500'],
    [502, 'text/plain', 'error 502'],
    [503, 'text/plain', 'error 503'],
    [401, 'application/json', '{"message":"Unauthorized"}'],
  ])('%d is answered without a code', async (status, type, body) => {
    const { environment, names, log } = platform(`faults: [{ on: environment.create, before: { answer: ${status} } }]`);
    expect(await environment('a')).toEqual({ status, headers: { 'content-type': type }, body });
    expect(names()).not.toContain('a');
    expect(log()).toEqual([['environment.create', 0, `before: answer ${status}`]]);
  });

  test('429 has a Retry-After', async () => {
    const { environment, names } = platform(
      'faults: [{ on: environment.create, before: { answer: 429, retryAfter: 4s } }]',
    );
    expect(await environment('a')).toMatchObject({ status: 429, headers: { 'retry-after': '4' } });
    expect(names()).not.toContain('a');
  });

  test.each([200, 502])('a proxy answers with a page, and %d', async (status) => {
    const { environment, names, log } = platform(`faults: [{ on: environment.create, before: { page: ${status} } }]`);
    const answer = await environment('a');
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'text/html' } });
    expect(answer.body).toMatch(/^<!doctype html>/);
    expect(names()).not.toContain('a');
    expect(log()).toEqual([['environment.create', 0, `before: page ${status}`]]);
  });

  test('another client changes the object first', async () => {
    const { emulator, environment, get, post } = platform(`faults:
      - on: environment.update
        before: { do: environment.update, with: { environmentId: $environmentId, description: theirs, env: $$A } }
    `);
    const { environmentId } = JSON.parse((await environment('a')).body) as { environmentId: string };
    await post('environment.update', { environmentId, name: 'b' });
    const row = JSON.parse((await get('environment.one', { environmentId })).body) as unknown;
    expect(row).toMatchObject({ name: 'b', description: 'theirs', env: '$A' });
    expect(emulator.log.map(({ operation }) => operation)).toEqual([
      'environment.create',
      'environment.update',
      'environment.one',
    ]);
  });

  test('a refused change of another client is reported, and the request continues', async () => {
    const { told, post } = platform(`faults:
      - { on: environment.update, before: { do: environment.remove, with: { environmentId: env_none } } }
      - { on: environment.update, before: { do: environment.remove, with: { environmentId: $other } } }
    `);
    expect((await post('environment.update', { environmentId: 'env_prj_1', description: 'x' })).status).toBe(200);
    expect(told.slice(1)).toEqual([
      expect.stringMatching(/^environment\.remove was not done: environment\.remove: 4/),
      'environment.remove was not done: the request says nothing of other',
    ]);
  });
});

describe('after it was executed', () => {
  test('the answer is delayed', async () => {
    const { environment, names } = platform('faults: [{ on: environment.create, after: { delay: 2s } }]');
    const made = environment('a');
    expect(await after(1_999, made)).toBeUndefined();
    expect(names()).toContain('a');
    expect(await after(1, made)).toBe(200);
  });

  test('its connection ends', async () => {
    const { environment, names, log } = platform('faults: [{ on: environment.create, after: drop }]');
    expect(await fate(environment('a'))).toBe('ECONNRESET');
    expect(names()).toContain('a');
    expect(log()).toEqual([['environment.create', 200, 'after: drop']]);
  });

  test.each([
    [500, 'INTERNAL_SERVER_ERROR'],
    [400, 'BAD_REQUEST'],
  ])('%d is answered with the code of the platform', async (status, code) => {
    const { environment, names, log } = platform(`faults: [{ on: environment.create, after: { answer: ${status} } }]`);
    const answer = await environment('a');
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ code, message: 'Something went wrong', issues: [] });
    expect(names()).toContain('a');
    expect(log()).toEqual([['environment.create', 200, `after: answer ${status}`]]);
  });

  test.each([200, 502])('a proxy answers with a page, and %d', async (status) => {
    const { environment, names } = platform(`faults: [{ on: environment.create, after: { page: ${status} } }]`);
    expect(await environment('a')).toMatchObject({ status, headers: { 'content-type': 'text/html' } });
    expect(names()).toContain('a');
  });

  test('the JSON of its answer ends in the middle, also where the answer is empty', async () => {
    const { environment, names, post } = platform('faults: [{ on: POST, after: { cut: json } }]');
    const { status, body } = await environment('a');
    expect(status).toBe(200);
    expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError);
    expect(body.length).toBeGreaterThan(20);
    expect(names()).toContain('a');
    expect((await post('compose.update', { composeId: 'unknown' })).body).toBe('{');
  });

  test.each([
    ['length', 'UND_ERR_SOCKET'],
    ['reset', 'ECONNRESET'],
  ])('its answer is cut by %s, which a client sees as %s', async (how, code) => {
    const { environment, names } = platform(`faults: [{ on: environment.create, after: { cut: ${how} } }]`);
    expect(await fate(environment('a'))).toBe(code);
    expect(names()).toContain('a');
  });

  test('its answer drips', async () => {
    const { environment, names } = platform('faults: [{ on: environment.create, after: { drip: 3s } }]');
    const made = environment('a');
    expect(await after(2_999, made)).toBeUndefined();
    expect(names()).toContain('a');
    expect(await after(1, made)).toBe(200);
    expect((await made).body).toContain('"name":"a"');
  });

  test('a list lacks all its rows, or some, and so do the lists in a row', async () => {
    const { environment, get, listed } = platform(`faults:
      - { on: environment.byProjectId, at: 1, after: { hide: all } }
      - { on: environment.byProjectId, at: 2, after: { hide: { name: a } } }
      - { on: environment.one, at: 1, after: { hide: all } }
    `);
    await environment('a');
    const { body: made } = await environment('b');
    expect(await listed()).toEqual([]);
    const some = await listed();
    expect(some).toContain('b');
    expect(some).not.toContain('a');
    expect(await listed()).toEqual(expect.arrayContaining(['a', 'b']));
    const { environmentId } = JSON.parse(made) as { environmentId: string };
    expect(JSON.parse((await get('environment.one', { environmentId })).body)).toMatchObject({
      name: 'b',
      compose: [],
    });
  });

  test('reads show the old object after a create, update or delete, until the time has passed', async () => {
    const { environment, get, listed, names, post } = platform(`faults:
      - { on: [environment.create, environment.update], after: { unseen: 5s } }
      - { on: environment.remove, after: { unseen: 3s } }
    `);
    const answer = await environment('a');
    const { environmentId } = JSON.parse(answer.body) as { environmentId: string };
    expect(names()).toContain('a');
    expect(await listed()).not.toContain('a');
    expect((await get('environment.one', { environmentId })).status).toBe(404);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(await listed()).not.toContain('a');
    await vi.advanceTimersByTimeAsync(1);
    expect(await listed()).toContain('a');

    await post('environment.update', { environmentId, name: 'b' });
    expect(await listed()).toContain('a');
    await post('environment.remove', { environmentId });
    expect(names()).not.toContain('b');
    expect(await listed()).toContain('a');
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await listed()).toContain('a');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await listed()).not.toContain('a');
  });

  test('reads show the changes of other clients', async () => {
    const { environment, listed } = platform('faults: [{ on: environment.create, at: 1, after: { unseen: 5s } }]');
    await Promise.all([environment('a'), environment('b')]);
    expect(await listed()).toContain('b');
    expect(await listed()).not.toContain('a');
  });

  test('another client changes the object of the request', async () => {
    const { environment, names } = platform(`faults:
      - on: environment.create
        after: { do: environment.update, with: { environmentId: $environmentId, name: theirs } }
    `);
    expect((await environment('a')).body).toContain('"name":"a"');
    expect(names()).toContain('theirs');
  });
});

test('a request is executed later, and its connection ends now', async () => {
  const { environment, names, log } = platform('faults: [{ on: environment.create, late: 60s }]');
  expect(await fate(environment('a'))).toBe('ECONNRESET');
  await vi.advanceTimersByTimeAsync(59_999);
  expect(names()).not.toContain('a');
  expect(log()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(names()).toContain('a');
  expect(log()).toEqual([['environment.create', 200, 'late 60s']]);
});

describe('which requests', () => {
  const dropped = async (on: string) => {
    const { environment, get, post } = platform(`faults: [{ on: ${on}, before: drop }]`);
    const fates = [
      await fate(get('environment.byProjectId', { projectId: 'prj_1' })),
      await fate(environment('a')),
      await fate(post('environment.update', { environmentId: 'env_prj_1' })),
      await fate(post('project.create', { name: 'p' })),
    ];
    return fates.map((item) => (item === 'ECONNRESET' ? 'x' : '.')).join('');
  };

  test.each([
    ['environment.create', '.x..'],
    ['environment.*', 'xxx.'],
    ['"*.create"', '.x.x'],
    ['GET', 'x...'],
    ['POST', '.xxx'],
    ['"*"', 'xxxx'],
    ['[project.create, GET]', 'x..x'],
  ])('%s', async (on, expected) => {
    expect(await dropped(on)).toBe(expected);
  });

  test('an operation is the same in capital letters, as it is for the platform', async () => {
    const { post } = platform('faults: [{ on: environment.create, before: drop }]');
    expect(await fate(post('ENVIRONMENT.CREATE', { name: 'a', projectId: 'prj_1' }))).toBe('ECONNRESET');
  });
});

describe('when', () => {
  const pattern = async (when: string, count = 12) => {
    const { get } = platform(`${when.replace(/^(seed: \d+\n)?/, '$1faults: [{ on: "*", before: drop, ')} }]`);
    const fates: string[] = [];
    for (let at = 0; at < count; at++) fates.push((await fate(get('user.get'))) === 200 ? '.' : 'x');
    return fates.join('');
  };

  test.each([
    ['', 'xxxxxxxxxxxx'],
    ['at: 3', '..x.........'],
    ['at: [1, 4]', 'x..x........'],
    ['every: 5', '....x....x..'],
    ['every: 2, times: 2', '.x.x........'],
    ['times: 3', 'xxx.........'],
    ['chance: 0%', '............'],
    ['chance: 100%', 'xxxxxxxxxxxx'],
  ])('%s', async (when, expected) => {
    expect(await pattern(when)).toBe(expected);
  });

  test('by a chance that is the same for the same seed, and another for another', async () => {
    const one = await pattern('seed: 1\nchance: 30%', 2_000);
    expect(await pattern('seed: 1\nchance: 30%', 2_000)).toBe(one);
    expect(await pattern('seed: 2\nchance: 30%', 2_000)).not.toBe(one);
    expect(one.replaceAll('.', '').length / 2_000).toBeCloseTo(0.3, 1);
  });

  test('the fault of a request does not depend on other requests between', async () => {
    const fates = async (isBetween: boolean) => {
      const { environment, get } = platform('faults: [{ on: GET, chance: 50%, before: drop }]');
      const seen: (number | string)[] = [];
      for (let at = 0; at < 50; at++) {
        seen.push(await fate(get('user.get')));
        if (isBetween) await environment(`e${at}`);
      }
      return seen;
    };
    expect(await fates(true)).toEqual(await fates(false));
  });
});

test('one of several effects is picked by chance, each as often', async () => {
  const { get, log } = platform(`faults:
    - on: GET
      oneOf: [{ before: drop }, { before: { answer: 500 } }, { after: drop }]
  `);
  for (let at = 0; at < 900; at++) await fate(get('user.get'));
  const counts = new Map<string, number>();
  for (const [, , fault] of log()) counts.set(String(fault), (counts.get(String(fault)) ?? 0) + 1);
  expect([...counts.keys()].toSorted()).toEqual(['after: drop', 'before: answer 500', 'before: drop']);
  for (const count of counts.values()) expect(count).toBeGreaterThan(250);
});

test('rows are hidden only in an answer that has some', async () => {
  const { get, post } = platform(`faults:
    - { on: user.get, after: { cut: json } }
    - { on: "*", after: { hide: all } }
  `);
  expect((await get('user.get')).body).toMatch(/^\{/);
  expect(await post('compose.update', { composeId: 'unknown' })).toMatchObject({ status: 200, body: '' });
});

test('faults add up in the order of the file', async () => {
  const { environment, names, log, told } = platform(`faults:
    - { on: POST, before: { delay: 1s } }
    - { on: "*.create", after: { delay: 2s } }
    - { on: environment.*, after: drop }
  `);
  const made = environment('a');
  expect(await after(2_999, made)).toBeUndefined();
  expect(await after(1, made)).toBe('ECONNRESET');
  expect(names()).toContain('a');
  expect(log()).toEqual([['environment.create', 200, 'before: delay 1s, after: delay 2s, after: drop']]);
  expect(told).toEqual(['environment.create: before: delay 1s, after: delay 2s, after: drop']);
});

test('an emulator with a file has faults too', async () => {
  vi.useRealTimers();
  const emulator = await openEmulator(join(mkdtempSync(join(tmpdir(), 'trueup-faults-')), 'world.json'));
  const { send } = createFaults(emulator, faultPlan.parse(parse('faults: [{ on: "*", after: { unseen: 60s } }]')));
  const body = JSON.stringify({ name: 'a', projectId: 'prj_1' });
  const made = await send({ method: 'POST', path: '/api/environment.create', headers: key, body });
  const { environmentId } = JSON.parse(made.body) as { environmentId: string };
  const path = `/api/environment.one?environmentId=${environmentId}`;
  expect((await send({ method: 'GET', path, headers: key, body: undefined })).status).toBe(404);
  expect(emulator.log.map(({ status, fault }) => [status, fault])).toEqual([
    [200, 'after: unseen 60s'],
    [404, 'after: unseen 60s'],
  ]);
  await emulator.close();
});

test('a request outside of the API gets faults too, and the usual answer without one', async () => {
  const { get, emulator } = platform('faults: [{ on: GET, at: 2, before: drop }]');
  expect(await fate(get('nothing'))).toBe(404);
  expect(await fate(get('nothing'))).toBe('ECONNRESET');
  expect(emulator.log.map(({ fault }) => fault)).toEqual([undefined, 'before: drop']);
});
