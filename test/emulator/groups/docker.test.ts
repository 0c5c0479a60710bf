import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts';
import { callerOf, inputs, type Answer } from '../caller.ts';
import { seedWorld } from '../../../src/emulator/world.ts';
import { addPerson, openWorld } from '../people.ts';

/** What docker tells of services by a clock that stands still until a test moves it. */

let emulator: Emulator;
let call: ReturnType<typeof callerOf>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.parse('2030-01-01T00:00:00.000Z') });
  emulator = createEmulator();
  call = callerOf(emulator.send);
});
afterEach(() => void vi.useRealTimers());

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);
const list = async (operation: string, input: Record<string, unknown> = {}) => {
  const { status, body } = await call(`docker.${operation}`, input);
  expect(status).toBe(200);
  return body as unknown as Answer[];
};
const tasks = async (appName: string) =>
  (await list('getServiceContainersByAppName', { appName })).map((task) =>
    [task['name'], task['state'], task['currentState'], task['error']].join(' | '),
  );
const containers = async (appName: string, appType?: string) =>
  (await list('getContainersByAppNameMatch', { appName, ...(appType === undefined ? {} : { appType }) })).map(
    (one) => `${String(one['state'])}: ${String(one['status'])}`,
  );

async function application(image: string, more: Record<string, unknown> = {}) {
  const { applicationId, appName } = (await call('application.create', inputs.application)).body;
  await call('application.update', { applicationId, ...more });
  await deployApplication(applicationId, image);
  return { applicationId, appName };
}

async function deployApplication(applicationId: unknown, dockerImage: string) {
  const registry = { username: null, password: null, registryUrl: null };
  await call('application.saveDockerProvider', { applicationId, dockerImage, ...registry });
  await call('application.deploy', { applicationId });
  await vi.advanceTimersByTimeAsync(1);
}

async function compose(service: string, more: Record<string, unknown> = {}) {
  const composeFile = `services: { web: { ${service} } }`;
  const { composeId, appName } = (await call('compose.create', { ...inputs.compose, composeFile, ...more })).body;
  if (more['env'] !== undefined) await call('compose.update', { composeId, env: more['env'] });
  await deployCompose(composeId);
  return { composeId, appName };
}

async function deployCompose(composeId: unknown) {
  await call('compose.deploy', { composeId });
  await vi.advanceTimersByTimeAsync(1);
}

const quit = '"task: non-zero exit (1)"';
const stay = { Parallelism: 1, Order: 'stop-first' };

