import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import { callerOf, inputs, type Answer } from './caller.ts';

/** What a deployment of a compose makes of its file, and where it fails. */

let emulator: Emulator;
let call: ReturnType<typeof callerOf>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  emulator = createEmulator();
  call = callerOf(emulator.send);
});
afterEach(() => void vi.useRealTimers());

type Settings = Record<string, unknown>;

async function created(composeFile: string, settings: Settings = {}) {
  const { composeId, appName } = (await call('compose.create', { ...inputs.compose, composeFile })).body;
  await call('compose.update', { composeId, ...settings });
  return { composeId, appName };
}

/** The end of a deployment: the status and the log. */
async function deployed(composeId: unknown, operation = 'compose.deploy') {
  await call(operation, { composeId });
  await vi.advanceTimersByTimeAsync(1);
  const { composeStatus, deployments } = (await call('compose.one', { composeId })).body;
  const newest = deployments.at(-1)?.['deploymentId'];
  const log = (await call('deployment.readLogs', { deploymentId: newest })).body as unknown as string;
  return { status: composeStatus, log };
}

const web = (members: string) => `services: { web: { image: nginx, ${members} } }`;
const command = { command: 'compose -p shop up -d' };
const other = { composePath: './deploy/docker-compose.yml' };
const git = { sourceType: 'git', customGitUrl: 'https://git.test/shop.git', customGitBranch: 'main' };

