import { beforeEach, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import { interruptDeployments } from '../../src/emulator/restart.ts';
import { callerOf, inputs, until, type Answer } from './caller.ts';

let emulator: Emulator;
let call: ReturnType<typeof callerOf>;
const start = (options: Parameters<typeof createEmulator>[0] = {}) => {
  emulator = createEmulator(options);
  call = callerOf(emulator.send);
};
beforeEach(() => start());

const create = async (more: Record<string, unknown> = {}) =>
  String((await call('application.create', { ...inputs.application, ...more })).body['applicationId']);
const one = async (applicationId: string): Promise<Answer> => (await call('application.one', { applicationId })).body;
const status = async (applicationId: string) => (await one(applicationId))['applicationStatus'];

const docker = { username: null, password: null, registryUrl: null };
const createFromImage = async (dockerImage: string | null = 'nginx:1', more: Record<string, unknown> = {}) => {
  const applicationId = await create(more);
  await call('application.saveDockerProvider', { applicationId, ...docker, dockerImage });
  return applicationId;
};
const git = { customGitBuildPath: '/', customGitUrl: 'https://git.example.test/r.git', customGitBranch: 'main' };
const registry = {
  registryName: 'own',
  username: 'u',
  password: 'p',
  registryUrl: 'registry.example.test',
  registryType: 'cloud',
  imagePrefix: null,
};
const createFromGit = async () => {
  const applicationId = await create();
  await call('application.saveGitProvider', { applicationId, ...git, watchPaths: null });
  return applicationId;
};

const reload = (applicationId: string) => call('application.reload', { applicationId, appName: 'anything' });
const queued = async (operation: 'application.deploy' | 'application.redeploy', applicationId: string) => {
  const before = (await one(applicationId)).deployments.length;
  await call(operation, { applicationId });
  await until(async () => {
    const { deployments } = await one(applicationId);
    return deployments.length > before && deployments.every((run) => run['status'] !== 'running');
  });
  return one(applicationId);
};

describe('a redeployment', () => {
  test('is answered with nothing before the work, while the status is the old one', async () => {
    const applicationId = await createFromImage();
    await queued('application.redeploy', applicationId);
    expect(await call('application.redeploy', { applicationId })).toEqual({ status: 200, body: undefined });
    expect(await one(applicationId)).toMatchObject({ applicationStatus: 'done', deployments: [{}] });
  });

  test('shows in the list when it starts, and the application is running until it is done', async () => {
    start({ deployDelayMs: 20 });
    const applicationId = await createFromImage();
    await call('application.redeploy', { applicationId, title: 't', description: 'run 7' });
    await until(async () => (await status(applicationId)) === 'running');
    expect((await one(applicationId)).deployments).toMatchObject([
      { title: 't', description: 'run 7', status: 'running', finishedAt: null, applicationId, composeId: null },
    ]);
    await until(async () => (await status(applicationId)) === 'done');
    expect((await one(applicationId)).deployments).toMatchObject([
      { title: 't', status: 'done', finishedAt: expect.any(String) },
    ]);
  });

  test('is called a rebuild when the request has no title', async () => {
    const { deployments } = await queued('application.redeploy', await createFromImage());
    expect(deployments).toMatchObject([{ title: 'Rebuild deployment', description: '' }]);
  });

  test('waits for a compose on the same server', async () => {
    start({ deployDelayMs: 20 });
    const { composeId } = (await call('compose.create', inputs.compose)).body;
    const [here, elsewhere] = [await createFromImage(), await createFromImage('nginx:1', { serverId: 'srv_1' })];
    await call('compose.deploy', { composeId });
    for (const applicationId of [here, elsewhere]) await call('application.redeploy', { applicationId });
    await until(async () => (await status(elsewhere)) === 'running');
    expect(await one(here)).toMatchObject({ applicationStatus: 'idle', deployments: [] });
    await until(async () => (await status(here)) === 'done');
  });

  test('of an image runs it as it is configured then', async () => {
    const applicationId = await createFromImage();
    expect(await queued('application.redeploy', applicationId)).toMatchObject({ applicationStatus: 'done' });
    expect((await call('application.start', { applicationId })).status).toBe(200);
    await call('application.saveDockerProvider', { applicationId, ...docker, dockerImage: 'fail:1' });
    expect(await queued('application.deploy', applicationId)).toMatchObject({
      applicationStatus: 'error',
      deployments: [{ status: 'done' }, { status: 'error', errorMessage: null }],
    });
  });

  test('pulls no image: it is done, and the tasks of an image that does not exist are rejected', async () => {
    const applicationId = await createFromImage('fail:1');
    expect(await queued('application.redeploy', applicationId)).toMatchObject({ applicationStatus: 'done' });
    const { appName } = await one(applicationId);
    const { body } = await call('docker.getServiceContainersByAppName', { appName });
    expect(JSON.stringify(body)).toMatch(/"Rejected .*No such image: fail:1/);
  });

  test.each([
    ['registryId', {}],
    ['buildRegistryId', {}],
    ['rollbackRegistryId', { rollbackActive: true }],
  ])('of an image that is sent to the registry of %s fails until the server has the image', async (field, more) => {
    const applicationId = await createFromImage();
    const { registryId } = (await call('registry.create', registry)).body;
    await call('application.update', { applicationId, [field]: registryId, ...more });
    expect(await queued('application.redeploy', applicationId)).toMatchObject({ applicationStatus: 'error' });
    expect(await queued('application.deploy', applicationId)).toMatchObject({ applicationStatus: 'done' });
    expect(await queued('application.redeploy', applicationId)).toMatchObject({ applicationStatus: 'done' });
    await call('application.saveDockerProvider', { applicationId, ...docker, dockerImage: 'nginx:2' });
    expect(await queued('application.redeploy', applicationId)).toMatchObject({ applicationStatus: 'error' });
  });

  test('of an image whose registry for roll-backs is not used needs no image on the server', async () => {
    const applicationId = await createFromImage();
    const { registryId } = (await call('registry.create', registry)).body;
    await call('application.update', { applicationId, rollbackRegistryId: registryId, rollbackActive: false });
    expect(await queued('application.redeploy', applicationId)).toMatchObject({ applicationStatus: 'done' });
  });

  test.each([
    ['no image', () => createFromImage(null)],
    ['code that was never uploaded', () => create({ sourceType: 'drop' })],
    ['a repository that was never cloned', createFromGit],
  ])('of %s ends in error, and there is no service', async (_what, make) => {
    const applicationId = await make();
    expect(await queued('application.redeploy', applicationId)).toMatchObject({
      applicationStatus: 'error',
      deployments: [{ status: 'error', finishedAt: expect.any(String) }],
    });
    expect((await call('application.start', { applicationId })).status).toBe(500);
  });

  test('is remembered with ten before it', async () => {
    const applicationId = await createFromImage();
    for (let count = 1; count <= 13; count += 1) {
      const title = `run ${count}`;
      await call('application.redeploy', { applicationId, title });
      await until(async () =>
        (await one(applicationId)).deployments.some((run) => run['title'] === title && run['status'] === 'done'),
      );
    }
    expect((await one(applicationId)).deployments).toHaveLength(11);
  });

  test('that a restart of the platform cuts off is cancelled, and the application idle', async () => {
    start({ deployDelayMs: 20 });
    const applicationId = await createFromImage();
    await call('application.redeploy', { applicationId });
    await until(async () => (await status(applicationId)) === 'running');
    interruptDeployments(emulator.world);
    expect(await one(applicationId)).toMatchObject({
      applicationStatus: 'idle',
      deployments: [{ status: 'cancelled' }],
    });
  });

  test('of an application that was deleted meanwhile comes to nothing', async () => {
    const applicationId = await createFromImage();
    await call('application.redeploy', { applicationId });
    await call('application.delete', { applicationId });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(emulator.world.tables.deployment).toEqual({});
    expect(emulator.world.tables.container).toEqual({});
  });
});

describe('reload, start and stop', () => {
  test('create a service, stop it and start it', async () => {
    const applicationId = await createFromImage();
    expect((await call('application.start', { applicationId })).status).toBe(500);
    expect(await status(applicationId)).toBe('idle');
    expect(await reload(applicationId)).toEqual({ status: 200, body: true });
    expect(await status(applicationId)).toBe('done');
    await call('application.stop', { applicationId });
    expect(await status(applicationId)).toBe('idle');
    await call('application.start', { applicationId });
    expect(await status(applicationId)).toBe('done');
  });

  test('answer with the row before: start and stop do', async () => {
    const applicationId = await createFromImage();
    await reload(applicationId);
    const stopped = await call('application.stop', { applicationId });
    expect(stopped.body).toMatchObject({ applicationId, applicationStatus: 'done', environment: { project: {} } });
    expect(stopped.body).not.toHaveProperty('unauthorizedProvider');
    expect((await call('application.start', { applicationId })).body).toMatchObject({ applicationStatus: 'idle' });
  });

  test('leave the appName alone, which reload requires', async () => {
    const applicationId = await createFromImage();
    const { appName } = await one(applicationId);
    await reload(applicationId);
    expect(await one(applicationId)).toMatchObject({ appName });
    expect((await call('application.reload', { applicationId })).status).toBe(400);
  });

  test('stop answers 200 without a service, and a failed start leaves the status', async () => {
    const applicationId = await createFromImage();
    await call('application.markRunning', { applicationId });
    expect((await call('application.start', { applicationId })).status).toBe(500);
    expect(await status(applicationId)).toBe('running');
    expect((await call('application.stop', { applicationId })).status).toBe(200);
    expect(await status(applicationId)).toBe('idle');
  });

  test('a reload that docker refuses is a 500 and an error', async () => {
    const applicationId = await createFromImage(null);
    expect(await reload(applicationId)).toMatchObject({
      status: 500,
      body: { message: 'Error reloading application' },
    });
    expect(await status(applicationId)).toBe('error');
  });

  test('show in the mounts of the container, as long as the service runs', async () => {
    const applicationId = await createFromImage();
    const docks = () => call('mounts.allNamedByApplicationId', { applicationId });
    await call('mounts.create', {
      type: 'volume',
      volumeName: 'v',
      mountPath: '/v',
      serviceType: 'application',
      serviceId: applicationId,
    });
    expect(await docks()).toEqual({ status: 200, body: undefined });
    await reload(applicationId);
    expect((await docks()).body).toMatchObject([{ Type: 'volume', Name: 'v', Destination: '/v' }]);
    await call('application.stop', { applicationId });
    expect(await docks()).toEqual({ status: 200, body: undefined });
  });
});

test('an application that is marked running stays so, without a service or a deployment', async () => {
  const applicationId = await createFromImage();
  expect(await call('application.markRunning', { applicationId, further: 'field' })).toEqual({
    status: 200,
    body: undefined,
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await one(applicationId)).toMatchObject({ applicationStatus: 'running', deployments: [] });
});

describe('a deployment, which the document does not have,', () => {
  test('clones, ends up under the name of the commit, and can be rebuilt from then on', async () => {
    const applicationId = await createFromGit();
    expect(await queued('application.redeploy', applicationId)).toMatchObject({ applicationStatus: 'error' });
    expect(await queued('application.deploy', applicationId)).toMatchObject({
      applicationStatus: 'done',
      deployments: [{}, { title: 'Latest commit' }],
    });
    expect(await queued('application.redeploy', applicationId)).toMatchObject({ applicationStatus: 'done' });
  });

  test('is answered with nothing, and of an unknown application is a 404', async () => {
    const applicationId = await createFromImage();
    expect(await call('application.deploy', { applicationId })).toEqual({ status: 200, body: undefined });
    await until(async () => (await status(applicationId)) === 'done');
    expect((await one(applicationId)).deployments).toMatchObject([{ title: 'Manual deployment' }]);
    expect((await call('application.deploy', { applicationId: 'x' })).status).toBe(404);
  });

  test.each(['github', 'drop'])('from %s with nothing set up ends in error', async (sourceType) => {
    const applicationId = await create({ sourceType });
    expect(await queued('application.deploy', applicationId)).toMatchObject({ applicationStatus: 'error' });
  });
});
