import { beforeEach, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts';
import { callerOf, inputs, until, type Answer } from '../caller.ts';

let emulator: Emulator;
let call: ReturnType<typeof callerOf>;
const start = (options: Parameters<typeof createEmulator>[0] = {}) => {
  emulator = createEmulator(options);
  call = callerOf(emulator.send);
};
beforeEach(() => start());

const create = async (more: Record<string, unknown> = {}) =>
  String((await call('compose.create', { ...inputs.compose, ...more })).body['composeId']);
const one = async (composeId: string): Promise<Answer> => (await call('compose.one', { composeId })).body;
const deployed = async (composeId: string, operation: 'compose.deploy' | 'compose.redeploy' = 'compose.deploy') => {
  const before = (await one(composeId)).deployments.length;
  await call(operation, { composeId });
  await until(async () => {
    const { deployments } = await one(composeId);
    return deployments.length > before && deployments.every(({ status }) => status !== 'running');
  });
  return one(composeId);
};

describe('a compose', () => {
  test('takes github for its source when none is given', async () => {
    const { body } = await call('compose.create', { name: 'a', environmentId: 'env_prj_1' });
    expect(body).toMatchObject({ sourceType: 'github', composeType: 'docker-compose', composeStatus: 'idle' });
  });

  test('is created only where there is an environment and a server', async () => {
    expect((await call('compose.create', { ...inputs.compose, environmentId: 'x' })).status).toBe(404);
    expect((await call('compose.create', { ...inputs.compose, serverId: 'x' })).status).toBe(401);
  });

  test('may have the name of another', async () => {
    expect(await create()).not.toBe(await create());
  });

  test('keeps its appName in an update', async () => {
    const composeId = await create({ appName: 'Shop' });
    const { appName } = await one(composeId);
    expect(appName).toMatch(/^shop-[a-z0-9]{6}$/);
    const answer = await call('compose.update', { composeId, appName: 'other', description: 'd' });
    expect(answer).toMatchObject({ status: 200, body: { appName, description: 'd' } });
  });

  test('that does not exist is updated with success and an empty body', async () => {
    expect(await call('compose.update', { composeId: 'unknown', name: 'n' })).toEqual({ status: 200, body: undefined });
  });

  test('is updated with success by nothing at all', async () => {
    const composeId = await create();
    expect(await call('compose.update', { composeId })).toMatchObject({ status: 200, body: { composeId } });
  });

  test('cannot refer to an object that does not exist', async () => {
    const composeId = await create();
    for (const column of ['environmentId', 'customGitSSHKeyId', 'githubId', 'gitlabId', 'bitbucketId', 'giteaId'])
      expect([column, (await call('compose.update', { composeId, [column]: 'x' })).status]).toEqual([column, 500]);
    const set = {
      customGitSSHKeyId: 'key_1',
      githubId: 'hub_1',
      gitlabId: 'lab_2',
      bitbucketId: 'bkt_1',
      giteaId: 'sfg_2',
    };
    expect((await call('compose.update', { composeId, ...set })).body).toMatchObject(set);
  });

  test('shows the secrets of its git provider', async () => {
    const composeId = await create();
    await call('compose.update', { composeId, githubId: 'hub_1' });
    expect(await one(composeId)).toMatchObject({ github: { githubClientSecret: 'github-client-secret' } });
  });

  test('gets a new token that only `one` shows', async () => {
    const composeId = await create();
    const { refreshToken } = await one(composeId);
    expect(await call('compose.refreshToken', { composeId })).toEqual({ status: 200, body: true });
    expect((await one(composeId))['refreshToken']).not.toBe(refreshToken);
  });

  test('is deleted with its children, and only with deleteVolumes in the input', async () => {
    const composeId = await create();
    await call('domain.create', { host: 'a.test', composeId, domainType: 'compose', serviceName: 'web' });
    expect((await call('compose.delete', { composeId })).status).toBe(400);
    const answer = await call('compose.delete', { composeId, deleteVolumes: false });
    expect(answer.body).toMatchObject({ composeId, domains: [{ host: 'a.test' }] });
    expect(emulator.world.tables.domain).toEqual({});
    expect((await call('compose.delete', { composeId, deleteVolumes: false })).status).toBe(404);
  });
});

describe('a deployment', () => {
  test('is answered before the work, while the status is the old one', async () => {
    const composeId = await create();
    await deployed(composeId);
    const answer = await call('compose.deploy', { composeId });
    expect(answer.body).toEqual({ success: true, message: 'Deployment queued', composeId });
    expect(await one(composeId)).toMatchObject({ composeStatus: 'done', deployments: [{}] });
  });

  test('shows in the list when it starts, and the compose is running until it is done', async () => {
    start({ deployDelayMs: 20 });
    const composeId = await create();
    await call('compose.deploy', { composeId, title: 't', description: 'run 7' });
    await until(async () => (await one(composeId))['composeStatus'] === 'running');
    expect((await one(composeId)).deployments).toMatchObject([
      { title: 't', description: 'run 7', status: 'running', finishedAt: null, composeId },
    ]);
    await until(async () => (await one(composeId))['composeStatus'] === 'done');
    expect((await one(composeId)).deployments).toMatchObject([{ status: 'done', finishedAt: expect.any(String) }]);
  });

  test('waits for the one before it on the same server, and not for other servers', async () => {
    start({ deployDelayMs: 20 });
    const [first, second, elsewhere] = [await create(), await create(), await create({ serverId: 'srv_1' })];
    for (const composeId of [first, second, elsewhere]) await call('compose.deploy', { composeId });
    await until(async () => (await one(first))['composeStatus'] === 'running');
    expect(await one(second)).toMatchObject({ composeStatus: 'idle', deployments: [] });
    expect(await one(elsewhere)).toMatchObject({ composeStatus: 'running' });
    await until(async () => (await one(second))['composeStatus'] === 'done');
  });

  test.each([
    ['an image that cannot be pulled', { composeFile: 'services: { web: { image: "fail:1" } }' }],
    ['an empty compose file', { composeFile: '' }],
    ['a compose file that is not YAML', { composeFile: 'services: [' }],
    ['a git source that is not set up', { sourceType: 'github' }],
  ])('of %s ends in error', async (_what, input) => {
    const composeId = await create(input);
    expect(await deployed(composeId)).toMatchObject({
      composeStatus: 'error',
      deployments: [{ status: 'error', errorMessage: null }],
    });
  });

  test('with a domain of a service that is not in the file ends in error', async () => {
    const composeId = await create();
    await call('domain.create', { host: 'a.test', composeId, domainType: 'compose', serviceName: 'api' });
    expect(await deployed(composeId)).toMatchObject({ composeStatus: 'error' });
    expect((await call('compose.getConvertedCompose', { composeId })).status).toBe(500);
  });

  const domainOf = (composeId: string, serviceName: string | null) =>
    call('domain.create', { host: 'a.test', composeId, domainType: 'compose', serviceName });

  test.each([
    ['randomize and a suffix', { randomize: true, suffix: 'sfx' }, 'web-sfx', 'web'],
    ['randomize alone', { randomize: true }, 'web', 'web-sfx'],
    ['a suffix alone', { suffix: 'sfx' }, 'web', 'web-sfx'],
    ['isolation beside both', { randomize: true, suffix: 'sfx', isolatedDeployment: true }, 'web', 'web-sfx'],
  ])('with %s looks for the service of a domain by the name after that', async (_what, settings, right, wrong) => {
    if ('isolatedDeployment' in settings)
      expect(await call('network.create', { name: settings.suffix })).toMatchObject({ status: 200 });
    for (const [serviceName, composeStatus] of [
      [right, 'done'],
      [wrong, 'error'],
    ] as const) {
      const composeId = await create();
      await call('compose.update', { composeId, ...settings });
      await domainOf(composeId, serviceName);
      expect(await deployed(composeId)).toMatchObject({ composeStatus });
      const converted = await call('compose.getConvertedCompose', { composeId });
      if (composeStatus === 'done') expect(converted.body).toContain(`${right}:`);
      else {
        const message = `Domain "a.test" is attached to service "${wrong}" which does not exist in the compose`;
        expect(converted).toMatchObject({ status: 500, body: { message } });
      }
    }
  });

  test('fails for a domain without a service, and skips a domain that is switched off', async () => {
    const composeId = await create();
    const { domainId } = (await domainOf(composeId, null)).body;
    expect(await call('compose.getConvertedCompose', { composeId })).toMatchObject({
      status: 500,
      body: { message: 'Domain "a.test" is missing a service name' },
    });
    await call('domain.update', { domainId, host: 'a.test', enabled: false });
    expect(await deployed(composeId)).toMatchObject({ composeStatus: 'done' });
  });

  test('with a suffix runs services that backups find by the name with it', async () => {
    const composeId = await create();
    await call('compose.update', { composeId, randomize: true, suffix: 'sfx' });
    await deployed(composeId);
    const backup = { destinationId: 'dst_1', prefix: 'p/', database: 'd', databaseType: 'postgres', composeId };
    const ran = [];
    for (const serviceName of ['web', 'web-sfx']) {
      await call('backup.create', { ...backup, schedule: '0 3 * * *', backupType: 'compose', serviceName });
      const backupId = (await one(composeId)).backups.at(-1)?.['backupId'];
      ran.push(await call('backup.manualBackupCompose', { backupId }));
      const volume = {
        name: serviceName,
        volumeName: 'v',
        prefix: 'p/',
        serviceType: 'compose',
        serviceName,
        composeId,
      };
      const made = await call('volumeBackups.create', {
        ...volume,
        cronExpression: '0 3 * * *',
        destinationId: 'dst_1',
      });
      ran.push(await call('volumeBackups.runManually', { volumeBackupId: made.body['volumeBackupId'] }));
    }
    expect(ran).toMatchObject([
      { status: 400, body: { message: 'Error running manual Compose backup ' } },
      { status: 200, body: false },
      { status: 200, body: true },
      { status: 200, body: undefined },
    ]);
  });

  test('from a repository ends up under the name of its commit, and cannot be a rebuild at first', async () => {
    const composeId = await create({ sourceType: 'git' });
    await call('compose.update', { composeId, customGitUrl: 'https://git.example.test/shop.git' });
    expect(await deployed(composeId, 'compose.redeploy')).toMatchObject({ composeStatus: 'error' });
    expect(await deployed(composeId)).toMatchObject({
      composeStatus: 'done',
      deployments: [{}, { title: 'Latest commit' }],
    });
    expect(await deployed(composeId, 'compose.redeploy')).toMatchObject({ composeStatus: 'done' });
  });

  test('is remembered with ten before it', async () => {
    const composeId = await create();
    for (let count = 1; count <= 13; count += 1) {
      const title = `run ${count}`;
      await call('compose.deploy', { composeId, title });
      await until(async () =>
        (await one(composeId)).deployments.some((run) => run['title'] === title && run['status'] === 'done'),
      );
    }
    expect((await one(composeId)).deployments).toHaveLength(11);
  });

  test('that waits is forgotten when the queue is cleaned, also for a compose that does not exist', async () => {
    start({ deployDelayMs: 10 });
    const composeId = await create();
    for (let count = 0; count < 3; count += 1) await call('compose.deploy', { composeId });
    expect((await call('compose.cleanQueues', { composeId })).body).toMatchObject({ success: true });
    await until(async () => (await one(composeId))['composeStatus'] === 'done');
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect((await one(composeId)).deployments).toHaveLength(1);
    expect((await call('compose.cleanQueues', { composeId: 'unknown' })).status).toBe(200);
  });

  test('ends in error when its build is killed', async () => {
    start({ deployDelayMs: 20 });
    const composeId = await create();
    await call('compose.deploy', { composeId });
    await until(async () => (await one(composeId))['composeStatus'] === 'running');
    expect(await call('compose.killBuild', { composeId })).toEqual({ status: 200, body: undefined });
    expect(await one(composeId)).toMatchObject({ composeStatus: 'running' });
    await until(async () => (await one(composeId))['composeStatus'] === 'error');
  });

  test('of a compose that was deleted meanwhile comes to nothing', async () => {
    const composeId = await create();
    await call('compose.deploy', { composeId });
    await call('compose.delete', { composeId, deleteVolumes: true });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(emulator.world.tables.deployment).toEqual({});
  });
});

describe('start and stop', () => {
  test('need files on disk', async () => {
    const composeId = await create();
    expect((await call('compose.start', { composeId })).status).toBe(500);
    expect(await one(composeId)).toMatchObject({ composeStatus: 'idle' });
    expect((await call('compose.stop', { composeId })).status).toBe(500);
    expect(await one(composeId)).toMatchObject({ composeStatus: 'error' });
    await deployed(composeId);
    expect(await call('compose.stop', { composeId })).toEqual({ status: 200, body: true });
    expect(await one(composeId)).toMatchObject({ composeStatus: 'idle' });
    expect((await call('compose.start', { composeId })).status).toBe(200);
    expect(await one(composeId)).toMatchObject({ composeStatus: 'done' });
  });

  test('call a stack started without doing anything', async () => {
    const composeId = await create({ composeType: 'stack' });
    expect((await call('compose.start', { composeId })).status).toBe(200);
    expect(await one(composeId)).toMatchObject({ composeStatus: 'done' });
  });
});

describe('the compose file', () => {
  test('has services to load once it was fetched or deployed', async () => {
    const composeId = await create({ composeFile: 'services:\n  web: {}\n  api: {}\n' });
    expect(await call('compose.loadServices', { composeId })).toMatchObject({
      status: 404,
      body: { message: 'Services not found' },
    });
    expect((await call('compose.loadServices', { composeId, type: 'fetch' })).body).toEqual(['web', 'api']);
    await call('compose.update', { composeId, composeFile: 'services:\n  other: {}\n' });
    expect((await call('compose.loadServices', { composeId, type: 'cache' })).body).toEqual(['web', 'api']);
    await deployed(composeId);
    expect((await call('compose.loadServices', { composeId })).body).toEqual(['other']);
  });

  test('is shown converted, isolated and with a suffix, and none of that is stored', async () => {
    const composeFile =
      'services:\n  web:\n    image: nginx\n    depends_on: [db]\n    volumes: ["d:/d", "./x:/x"]\n  db: {}\nvolumes: { d: {} }\n';
    const composeId = await create({ composeFile });
    expect((await call('compose.getConvertedCompose', { composeId })).body).toContain('image: nginx');
    expect((await call('compose.isolatedDeployment', { composeId })).body).toContain('image: nginx');
    const randomized = (await call('compose.randomizeCompose', { composeId, suffix: 'zz' })).body;
    for (const text of ['web-zz:', '- db-zz', '- d-zz:/d', '- ./x:/x', 'd-zz: {}']) expect(randomized).toContain(text);
    expect(await one(composeId)).toMatchObject({ composeFile });
  });

  test('has mounts to load when it runs', async () => {
    const composeId = await create({
      composeFile: 'services: { web: { image: i, volumes: ["d:/d", "./x:/x"] } }\nvolumes: { d: }',
    });
    const load = () => call('compose.loadMountsByService', { composeId, serviceName: 'web' });
    expect(await load()).toEqual({ status: 200, body: undefined });
    const { appName } = await deployed(composeId);
    expect((await load()).body).toMatchObject([{ Type: 'volume', Name: `${appName}_d`, Destination: '/d' }]);
  });

  test('is run by a command that depends on the kind of stack', async () => {
    const composeId = await create();
    const command = async () => (await call('compose.getDefaultCommand', { composeId })).body;
    expect(await command()).toMatch(/^docker compose -p compose-\S+ -f docker-compose.yml up -d/);
    await call('compose.update', { composeId, composeType: 'stack', sourceType: 'git' });
    expect(await command()).toMatch(/^docker stack deploy -c \.\/docker-compose.yml /);
  });

  test('has a source that can be asked for', async () => {
    const composeId = await create();
    expect(await call('compose.fetchSourceType', { composeId })).toEqual({ status: 200, body: 'raw' });
    await call('compose.update', { composeId, sourceType: 'gitlab' });
    expect((await call('compose.fetchSourceType', { composeId })).status).toBe(400);
    expect((await call('compose.fetchSourceType', { composeId: 'unknown' })).status).toBe(400);
  });

  test('never comes from a template', async () => {
    expect((await call('compose.deployTemplate', { id: 'x' })).status).toBe(400);
  });
});