/** The last of each line: why it fails; undefined: it does not. */
const deployments: readonly (readonly [string, Settings, string | undefined])[] = [
  // The file as a whole.
  ['services: {}', {}, 'no service selected'],
  ['services: {}', { composeType: 'stack' }, undefined],
  ['volumes: {}', {}, 'no service selected'],
  ['services: [web]', {}, 'services must be a mapping'],
  ['services: { web: nginx }', {}, 'services.web must be a mapping'],
  ['just text', {}, 'top-level object must be a mapping'],
  ['services: { web: {} }', {}, 'service "web" has neither an image nor a build context specified'],
  ['services: { web: { image: "shop:${TAG}" } }', {}, 'invalid reference format: shop:'],
  ['services: { web: { image: "shop:${TAG}" } }', { env: 'TAG=2' }, undefined],
  // What a raw source does not have.
  ['services: { web: { build: . } }', {}, 'failed to read dockerfile: open Dockerfile'],
  ['services: { web: { build: ./app } }', {}, 'unable to prepare context: path "./app" not found'],
  ['services: { web: { build: { context: ./app, dockerfile_inline: FROM nginx } } }', {}, 'path "./app" not found'],
  ['services: { web: { build: { context: ., dockerfile_inline: FROM nginx } } }', {}, undefined],
  ['services: { web: { build: "https://git.test/shop.git" } }', {}, undefined],
  ['services: { web: { build: ./app } }', git, undefined],
  [web('env_file: app.env'), {}, 'env file app.env not found'],
  [web('env_file: [.env, { path: app.env, required: false }]'), {}, undefined],
  [web('env_file: .env'), { createEnvFile: false }, 'env file .env not found'],
  [web('extends: { file: base.yml, service: web }'), {}, 'open base.yml: no such file or directory'],
  [`include: [more.yml]\n${web('')}`, {}, 'open more.yml: no such file or directory'],
  [`configs: { c: { file: ./c.conf } }\n${web('configs: [c]')}`, {}, 'bind source path does not exist'],
  [`secrets: { s: { file: ./s.txt } }\n${web('')}`, { composeType: 'stack' }, 'open ./s.txt: no such file'],
  [`configs: { c: { content: a } }\n${web('configs: [c]')}`, {}, undefined],
  // Names that nothing has.
  [web('networks: [back]'), {}, 'service "web" refers to undefined network back'],
  [web('volumes: ["data:/srv"]'), {}, 'service "web" refers to undefined volume data'],
  [web('volumes: [/srv, "./data:/data", "/etc/a:/etc/a:ro"]'), {}, undefined],
  [web('secrets: [{ source: token }]'), {}, 'service "web" refers to undefined secret token'],
  [web('depends_on: { db: { condition: service_healthy } }'), {}, 'depends on undefined service "db"'],
  // Variables.
  [
    web('environment: { A: "${A:?set it}" }'),
    {},
    'services.web.environment.A: required variable A is missing a value: set it',
  ],
  [web('environment: { A: "${A?}" }'), { env: 'A=' }, undefined],
  [web('environment: { A: "${A:?}" }'), { env: 'A=' }, 'required variable A'],
  [web('environment: { A: "${A:?}" }'), { env: 'A=1', createEnvFile: false }, 'required variable A'],
  [web('environment: { A: "${A:?}" }'), { env: 'A=1', ...other }, 'required variable A'],
  [web('environment: { A: "${A:?}" }'), { env: 'A=1', ...other, ...git }, undefined],
  [web('environment: { A: "${A:-${B:?no B}}" }'), { env: 'A=1' }, undefined],
  [web('environment: { A: "${A:-${B:?no B}}" }'), {}, 'required variable B is missing a value: no B'],
  [web('environment: { A: "$$A ${A-} $A ${A:+x}" }'), {}, undefined],
  [web('environment: ["A=${{x}}"]'), {}, 'invalid interpolation format for services.web.environment[0]'],
  [web('environment: ["A=a$ b"]'), {}, undefined],
  [web('environment: ["A=a$ b"]'), { composeType: 'stack' }, 'invalid interpolation format'],
  [web('environment: ["A=${b"]'), {}, 'invalid interpolation format'],
  [web(''), { env: 'A=${{environment.NONE}}' }, 'Invalid environment variable: environment.NONE'],
  [web(''), { env: 'A=${{project.NONE}}' }, 'Invalid project environment variable: project.NONE'],
  [web(''), { env: 'A=1\nB=${{A}}' }, undefined],
  [web(''), { env: 'A=1\nB=${{ A }}' }, 'Invalid service environment variable:  A '],
  [web(''), { env: 'A=${{Environment.B}}' }, 'Invalid service environment variable: Environment.B'],
  [web(''), { env: 'A=${{vault.main.key}}' }, 'Vault provider "main"'],
  // A command of its own.
  [web(''), command, undefined],
  [web(''), { command: `${command.command} && docker compose ps` }, undefined],
  ...[';', '|', '$(id)', '> f', '& true', '&& rm'].map((end): [string, Settings, string] => [
    web(''),
    { command: `${command.command} ${end}` },
    'ommand',
  ]),
  // Stacks.
  ['services: { web: { build: . } }', { composeType: 'stack' }, 'invalid image reference for service web'],
  [web('depends_on: { web: { condition: service_started } }'), { composeType: 'stack' }, 'depends_on must be a list'],
  [web('build: ., container_name: shop, restart: always'), { composeType: 'stack' }, undefined],
  [web('environment: ["A=${A:?}"]'), { composeType: 'stack', env: 'A=1', createEnvFile: false }, undefined],
  // Ports of the host.
  [web('ports: ["80:80"]'), {}, 'Bind for 0.0.0.0:80 failed: port is already allocated'],
  [web('ports: ["8080:80", "127.0.0.1:8080:81"]'), {}, 'Bind for 127.0.0.1:8080 failed'],
  [web('ports: ["127.0.0.1:8080:80", "127.0.0.2:8080:80"]'), {}, undefined],
  [web('ports: ["53:53/udp", "53:53"]'), {}, undefined],
  [web('ports: ["8000-8002:80-82", { published: 8002, target: 90 }]'), {}, 'Bind for 0.0.0.0:8002 failed'],
  [web('ports: ["8000-8002:80", "8001:81", "9000"]'), {}, undefined],
  [web('ports: ["8080:80"], deploy: { replicas: 2 }'), {}, 'Bind for 0.0.0.0:8080 failed'],
  [web('ports: ["8080:80"], deploy: { replicas: 2 }'), { composeType: 'stack' }, undefined],
  // Copies that no memory holds.
  [web('ports: ["8080:80"], deploy: { replicas: 1000000000 }'), {}, 'Bind for 0.0.0.0:8080 failed'],
  [web('ports: ["8080:80"], deploy: { replicas: 1000000000 }'), { composeType: 'stack' }, undefined],
];

