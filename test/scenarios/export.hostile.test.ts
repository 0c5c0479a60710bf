import { expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { seedWorld } from '../../src/emulator/world.ts';
import { addPerson } from '../emulator/people.ts';
import { benchWith, exportOf, worldOf } from '../support/exporting.ts';
import { byHand } from '../support/faults.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';
import { effort } from '../support/whole.ts';

/** Exports of what nobody would write on purpose, and of much. */

const environmentId = 'env_prj_1';

async function plansNothing(made: Bench): Promise<Awaited<ReturnType<typeof exportOf>>> {
  const exported = await exportOf(made);
  const plan = await benchWith(made, exported).plan(Object.fromEntries(exported.files));
  expect(
    plan.actions.flatMap(({ address, action, changes }) => (action === 'no-op' ? [] : [{ address, action, changes }])),
  ).toEqual([]);
  const again = await exportOf(made);
  expect([...again.files]).toEqual([...exported.files]);
  return exported;
}

async function stack(made: Bench, name: string, more: Record<string, unknown> = {}): Promise<string> {
  const composeFile = 'services:\n  web:\n    image: nginx\n';
  const row = await made.emulator.act('compose.create', { name, environmentId, sourceType: 'raw', composeFile });
  const { composeId } = row as { composeId: string };
  if (Object.keys(more).length > 0) await made.emulator.act('compose.update', { composeId, ...more });
  return composeId;
}

const hostileNames = [
  '../../etc/passwd',
  '..\\..\\windows',
  'CON',
  'shop',
  'Shop',
  'SHOP',
  'true',
  'null',
  '~',
  '1.10',
  'a: b',
  'a #b',
  '${secret:X}',
  '${{environment.X}}',
  '<<',
  '__proto__',
  'constructor',
  'with "quotes" and \\',
  'line\nbreak',
  'tab\tand \u0085 next',
  ' spaces ',
  'ünïcödé 🎉',
  'x'.repeat(300),
  '.env',
  'id_rsa',
  'server.key',
  '-',
  '.',
];

test('names that are no names of files or keys of YAML are exported, and the plan is empty', async () => {
  const made = bench();
  const long = `# ${'long '.repeat(200)}\nservices:\n  web:\n    image: nginx\n`;
  for (const name of hostileNames) await stack(made, name, { composeFile: long });
  const { files, blocks, notes } = await plansNothing(made);
  expect(notes.filter(({ address = '' }) => address.startsWith('production'))).toEqual([]);
  expect([...blocks.values()].filter(({ kind }) => kind.kind === 'compose')).toHaveLength(hostileNames.length);
  const paths = [...files.keys()];
  for (const path of paths) {
    expect(path).toMatch(/^[A-Za-z0-9_][\w./-]*$/);
    for (const part of path.split('/')) {
      expect(part).not.toMatch(/^\.|\.$|^(con|prn|aux|nul)(\.|$)/i);
      expect(part.length).toBeLessThan(80);
    }
  }
  expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length);
});

test('texts of every sort come back byte for byte', async () => {
  const made = bench();
  const texts = [
    'a\r\nb\r\n',
    '\ufeffservices: {}\n',
    '  services: {}\n',
    'services: {}',
    'services: {}\n\n\n',
    '#\u2028\nservices: {}\n',
    '# ${secret:X} $${env:Y} ${file:z}\nservices: {}\n',
    '# \u0001\nservices: {}\n',
    '# x \n# y\t\nservices: {}\n',
  ];
  const ids = [];
  for (const [at, composeFile] of texts.entries())
    ids.push(
      await stack(made, `s${at}`, {
        composeFile,
        env: `A=${JSON.stringify(at)} # why\n# ${composeFile.replaceAll(/[\r\n]/g, ' ')}\n`,
      }),
    );
  const exported = await plansNothing(made);
  const manifest = await bench().manifest(Object.fromEntries(exported.files));
  for (const [at, text] of texts.entries()) {
    const wanted = manifest.resources.find(({ address }) => address === `production.compose.s${at}`)?.fields[
      'composeFile'
    ];
    const content = wanted?.content.reveal();
    if (
      exported.notes.some(
        ({ address, message }) =>
          (address === `production.compose.s${at}` && message.startsWith('composeFile')) ||
          message.startsWith('source'),
      )
    )
      continue;
    expect(content).toEqual({ is: 'value', value: text });
  }
});

