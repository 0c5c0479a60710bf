import { describe, expect, test } from 'vitest';
import { meaning, mistakes, stage, stageHead, validationOf } from '../../support/stages.ts';

/** A root file that names its environment, and sections at the top of it and of what it includes. */

const database =
  '{ dockerImage: postgres:17, databaseName: shop, databaseUser: shop, databasePassword: "${secret:PW}" }';
const image = 'source: { type: docker, image: "nginx:1.27" }';

const shared = {
  'shop.yaml': `project: prj_1
include: [apps/*.yaml]
variables: { tag: { default: "1.27" } }
environment: { env: { REGION: eu }, description: All of it }
drift: { memory: state }
postgres: { main: ${database} }
`,
  'apps/api.yaml': `include: [../more/cache.yaml]
application: { api: { source: { type: docker, image: "nginx:\${var:tag}" }, env: { HOST: "\${ref:postgres.main.host}" } } }
`,
  'apps/web.yaml': `application: { web: { ${image} } }\n`,
  'more/cache.yaml': 'redis: { cache: { dockerImage: redis:8, databasePassword: "${secret:PW}" } }\n',
};
const rootFile = (name: string) => `trueup: 1
platform: emulator
environment: ${name}
include: [shop.yaml, more/cache.yaml]
application: { own: { ${image} } }
`;

test('means the same as the manifest written out', async () => {
  const files = { ...shared, 'staging.yaml': rootFile('staging'), 'production.yaml': rootFile('production') };
  for (const name of ['staging', 'production']) {
    const writtenOut = `trueup: 1
platform: emulator
project: prj_1
variables: { tag: { default: "1.27" } }
drift: { memory: state }
environments:
  ${name}:
    description: All of it
    env: { REGION: eu }
    application:
      own: { ${image} }
      api: { source: { type: docker, image: "nginx:\${var:tag}" }, env: { HOST: "\${ref:postgres.main.host}" } }
      web: { ${image} }
    postgres: { main: ${database} }
    redis: { cache: { dockerImage: redis:8, databasePassword: "\${secret:PW}" } }
`;
    const [staged, whole] = [
      await stage(files, `${name}.yaml`),
      await stage({ 'trueup.yaml': writtenOut }, 'trueup.yaml'),
    ];
    const sorted = <T extends { readonly address: string }>(all: readonly T[]) =>
      all.toSorted((a, b) => a.address.localeCompare(b.address));
    const inOrder = ({ resources, ...rest }: typeof staged) => ({ ...rest, resources: sorted(resources) });
    expect(meaning(inOrder(staged)).length).toBeGreaterThan(1_000);
    // What compares them sees values, and values of secrets.
    for (const [old, other] of [
      ['redis:8', 'redis:7'],
      ['REGION: eu', 'REGION: us'],
      ['secret:PW', 'secret:PASSWORD'],
    ] as const) {
      const edited = await stage({ 'trueup.yaml': writtenOut.replace(old, other) }, 'trueup.yaml');
      expect(meaning(inOrder(edited)), old).not.toBe(meaning(inOrder(whole)));
    }
    expect(JSON.parse(meaning(inOrder(staged)))).toEqual(JSON.parse(meaning(inOrder(whole))));
    expect(staged.settings.environment).toMatchObject({ name });
  }
});

test('the name of the root file follows the stem of a state that an included file has', async () => {
  const state = 'state: { backend: s3, endpoint: "https://s3.example.com", bucket: b, prefix: shop }\n';
  const own = `${stageHead}environment: staging\n`;
  const of = async (files: Record<string, string>, file?: string) => (await stage(files, file)).settings.state;
  const files = { 'shared.yaml': state, 'staging.yaml': `${own}include: [shared.yaml]\n` };
  expect(await of(files)).toMatchObject({ prefix: 'shop/staging.yaml' });
  expect(await of({ 'staging.yaml': own + state })).toMatchObject({ prefix: 'shop' });
  expect(await of({ ...files, 'trueup.yaml': files['staging.yaml'] }, 'trueup.yaml')).toMatchObject({ prefix: 'shop' });
  const named = { ...files, 'shared.yaml': 'state: { backend: postgres, name: shop }\n' };
  expect(await of(named)).toEqual({ backend: 'postgres', name: 'shop/staging.yaml' });
});

