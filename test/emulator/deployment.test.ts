import { once } from 'node:events';
import { request } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openEmulator } from '../../src/emulator/emulator-on-disk.ts';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { callerOf, inputs } from './caller.ts';

/** Deployments by a clock that stands still until a test moves it. */

const start = Date.parse('2030-01-01T00:00:00.000Z');
let emulator: Emulator;
let call: ReturnType<typeof callerOf>;
const use = (made: Emulator) => {
  emulator = made;
  call = callerOf(emulator.send);
};
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: start });
  use(createEmulator({ deployDelayMs: 30_000 }));
});
afterEach(() => {
  vi.useRealTimers();
});

/** What does not come by then never will: waiting for it takes time of the machine. */
const hanging = { timeout: 60_000 };
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);
const moment = () => vi.advanceTimersByTimeAsync(1);

/** What is deployed by the queue: how it is made, ordered, given up and read. */
const queued = {
  application: {
    status: 'applicationStatus',
    deploy: 'application.deploy',
    create: async (image: string, more: Record<string, unknown> = {}) => {
      const { applicationId } = (await call('application.create', { ...inputs.application, ...more })).body;
      const registry = { username: null, password: null, registryUrl: null };
      await call('application.saveDockerProvider', { applicationId, dockerImage: image, ...registry });
      return { applicationId };
    },
  },
  compose: {
    status: 'composeStatus',
    deploy: 'compose.deploy',
    create: async (image: string, more: Record<string, unknown> = {}) => {
      const composeFile = `services: { web: { image: "${image}" } }`;
      const { composeId } = (await call('compose.create', { ...inputs.compose, composeFile, ...more })).body;
      return { composeId };
    },
  },
} as const;
const queuedKinds = ['application', 'compose'] as const;
const databases = ['mariadb', 'postgres', 'redis'] as const;

const one = async (kind: string, id: object) => (await call(`${kind}.one`, { ...id })).body;
const createDatabase = async (kind: (typeof databases)[number], dockerImage: string) => {
  const { body } = await call(`${kind}.create`, { ...inputs[kind], dockerImage });
  return { [`${kind}Id`]: body[`${kind}Id`] };
};
/** What came of a request so far; undefined as long as it is open. */
const watch = (promise: Promise<unknown>) => {
  const seen: { answer?: unknown; error?: unknown } = {};
  promise.then(
    (answer) => (seen.answer = answer),
    (error: unknown) => (seen.error = error),
  );
  return seen;
};

describe.each(queuedKinds)('a slow deployment of an %s', (kind) => {
  const { create, deploy, status } = queued[kind];

  test('goes by the clock, and so do its times', async () => {
    const id = await create('nginx:1');
    await seconds(60);
    await call(deploy, id);
    expect(await one(kind, id)).toMatchObject({ [status]: 'idle', deployments: [] });
    await moment();
    expect(await one(kind, id)).toMatchObject({
      [status]: 'running',
      deployments: [
        { status: 'running', createdAt: '2030-01-01T00:01:00.000Z', startedAt: '2030-01-01T00:01:00.000Z' },
      ],
    });
    await seconds(29.9);
    expect(await one(kind, id)).toMatchObject({ [status]: 'running', deployments: [{ finishedAt: null }] });
    await seconds(0.1);
    expect(await one(kind, id)).toMatchObject({
      [status]: 'done',
      deployments: [{ status: 'done', finishedAt: '2030-01-01T00:01:30.000Z' }],
    });
  });

  test('keeps the next one on its server waiting', async () => {
    const [first, second] = [await create('nginx:1'), await create('nginx:1')];
    for (const id of [first, second]) await call(deploy, id);
    await seconds(30);
    expect(await one(kind, first)).toMatchObject({ [status]: 'done' });
    await seconds(29.9);
    expect(await one(kind, second)).toMatchObject({ [status]: 'running' });
    await seconds(0.2);
    expect(await one(kind, second)).toMatchObject({ [status]: 'done' });
  });
});

describe.each(databases)('a slow deployment of %s', (kind) => {
  test('goes by the clock, and is answered at its end', async () => {
    const id = await createDatabase(kind, 'image:1');
    const answer = watch(call(`${kind}.deploy`, id));
    await seconds(29.9);
    expect(await one(kind, id)).toMatchObject({ applicationStatus: 'running' });
    expect(answer).toEqual({});
    await seconds(0.1);
    expect(answer).toMatchObject({ answer: { status: 200 } });
    expect(await one(kind, id)).toMatchObject({ applicationStatus: 'done' });
  });

  test('does not wait for another one', async () => {
    const ids = [await createDatabase(kind, 'image:1'), await createDatabase(kind, 'image:1')];
    const answers = ids.map((id) => watch(call(`${kind}.deploy`, id)));
    await seconds(30);
    expect(answers).toMatchObject([{ answer: { status: 200 } }, { answer: { status: 200 } }]);
  });
});

