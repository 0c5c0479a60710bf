import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test, vi } from 'vitest';
import { hasErrors, Stop } from '../../src/diagnostics/diagnostic.ts';
import { stageEnvironment } from '../../src/project/stage-environment.ts';
import { checkManifest, loadToWrite, loadWithSecrets } from '../../src/project/load.ts';
import { sharedPlatforms } from '../../src/project/shared-platforms.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { folderWith } from '../diagnostics/provoked.ts';

/** What two root files of a folder must not both declare. */

const head = (url: string, more = '') =>
  `trueup: 1\nplatform: { url: "https://${url}.example.com" }\nproject: shop\ninclude: [shop.yaml]\n${more}`;
const own = (name: string, url: string, more = '') => head(url, `environment: ${name}\n${more}`);
const shop = (domains = '') =>
  `variables: { suffix: { type: text, default: "" } }\napplication: { web: { source: { type: docker, image: "nginx:1.27" }${domains} } }\n`;
const domains = ', domains: { main: { host: "shop${var:suffix}.example.com", port: 80 } }';

const optionsFor = (folder: string, env: Readonly<Record<string, string>> = {}) => ({
  folder,
  file: 'staging.yaml',
  variables: new Map(),
  env,
  redactor: createRedactor(),
  kinds,
});

/** What `trueup validate -f staging.yaml` reports of these files. */
function reported(files: Readonly<Record<string, string>>, env?: Readonly<Record<string, string>>) {
  return reportedIn(folderWith(files), env);
}

async function reportedIn(folder: string, env?: Readonly<Record<string, string>>) {
  const found = await checkManifest(optionsFor(folder, env)).then(
    ({ warnings }) => warnings,
    (error: unknown) => {
      if (!(error instanceof Stop)) throw error;
      expect(hasErrors(error.diagnostics)).toBe(true);
      return error.diagnostics;
    },
  );
  return found.map(({ code, message, remedy, position: at }) => ({
    code,
    message,
    remedy,
    at: at && `${at.file}:${at.line}:${at.column}`,
  }));
}

test('changes: takes out a whole section, and what moved: of a shared file says of blocks below it', async () => {
  const move = 'moved: [{ from: application.web.domains.old, to: application.web.domains.main }]\n';
  const files = (more: string) => ({
    'shop.yaml': move + shop(domains),
    'staging.yaml': own('staging', 'one', more),
  });
  expect(await reported(files(''))).toEqual([]);
  expect(await reported(files('changes: { application: { web: { domains: !reset } } }\n'))).toEqual([]);
  expect(await reported(files('changes: { application: !reset }\n'))).toEqual([]);
  expect(await reported(files('changes: { redis: !reset }\n'))).toMatchObject([{ code: 'bad-reference' }]);
  expect(await reported(files('moved: [{ from: application.a, to: application.wbe }]\n'))).toMatchObject([
    { code: 'bad-move', message: expect.stringContaining('nothing is declared at staging.application.wbe') as string },
  ]);
});

test('a chain of moved: says nothing where its end is taken out, nor one of what previews do not have', async () => {
  const chain =
    'moved: [{ from: application.a, to: application.b }, { from: application.b, to: application.web }, { from: postgres.main.backups.old, to: postgres.main.backups.nightly }]\n';
  const destinations = 'backups: { nightly: { destination: files, schedule: 0 3 * * *, prefix: main, database: a } }';
  const main = `postgres: { main: { dockerImage: "postgres:17", databaseName: a, databaseUser: a, databasePassword: correct-horse-1, ${destinations} } }\n`;
  const files = (more: string) => ({ 'shop.yaml': chain + shop() + main, 'staging.yaml': own('staging', 'one', more) });
  const moves = async (more: string) => (await reported(files(more))).filter(({ code }) => code === 'bad-move');
  expect(await moves('')).toEqual([]);
  expect(await moves('changes: { application: { web: !reset } }\n')).toEqual([]);
  expect(await moves('preview: {}\n')).toEqual([]);
});