describe('the task of an application', () => {
  test.each([
    ['nginx:1-will-start', 3, 'running | Running 3 seconds ago | ', 'running: Up 3 seconds'],
    [
      'web:1-will-healthy-after-5s',
      3,
      'running | Starting 3 seconds ago | ',
      'running: Up 3 seconds (health: starting)',
    ],
    ['web:1-will-healthy-after-5s', 9, 'running | Running 4 seconds ago | ', 'running: Up 9 seconds (healthy)'],
    ['web:1-will-exit-1-after-5s', 8, 'ready | Ready 3 seconds ago | ', 'created: Created'],
    ['web:1-will-exit-1-after-5s-1-times', 90, 'running | Running about a minute ago | ', 'running: Up About a minute'],
    [
      'web:1-will-pending',
      8,
      `running | Pending 8 seconds ago | "no suitable node (scheduling constraints not satisfied on 1 node)"`,
      undefined,
    ],
    ['web:1-will-elsewhere', 8, 'running | Running 8 seconds ago | ', undefined],
  ])('%s after %i s is %s', async (image, after, task, container) => {
    const { appName } = await application(image);
    await seconds(after);
    expect((await tasks(appName))[0]).toBe(`${appName}.1 | ${task}`);
    expect((await containers(appName))[0]).toBe(container);
  });

  test.each([
    ['exit-1-after-5s', {}, ['ready | Ready', `shutdown | Failed`]],
    ['exit-0-after-5s', {}, ['ready | Ready', 'shutdown | Complete']],
    ['exit-0-after-5s', { Condition: 'on-failure' }, ['shutdown | Complete']],
    ['exit-3-after-5s', { Condition: 'on-failure', MaxAttempts: 1 }, ['ready | Ready', 'shutdown | Failed']],
    ['exit-3-after-5s', { Condition: 'none' }, ['shutdown | Failed']],
    ['unhealthy-after-5s', {}, ['ready | Ready', 'shutdown | Failed']],
  ])('that %s is started again as its policy %j says', async (words, restartPolicySwarm, expected) => {
    const { appName } = await application(`web:will-${words}`, { restartPolicySwarm });
    await seconds(6);
    const found = (await tasks(appName)).map((line) => line.split(' | ').slice(1, 3).join(' | '));
    expect(found).toEqual(expected.map((line) => `${line} 1 second ago`));
  });

  test('that ends again and again leaves the five tasks that Swarm remembers', async () => {
    const { appName } = await application('web:will-exit-1-after-1s');
    await seconds(3600);
    const [first, ...others] = await tasks(appName);
    expect(others).toHaveLength(4);
    expect(first).toMatch(/running \| Running|ready \| Ready/);
    for (const line of others) expect(line).toMatch(/^\\_ .*\| shutdown \| Failed .* ago \| "task/);
  });

  test('of a deployment that fails at once is taken back: the old one runs again', async () => {
    const { applicationId, appName } = await application('web:1-will-start');
    await seconds(60);
    await deployApplication(applicationId, 'web:will-exit-1-after-2s');
    await seconds(10);
    expect(await tasks(appName)).toEqual([
      `${appName}.1 | running | Running 8 seconds ago | `,
      `\\_ ${appName}.1 | shutdown | Failed 8 seconds ago | ${quit}`,
      `\\_ ${appName}.1 | shutdown | Shutdown 10 seconds ago | `,
    ]);
    expect((await call('application.one', { applicationId })).body).toMatchObject({ applicationStatus: 'done' });
    const images = (await list('getContainers')).map((one) => one['image']);
    expect(images).toEqual(['web:1-will-start', 'web:will-exit-1-after-2s', 'web:1-will-start']);
  });

  test('goes on when the new one never gets healthy, and stays failed without a rollback', async () => {
    const { applicationId, appName } = await application('web:1-will-start');
    await deployApplication(applicationId, 'web:will-unhealthy-after-20s');
    await seconds(30);
    const [first, second] = await tasks(appName);
    expect([first, second]).toEqual([
      expect.stringContaining('shutdown | Failed 10 seconds ago | "task: non-zero exit (137)'),
      expect.stringContaining('running | Running 30 seconds ago'),
    ]);

    const kept = await application('web:1-will-start', {
      updateConfigSwarm: stay,
      restartPolicySwarm: { Condition: 'none' },
    });
    await deployApplication(kept.applicationId, 'web:will-exit-1-after-2s');
    await seconds(30);
    expect((await tasks(kept.appName)).map((line) => line.split(' | ')[1])).toEqual(['shutdown', 'shutdown']);
  });

  test('is one of several replicas, or of none', async () => {
    const { applicationId, appName } = await application('web:1-will-start', { replicas: 2 });
    expect(await tasks(appName)).toHaveLength(2);
    await call('application.update', { applicationId, replicas: 0 });
    await deployApplication(applicationId, 'web:1-will-start');
    expect(await tasks(appName)).toEqual([]);
  });

  test('goes when it is stopped or deleted, and comes back when it is started', async () => {
    const { applicationId, appName } = await application('web:1-will-start');
    await call('application.stop', { applicationId });
    expect(await tasks(appName)).toEqual([]);
    await call('application.start', { applicationId });
    expect(await tasks(appName)).toHaveLength(1);
    await call('application.delete', { applicationId });
    expect(await containers(appName)).toEqual([]);
  });

  test('waits for a pull, which belongs to the deployment', async () => {
    const { applicationId, appName } = await application('web:will-pull-90s');
    await seconds(80);
    expect((await call('application.one', { applicationId })).body).toMatchObject({ applicationStatus: 'running' });
    await seconds(20);
    expect(await tasks(appName)).toEqual([`${appName}.1 | running | Running 10 seconds ago | `]);
  });
});

test('the old task of a database runs again, and the deployment is done', async () => {
  const { postgresId, appName } = (
    await call('postgres.create', { ...inputs.postgres, dockerImage: 'postgres:17-will-start' })
  ).body;
  await call('postgres.deploy', { postgresId });
  await call('postgres.update', { postgresId, dockerImage: 'postgres:will-exit-1-after-1s' });
  await call('postgres.deploy', { postgresId });
  await seconds(5);
  expect((await call('postgres.one', { postgresId })).body).toMatchObject({ applicationStatus: 'done' });
  expect((await tasks(appName)).map((line) => line.split(' | ')[2])).toEqual([
    'Running 4 seconds ago',
    'Failed 4 seconds ago',
    'Shutdown 5 seconds ago',
  ]);
});

describe('the container of a compose', () => {
  test.each([
    ['image: "nginx:1-will-start"', 'running: Up 5 seconds'],
    ['image: "nginx:1-will-start", healthcheck: { test: curl }', 'running: Up 5 seconds (healthy)'],
    ['image: "web:will-unhealthy-after-2s"', 'running: Up 5 seconds (unhealthy)'],
    ['image: "web:will-exit-1-after-2s"', 'exited: Exited (1) 3 seconds ago'],
    ['image: "web:will-exit-0-after-2s", restart: on-failure', 'exited: Exited (0) 3 seconds ago'],
    ['image: "web:will-exit-1-after-2s", restart: always', 'running: Up Less than a second'],
    ['image: "web:will-exit-1-after-0s", restart: "on-failure:3"', 'exited: Exited (1) 4 seconds ago'],
    ['image: "web:will-exit-1-after-0s", restart: always', 'restarting: Restarting (1) 1 second ago'],
    ['image: "web:1", deploy: { replicas: 0 }', undefined],
  ])('{ %s } is %s after 5 s', async (service, expected) => {
    const { appName } = await compose(service);
    await seconds(5);
    expect(await containers(appName, 'docker-compose')).toEqual(expected === undefined ? [] : [expected]);
  });

  test('stays when nothing of its service changed, and starts again when it had ended', async () => {
    for (const [service, status] of [
      ['image: "nginx:1-will-start"', 'Up About a minute'],
      ['image: "x:will-exit-0-after-1s"', 'Up Less than a second'],
    ] as const) {
      const { composeId, appName } = await compose(service);
      await seconds(60);
      await deployCompose(composeId);
      expect(await containers(appName, 'docker-compose')).toEqual([`running: ${status}`]);
    }
  });

  test('is renewed when a variable of its service changes', async () => {
    const { composeId, appName } = await compose('image: "nginx:1-will-start", environment: ["A=${A}"]', {
      env: 'A=1',
    });
    await seconds(60);
    await call('compose.update', { composeId, env: 'A=2' });
    await deployCompose(composeId);
    await seconds(1);
    expect(await containers(appName, 'docker-compose')).toEqual(['running: Up 1 second']);
  });

  test('stops and starts; docker.getConfig counts its restarts and shows its variables', async () => {
    const { composeId, appName } = await compose(
      'image: "w:will-exit-1-after-2s", restart: always, environment: [TOKEN]',
      {
        env: 'TOKEN=s3',
      },
    );
    await seconds(7);
    const [{ containerId } = { containerId: '' }] = await list('getContainersByAppNameMatch', {
      appName,
      appType: 'docker-compose',
    });
    const { body } = await call('docker.getConfig', { containerId });
    expect(body).toMatchObject({
      RestartCount: 3,
      State: { Running: true, ExitCode: 0 },
      Config: { Env: expect.arrayContaining(['TOKEN=s3']) },
    });
    await call('compose.stop', { composeId });
    expect(await containers(appName, 'docker-compose')).toEqual(['exited: Exited (0) Less than a second ago']);
    await call('compose.start', { composeId });
    expect(await containers(appName, 'docker-compose')).toEqual(['running: Up Less than a second']);
    expect(await call('docker.getConfig', { containerId: 'gone' })).toEqual({ status: 200, body: undefined });
  });
});

describe('the tasks of a stack', () => {
  test.each([
    ['image: "nginx:1-will-start"', 'running', 'Running 9 seconds ago'],
    ['image: "web:will-pull-90s"', 'preparing', 'Preparing 9 seconds ago'],
    [
      'image: "fail:1", deploy: { restart_policy: { condition: none } }',
      undefined,
      'Rejected 9 seconds ago ("No such image: fail:1")',
    ],
    ['image: "web:will-exit-1-after-5s"', undefined, 'Failed 4 seconds ago ("task: non-zero exit (1)")'],
  ])('{ %s } are %s after 9 s', async (service, state, status) => {
    const { composeId, appName } = await compose(service, { composeType: 'stack' });
    expect((await call('compose.one', { composeId })).body).toMatchObject({ composeStatus: 'done' });
    await seconds(9);
    const shown = await list('getContainersByAppNameMatch', { appName, appType: 'stack' });
    expect(shown.map((one) => [one['state'], one['status']])).toEqual(state === undefined ? [] : [[state, status]]);
    const history = await list('getStackContainersByAppName', { appName });
    const texts = history.map(
      ({ currentState, error }) => `${String(currentState)}${error === '' ? '' : ` (${String(error)})`}`,
    );
    expect(texts).toContain(status);
    expect(String(history[0]?.['name'])).toBe(`${appName}_web.1`);
  });
});

describe('docker', () => {
  test('finds applications by the beginning of a name, and composes by their whole name', async () => {
    const { applicationId, appName } = await application('web:1-will-start');
    const neighbour = emulator.world.tables.application[String(applicationId)] ?? {};
    await application('web:2');
    const prefix = appName.slice(0, 4);
    const names = async (input: object) =>
      (await list('getContainersByAppNameMatch', { ...input })).map((one) => String(one['name']));
    expect((await names({ appName: prefix })).every((name) => name.startsWith(prefix))).toBe(true);
    expect(await names({ appName: neighbour['appName'] })).toEqual([
      expect.stringMatching(`^${appName}\\.1\\.[a-z0-9]{25}$`),
    ]);
    expect(await names({ appName: prefix, appType: 'docker-compose' })).toEqual([]);
  });

  test('lists the containers of one machine, without those of the platform', async () => {
    await compose('image: nginx, container_name: dokploy-shop');
    await compose('image: nginx, container_name: shop');
    await compose('image: redis', { serverId: 'srv_1' });
    emulator.world.everyServerAnswers = true;
    expect(await list('getContainers')).toMatchObject([{ name: 'shop', image: 'nginx', state: 'running' }]);
    expect(await list('getContainers', { serverId: 'srv_1' })).toMatchObject([{ image: 'redis', serverId: 'srv_1' }]);
    expect(await list('getContainers', { serverId: 'srv_2' })).toEqual([]);
  });

  test('that cannot be reached has nothing: no error', async () => {
    await application('web:1-will-start');
    for (const operation of ['getContainers', 'getServiceContainersByAppName', 'getStackContainersByAppName'])
      expect(await list(operation, { appName: 'shop', serverId: 'srv_1' })).toEqual([]);
    expect(await call('docker.getConfig', { containerId: 'x', serverId: 'srv_1' })).toEqual({
      status: 200,
      body: undefined,
    });
    expect((await call('docker.getContainers', { serverId: 'none' })).status).toBe(404);
  });

  test('is closed to a member without the flag, but for the containers of a name', async () => {
    const world = seedWorld();
    const key = addPerson(world, 'member');
    const asMember = openWorld(world).as(key);
    const read = async (operation: string) =>
      (await asMember(`docker.${operation}`, { appName: 'x', containerId: 'x' })).status;
    expect(await read('getContainersByAppNameMatch')).toBe(200);
    const guarded = ['getContainers', 'getConfig', 'getServiceContainersByAppName', 'getStackContainersByAppName'];
    for (const operation of guarded) expect(await read(operation)).toBe(401);
    for (const member of Object.values(world.tables.member)) member['canAccessToDocker'] = true;
    for (const operation of guarded) expect(await read(operation)).toBe(200);
  });
});