test('objects of one name get their ids, and what a manifest cannot hold is listed', async () => {
  const made = bench();
  const one = await stack(made, 'twin');
  const two = await stack(made, 'twin');
  for (const composeId of [one, two])
    await made.emulator.act('domain.create', {
      host: 'same.example.com',
      composeId,
      serviceName: 'web',
      domainType: 'compose',
    });
  await made.emulator.act('domain.create', {
    host: 'none.example.com',
    composeId: one,
    serviceName: 'no-such-service',
    domainType: 'compose',
  });
  await stack(made, 'mentions', { env: 'A=${{environment.NO_SUCH}}\n' });
  await made.emulator.act('environment.update', { environmentId, env: 'REGION=eu\n' });
  const { files, notes } = await plansNothing(made);
  const text = files.get('environments/production.yaml') ?? '';
  expect(text).toContain(`id: ${one}`);
  expect(text).toContain(`id: ${two}`);
  const listed = notes
    .map(({ address = '', message }) => `${address} ${message}`)
    .filter((line) => line.startsWith('production'));
  expect(listed).toEqual([
    expect.stringMatching(/^production\.compose\.mentions all of env: env.A.*NO_SUCH/),
    expect.stringMatching(/^production\.compose\.twin.*domains\["none\.example\.com"\].*no service no-such-service/),
  ]);
});

/** Services of every kind, with what stands below them. */
async function service(made: Bench, at: number): Promise<void> {
  const act = (operation: string, input: Record<string, unknown>) =>
    made.emulator.act(operation, input) as Promise<Record<string, string>>;
  const name = `service-${at}`;
  const database = {
    name,
    environmentId,
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: `canary-password-${at}`,
  };
  switch (at % 4) {
    case 0: {
      const composeId = await stack(made, name, { env: `PORT=80\nTAG=v${at}\nAPI_TOKEN=canary-token-${at}\n` });
      await act('domain.create', {
        host: `s${at}.example.com`,
        composeId,
        serviceName: 'web',
        domainType: 'compose',
        port: 8080,
      });
      await act('mounts.create', {
        type: 'file',
        filePath: `${name}.conf`,
        mountPath: `${name}.conf`,
        content: 'a = 1\n'.repeat(40),
        serviceType: 'compose',
        serviceId: composeId,
      });
      return;
    }
    case 1: {
      const { postgresId } = await act('postgres.create', { ...database, dockerImage: 'postgres:17' });
      await act('backup.create', {
        postgresId,
        databaseType: 'postgres',
        backupType: 'database',
        database: 'shop',
        schedule: '0 3 * * *',
        prefix: `${name}/`,
        destinationId: 'dst_1',
        enabled: true,
      });
      return;
    }
    case 2: {
      const { applicationId = '' } = await act('application.create', { name, environmentId });
      await act('application.saveDockerProvider', {
        applicationId,
        dockerImage: `nginx:1.${at}`,
        username: null,
        password: null,
        registryUrl: null,
      });
      await act('mounts.create', {
        type: 'volume',
        volumeName: `data-${at}`,
        mountPath: '/data',
        serviceType: 'application',
        serviceId: applicationId,
      });
      return;
    }
    default:
      await act('redis.create', {
        name,
        environmentId,
        databasePassword: `canary-password-${at}`,
        dockerImage: 'redis:8',
      });
  }
}

/** A large project. */
const services = effort({ fast: 40, full: 200 });