test('twin names of two other files are no matter of a stage', async () => {
  const files = {
    'shop.yaml': shop(),
    'staging.yaml': own('staging', 'one'),
    'a-b.yaml': own('x', 'two'),
    'a_b.yaml': own('y', 'three'),
  };
  expect(await reported(files)).toEqual([]);
});

test('stages with environments and hosts of their own are accepted', async () => {
  const files = {
    'shop.yaml': shop(domains),
    'staging.yaml': own('staging', 'one', 'variables: { suffix: -staging }\n'),
    'live.yaml': own('live', 'one'),
  };
  expect(await reported(files)).toEqual([]);
});

test('platforms of variables of the stages, and links to a stage, are no reason to refuse', async () => {
  const without = (name: string) => own(name, 'one').replace(/^platform: .*\n/m, '');
  const files = { 'shop.yaml': shop(domains), 'staging.yaml': without('live'), 'live.yaml': without('live') };
  const urls = { TRUEUP__STAGING__URL: 'https://one.example.com', TRUEUP__LIVE__URL: 'https://two.example.com' };
  const folder = folderWith(files);
  const env = stageEnvironment(urls, { folder, file: 'staging.yaml' });
  expect(await reportedIn(folder, env as Record<string, string>)).toEqual([]);
  const linked = folderWith({ 'shop.yaml': shop(domains), 'staging.yaml': own('staging', 'one') });
  symlinkSync('staging.yaml', join(linked, 'trueup.yaml'));
  expect(await reportedIn(linked)).toEqual([]);
});

test('a preview has neither the secrets nor the names of a stage', async () => {
  const preview = own(
    'pr',
    'one',
    'preview: {}\nvariables: { suffix: "-${preview:id}" }\nsecrets: [{ file: live.env }]\n',
  );
  const live = own('pr-live', 'one', 'secrets: [{ file: live.env }]\n');
  const files = { 'shop.yaml': shop(domains), 'staging.yaml': preview, 'live.yaml': live };
  expect(await reported(files)).toEqual([
    expect.objectContaining({ code: 'not-in-previews', at: 'staging.yaml:8:11' }),
    expect.objectContaining({ code: 'not-in-previews', at: 'staging.yaml:5:14' }),
  ]);
});

test('a preview does not have the secrets of a stage by another path or a link', async () => {
  const preview = (path: string) =>
    own('pr', 'one', `preview: {}\nvariables: { suffix: "-\${preview:id}" }\nsecrets: [{ file: ${path} }]\n`);
  const live = own('live', 'one', 'secrets: [{ file: live.env }]\n');
  for (const path of ['./live.env', 'linked.env']) {
    const files = { 'shop.yaml': shop(domains), 'staging.yaml': preview(path), 'live.yaml': live, 'live.env': 'A=b\n' };
    const folder = folderWith(files);
    symlinkSync('live.env', join(folder, 'linked.env'));
    const found = (await reportedIn(folder)).map(({ message }) => message);
    expect(found).toContainEqual(
      expect.stringContaining('has the secrets of live.yaml, which a preview must not read'),
    );
  }
});

