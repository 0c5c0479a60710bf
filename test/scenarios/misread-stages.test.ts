import { describe, expect, test } from 'vitest';
import { hasChanges } from '../../src/plan/action.ts';
import { reported } from '../diagnostics/provoked.ts';
import { meaning, mistakes, stage, stageHead } from '../support/stages.ts';
import { bench } from '../support/world.ts';

/** What is easily misread in templates and changes: each row is what the words mean, and not what else they might. */

const head = `${stageHead}environment: staging\n`;
const image = 'source: { type: docker, image: "nginx:1.27" }';
const template = (block: string, parameters = '') => `templates: { t: { ${parameters}block: { ${block} } } }\n`;
const redis = (more = '') => `redis: { c: { dockerImage: "redis:8", databasePassword: "\${secret:PW}"${more} } }\n`;

const same: readonly (readonly [title: string, staged: string, writtenOut: string])[] = [
  [
    'a tag 1.10 is the text 1.10, as a default and as a value',
    `variables: { tag: { default: 1.10 }, more: { type: text, default: 007 } }
application: { a: { source: { type: docker, image: "a:\${var:tag}" }, env: { A: "\${var:tag}", B: "\${var:more}" } } }\n`,
    `variables: { tag: { default: 1.10 }, more: { type: text, default: 007 } }
application: { a: { source: { type: docker, image: "a:1.10" }, env: { A: "1.10", B: "007" } } }\n`,
  ],
  [
    'a number is text in env and in a text, and a number in a field of numbers',
    `${template(`${image}, env: { PORT: "\${param:port}", URL: "http://a:\${param:port}" }, domains: { m: { host: a.example.com, port: "\${param:port}" } }`, 'parameters: { port: { type: number, default: 8080 } }, ')}application: { a: { use: t } }\n`,
    `application: { a: { ${image}, env: { PORT: "8080", URL: "http://a:8080" }, domains: { m: { host: a.example.com, port: 8080 } } } }\n`,
  ],
  [
    'a source of another type leaves nothing of the one of the template',
    `${template('source: { type: docker, image: a }')}application: { a: { use: t, source: { type: git, url: "https://g.example.com/a.git", branch: b } } }\n`,
    'application: { a: { source: { type: git, url: "https://g.example.com/a.git", branch: b } } }\n',
  ],
  [
    '!reset of a variable of the template leaves those beside use:',
    `${template(`${image}, env: { A: "1" }`)}application: { a: { use: t, env: { B: "2" } } }
changes: { application: { a: { env: { A: !reset } } } }\n`,
    `application: { a: { ${image}, env: { B: "2" } } }\n`,
  ],
  [
    'env: !reset with a map replaces the text of the template',
    `${template(`${image}, env: "A=1\\n"`)}application: { a: { use: t, env: !reset { B: "2" } } }\n`,
    `application: { a: { ${image}, env: { B: "2" } } }\n`,
  ],
];

test.each(same)('%s', async (_title, staged, writtenOut) => {
  const [found, whole] = [
    await stage({ 'staging.yaml': head + staged }),
    await stage({ 'staging.yaml': head + writtenOut }),
  ];
  expect(JSON.parse(meaning(found))).toEqual(JSON.parse(meaning(whole)));
});

test('a value that the root file gives is text as it is written, too', async () => {
  const { variables } = await stage({
    'staging.yaml': `${head}include: [shared.yaml]\nvariables: { tag: 1.10, count: 007, big: 1e3 }\n`,
    'shared.yaml': 'variables: { tag: { type: text }, count: { type: text }, big: {} }\n',
  });
  expect([...variables.values()].map(({ value }) => value)).toMatchObject([
    { value: '1.10' },
    { value: '007' },
    { value: '1e3' },
  ]);
});

