import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import type { Row } from '../../../src/emulator/json-rows.ts';
import { addRow, seedWorld } from '../../../src/emulator/world.ts';
import { callerOf, inputs, until } from '../caller.ts';
import { openWorld } from '../people.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const rows = (answer: { body: unknown }) => answer.body as Row[];

describe('the queue', () => {
  test('shows what runs and what waits, newest first, and nothing that is over', async () => {
    const call = callerOf(createEmulator({ deployDelayMs: 20 }).send);
    const { applicationId } = (await call('application.create', inputs.application)).body;
    const { composeId } = (await call('compose.create', inputs.compose)).body;
    await call('compose.deploy', { composeId, title: 'first' });
    await call('application.deploy', { applicationId });
    const list = async () => rows(await call('deployment.queueList'));
    await until(async () => (await list()).some(({ state }) => state === 'active'));
    expect(await list()).toMatchObject([
      { id: 'job-2', state: 'waiting', data: { applicationId, type: 'deploy', applicationType: 'application' } },
      { id: 'job-1', state: 'active', data: { composeId, titleLog: 'first' }, processedOn: expect.any(Number) },
    ]);
    const place = `/dashboard/project/prj_1/environment/env_prj_1/services/compose/${String(composeId)}`;
    expect((await list())[1]?.['servicePath']).toEqual({ href: place, label: 'Compose' });
    await until(async () => (await list()).length === 0);
    expect(rows(await call('deployment.allByCompose', { composeId }))).toMatchObject([{ status: 'done' }]);
  });
});

describe('deployments', () => {
  function filled() {
    const world = seedWorld();
    const place = { environmentId: 'env_prj_1', createdAt };
    addRow(world, 'application', { applicationId: 'app', name: 'web', appName: 'web', ...place });
    addRow(world, 'schedule', {
      scheduleId: 'sch',
      name: 's',
      appName: 's',
      scheduleType: 'server',
      serverId: 'srv_1',
    });
    for (const [deploymentId, values] of Object.entries({
      old: { applicationId: 'app', createdAt },
      new: { applicationId: 'app', createdAt: '2026-01-02' },
      run: { scheduleId: 'sch', createdAt, pid: '77' },
      set: { serverId: 'srv_1', createdAt },
    }))
      addRow(world, 'deployment', { deploymentId, title: deploymentId, logPath: 'l', ...values });
    addRow(world, 'log', { deploymentId: 'old', text: 'Error: no' });
    return openWorld(world);
  }

  test('are listed newest first, by what they belong to', async () => {
    const { call } = filled();
    const ids = async (operation: string, input: Row = {}) =>
      rows(await call(`deployment.${operation}`, input)).map(({ deploymentId }) => deploymentId);
    expect(await ids('all', { applicationId: 'app' })).toEqual(['new', 'old']);
    expect(await ids('all', { applicationId: 'nope' })).toEqual([]);
    expect(await ids('allByServer', { serverId: 'srv_1' })).toEqual(['set']);
    expect(await ids('allByType', { id: 'sch', type: 'schedule' })).toEqual(['run']);
    expect(await ids('allCentralized')).toEqual(['new', 'old']);
    expect(rows(await call('deployment.allCentralized'))[0]).toMatchObject({
      application: { name: 'web', environment: { name: 'production', project: { name: 'project-1' } }, server: null },
      compose: null,
    });
  });

  test('are removed with their logs; clearing removes the logs only', async () => {
    const { call } = filled();
    const log = async (deploymentId: string) => (await call('deployment.readLogs', { deploymentId })).body;
    expect(await log('old')).toBe('Error: no\n');
    expect((await call('application.clearDeployments', { applicationId: 'app' })).body).toBe(true);
    expect([await log('old'), await log('new')]).toEqual(['\n', '\n']);
    expect((await call('deployment.removeDeployment', { deploymentId: 'old' })).body).toMatchObject({ title: 'old' });
    expect(rows(await call('deployment.all', { applicationId: 'app' }))).toHaveLength(1);
  });

  test('end in failure when their process is killed, which only those of schedules have', async () => {
    const { call } = filled();
    expect((await call('deployment.killProcess', { deploymentId: 'new' })).status).toBe(400);
    expect((await call('deployment.killProcess', { deploymentId: 'run' })).status).toBe(200);
    expect(rows(await call('deployment.allByType', { id: 'sch', type: 'schedule' }))).toMatchObject([
      { status: 'error', finishedAt: createdAt },
    ]);
  });
});