describe('two root files on one platform', () => {
  it('with one host in small and in capital letters', async () => {
    const live = 'changes: { application: { web: { domains: { main: { host: Shop.example.com } } } } }\n';
    const files = {
      'shop.yaml': shop(domains.replace('${var:suffix}', '')),
      'staging.yaml': own('staging', 'one'),
      'live.yaml': own('live', 'one', live),
    };
    expect(await reported(files)).toMatchObject([{ code: 'owned-twice' }]);
  });

  it('with one environment', async () => {
    const files = { 'shop.yaml': shop(), 'staging.yaml': own('live', 'one'), 'live.yaml': own('live', 'one') };
    expect(await reported(files)).toEqual([
      {
        code: 'owned-twice',
        message: 'the environment live of the project shop is also declared by live.yaml, at live.yaml:5:14',
        remedy: 'Give staging.yaml another environment, or remove one of the two root files.',
        at: 'staging.yaml:5:14',
      },
    ]);
  });

  it('with one host and path', async () => {
    const files = {
      'shop.yaml': shop(domains.replace('${var:suffix}', '')),
      'staging.yaml': own('staging', 'one'),
      'live.yaml': own('live', 'one'),
    };
    expect(await reported(files)).toMatchObject([
      {
        code: 'owned-twice',
        message: expect.stringMatching(
          /^a domain with the host and path of staging\.application\.web\.domains\.main \("shop\.example\.com", "\/"\) is also declared by live\.yaml, at shop\.yaml:2:95$/,
        ) as string,
        remedy:
          'One line says it for both: write a variable into it, and give it another value in staging.yaml and live.yaml.',
        at: 'shop.yaml:2:95',
      },
    ]);
  });

  it.each([
    ['by default', '', ''],
    ['in both root files', 'variables: { suffix: -a }\n', 'variables: { suffix: -a }\n'],
  ])('with one host by the value of a variable, %s: a warning', async (_where, staging, live) => {
    const files = {
      'shop.yaml': shop(domains),
      'staging.yaml': own('staging', 'one', staging),
      'live.yaml': own('live', 'one', live),
    };
    const end = /, unless a run gives their variables other values$/;
    expect(await reported(files)).toMatchObject([{ code: 'overlap', message: expect.stringMatching(end) as string }]);
    // What a run gives says nothing about the other stage.
    expect(await reported(files, { TRUEUP_VAR_suffix: '-b' })).toEqual([]);
  });

  it('with one destination and prefix of two backups: nothing, as each service has a folder of its own', async () => {
    const backups =
      'postgres: { main: { dockerImage: "postgres:17", databaseName: a, databaseUser: a, databasePassword: correct-horse, backups: { nightly: { schedule: "0 3 * * *", prefix: shop/, destinationId: dst_1, keepLatestCount: 7 } } } }\n';
    const files = {
      'shop.yaml': shop() + backups,
      'staging.yaml': own('staging', 'one'),
      'live.yaml': own('live', 'one').replace('shop.yaml', 'live.yml'),
      'live.yml': shop() + backups,
    };
    expect(await reported(files)).toEqual([]);
  });

  it.each([
    ['port', 'ports: { m: { publishedPort: 9100, targetPort: 9100 } }', 'overlap', 'published port 9100 (tcp)'],
    [
      'port',
      'ports: { m: { publishedPort: 9100, targetPort: 9100, protocol: udp } }',
      'overlap',
      'published port 9100 (udp)',
    ],
    ['volume', 'mounts: { /data: { type: volume, volumeName: search } }', 'overlap', 'volume search'],
    ['folder', 'mounts: { /data: { type: bind, hostPath: /srv/x } }', 'overlap', 'folder /srv/x'],
  ])('with one %s of a server', async (_what, block, code, named) => {
    const files = (more = '') => ({
      'shop.yaml': shop(`, ${block}`),
      'staging.yaml': own('staging', 'one'),
      'live.yaml': own('live', 'one', more),
    });
    expect(await reported(files())).toMatchObject([
      { code, message: expect.stringContaining(`the ${named} of one server is also declared by live.yaml`) as string },
    ]);
    for (const server of ['serverId: srv_2', 'server: vps-2']) {
      const elsewhere = `changes: { application: { web: { ${server} } } }\n`;
      expect((await reported(files(elsewhere))).filter(({ code: one }) => one === code)).toEqual([]);
    }
  });

  it('with the external port of a database', async () => {
    const main = 'databaseName: a, databaseUser: a, databasePassword: correct-horse-1, externalPort: 5432';
    const files = (more = '') => ({
      'shop.yaml': `postgres: { main: { dockerImage: "postgres:17", ${main} } }\n`,
      'staging.yaml': own('staging', 'one'),
      'live.yaml': own('live', 'one', more),
    });
    expect(await reported(files())).toMatchObject([
      { code: 'overlap', message: expect.stringContaining('the published port 5432 (tcp) of one server') as string },
    ]);
    expect(await reported(files('changes: { postgres: { main: { externalPort: 5433 } } }\n'))).toEqual([]);
  });

  it('on platforms that variables of the environment name', async () => {
    const files = {
      'shop.yaml': `tags: { live: { color: "#ffffff" } }\n${shop()}`,
      'staging.yaml': 'trueup: 1\nproject: shop\ninclude: [shop.yaml]\nenvironment: staging\n',
      'live.yaml': 'trueup: 1\nproject: shop\ninclude: [shop.yaml]\nenvironment: live\n',
    };
    const [one, two] = ['https://one.example.com', 'https://two.example.com'];
    expect(await reported(files, { TRUEUP_URL: one })).toMatchObject([{ code: 'owned-twice' }]);
    expect(await reported(files, { TRUEUP_URL: one, TRUEUP__STAGING__URL: two })).toEqual([]);
    expect(await reported(files, { TRUEUP_URL: one, TRUEUP__LIVE__URL: two })).toEqual([]);
    // The other one names the address in its file.
    const named = { ...files, 'live.yaml': `${files['live.yaml']}platform: { url: "${one}/" }\n` };
    expect(await reported(named, { TRUEUP_URL: one })).toMatchObject([{ code: 'owned-twice' }]);
    expect(await reported(named, { TRUEUP_URL: two })).toEqual([]);
    expect(await reported(named)).not.toMatchObject([{ code: 'owned-twice' }]);
  });

  it('with the socket of Docker, ports of each machine, and what changes: tells apart: nothing', async () => {
    const socket = '/s: { type: bind, hostPath: /var/run/docker.sock }, /d: { type: volume, volumeName: search }';
    const ports = 'm: { publishedPort: 9100, targetPort: 9100, publishMode: host }';
    const files = {
      'shop.yaml': shop(`, mounts: { ${socket} }, ports: { ${ports} }`),
      'staging.yaml': own('staging', 'one'),
      'live.yaml': own('live', 'one', 'changes: { application: { web: { mounts: { /d: { volumeName: live } } } } }\n'),
    };
    expect(await reported(files)).toEqual([]);
  });

  it('with one object of the organization', async () => {
    const files = {
      'shop.yaml': `tags: { team: { color: "#ff0000" } }\n${shop()}`,
      'staging.yaml': own('staging', 'one'),
      'live.yaml': own('live', 'one'),
    };
    expect(await reported(files)).toEqual([
      {
        code: 'owned-twice',
        message: 'tags.team is also declared by live.yaml, at shop.yaml:1:9',
        remedy: 'Put it into a file that only one of staging.yaml and live.yaml includes; the other writes its name.',
        at: 'shop.yaml:1:9',
      },
    ]);
  });

  it('with the settings of the platform, which nothing names', async () => {
    const server = 'webServer: { buildsConcurrency: 2 }\n';
    const files = {
      'staging.yaml': `${own('staging', 'one')}${server}`,
      'live.yaml': `${own('live', 'one')}${server}`,
      'shop.yaml': shop(),
    };
    expect(await reported(files)).toMatchObject([
      {
        code: 'owned-twice',
        message: expect.stringContaining('webServer is also declared by live.yaml') as string,
        remedy: 'Put it into a file that only one of staging.yaml and live.yaml includes.',
      },
    ]);
  });

  it('with one block of the project', async () => {
    const block = (text: string) => text.replace('project: shop', 'project: { name: shop }');
    const files = {
      'shop.yaml': shop(),
      'staging.yaml': block(own('staging', 'one')),
      'live.yaml': block(own('live', 'one')),
    };
    expect(await reported(files)).toMatchObject([
      {
        code: 'owned-twice',
        message: 'the block of the project shop is also declared by live.yaml, at live.yaml:3:1',
        remedy: 'Keep the block in one of staging.yaml and live.yaml; in the other, write project: shop.',
      },
    ]);
  });
});