test('a pattern passes over other root files, also over one with a mistake', async () => {
  const files = {
    'staging.yaml': `${stageHead}environment: staging\ninclude: ["*.yaml"]\n`,
    'production.yaml': `${stageHead}environment: production\napplication: { a: { ${image} } }\n`,
    'broken.yaml': `${stageHead}environment: [production\n`,
    'flow.yaml': '{ trueup: 1, environment: flow }\n',
    'shop.yaml': `application: { b: { ${image} } }\n`,
  };
  const { resources, texts } = await stage(files);
  expect(resources.map(({ address }) => address)).toEqual(['staging', 'staging.application.b']);
  expect([...texts.keys()]).toEqual(['staging.yaml', 'shop.yaml']);
});

describe('is an error', () => {
  const own = `${stageHead}environment: staging\n`;
  test.each([
    [
      'beside environments:',
      { 'staging.yaml': `${own}§environments: { production: {} }\n` },
      'inconsistent',
      'Write the sections of staging at the top of the file, without environments:',
    ],
    [
      'beside environments: of an included file',
      { 'staging.yaml': `${own}include: [a.yaml]\n`, 'a.yaml': '§environments: { staging: {} }\n' },
      'inconsistent',
      'environments does not go with environment: staging, which stands in staging.yaml:4',
    ],
    [
      'sections at the top without it',
      { 'staging.yaml': `${stageHead}§application: { a: { ${image} } }\n` },
      'unknown-key',
      'a manifest has no key application -> Write it inside of a block of environments:, as environments: { name: { application: … } }. Or write environment: NAME into staging.yaml: then application: may stand at the top of a file.',
    ],
    [
      'sections at the top of an included file without it',
      { 'staging.yaml': `${stageHead}include: [a.yaml]\n`, 'a.yaml': `§application: { a: { ${image} } }\n` },
      'unknown-key',
      'Or write environment: NAME into staging.yaml',
    ],
    [
      'a name in an included file',
      { 'staging.yaml': `${own}include: [a.yaml]\n`, 'a.yaml': 'environment: { §name: a }\n' },
      'unknown-key',
      'the name of the environment stands in the root file, and only there -> Remove the line',
    ],
    [
      'a text in an included file',
      { 'staging.yaml': `${own}include: [a.yaml]\n`, 'a.yaml': '§environment: a\n' },
      'wrong-type',
      'Write the name in staging.yaml.',
    ],
    [
      'a block in an included file, of no environment',
      { 'staging.yaml': `${stageHead}include: [a.yaml]\n`, 'a.yaml': '§environment: { env: { A: "1" } }\n' },
      'missing-key',
      'Write environment: NAME in staging.yaml',
    ],
    [
      'a section inside of it',
      { 'staging.yaml': `${stageHead}environment: { name: staging, §redis: {} }\n` },
      'unknown-key',
      'Write redis: at the top of the file.',
    ],
    ['no name', { 'staging.yaml': `${stageHead}environment: §{ env: { A: "1" } }\n` }, 'wrong-type', 'name'],
    [
      'a number',
      { 'staging.yaml': `${stageHead}environment: §1\n` },
      'wrong-type',
      'must be the name of an environment',
    ],
    ['nothing', { 'staging.yaml': `${stageHead}environment: §\n` }, 'wrong-type', 'must be the name of an environment'],
    [
      'an expression',
      { 'staging.yaml': `${stageHead}environment: §"\${var:a}"\n` },
      'bad-expression',
      'no expressions',
    ],
    ['the name of a section', { 'staging.yaml': `${stageHead}environment: §servers\n` }, 'wrong-type', 'another key'],
    [
      'the same variable of env twice',
      {
        'staging.yaml': `${stageHead}environment: { name: staging, env: { A: "1" } }\ninclude: [a.yaml]\n`,
        'a.yaml': 'environment: { env: { B: "1", §A: "2" } }\n',
      },
      'defined-twice',
      'A is already defined in staging.yaml:4:38',
    ],
    [
      'two files with a state',
      {
        'staging.yaml': `${own}state: { backend: local }\ninclude: [a.yaml]\n`,
        'a.yaml': '§state: { backend: local }\n',
      },
      'defined-twice',
      'state is already defined in staging.yaml:5:1',
    ],
    [
      'a mistake in a block at the top',
      { 'staging.yaml': `${own}include: [a.yaml]\n`, 'a.yaml': `application: { a: { ${image}, §replcas: 1 } }\n` },
      'unknown-key',
      'Did you mean replicas?',
    ],
  ])('%s', async (_title, files, code, says) => {
    const found = await mistakes(files);
    expect(found).toEqual([{ code, at: 'the mark', says: expect.stringContaining(says) as string }]);
  });
});