test.each(deployments)('%j with %j fails with %s', async (file, settings, problem) => {
  const { composeId } = await created(file, settings);
  const { status, log } = await deployed(composeId);
  if (problem === undefined) expect([status, log]).toEqual(['done', expect.not.stringContaining('Error')]);
  else expect([status, log]).toEqual(['error', expect.stringContaining(problem)]);
});

test('a file of a mount is there, with its folder', async () => {
  const { composeId } = await created(web('env_file: ../files/web/app.env'));
  expect((await deployed(composeId)).status).toBe('error');
  const mount = { type: 'file', filePath: 'web/app.env', content: 'A=1', mountPath: '/', serviceType: 'compose' };
  await call('mounts.create', { ...mount, serviceId: composeId });
  expect((await deployed(composeId)).status).toBe('done');
});

test('what a stack does not have is said in the log', async () => {
  const { composeId } = await created(web('container_name: shop, restart: always'), { composeType: 'stack' });
  expect((await deployed(composeId)).log).toContain(
    'Ignoring unsupported options: restart\nIgnoring deprecated options: container_name',
  );
});

test.each([
  ['ports: ["8080:80"]', 'port is already allocated'],
  ['container_name: shop', 'The container name "/shop" is already in use'],
])('two with %s cannot run on one server', async (members, problem) => {
  const first = await created(web(members));
  const second = await created(web(members));
  const elsewhere = await created(web(members));
  Object.assign(emulator.world.tables.compose[String(elsewhere.composeId)] ?? {}, { serverId: 'srv_1' });
  Object.assign(emulator.world.tables.server['srv_1'] ?? {}, { sshKeyId: 'key_1' });
  expect((await deployed(first.composeId)).status).toBe('done');
  expect((await deployed(first.composeId)).status).toBe('done');
  expect((await deployed(second.composeId)).log).toContain(problem);
  expect((await deployed(elsewhere.composeId)).status).toBe('done');
  await call('compose.delete', { composeId: first.composeId, deleteVolumes: false });
  expect((await deployed(second.composeId)).status).toBe('done');
});

test('an application fails on a port of ingress, and a database on a port of its host waits', async () => {
  await deployed((await created(web('ports: ["8080:80"]'))).composeId);
  const { applicationId } = (await call('application.create', inputs.application)).body;
  const registry = { username: null, password: null, registryUrl: null };
  await call('application.saveDockerProvider', { applicationId, dockerImage: 'nginx', ...registry });
  const port = { applicationId, publishedPort: 8080, targetPort: 80, protocol: 'tcp' };
  const { portId } = (await call('port.create', { ...port, publishMode: 'ingress' })).body;
  const status = async () => {
    await call('application.deploy', { applicationId });
    await vi.advanceTimersByTimeAsync(1);
    return (await call('application.one', { applicationId })).body['applicationStatus'];
  };
  expect(await status()).toBe('error');
  await call('port.update', { ...port, portId, publishMode: 'host' });
  expect(await status()).toBe('done');

  const { postgresId, appName } = (await call('postgres.create', inputs.postgres)).body;
  await call('postgres.saveExternalPort', { postgresId, externalPort: 8080 });
  expect((await call('postgres.one', { postgresId })).body).toMatchObject({ applicationStatus: 'done' });
  const tasks = (await call('docker.getServiceContainersByAppName', { appName })).body as unknown as Answer[];
  expect(tasks).toMatchObject([
    { currentState: expect.stringMatching('^Pending'), error: '"host-mode port already in use on 1 node"' },
  ]);
});

test.each([
  ['postgres:17', {}, /^Running/],
  ['postgres:18', {}, /^Failed/],
  ['postgres:18-alpine', { env: 'PGDATA=/var/lib/postgresql/data' }, /^Running/],
])('a database with a volume on the old path, then %s with %j, is %s', async (dockerImage, more, state) => {
  const { postgresId, appName } = (await call('postgres.create', { ...inputs.postgres, dockerImage: 'postgres:16' }))
    .body;
  await call('postgres.update', { postgresId, dockerImage, ...more, restartPolicySwarm: { Condition: 'none' } });
  await call('postgres.deploy', { postgresId });
  await vi.advanceTimersByTimeAsync(10_000);
  const [task] = (await call('docker.getServiceContainersByAppName', { appName })).body as unknown as Answer[];
  expect(task?.['currentState']).toMatch(state);
});