test('two platforms have each a host, an environment and an object of one name', async () => {
  const files = {
    'shop.yaml': `tags: { team: { color: "#ff0000" } }\n${shop(domains)}`,
    'staging.yaml': own('live', 'one'),
    'live.yaml': own('live', 'two'),
  };
  expect(await reported(files)).toEqual([]);
});

test('two root files have one place for their states, also on two platforms', async () => {
  const bucket = (end: string, prefix = 'shop') =>
    `state: { backend: s3, endpoint: "https://s3.example.com${end}", bucket: b${prefix && `, prefix: ${prefix}`} }\n`;
  const database = (name: string) => `state: { backend: postgres${name && `, name: ${name}`} }\n`;
  const of = (staging: string, live: string) =>
    reported({
      'shop.yaml': shop(),
      'staging.yaml': own('staging', 'one', staging),
      'live.yaml': own('live', 'two', live),
    });
  expect(await of(bucket(''), bucket('/'))).toEqual([
    {
      code: 'owned-twice',
      message: 'the state shop in the bucket b is also declared by live.yaml, at live.yaml:6:1',
      remedy: 'Write another prefix into staging.yaml.',
      at: 'staging.yaml:6:1',
    },
  ]);
  expect(await of(database('shop'), database('shop'))).toMatchObject([
    { remedy: 'Write another name into staging.yaml.' },
  ]);
  expect(await of(bucket(''), bucket('', 'live'))).toEqual([]);
  expect(await of(database('shop'), bucket(''))).toEqual([]);
  // Each adds its own name to what it shares or leaves out.
  expect(await of(bucket('', ''), bucket('', ''))).toEqual([]);
  expect(await of(database(''), database(''))).toEqual([]);
  const shared = {
    'shop.yaml': bucket('') + shop(),
    'staging.yaml': own('staging', 'one'),
    'live.yaml': own('live', 'one'),
  };
  expect(await reported(shared)).toEqual([]);
});