describe.each(queuedKinds)('a stalled deployment of an %s', (kind) => {
  const { create, deploy, status } = queued[kind];
  const other = kind === 'compose' ? 'application' : 'compose';
  const stalled = { [status]: 'running', deployments: [{ status: 'running', finishedAt: null }] };

  test('begins, never ends, and blocks its server and no other', async () => {
    const id = await create('registry.test/stall:1');
    const [behind, elsewhere] = [await create('nginx:1'), await create('nginx:1', { serverId: 'srv_1' })];
    for (const each of [id, behind, elsewhere]) await call(deploy, each);
    await seconds(1_000_000);
    expect(await one(kind, id)).toMatchObject(stalled);
    expect(await one(kind, behind)).toMatchObject({ [status]: 'idle', deployments: [] });
    expect(await one(kind, elsewhere)).toMatchObject({ [status]: 'done' });
  });

  test('is in error a moment after it was killed, and the next one begins', async () => {
    const [id, behind] = [await create('stall:1'), await create('nginx:1')];
    for (const each of [id, behind]) await call(deploy, each);
    await seconds(100);
    expect(await call(`${kind}.killBuild`, id)).toEqual({ status: 200, body: undefined });
    expect(await one(kind, id)).toMatchObject(stalled);
    await moment();
    expect(await one(kind, id)).toMatchObject({
      [status]: 'error',
      deployments: [{ status: 'error', errorMessage: null, finishedAt: '2030-01-01T00:01:40.000Z' }],
    });
    await seconds(31);
    expect(await one(kind, behind)).toMatchObject({ [status]: 'done' });
  });

  test('is ended by every deployment of its kind on its server, and by nothing else', async () => {
    const id = await create('stall:1');
    await call(deploy, id);
    await moment();
    await call(`${kind}.killBuild`, await create('nginx:1', { serverId: 'srv_1' }));
    await call(`${other}.killBuild`, await queued[other].create('nginx:1'));
    await seconds(100);
    expect(await one(kind, id)).toMatchObject(stalled);
    await call(`${kind}.killBuild`, await create('nginx:1'));
    await moment();
    expect(await one(kind, id)).toMatchObject({ [status]: 'error' });
  });

  test('stays killed, and nothing more comes of it', async () => {
    const id = await create('stall:1');
    await call(deploy, id);
    await moment();
    for (let time = 0; time < 2; time += 1) await call(`${kind}.killBuild`, id);
    await seconds(100);
    expect(await one(kind, id)).toMatchObject({ [status]: 'error', deployments: [{ status: 'error' }] });
    await call(deploy, id);
    await moment();
    expect(await one(kind, id)).toMatchObject({ [status]: 'running', deployments: [{ status: 'error' }, {}] });
  });

  test('depends on the image, not on another word with the same ending', async () => {
    const id = await create('install:1');
    await call(deploy, id);
    await seconds(31);
    expect(await one(kind, id)).toMatchObject({ [status]: 'done' });
  });
});

test('a killed build is over, and the next deployment has its whole time', async () => {
  const [id, behind] = [await queued.compose.create('nginx:1'), await queued.compose.create('nginx:1')];
  for (const each of [id, behind]) await call('compose.deploy', each);
  await seconds(10);
  await call('compose.killBuild', id);
  await seconds(25);
  expect(await one('compose', id)).toMatchObject({ composeStatus: 'error', deployments: [{ status: 'error' }] });
  expect(await one('compose', behind)).toMatchObject({ composeStatus: 'running' });
  await seconds(10);
  expect(await one('compose', behind)).toMatchObject({ composeStatus: 'done' });
});

test('a build that is killed before it has begun is not ended', async () => {
  const id = await queued.compose.create('nginx:1');
  await call('compose.deploy', id);
  await call('compose.killBuild', id);
  await seconds(31);
  expect(await one('compose', id)).toMatchObject({ composeStatus: 'done' });
});

test('a stack from a repository stalls by the file that is fetched, and a rebuild by the one on disk', async () => {
  const { composeId } = await queued.compose.create('nginx:1', { sourceType: 'git' });
  await call('compose.update', { composeId, customGitUrl: 'https://git.example.test/shop.git' });
  await call('compose.deploy', { composeId });
  await seconds(31);
  await call('compose.update', { composeId, composeFile: 'services: { web: { image: "stall:1" } }' });
  await call('compose.redeploy', { composeId });
  await seconds(31);
  expect(await one('compose', { composeId })).toMatchObject({ composeStatus: 'done' });
  await call('compose.deploy', { composeId });
  await seconds(31);
  expect(await one('compose', { composeId })).toMatchObject({ composeStatus: 'running' });
});