describe('a compose', () => {
  test('moves with its environment variables, without its source when that is disconnected', async () => {
    const { call } = openWorld();
    const { composeId } = (await call('compose.create', inputs.compose)).body;
    expect((await call('compose.saveEnvironment', { composeId, env: 'A=1', createEnvFile: false })).body).toBe(true);
    await call('compose.update', { composeId, repository: 'r', bitbucketRepositorySlug: 's', composePath: 'c.yml' });
    expect((await call('compose.move', { composeId, targetEnvironmentId: 'env_prj_2' })).status).toBe(200);
    expect((await call('compose.disconnectGitProvider', { composeId })).body).toBe(true);
    expect((await call('compose.one', { composeId })).body).toMatchObject({
      environmentId: 'env_prj_2',
      environment: { project: { projectId: 'prj_2' } },
      env: 'A=1',
      createEnvFile: false,
      sourceType: 'github',
      composePath: 'c.yml',
      repository: null,
      bitbucketRepositorySlug: 's',
    });
    const ids = (await call('environment.one', { environmentId: 'env_prj_2' })).body['compose'];
    expect(ids).toMatchObject([{ composeId }]);
    expect((await call('compose.move', { composeId, targetEnvironmentId: 'nope' })).status).toBe(500);
  });

  test('shows the log of its containers by name and by id', async () => {
    const { call } = openWorld();
    const { composeId, appName } = (await call('compose.create', inputs.compose)).body;
    await call('compose.deploy', { composeId });
    const containers = async () => rows(await call('docker.getContainers'));
    await until(async () => (await containers()).length > 0);
    const [{ containerId = '', name = '' } = {}] = await containers();
    expect(name).toBe(`${appName}-web-1`);
    for (const one of [containerId, name])
      expect((await call('compose.readLogs', { composeId, containerId: one, tail: 1 })).body).toBe(
        'Listening on port 80',
      );
    const none = await call('compose.readLogs', { composeId, containerId: 'other' });
    expect(none.body).toBe('Error response from daemon: No such container: other');
  });
});

describe('the routes of an application', () => {
  test('are those of its domains that are on, with their middlewares and certificates', async () => {
    const { call } = openWorld();
    const { applicationId, appName } = (await call('application.create', inputs.application)).body;
    const config = async () => (await call('application.readTraefikConfig', { applicationId })).body as unknown;
    expect(await config()).toBeNull();
    const add = (input: Row) => call('domain.create', { applicationId, domainType: 'application', ...input });
    await add({ host: 'a.test', port: 8080, https: true, certificateType: 'letsencrypt', path: '/x', stripPath: true });
    await add({
      host: 'b.test',
      customEntrypoint: 'tcp',
      https: true,
      certificateType: 'custom',
      customCertResolver: 'own',
    });
    await call('redirects.create', { applicationId, regex: 'a', replacement: 'b', permanent: true });
    await call('security.create', { applicationId, username: 'u', password: 'p' });
    const { body } = await add({ host: 'münchen.test', internalPath: '/in' });
    await call('domain.update', { ...body, host: 'off.test', enabled: false });
    const guards = [`redirect-${appName}-3`, `auth-${appName}`].map((name) => `        - ${name}`).join('\n');
    expect(await config()).toBe(`http:
  routers:
    ${appName}-router-1:
      rule: Host(\`a.test\`) && PathPrefix(\`/x\`)
      service: ${appName}-service-1
      middlewares:
        - redirect-to-https
      entryPoints:
        - web
    ${appName}-router-websecure-1:
      rule: Host(\`a.test\`) && PathPrefix(\`/x\`)
      service: ${appName}-service-1
      middlewares:
        - stripprefix-${appName}-1
${guards}
      entryPoints:
        - websecure
      tls:
        certResolver: letsencrypt
    ${appName}-router-2:
      rule: Host(\`b.test\`)
      service: ${appName}-service-2
      middlewares:
${guards}
      entryPoints:
        - tcp
      tls:
        certResolver: own
  services:
    ${appName}-service-1:
      loadBalancer:
        servers:
          - url: http://${appName}:8080
        passHostHeader: true
    ${appName}-service-2:
      loadBalancer:
        servers:
          - url: http://${appName}:3000
        passHostHeader: true
`);
  });
});
