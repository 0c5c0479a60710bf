import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { createClient } from '../../../src/api/client.ts';
import { PlatformError } from '../../../src/api/platform-error.ts';
import { createTransport } from '../../../src/api/transport.ts';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { createFaults } from '../../../src/emulator/faults/faults.ts';
import { faultPlan } from '../../../src/emulator/faults/fault-plan.ts';
import { serve } from '../../../src/emulator/http-server.ts';

/** Each fault as the client sees it over HTTP: what it says is known of the request, and what is true. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((item) => item.close()));
});

/** A platform whose requests go wrong, and a client that sends everything once. */
async function platform(file: string, { deadlineMs = 60_000 } = {}) {
  const emulator = createEmulator();
  const met: string[] = [];
  const faults = createFaults(emulator, faultPlan.parse(parse(file)), (line) => met.push(line));
  const server = await serve(emulator, { faults });
  const transport = createTransport({ url: server.url, deadlineMs });
  open.push(transport, server);
  const client = createClient({
    send: transport.send,
    url: server.url,
    apiKey: 'emulator-key',
    redact: (text) => text,
    readAttempts: 1,
    pauseLimitMs: 0,
  });
  return {
    emulator,
    client,
    /** The faults that requests met so far. */
    met,
    make: (name = 'a') => client.call('environment.create', { name, projectId: 'prj_1' }),
    isMade: (name = 'a') => Object.values(emulator.world.tables.environment).some((row) => row.name === name),
    list: async () =>
      ((await client.call('environment.byProjectId', { projectId: 'prj_1' })) as { name: string }[]).map(
        ({ name }) => name,
      ),
  };
}

/** What the client says of a failed call. */
async function failureOf(work: Promise<unknown>) {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PlatformError)) throw new Error('it did not fail', { cause: error });
  const { outcome, failure, status, code } = error;
  return [outcome, failure, status, code];
}

const create = (rest: string) => `faults: [{ on: environment.create, ${rest} }]`;

/** Waits until a condition holds, one turn of the machine's events at a time. */
async function turns(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test.each([
  ['before: drop', ['unknown', 'connection', undefined, 'UND_ERR_SOCKET'], false],
  ['before: { answer: 500 }', ['unknown', 'server', 500, undefined], false],
  ['before: { answer: 502 }', ['unknown', 'server', 502, undefined], false],
  ['before: { answer: 503 }', ['unknown', 'server', 503, undefined], false],
  ['before: { answer: 429, retryAfter: 2s }', ['not executed', 'throttled', 429, undefined], false],
  ['before: { answer: 401 }', ['not executed', 'authentication', 401, undefined], false],
  ['before: { page: 502 }', ['unknown', 'server', 502, undefined], false],
  ['before: { page: 200 }', ['unknown', 'unreadable', 200, undefined], false],
  ['late: 60s', ['unknown', 'connection', undefined, 'UND_ERR_SOCKET'], false],
  ['after: drop', ['unknown', 'connection', undefined, 'UND_ERR_SOCKET'], true],
  ['after: { answer: 500 }', ['unknown', 'server', 500, 'INTERNAL_SERVER_ERROR'], true],
  ['after: { answer: 400 }', ['unknown', 'invalid', 400, 'BAD_REQUEST'], true],
  ['after: { page: 502 }', ['unknown', 'server', 502, undefined], true],
  ['after: { page: 200 }', ['unknown', 'unreadable', 200, undefined], true],
  ['after: { cut: json }', ['unknown', 'unreadable', 200, undefined], true],
  ['after: { cut: length }', ['unknown', 'connection', undefined, 'UND_ERR_SOCKET'], true],
  ['after: { cut: reset }', ['unknown', 'connection', undefined, 'ECONNRESET'], true],
])('a write with %s is reported as %j', async (fault, said, isMade) => {
  const made = await platform(create(fault));
  expect(await failureOf(made.make())).toEqual(said);
  expect(made.isMade()).toBe(isMade);
  expect(made.emulator.log.map(({ status }) => status)).toEqual(fault.startsWith('late') ? [] : [isMade ? 200 : 0]);
});

test('429 has a Retry-After', async () => {
  const { make } = await platform(create('before: { answer: 429, retryAfter: 2s }'));
  await expect(make()).rejects.toMatchObject({ retryAfterSeconds: 2 });
});

test.each(['length', 'reset', 'json'])('an empty answer that is cut by %s is an error too', async (how) => {
  const { client } = await platform(`faults: [{ on: compose.update, after: { cut: ${how} } }]`);
  expect((await failureOf(client.call('compose.update', { composeId: 'unknown' })))[0]).toBe('unknown');
});

describe('a slow answer', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] }));

  /** Waits until a fault began to take its time, whether what it goes wrong with was done before or is done after. */
  const isWaiting = ({ met, isMade }: Awaited<ReturnType<typeof platform>>, isDone: boolean) =>
    turns(() => met.length > 0 && isMade() === isDone);

  test.each([
    ['before: { delay: 150ms }', 150, false],
    ['after: { delay: 150ms }', 150, true],
    ['after: { drip: 300ms }', 300, true],
  ])('%s is answered', async (fault, ms, isDone) => {
    const made = await platform(create(fault));
    let isAnswered = false;
    const answer = made.make().finally(() => (isAnswered = true));
    await isWaiting(made, isDone);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect([isAnswered, made.isMade()]).toEqual([false, isDone]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toMatchObject({ name: 'a' });
    expect(made.isMade()).toBe(true);
  });

  test.each([
    ['before: { delay: 10s }', false],
    ['after: { delay: 10s }', true],
    ['after: { drip: 10s }', true],
  ])('%s is not waited for beyond the deadline', async (fault, isDone) => {
    const made = await platform(create(fault), { deadlineMs: 200 });
    const failure = failureOf(made.make());
    await isWaiting(made, isDone);
    await vi.advanceTimersByTimeAsync(200);
    expect(await failure).toEqual(['unknown', 'timeout', undefined, 'DEADLINE']);
    expect(made.isMade()).toBe(isDone);
  });

  test('a late request is executed when it arrives', async () => {
    const { make, isMade } = await platform(create('late: 100ms'));
    await failureOf(make());
    await vi.advanceTimersByTimeAsync(99);
    expect(isMade()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isMade()).toBe(true);
  });

  test('a new object shows later', async () => {
    const { make, list } = await platform(create('after: { unseen: 200ms }'));
    await make();
    await vi.advanceTimersByTimeAsync(199);
    expect(await list()).not.toContain('a');
    await vi.advanceTimersByTimeAsync(1);
    expect(await list()).toContain('a');
  });
});

test('a list lacks rows', async () => {
  const { make, list } = await platform(
    'faults: [{ on: environment.byProjectId, at: 1, after: { hide: { name: a } } }]',
  );
  await make();
  expect(await list()).not.toContain('a');
  expect(await list()).toContain('a');
});

test.each(['before', 'after'])('another client sends a request %s a request', async (when) => {
  const { make, isMade } = await platform(
    create(`${when}: { do: environment.create, with: { name: theirs, projectId: $projectId } }`),
  );
  await make();
  expect([isMade('a'), isMade('theirs')]).toEqual([true, true]);
});

test('the connection after one that broke is another, and good', async () => {
  const { make, list } = await platform('faults: [{ on: POST, after: { cut: reset } }]');
  await failureOf(make('a'));
  await failureOf(make('b'));
  expect(await list()).toEqual(expect.arrayContaining(['a', 'b']));
});