test('an application is not stalled by the image of a source that it had before', async () => {
  const { applicationId } = await queued.application.create('stall:1');
  const git = { customGitBuildPath: '/', customGitUrl: 'https://git.example.test/r.git', customGitBranch: 'main' };
  await call('application.saveGitProvider', { applicationId, ...git, watchPaths: null });
  await call('application.deploy', { applicationId });
  await seconds(31);
  expect(await one('application', { applicationId })).toMatchObject({ applicationStatus: 'done' });
});

describe.each(databases)('a stalled deployment of %s', (kind) => {
  test('leaves its request open, and the database running, and blocks nothing', async () => {
    const id = await createDatabase(kind, 'stall:1');
    const answer = watch(call(`${kind}.deploy`, id));
    await seconds(1_000_000);
    expect(answer).toEqual({});
    expect(await one(kind, id)).toMatchObject({ applicationStatus: 'running' });
    const next = watch(call(`${kind}.deploy`, await createDatabase(kind, 'image:1')));
    await seconds(30);
    expect(next).toMatchObject({ answer: { status: 200 } });
  });

  test('is a broken connection when the platform restarts, and the database runs on in name', async () => {
    const id = await createDatabase(kind, 'stall:1');
    const answer = watch(call(`${kind}.deploy`, id));
    await moment();
    emulator.restart();
    await moment();
    expect(answer).toMatchObject({ error: { code: 'ECONNRESET' } });
    expect(await one(kind, id)).toMatchObject({ applicationStatus: 'running' });
    expect(emulator.log.find(({ operation }) => operation === `${kind}.deploy`)).toMatchObject({
      status: 0,
      input: id,
    });
  });
});

describe('a restart', () => {
  test.each(queuedKinds)('cancels the running deployment and drops the waiting ones: %s', async (kind) => {
    const { create, deploy, status } = queued[kind];
    const [running, waiting, done, elsewhere] = [
      await create('nginx:1'),
      await create('nginx:1'),
      await create('nginx:1'),
      await create('stall:1', { serverId: 'srv_1' }),
    ];
    await call(deploy, done);
    await seconds(31);
    for (const id of [running, waiting, elsewhere]) await call(deploy, id);
    await seconds(1);
    emulator.restart();
    for (const id of [running, elsewhere])
      expect(await one(kind, id)).toMatchObject({ [status]: 'idle', deployments: [{ status: 'cancelled' }] });
    await seconds(1_000);
    for (const id of [running, elsewhere])
      expect(await one(kind, id)).toMatchObject({ [status]: 'idle', deployments: [{ status: 'cancelled' }] });
    expect(await one(kind, waiting)).toMatchObject({ [status]: 'idle', deployments: [] });
    expect(await one(kind, done)).toMatchObject({ [status]: 'done', deployments: [{ status: 'done' }] });
  });

  test('comes before the turn of the deployment that was just requested', async () => {
    const id = await queued.compose.create('nginx:1');
    await call('compose.deploy', id);
    emulator.restart();
    await seconds(100);
    expect(await one('compose', id)).toMatchObject({ composeStatus: 'idle', deployments: [] });
  });

  test('leaves a queue that takes new jobs', async () => {
    const [stalled, next] = [await queued.compose.create('stall:1'), await queued.compose.create('nginx:1')];
    await call('compose.deploy', stalled);
    await moment();
    emulator.restart();
    await call('compose.deploy', next);
    await seconds(31);
    expect(await one('compose', next)).toMatchObject({ composeStatus: 'done', deployments: [{ status: 'done' }] });
  });

  test('ends the slow deployment of a database, which is not done later', async () => {
    const id = await createDatabase('postgres', 'postgres:17');
    const answer = watch(call('postgres.deploy', id));
    await seconds(1);
    emulator.restart();
    await moment();
    expect(answer).toMatchObject({ error: { code: 'ECONNRESET' } });
    expect(vi.getTimerCount()).toBe(0);
    expect(await one('postgres', id)).toMatchObject({ applicationStatus: 'running' });
    expect(emulator.world.tables.container).toEqual({});
  });

  test('is a change that has to be saved', () => {
    const onCommit = vi.fn<() => void>();
    emulator.onCommit = onCommit;
    emulator.restart();
    expect(onCommit).toHaveBeenCalledTimes(1);
  });
});