describe('the file that docker gets', () => {
  const written = async (composeFile: string, domains: readonly string[] = [], settings: Settings = {}) => {
    const { composeId, appName } = await created(composeFile, settings);
    for (const serviceName of domains)
      await call('domain.create', { host: 'a.test', composeId, domainType: 'compose', serviceName });
    const { status } = await deployed(composeId);
    return { status, text: String(emulator.world.tables.composeFile[appName]?.['written'] ?? '') };
  };

  test.each([
    ['id: 12345678901234567890', 'id: 12345678901234567000'],
    ['mode: 0440', 'mode: 440'],
    ['day: "2024-01-01"', 'day: 2024-01-01'],
    ['ports: !reset []', 'ports: []'],
  ])('has of %s %s', async (before, after) => {
    const { text } = await written(`x-a:\n  ${before}\nservices: { web: { image: nginx } }`);
    expect(text).toContain(`x-a:\n  ${after}`);
  });

  test('has the route of a domain in its service; two that are one alias both have it', async () => {
    const { text } = await written('services: { web: &a { image: nginx }, api: *a, db: { image: redis } }', ['web']);
    const read = (await import('yaml')).parse(text) as {
      services: Record<string, { labels?: string[]; networks?: string[] }>;
    };
    expect(read.services['web']?.labels).toContain('traefik.enable=true');
    expect(read.services['api']).toEqual(read.services['web']);
    expect(read.services['db']).toEqual({ image: 'redis' });
    expect(read.services['web']?.networks).toEqual(['dokploy-network', 'default']);
  });

  test('does not see what comes with <<: its labels are replaced, and a service has no domain', async () => {
    const merged = 'x-a: &a { labels: [own=1], image: nginx }\nservices: { web: { <<: *a } }';
    const { status, text } = await written(merged, ['web']);
    expect(status).toBe('done');
    const read = (await import('yaml')).parse(text, { merge: true }) as { services: { web: { labels: string[] } } };
    expect(read.services.web.labels).not.toContain('own=1');
    const hidden = 'x-s: &s { web: { image: nginx } }\nservices: { <<: *s }';
    expect((await written(hidden)).status).toBe('done');
    expect((await written(hidden, ['web'])).status).toBe('error');
  });
});

test('a deployment empties folders beside the file, and keeps those below files', async () => {
  const volumes = '["./uploads:/srv", "./site.conf:/etc/site.conf:ro", "../files/data:/data"]';
  const { composeId, appName } = await created(web(`volumes: ${volumes}`));
  await deployed(composeId);
  await deployed(composeId, 'compose.redeploy');
  const emptied = () =>
    Object.values(emulator.world.tables.folder).map((folder) => [folder['path'], folder['emptied']]);
  expect(emptied()).toEqual([
    [`${appName}/files/data`, 0],
    [`${appName}/code/uploads`, 1],
    [`${appName}/code/site.conf`, 1],
  ]);
});

test('a redeployment of a git source keeps what is beside the file', async () => {
  const { composeId } = await created(web('volumes: ["./uploads:/srv"]'), git);
  await deployed(composeId);
  await deployed(composeId, 'compose.redeploy');
  expect(Object.values(emulator.world.tables.folder)).toMatchObject([{ emptied: 0 }]);
});

test('PostgreSQL 18 says in its log why it does not start on the old folder', async () => {
  const { composeId, appName } = await created(
    'services: { db: { image: "postgres:18", restart: always, volumes: ["pg:/var/lib/postgresql/data"] }, web: { image: nginx } }\nvolumes: { pg: }',
  );
  await deployed(composeId);
  const logOf = async (service: string) => {
    const containerId = `${appName}-${service}-1`;
    return (await call('compose.readLogs', { composeId, containerId })).body as unknown as string;
  };
  expect(await logOf('db')).toMatch(/18 on, .* in another folder[^]*\/var\/lib\/postgresql\/data, .*unused mount/);
  expect(await logOf('web')).toMatch(/Listening on port 80$/);
});