test('the file of secrets of another stage is a warning, also on another platform', async () => {
  const of = (path: string, url = 'two') =>
    reported({
      'shop.yaml': shop(),
      'staging.yaml': own('staging', 'one', `secrets: [{ file: ${path} }]\n`),
      'live.yaml': own('live', url, 'secrets: [{ file: secrets/live.env }]\n'),
    });
  const expected = {
    code: 'overlap',
    message:
      'staging.yaml reads secrets/live.env, which bears the name of live.yaml: the secrets of one stage are those of the other',
    remedy: 'Give staging.yaml a file of its own, or write what both need into a file with a name of its own.',
    at: 'staging.yaml:6:11',
  };
  expect(await of('secrets/live.env')).toEqual([expected]);
  expect(await of('secrets/live.env', 'one')).toEqual([expected]);
  for (const path of ['secrets/staging.env', 'secrets/all.env', 'live/secrets.env']) expect(await of(path)).toEqual([]);
});

test('root files of which none names an environment of its own are not compared', async () => {
  const all = `${head('one')}environments: { live: {} }\n`;
  expect(await reported({ 'shop.yaml': 'variables: {}\n', 'staging.yaml': all, 'live.yaml': all })).toEqual([]);
});

test('a root file that cannot be read is a warning, and the others are read', async () => {
  const files = {
    'shop.yaml': shop(),
    'staging.yaml': own('staging', 'one'),
    'broken.yaml': 'trueup: 1\nproject: [\n',
  };
  expect(await reported(files)).toEqual([
    {
      code: 'unread-root-file',
      message: 'broken.yaml cannot be read, so nothing tells whether it declares the same as staging.yaml',
      remedy: 'Run trueup validate -f broken.yaml.',
      at: undefined,
    },
  ]);
});