describe('is an error', () => {
  test.each([
    [
      'env as a map over the text of a template',
      `${template(`${image}, env: "A=1"`)}application: { a: { use: t, §env: { B: "2" } } }\n`,
      'inconsistent',
      'env is a map here and a text in staging.yaml:5:80, and the two do not merge -> Write env: !reset and the value',
    ],
    [
      'a change of a block with a typing error',
      `application: { api: { ${image} } }\nchanges: { application: { §aip: { replicas: 2 } } }\n`,
      'bad-reference',
      'there is no staging.application.aip to change -> Did you mean api?',
    ],
    [
      'a reference to a block that changes: takes out',
      `${redis()}application: { a: { ${image}, env: { H: §"\${ref:redis.c.host}" } } }\nchanges: { redis: { c: !reset } }\n`,
      'bad-reference',
      'staging.yaml:7:21 takes staging.redis.c out with !reset',
    ],
  ])('%s', async (_title, text, code, says) => {
    expect(await mistakes({ 'staging.yaml': head + text })).toEqual([
      { code, at: 'the mark', says: expect.stringContaining(says) as string },
    ]);
  });

  test('a reference with the name of the environment in a shared file, in every other stage', async () => {
    const files = {
      'production.yaml': `${stageHead}environment: production\ninclude: [shop.yaml]\n`,
      'staging.yaml': `${head}include: [shop.yaml]\n`,
      'shop.yaml': `${redis()}application: { a: { ${image}, env: { H: §"\${ref:production.redis.c.host}" } } }\n`,
    };
    expect(await mistakes(files, 'production.yaml')).toEqual([]);
    expect(await mistakes(files)).toEqual([
      { code: 'bad-reference', at: 'the mark', says: expect.stringContaining('${ref:redis.c.host}') as string },
    ]);
  });
});

describe('on the platform', () => {
  const own = head.replace('staging', 'production');
  const started = async (text: string) => {
    const made = bench();
    made.secrets.PW = 'correct-horse';
    await made.apply(own + text, { adoption: true });
    const next = async (more: string) => {
      await made.apply(own + more, { adoption: true });
      expect(hasChanges(await made.plan(own + more))).toBe(false);
    };
    const read = async (operation: 'application.one' | 'redis.one', address: string) => {
      const id = made.store.state?.resources[address]?.id ?? '';
      return (await made.emulator.act(operation, { [operation.replace('.one', 'Id')]: id })) as Record<string, unknown>;
    };
    return { made, next, read };
  };

  test('envMode: own removes what changes: take out of env', async () => {
    const block = `${template(`${image}, envMode: own, env: { A: "1" }`)}application: { a: { use: t, env: { B: "2" } } }\n`;
    const { next, read } = await started(block);
    await next(`${block}changes: { application: { a: { env: { A: !reset } } } }\n`);
    expect((await read('application.one', 'production.application.a')).env).toBe('B=2\n');
  });

  test('memoryLimit: !reset keeps the value of the platform, and null clears it', async () => {
    const block = redis(', memoryLimit: 1Gi');
    const { next, read } = await started(block);
    const limit = async () => (await read('redis.one', 'production.redis.c')).memoryLimit;
    const before = await limit();
    expect(before).toBeTruthy();
    await next(`${block}changes: { redis: { c: { memoryLimit: !reset } } }\n`);
    expect(await limit()).toBe(before);
    await next(`${block}changes: { redis: { c: { memoryLimit: null } } }\n`);
    expect(await limit()).toBeFalsy();
  });

  test('what a template protected stays protected without the line', async () => {
    const uses = 'redis: { c: { use: t } }\n';
    const block = (more: string) =>
      `${template(`dockerImage: "redis:8", databasePassword: "\${secret:PW}"${more}`)}${uses}`;
    const { made, next } = await started(block(', protect: true'));
    await next(block(''));
    await next(`${block(', protect: true')}changes: { redis: { c: { protect: !reset } } }\n`);
    const plan = await reported(() =>
      made.apply(`${own}redis: {}\n`, { adoption: true, dataLoss: true, massDeletion: true }),
    );
    expect(plan.map(({ code }) => code)).toContain('protected');
  });

  test('!reset of a database deletes it, with the permission to lose data only', async () => {
    const both = `${redis()}application: { a: { ${image} } }\n`;
    const { made } = await started(both);
    const without = `${both}changes: { redis: { c: !reset } }\n`;
    const refused = await reported(() => made.apply(own + without));
    expect(refused.map(({ code }) => code)).toContain('data-at-risk');
    expect(made.store.state?.resources).toHaveProperty(['production.redis.c']);
    await made.apply(own + without, { dataLoss: true });
    expect(made.store.state?.resources).not.toHaveProperty(['production.redis.c']);
    expect(hasChanges(await made.plan(own + without))).toBe(false);
  });
});
