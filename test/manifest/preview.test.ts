import { describe, expect, test } from 'vitest';
import { Stop, diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { examplePreview, isPreviewId, diagnosticWithoutExample } from '../../src/manifest/preview.ts';
import { fieldPath } from '../../src/kind/row-values.ts';
import { asWritten } from '../../src/manifest/wanted.ts';
import { mistakes, stage, stageIn } from '../support/stages.ts';
import { folderWith } from '../diagnostics/provoked.ts';

/** A root file with `preview:`, for one preview. */

const image = 'source: { type: docker, image: "nginx:1.27" }';
const database = 'dockerImage: postgres:17, databaseName: shop, databaseUser: shop, databasePassword: x';
const shared = `project: prj_1
variables: { suffix: {}, port: { type: number, default: 8080 }, folder: { default: /srv } }
application:
  api: { ${image}, protect: true, domains: { main: { host: "api\${var:suffix}" } } }
postgres:
  main:
    { ${database}, protect: true, backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: a/ } } }
`;
const root = (more = '') => `trueup: 1
platform: emulator
environment: pr
preview: { for: 3d, most: 10 }
include: [shop.yaml, more.yaml]
variables: { suffix: "-\${preview:id}.example.com" }
${more}`;
const files = (more = '', other = '{}\n') => ({ 'preview.yaml': root(more), 'shop.yaml': shared, 'more.yaml': other });
const file = 'preview.yaml';

test('has an environment, hosts and a description of its own, and no backups and protection', async () => {
  const manifest = await stageIn(folderWith(files()), file, { preview: '12' });
  const { resources, settings, leftOut } = manifest;
  expect(resources.map(({ address }) => address).toSorted()).toEqual([
    'pr-12',
    'pr-12.application.api',
    'pr-12.application.api.domains.main',
    'pr-12.postgres.main',
  ]);
  const valueOf = (address: string, name: string) => {
    const found = resources.find((one) => one.address === address);
    const wanted = found?.fields[name];
    return found && wanted && [fieldPath(found.kind, name), asWritten(wanted)];
  };
  expect(valueOf('pr-12', 'description')).toEqual(['description', 'Preview 12 of preview.yaml']);
  expect(valueOf('pr-12.application.api.domains.main', 'host')).toEqual(['host', 'api-12.example.com']);
  expect(resources.flatMap(({ options }) => Object.keys(options))).not.toContain('protect');
  expect(settings.preview).toEqual({ id: '12', forMs: 3 * 86_400_000, most: 10 });
  expect([...leftOut]).toEqual([
    ['pr-12.application.api', ['protect']],
    ['pr-12.postgres.main', ['protect', 'backups']],
  ]);
});

test('is read for an example where nothing names it', async () => {
  expect((await stage(files(), file)).settings.environment?.name).toBe(`pr-${examplePreview}`);
});

test('no mistake names the id of the example', async () => {
  const read = stage(files('redis: { r: { dockerImage: 1 } }\n'), file);
  await expect(read).rejects.toMatchObject({ diagnostics: [{ address: 'pr-ID.redis.r' }] });
});

test('the id is a number where a whole value is one', async () => {
  const more = `changes: { application: { api: { domains: { main: { port: "\${var:port}" } } } } }\n`;
  const texts = files(more);
  texts['preview.yaml'] = texts['preview.yaml'].replace('variables: {', 'variables: { port: "8${preview:id}",');
  const { resources } = await stageIn(folderWith(texts), file, { preview: '12' });
  const port = resources.find(({ kind }) => kind.kind === 'domain')?.fields['port'];
  expect(port && asWritten(port)).toBe(812);
});

test('what a shell reads is no id, in variables and in fields', async () => {
  const texts = files('redis: { r: { dockerImage: "redis:8", databasePassword: x, env: { A: "${preview:-b}" } } }\n');
  texts['preview.yaml'] = texts['preview.yaml'].replace('variables: {', 'variables: { folder: "/${preview:-a}",');
  const { variables } = await stageIn(folderWith(texts), file, { preview: '7' });
  expect(variables.get('folder')?.value).toMatchObject({ value: '/${preview:-a}' });
});

test('another word than id is an error that says what to write, for a shell too', async () => {
  const texts = files();
  texts['preview.yaml'] = texts['preview.yaml'].replace('variables: {', 'variables: { folder: §"/${preview:number}",');
  expect(await mistakes(texts, file)).toEqual([
    {
      code: 'bad-expression',
      at: 'the mark',
      says: 'there is no preview:number -> Write ${preview:id}. If a shell reads it, give its variable another name than preview.',
    },
  ]);
});

describe.each([['7'], [undefined]])('remedies of preview %s repeat the id as it is written', (preview) => {
  const found = async (texts: Record<string, string>) => {
    const read = stageIn(folderWith(texts), file, preview === undefined ? {} : { preview });
    return (await read.then(() => [], problems)).map(({ remedy }) => remedy);
  };

  test('of a variable that is not declared', async () => {
    const texts = files();
    texts['preview.yaml'] = texts['preview.yaml'].replace('variables: {', 'variables: { hsot: "pr-${preview:id}.x",');
    expect(await found(texts)).toEqual(['Write this instead:\nhsot: { default: "pr-${preview:id}.x" }']);
  });

  test('of a list that is not declared', async () => {
    const texts = files();
    texts['preview.yaml'] = texts['preview.yaml'].replace('variables: {', 'variables: { hosts: ["${preview:id}", b],');
    expect(await found(texts)).toEqual(['Write this instead:\nhosts: { default: ["${preview:id}", b] }']);
  });

  test('of a text that is no number', async () => {
    const texts = files();
    texts['preview.yaml'] = texts['preview.yaml'].replace('variables: {', 'variables: { port: "0${preview:id}",');
    const remedies = await found(texts);
    expect(remedies).toEqual(['It is declared at shop.yaml:2:26.']);
  });

  test('of sections below the environment', async () => {
    const texts = files('environments: { x: {} }\n');
    expect(await found(texts)).toEqual([
      'Write the sections of pr at the top of the file, without environments:; or remove environment:.',
    ]);
  });
});

const problems = (error: unknown) => {
  if (error instanceof Stop) return error.diagnostics;
  throw error;
};

test.each([
  ['1', true],
  ['a-b--c', true],
  ['x'.repeat(20), true],
  ['x'.repeat(21), false],
  ['', false],
  ['-1', false],
  ['1-', false],
  ['A', false],
  ['1\n', false],
  ['key', false],
  ['lease', false],
  ['documents', false],
  ['keys', true],
])('%j as an id: %s', (text, is) => {
  expect(isPreviewId(text)).toBe(is);
});

const service = (name: string, more: string) => `application: { ${name}: { ${image}, ${more} } }\n`;
const compose = (yaml: string) =>
  `compose: { stack: { source: { type: raw, composeFile: §"services: { web: { image: nginx, ${yaml} } }" } } }\n`;

describe('refuses', () => {
  test.each([
    [
      'a host without the id',
      service('web', 'domains: { main: { host: §www.example.com } }'),
      'host is the same for each preview',
    ],
    [
      'a host that is the key of its block',
      service('web', 'domains: { §www.example.com: {} }'),
      'host is the same for each preview',
    ],
    [
      'a published port',
      service('web', 'ports: { p: { publishedPort: §9100, targetPort: 9100 } }'),
      'publishedPort is the same',
    ],
    [
      'a folder of the host',
      service('web', 'mounts: { m: { type: bind, mountPath: /data, hostPath: §/srv/data } }'),
      'hostPath is the same',
    ],
    [
      'a volume',
      service('web', 'mounts: { m: { type: volume, mountPath: /data, volumeName: §data } }'),
      'volumeName is the same',
    ],
    [
      'the port of a database',
      `redis: { r: { dockerImage: redis:8, databasePassword: x, externalPort: §6379 } }\n`,
      'externalPort is the same',
    ],
    [
      'previews of the platform',
      service('web', 'isPreviewDeploymentsActive: §true'),
      'isPreviewDeploymentsActive is for an application that exists once',
    ],
    ['an id', service('web', '§id: app_1'), 'id adopts an object'],
    ['an object of the organization', 'tags: { §deploy: {} }\n', 'tags.deploy belongs to the organization'],
    ['the settings of the platform', '§webServer: {}\n', 'webServer belongs to the platform'],
    ['a name of a container', compose('container_name: web'), 'container_name'],
    ['a published port of a compose file', compose("ports: ['8080:80']"), 'publishes a port'],
    ['a folder in a compose file', compose("volumes: ['/srv/x:/x']"), 'mounts a folder of the host'],
    [
      'a folder that leads out of its own',
      compose("volumes: ['/x/${var:suffix}/../../var/run/docker.sock:/x']"),
      'mounts a folder of the host',
    ],
  ])('%s', async (_is, other, message) => {
    const found = await mistakes(files('', other), file);
    expect(found).toEqual([{ code: 'not-in-previews', at: 'the mark', says: expect.stringContaining(message) }]);
  });

  test.each([
    [
      'environment: §"pr-${preview:id}"',
      'environment must not hold ${preview:…}: settings take no expressions -> Write the name alone: the environment of preview 123 is NAME-123.',
    ],
    [
      'environment: { name: §"pr-${preview:id}", env: { A: b } }',
      'environment must not hold ${preview:…}: settings take no expressions -> Write the name alone: the environment',
    ],
    [
      'environment: pr\nproject: §"shop-${preview:id}"',
      'project must not hold ${preview:…}: settings take no expressions -> Write the value itself.',
    ],
  ])('the id in a setting: %s', async (setting, says) => {
    const texts = files();
    texts['preview.yaml'] = texts['preview.yaml'].replace('environment: pr', setting);
    texts['shop.yaml'] = setting.includes('project:') ? shared.replace('project: prj_1\n', '') : shared;
    const found = await mistakes(texts, file);
    expect(found).toEqual([{ code: 'bad-expression', at: 'the mark', says: expect.stringContaining(says) }]);
  });

  const seeding = service(
    'web',
    'schedules: { seed: { schedule: "0 3 * * *", command: x } }, domains: { main: { host: "x${var:suffix}" } }',
  );
  test.each([
    [
      'application.web.schedules.sed',
      '',
      'no block application.web.schedules.sed -> Did you mean application.web.schedules.seed?',
    ],
    ['mysql', '', 'no block mysql -> Write the address of a schedule: application.web.schedules.seed.'],
    [
      'application.web',
      '',
      'application.web is an application, and only schedules can run -> Write application.web.schedules.seed.',
    ],
    ['postgres.main', '', 'postgres.main is a postgres, and only schedules can run -> Put the command into a schedule'],
    [
      'application.web.schedules.seed',
      'changes: { application: { web: !reset } }\n',
      'preview.yaml:7:27 takes application.web out with !reset -> Take it out of seed: too, or remove that !reset.',
    ],
  ])('seed: [%s] %s', async (seed, changes, message) => {
    const texts = files(changes, seeding);
    texts['preview.yaml'] = texts['preview.yaml'].replace('most: 10', `seed: [§${seed}]`);
    expect(await mistakes(texts, file)).toEqual([
      {
        code: 'bad-reference',
        at: 'the mark',
        says: expect.stringContaining(`seed: ${message.startsWith('no') ? 'there is ' : ''}${message}`),
      },
    ]);
  });
});

test('the id of the example goes from mistakes, and not out of numbers that hold it', () => {
  const found = diagnostic('wrong-type', 'port of pr-9999999 must be at most 65535, got 199999990', {
    address: 'pr-9999999',
  });
  expect(diagnosticWithoutExample(found)).toMatchObject({
    message: 'port of pr-ID must be at most 65535, got 199999990',
    address: 'pr-ID',
  });
});