test.each([
  ['a_b.yaml', 'environment: other\n'],
  ['A-B.yaml', 'environment: other\n'],
  ['a_b.yml', 'environment: pr\npreview: {}\n'],
])('two names of stages that are one for variables are refused: a-b.yaml and %s', async (name, more) => {
  const folder = folderWith({ 'shop.yaml': shop(), 'a-b.yaml': own('one', 'one'), [name]: head('one', more) });
  for (const load of [checkManifest, loadToWrite]) {
    const loaded = load({ ...optionsFor(folder), file: 'a-b.yaml' });
    await expect(loaded).rejects.toThrow(/ differ only in case or in - and _/);
  }
});

test('a root file that a link takes from elsewhere is not read', async () => {
  const folder = folderWith({ 'shop.yaml': shop(), 'staging.yaml': own('staging', 'one') });
  const elsewhere = folderWith({ 'live.yaml': own('staging', 'one') });
  symlinkSync(join(elsewhere, 'live.yaml'), join(folder, 'live.yaml'));
  expect(await reportedIn(folder)).toMatchObject([{ code: 'unread-root-file' }]);
});

test('a root file whose parameter takes too long to check is not read', async () => {
  const slow = `templates: { slow: { parameters: { a: { pattern: "(a+)+b" } }, block: { description: "\${param:a}" } } }
application: { slow: { use: slow, with: { a: ${'a'.repeat(40)} } } }\n`;
  const files = { 'shop.yaml': shop(), 'staging.yaml': own('staging', 'one'), 'slow.yml': slow };
  const found = await reported({ ...files, 'slow.yaml': own('slow', 'one').replace('shop.yaml', 'slow.yml') });
  expect(found).toMatchObject([{ code: 'unread-root-file' }]);
});

test('a host from the environment is not compared', async () => {
  const hosted = (host: string) => shop(`, domains: { main: { host: "${host}", port: 80 } }`);
  const files = {
    'shop.yaml': hosted('${env:HOST}'),
    'staging.yaml': own('staging', 'one'),
    'other.yaml': hosted('inner.example.com'),
    'live.yaml': own('live', 'one').replace('shop.yaml', 'other.yaml'),
  };
  expect(await reported(files, { HOST: 'inner.example.com' })).toEqual([]);
});

test('several root files in one run are each read once', async () => {
  const stages = ['a', 'b', 'c', 'd'].map((name) => [`${name}.yaml`, own(name, 'one')] as const);
  const folder = folderWith(Object.fromEntries([...stages, ['shop.yaml', shop()]]));
  const platforms = sharedPlatforms();
  const read = vi.spyOn(platforms.claims, 'set');
  const options = stages.map(([file]) => ({ ...optionsFor(folder), file, platforms }));
  await Promise.all(options.map(checkManifest));
  expect(new Set(read.mock.calls.map(([, claims]) => claims)).size).toBe(4);
});

test('only what writes is refused: reading and deleting are not', async () => {
  const files = { 'shop.yaml': shop(), 'staging.yaml': own('live', 'one'), 'live.yaml': own('live', 'one') };
  const options = optionsFor(folderWith(files));
  await expect(loadToWrite(options)).rejects.toThrow(Stop);
  expect((await loadWithSecrets(options)).manifest.settings.environment).toBeDefined();
});

test('a plan of a manifest with sources of secrets keeps the warning, and asks none before it compares', async () => {
  const files = {
    'shop.yaml': shop(),
    'staging.yaml': own('staging', 'one', 'secrets: [{ file: missing.env }]\n'),
    'broken.yaml': 'trueup: 1\nproject: [\n',
  };
  expect((await loadToWrite(optionsFor(folderWith(files)))).warnings).toMatchObject([{ code: 'unread-root-file' }]);
  const twice = { ...files, 'broken.yaml': own('staging', 'one') };
  await expect(loadToWrite(optionsFor(folderWith(twice)))).rejects.toMatchObject({
    diagnostics: [{ code: 'owned-twice' }],
  });
});