test(`a project of ${services} services: few reads, an empty plan, and the same world elsewhere`, async () => {
  const made = bench();
  for (let at = 0; at < services; at++) await service(made, at);
  made.requests('GET');
  const start = performance.now();
  const exported = await exportOf(made);
  expect(performance.now() - start).toBeLessThan(60_000);
  // One read per service, one for the list of its volume backups, and where there can be any (in applications and
  // stacks, every second service here) one each for the lists of its schedules and patches: no row holds any of these.
  expect(made.requests('GET').length).toBeLessThan(3 * services + 40);
  expect(exported.notes.filter(({ address = '' }) => address.startsWith('production'))).toEqual([]);
  expect(JSON.stringify([...exported.files])).not.toContain('canary');
  const files = Object.fromEntries(exported.files);
  const plan = await benchWith(made, exported).plan(files);
  expect(plan.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  const other = bench();
  for (const { name, value } of exported.secrets) other.secrets[name] = value;
  const { outcomes } = await other.apply(files, { adoption: true, dataLoss: true });
  expect(outcomes.flatMap(({ result, diagnostics }) => (result === 'done' ? [] : diagnostics))).toEqual([]);
  expect(worldOf(other)).toEqual(worldOf(made));
});

test('secrets stand in no file, wherever the platform has them, and the plan is empty', async () => {
  const made = bench();
  const act = (operation: string, input: Record<string, unknown>) =>
    made.emulator.act(operation, input) as Promise<Record<string, string>>;
  const composeFile =
    'services:\n  web:\n    image: nginx\n    environment:\n      DB_PASSWORD: canary-in-compose\n' +
    '    command: redis-server --requirepass canary-Option-9\n  # url: postgres://a:canary-in-comment@db/x\n';
  const env =
    '# the old one was postgres://u:canary-Old-1@db/x\nAPI_KEY="canary two words" # why\nPEM="-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----"\nPORT=80\n';
  const composeId = await stack(made, 'shop', { composeFile, env });
  const content = `[client]\npassword = "canary-in-File-5"\n${'# more\n'.repeat(40)}`;
  await act('mounts.create', {
    type: 'file',
    filePath: 'my.cnf',
    mountPath: 'my.cnf',
    content,
    serviceType: 'compose',
    serviceId: composeId,
  });
  await act('redis.create', { name: 'cache', environmentId, databasePassword: 'canary-redis', dockerImage: 'redis:8' });
  const redisId = Object.keys(made.emulator.world.tables.redis)[0];
  await act('redis.update', {
    redisId,
    args: ['--requirepass', 'canary-Arg-77'],
    env: 'URL=redis://:canary-redis@host/0\nSECRET_TOKEN=canary-map\n',
  });
  const { applicationId = '' } = await act('application.create', { name: 'web', environmentId });
  const customGitUrl = 'https://bot:canary-git-Token1@git.example.com/x.git';
  await act('application.saveGitProvider', {
    applicationId,
    customGitUrl,
    customGitBranch: 'main',
    customGitBuildPath: '/',
    watchPaths: null,
    enableSubmodules: false,
  });
  const { files, secrets, notes } = await plansNothing(made);
  expect(notes.filter(({ address = '' }) => address.startsWith('production'))).toEqual([]);
  expect(JSON.stringify([...files, secrets])).not.toContain('canary');
  expect(files.get('environments/production.yaml')).toContain(
    'redis://:${secret:PRODUCTION_CACHE_DATABASE_PASSWORD}@host/0',
  );
  const values = secrets.map(({ value }) => value);
  for (const value of [
    'canary-in-compose',
    'canary-Option-9',
    'canary-in-comment',
    'canary-git-Token1',
    'canary-Arg-77',
  ]) {
    expect(values).toContain(value);
  }
});

test('a key without rights exports what it may read, and names the rest', async () => {
  const world = seedWorld();
  const made = bench({ emulate: { world } });
  const mine = await stack(made, 'mine');
  await stack(made, 'hidden');
  const key = addPerson(world, 'user_5', {
    accessedProjects: ['prj_1'],
    accessedEnvironments: [environmentId],
    accessedServices: [mine],
  });
  const asMember = bench({ emulator: createEmulator({ world }), clock: made.clock });
  const { send } = asMember.emulator;
  asMember.emulator.send = (request) => send({ ...request, headers: { ...request.headers, 'x-api-key': key } });
  const { blocks, notes } = await plansNothing(asMember);
  expect([...blocks.keys()].filter((address) => address.includes('compose'))).toEqual(['production.compose.mine']);
  expect(notes.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^sshKeys: the API key may not read it; a member needs canAccessToSSHKeys/),
  );
});

test('what is deleted between its list and its read is left out, with a note', async () => {
  const made = bench();
  const kept = await stack(made, 'kept');
  const gone = await stack(made, 'gone');
  const goneDatabase = await byHand(made);
  const { send } = made.emulator;
  made.emulator.send = async (request) => {
    const answer = await send(request);
    if (!request.path.includes('environment.one')) return answer;
    delete made.emulator.world.tables.postgres[goneDatabase];
    delete made.emulator.world.tables.compose[gone];
    return answer;
  };
  const exported = await exportOf(made);
  expect([...exported.blocks.keys()].filter((address) => /compose|postgres/.test(address))).toEqual([
    'production.compose.kept',
  ]);
  const notes = exported.notes.filter(({ message }) => message.includes('no such object'));
  expect(notes.map(({ code, message }) => `${code} ${message}`)).toEqual([
    `not-exported compose ${gone}: the platform listed it, and answered then that there is no such object`,
    `not-exported postgres ${goneDatabase}: the platform listed it, and answered then that there is no such object`,
  ]);
  expect(exported.state.resources['production.compose.kept']?.id).toBe(kept);
  await plansNothing(made);
});

test('lists of objects that no kind declares are named', async () => {
  const made = bench();
  const { send } = made.emulator;
  made.emulator.send = async (request) => {
    const answer = await send(request);
    if (!request.path.startsWith('/api/environment.one')) return answer;
    const row = JSON.parse(answer.body) as Record<string, unknown>;
    return {
      ...answer,
      body: JSON.stringify({ ...row, couchdb: [{ couchdbId: 'c_1' }, { couchdbId: 'c_2' }], valkey: [] }),
    };
  };
  const { notes } = await exportOf(made);
  expect(notes.filter(({ address }) => address === 'production').map(({ message }) => message)).toEqual([
    'couchdb: Trueup has no kind for these (2)',
  ]);
});

test('lists of objects whose operations the platform does not serve are named as such', async () => {
  const made = bench({ documentedOnly: true });
  const { send } = made.emulator;
  made.emulator.send = async (request) => {
    const answer = await send(request);
    if (!request.path.startsWith('/api/environment.one')) return answer;
    const row = JSON.parse(answer.body) as Record<string, unknown>;
    return { ...answer, body: JSON.stringify({ ...row, mysql: [{ mysqlId: 'm_1' }] }) };
  };
  const { notes } = await exportOf(made);
  expect(notes.filter(({ address }) => address === 'production').map(({ message }) => message)).toEqual([
    'mysql: the platform does not serve the operations for these (1)',
  ]);
});
