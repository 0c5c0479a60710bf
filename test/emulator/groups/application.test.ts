import { beforeEach, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts';
import { extension } from '../../../src/api/contract.ts';
import { tables } from '../../../src/emulator/tables.ts';
import { callerOf, inputs, until, type Answer } from '../caller.ts';

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

const docker = { dockerImage: 'nginx:1', username: null, password: null, registryUrl: null };
/** An application that runs an image, so that its status can be lost. */
const createRunning = async (more: Record<string, unknown> = {}) => {
  const applicationId = await create(more);
  await call('application.saveDockerProvider', { applicationId, ...docker });
  await call('application.reload', { applicationId, appName: 'anything' });
  return applicationId;
};

/** What each operation that saves a source is sent at least. */
const sources = {
  github: { repository: 'r', owner: 'o', buildPath: '/', githubId: 'hub_1', branch: 'main' },
  gitlab: {
    gitlabBuildPath: '/',
    gitlabOwner: 'o',
    gitlabRepository: 'r',
    gitlabId: 'lab_1',
    gitlabPathNamespace: 'o/r',
    gitlabProjectId: 12,
    gitlabBranch: 'main',
  },
  bitbucket: {
    bitbucketBuildPath: '/',
    bitbucketOwner: 'o',
    bitbucketRepository: 'r',
    bitbucketRepositorySlug: 'slug',
    bitbucketId: 'bkt_1',
    bitbucketBranch: 'main',
  },
  gitea: {
    giteaBuildPath: '/',
    giteaOwner: 'o',
    giteaRepository: 'r',
    giteaId: 'sfg_1',
    giteaBranch: 'main',
  },
  docker: { dockerImage: 'nginx:1', username: 'u', password: 'p', registryUrl: 'registry.example.test' },
  git: {
    customGitBuildPath: '/',
    customGitUrl: 'https://git.example.test/r.git',
    watchPaths: ['src/**'],
    customGitBranch: 'main',
    customGitSSHKeyId: 'key_1',
  },
};
type Source = keyof typeof sources;
const operationOf = (source: Source) => `application.save${source[0]?.toUpperCase()}${source.slice(1)}Provider`;
const saveSource = (applicationId: string, source: Source, more: Record<string, unknown> = {}) =>
  call(operationOf(source), { applicationId, ...sources[source], ...more });
const allSources = Object.keys(sources) as Source[];

const buildType = {
  buildType: 'dockerfile',
  dockerfile: 'Dockerfile.web',
  dockerContextPath: '.',
  dockerBuildStage: 'prod',
  herokuVersion: '24',
  railpackVersion: '0.15.4',
};
const environment = { env: 'A=1', buildArgs: 'B=2', buildSecrets: 'C=3', createEnvFile: false };

describe('an application', () => {
  test('has the source github and the status idle by default', async () => {
    const { body } = await call('application.create', inputs.application);
    expect(body).toMatchObject({
      sourceType: 'github',
      applicationStatus: 'idle',
      buildType: 'nixpacks',
      createEnvFile: true,
      description: null,
      serverId: null,
    });
    expect(body).not.toHaveProperty('environment');
  });

  test('gets a suffix to its appName, or a name of three words', async () => {
    expect((await one(await create({ appName: 'Shop.Web' }))).appName).toMatch(/^shop\.web-[a-z0-9]{6}$/);
    expect((await one(await create())).appName).toMatch(/^app(?:-[a-z0-9]+){3,6}-[a-z0-9]{6}$/);
  });

  test('is created only where there is an environment and a server', async () => {
    expect((await call('application.create', { ...inputs.application, environmentId: 'x' })).status).toBe(404);
    expect((await call('application.create', { ...inputs.application, serverId: 'x' })).status).toBe(401);
    expect(await one(await create({ serverId: 'srv_1' }))).toMatchObject({ server: { serverId: 'srv_1' } });
  });

  test('is remembered for who created it', async () => {
    const applicationId = await create();
    expect((await call('user.get')).body['accessedServices']).toContain(applicationId);
  });

  test('may have the name of another, and both stand in the environment', async () => {
    const ids = [await create(), await create()];
    const { body } = await call('environment.one', { environmentId: 'env_prj_1' });
    expect(body['applications']).toMatchObject(ids.map((applicationId) => ({ applicationId, name: 'web' })));
  });

  test('is read with all that belongs to it', async () => {
    const applicationId = await create();
    await call('domain.create', { host: 'a.test', applicationId });
    await call('mounts.create', {
      type: 'volume',
      volumeName: 'v',
      mountPath: '/v',
      serviceType: 'application',
      serviceId: applicationId,
    });
    expect(await one(applicationId)).toMatchObject({
      environment: { environmentId: 'env_prj_1', project: { projectId: 'prj_1' } },
      domains: [{ host: 'a.test', applicationId }],
      mounts: [{ volumeName: 'v', applicationId }],
      deployments: [],
      redirects: [],
      security: [],
      ports: [],
      registry: null,
      hasGitProviderAccess: true,
      unauthorizedProvider: null,
    });
    expect(await one(applicationId)).not.toHaveProperty('backups');
    expect((await call('domain.byApplicationId', { applicationId })).body).toMatchObject([{ host: 'a.test' }]);
  });

  test('shows its git providers without their secrets', async () => {
    const applicationId = await create();
    for (const source of allSources) await saveSource(applicationId, source);
    const view = await one(applicationId);
    expect(view).toMatchObject({
      github: { githubAppId: 1 },
      gitlab: { applicationId: 'oauth' },
      bitbucket: { bitbucketEmail: 'emulator@example.test' },
      gitea: { clientId: 'client' },
    });
    expect(JSON.stringify(view)).not.toMatch(/-secret|private-key|-token|gitlab-refresh/);
  });

  test('that does not exist is a 404 for every operation', async () => {
    const applicationId = 'unknown';
    for (const operation of ['one', 'start', 'stop', 'redeploy', 'delete', 'markRunning', 'disconnectGitProvider'])
      expect([operation, (await call(`application.${operation}`, { applicationId })).status]).toEqual([operation, 404]);
    for (const source of allSources) expect((await saveSource(applicationId, source)).status).toBe(404);
    expect((await call('application.saveBuildType', { applicationId, ...buildType })).status).toBe(404);
    expect((await call('application.saveEnvironment', { applicationId, ...environment })).status).toBe(404);
    expect(await call('application.reload', { applicationId, appName: 'x' })).toMatchObject({
      status: 404,
      body: { message: 'Application not found' },
    });
  });

  test('is deleted with its children, and keeps its environment from being removed until then', async () => {
    const { environmentId } = (await call('environment.create', { name: 'staging', projectId: 'prj_1' })).body;
    const applicationId = await createRunning({ environmentId });
    await call('domain.create', { host: 'a.test', applicationId });
    await call('mounts.create', {
      type: 'volume',
      volumeName: 'v',
      mountPath: '/v',
      serviceType: 'application',
      serviceId: applicationId,
    });
    await call('volumeBackups.create', {
      name: 'b',
      volumeName: 'v',
      prefix: '/',
      cronExpression: '0 0 * * *',
      destinationId: 'dst_1',
      applicationId,
    });
    await call('application.redeploy', { applicationId });
    await until(async () => (await one(applicationId)).deployments.length === 1);
    expect((await call('environment.remove', { environmentId })).status).toBe(400);

    const answer = await call('application.delete', { applicationId });
    expect(answer).toMatchObject({ status: 200, body: { applicationId, domains: [{}], mounts: [{}] } });
    expect(answer.body).not.toHaveProperty('hasGitProviderAccess');
    for (const table of ['domain', 'mount', 'volumeBackup', 'deployment', 'container'] as const)
      expect([table, emulator.world.tables[table]]).toEqual([table, {}]);
    expect((await call('application.delete', { applicationId })).status).toBe(404);
    expect((await call('user.get')).body['accessedServices']).toContain(applicationId);
    expect((await call('environment.remove', { environmentId })).status).toBe(200);
  });
});

describe('saving', () => {
  test.each(allSources)('%s makes it the source and a running application idle', async (source) => {
    const applicationId = await createRunning();
    expect(await saveSource(applicationId, source)).toEqual({ status: 200, body: true });
    expect(await one(applicationId)).toMatchObject({
      ...sources[source],
      sourceType: source,
      applicationStatus: 'idle',
    });
  });

  test('one source keeps the fields of the others', async () => {
    const applicationId = await create();
    for (const source of allSources) await saveSource(applicationId, source);
    expect(await one(applicationId)).toMatchObject(Object.assign({ sourceType: 'git' }, ...Object.values(sources)));
  });

  test('keeps optional members that are left out, except that the trigger is push again', async () => {
    const applicationId = await create();
    await saveSource(applicationId, 'github', { triggerType: 'tag', enableSubmodules: true, watchPaths: ['a'] });
    expect(await one(applicationId)).toMatchObject({ triggerType: 'tag', enableSubmodules: true, watchPaths: ['a'] });
    await saveSource(applicationId, 'github');
    expect(await one(applicationId)).toMatchObject({ triggerType: 'push', enableSubmodules: true, watchPaths: ['a'] });
    await saveSource(applicationId, 'github', { watchPaths: null });
    expect(await one(applicationId)).toMatchObject({ watchPaths: null });
  });

  test('accepts null for a required member, and refuses a missing one', async () => {
    const applicationId = await create();
    await saveSource(applicationId, 'docker');
    const { registryUrl: _registryUrl, ...partial } = docker;
    expect((await call('application.saveDockerProvider', { applicationId, ...partial })).status).toBe(400);
    await call('application.saveDockerProvider', { applicationId, ...docker, dockerImage: null });
    expect(await one(applicationId)).toMatchObject({ dockerImage: null, username: null, registryUrl: null });
  });

  test.each([
    ['github', 'githubId'],
    ['gitlab', 'gitlabId'],
    ['bitbucket', 'bitbucketId'],
    ['gitea', 'giteaId'],
    ['git', 'customGitSSHKeyId'],
  ] as const)('%s with a %s that is not there is a 500 and changes nothing', async (source, column) => {
    const applicationId = await createRunning();
    expect((await saveSource(applicationId, source, { [column]: 'x' })).status).toBe(500);
    expect(await one(applicationId)).toMatchObject({
      sourceType: 'docker',
      applicationStatus: 'done',
      [column]: null,
    });
  });

  test('the build type and the environment leaves the status', async () => {
    const applicationId = await createRunning();
    expect(await call('application.saveBuildType', { applicationId, ...buildType })).toEqual({
      status: 200,
      body: true,
    });
    expect(await call('application.saveEnvironment', { applicationId, ...environment })).toEqual({
      status: 200,
      body: true,
    });
    expect(await one(applicationId)).toMatchObject({ ...buildType, ...environment, applicationStatus: 'done' });
  });

  test('the build type keeps publishDirectory and isStaticSpa when they are left out', async () => {
    const applicationId = await create();
    const site = { publishDirectory: 'dist', isStaticSpa: true };
    await call('application.saveBuildType', { applicationId, ...buildType, ...site });
    await call('application.saveBuildType', { applicationId, ...buildType, dockerfile: null });
    expect(await one(applicationId)).toMatchObject({ ...site, dockerfile: null });
  });

  test('the environment keeps empty text apart from null, and needs all four members', async () => {
    const applicationId = await create();
    await call('application.saveEnvironment', { applicationId, ...environment, env: '', buildArgs: null });
    expect(await one(applicationId)).toMatchObject({ env: '', buildArgs: null, buildSecrets: 'C=3' });
    for (const member of Object.keys(environment)) {
      const input: Record<string, unknown> = { applicationId, ...environment };
      delete input[member];
      expect([member, (await call('application.saveEnvironment', input)).status]).toEqual([member, 400]);
    }
  });
});

test('disconnecting resets every git source but one column, and makes github the source', async () => {
  const applicationId = await create();
  const { buildPath, triggerType, customGitBuildPath, gitlabBuildPath } = await one(applicationId);
  expect({ buildPath, triggerType, customGitBuildPath, gitlabBuildPath }).toEqual({
    buildPath: '/',
    triggerType: 'push',
    customGitBuildPath: null,
    gitlabBuildPath: '/',
  });
  for (const source of allSources)
    await saveSource(applicationId, source, source === 'docker' ? {} : { enableSubmodules: true });
  await saveSource(applicationId, 'github', { triggerType: 'tag', buildPath: '/app' });
  await call('application.markRunning', { applicationId });

  expect(await call('application.disconnectGitProvider', { applicationId })).toEqual({ status: 200, body: true });
  const gitColumns = [sources.github, sources.gitlab, sources.bitbucket, sources.gitea, sources.git].flatMap((input) =>
    Object.keys(input),
  );
  expect(await one(applicationId)).toMatchObject({
    ...Object.fromEntries(gitColumns.map((column) => [column, null])),
    bitbucketRepositorySlug: 'slug',
    buildPath: '/',
    triggerType: 'push',
    enableSubmodules: false,
    ...sources.docker,
    sourceType: 'github',
    applicationStatus: 'idle',
  });
});

describe('beyond the document', () => {
  test('an update changes the members of the request, but never the appName', async () => {
    const applicationId = await create({ description: 'd' });
    await saveSource(applicationId, 'github', { triggerType: 'tag' });
    const { appName } = await one(applicationId);
    const answer = await call('application.update', { applicationId, name: 'n', appName: 'x', replicas: 3 });
    expect(answer).toEqual({ status: 200, body: true });
    expect(await one(applicationId)).toMatchObject({
      name: 'n',
      appName,
      replicas: 3,
      description: 'd',
      triggerType: 'tag',
    });
  });

  test('an update of nothing is a 500, of an unknown application a 400, to an unknown environment a 500', async () => {
    const applicationId = await create();
    expect((await call('application.update', { applicationId })).status).toBe(500);
    expect((await call('application.update', { applicationId: 'x', name: 'n' })).status).toBe(400);
    expect((await call('application.update', { applicationId, environmentId: 'x' })).status).toBe(500);
    await call('application.update', { applicationId, environmentId: 'env_prj_2' });
    expect(await one(applicationId)).toMatchObject({ environment: { project: { projectId: 'prj_2' } } });
  });

  test('an update takes every column but the server', () => {
    const { applicationId: _id, ...columns } = extension['application.update'].input.shape;
    const { applicationId: _key, serverId: _serverId, ...wanted } = tables.application.columns;
    expect(Object.keys(columns).toSorted()).toEqual(Object.keys(wanted).toSorted());
  });

  test('neither is there when only the document counts', async () => {
    start({ documentedOnly: true });
    const applicationId = await create();
    expect((await call('application.update', { applicationId, name: 'n' })).status).toBe(404);
    expect((await call('application.deploy', { applicationId })).status).toBe(404);
  });
});