describe('a request that never ends', () => {
  beforeEach(() => {
    vi.useRealTimers();
  });

  test('ends without an answer when its server is closed', async () => {
    const server = await serve(emulator);
    const id = await createDatabase('redis', 'stall:1');
    const outgoing = request(`${server.url}/api/redis.deploy`, {
      method: 'POST',
      headers: { 'x-api-key': 'emulator-key', 'content-type': 'application/json' },
    });
    const failed = once(outgoing, 'error');
    const answered = watch(once(outgoing, 'response'));
    outgoing.end(JSON.stringify(id));
    await vi.waitFor(
      async () => expect(await one('redis', id)).toMatchObject({ applicationStatus: 'running' }),
      hanging,
    );
    expect(answered).toEqual({});
    await server.close();
    expect(await failed).toMatchObject([{ code: 'ECONNRESET' }]);
    expect(emulator.log.filter(({ operation }) => operation === 'redis.deploy')).toMatchObject([{ status: 0 }]);
  });

  test('ends when the file of the emulator is closed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'emulator-'));
    const opened = await openEmulator(join(folder, 'world.json'));
    use(opened);
    const id = await createDatabase('redis', 'stall:1');
    const answer = watch(call('redis.deploy', id));
    await opened.close();
    await vi.waitFor(() => expect(answer).toMatchObject({ error: { code: 'ECONNRESET' } }), hanging);
    await rm(folder, { recursive: true });
  });
});

describe('the title and the description of the request', () => {
  const order = { title: 'Release 7', description: 'run 4711' };

  test.each([
    ['compose', 'compose.deploy'],
    ['compose', 'compose.redeploy'],
    ['application', 'application.redeploy'],
  ] as const)('stay with the deployment of %s by %s', async (kind, operation) => {
    const id = await queued[kind].create('nginx:1');
    await call(operation, { ...id, ...order });
    await moment();
    expect(await one(kind, id)).toMatchObject({ deployments: [{ ...order, status: 'running' }] });
    await seconds(31);
    expect(await one(kind, id)).toMatchObject({ deployments: [{ ...order, status: 'done' }] });
  });

  test.each([
    ['compose', 'compose.deploy'],
    ['compose', 'compose.redeploy'],
    ['application', 'application.deploy'],
  ] as const)('stay when it fails: %s by %s', async (kind, operation) => {
    const id = await queued[kind].create('fail:1');
    await call(operation, { ...id, ...order });
    await seconds(31);
    expect(await one(kind, id)).toMatchObject({ deployments: [{ ...order, status: 'error' }] });
  });

  test('change to the commit where code was fetched, and stay after a mere rebuild', async () => {
    const { composeId } = await queued.compose.create('nginx:1', { sourceType: 'git' });
    await call('compose.update', { composeId, customGitUrl: 'https://git.example.test/shop.git' });
    const { applicationId } = await queued.application.create('unused');
    const git = { customGitBuildPath: '/', customGitUrl: 'https://git.example.test/r.git', customGitBranch: 'main' };
    await call('application.saveGitProvider', { applicationId, ...git, watchPaths: null });
    const fetched = { title: 'Latest commit', description: expect.stringMatching(/^Commit: /) as string };
    for (const [kind, id, operations] of [
      ['compose', { composeId }, ['compose.deploy', 'compose.redeploy']],
      ['application', { applicationId }, ['application.deploy', 'application.redeploy']],
    ] as const) {
      for (const operation of operations) {
        await call(operation, { ...id, ...order });
        await seconds(31);
      }
      const { deployments } = (await one(kind, id)) as unknown as { deployments: { createdAt: string }[] };
      const [first, second] = deployments.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
      expect([kind, first, second]).toMatchObject([kind, { ...fetched, status: 'done' }, { ...order, status: 'done' }]);
    }
  });
});

describe('the log of postgres', () => {
  beforeEach(() => use(createEmulator()));
  const log = async (id: object, more: object = {}) => (await call('postgres.readLogs', { ...id, ...more })).body;

  test('has the reason of a failed deployment', async () => {
    const id = await createDatabase('postgres', 'fail:1');
    expect((await call('postgres.readLogs', id)).status).toBe(500);
    await call('postgres.deploy', id);
    expect(await log(id)).toContain('Error: cannot pull the image fail:1');
    expect(await log(id, { tail: 1 })).toBe('The container was not started');
    expect(await log(id, { search: 'Error' })).toBe('Error: cannot pull the image fail:1');
  });

  test('is reported for the last deployment only', async () => {
    const id = await createDatabase('postgres', 'fail:1');
    await call('postgres.deploy', id);
    await call('postgres.update', { ...id, dockerImage: 'postgres:17' });
    await call('postgres.deploy', id);
    expect(await log(id)).toMatch(/^LOG: {2}starting PostgreSQL\n.*\n.*ready to accept connections$/);
  });
});