test('a block may have its name as __proto__', async () => {
  const { resources } = await stage({
    'staging.yaml': `${stageHead}environment: __proto__\napplication: { __proto__: { ${image} } }\n`,
  });
  expect(resources.map(({ address }) => address)).toEqual(['["__proto__"]', '["__proto__"].application["__proto__"]']);
});

test('a reference outside of the environment may leave it out, as one inside of it', async () => {
  const outputs = 'outputs: { host: "${ref:postgres.main.host}" }\n';
  const files = {
    ...shared,
    'more/outputs.yaml': outputs,
    'live.yaml': rootFile('live').replace('more/cache', 'more/*'),
  };
  const { outputs: found } = await stage(files, 'live.yaml');
  expect(found.get('host')?.references).toEqual([{ address: 'live.postgres.main', output: 'host' }]);
  const wrong = { ...files, 'more/outputs.yaml': outputs.replace('.main.', '.mian.') };
  expect(await mistakes(wrong, 'live.yaml')).toMatchObject([
    { says: expect.stringContaining('no resource postgres.mian -> Did you mean ${ref:postgres.main.host}?') as string },
  ]);
});

test('changes of sections of an environment need the name of one', async () => {
  const root = `${stageHead}changes: { §application: { api: { replicas: 2 } } }\n`;
  expect(await mistakes({ 'staging.yaml': root })).toMatchObject([
    {
      at: 'the mark',
      says: 'changes has no key application -> Write environment: NAME into the root file: then application: may stand at the top, and here.',
    },
  ]);
});

test('the id of a preview outside of variables is a warning in a file of previews, and text elsewhere', async () => {
  const files = (more: string) => ({
    ...shared,
    'apps/web.yaml': `application: { web: { ${image}, env: { ID: "\${preview:id}" } } }\n`,
    'staging.yaml': `${rootFile('staging')}${more}`,
  });
  expect((await validationOf(files(''), 'staging.yaml')).diagnostics).toEqual([]);
  const { diagnostics } = await validationOf(files('preview: {}\n'), 'staging.yaml');
  expect(diagnostics).toMatchObject([
    {
      code: 'no-expression',
      message: '${preview:id} stands outside of the variables of the root file and stays as text',
      position: { file: 'apps/web.yaml', line: 1 },
    },
  ]);
});

test('a value of a declared variable stands in a root file only, whichever file comes first', async () => {
  for (const name of ['apps/a.yaml', 'more/cache.yaml']) {
    const files = { ...shared, [name]: 'variables: { §tag: "1.28" }\n', 'staging.yaml': rootFile('staging') };
    expect(await mistakes(files)).toMatchObject([
      {
        at: 'the mark',
        says: `tag has a value in ${name}, and only a root file gives values -> Write tag below variables: in staging.yaml.`,
      },
    ]);
  }
});
