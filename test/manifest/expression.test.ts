import { describe, expect, test } from 'vitest';
import { findNearMisses, parseExpressions } from '../../src/manifest/expression.ts';
import { knownValue } from '../../src/manifest/wanted.ts';
import type { Plan } from '../../src/plan/action.ts';
import { plansNothing } from '../support/faults.ts';
import { bench, head } from '../support/world.ts';

/** ${source:name}: five sources, and everything else is text. */

type Made = ReturnType<typeof bench>;

const redis = (fields: string, more = '') => `${head}${more}environments:
  production:
    redis:
      main:
        dockerImage: redis:8
        databasePassword: correct-horse-1
${fields}`;

async function valueOf(
  made: Made,
  files: string | Record<string, string>,
  field: string,
  address = 'production.redis.main',
) {
  const { resources } = await made.manifest(files);
  return knownValue(resources.find((resource) => resource.address === address)?.fields[field]);
}

const changesOf = (plan: Plan) =>
  plan.actions.flatMap((action) => action.changes.map((change) => `${action.address} ${change.cause} ${change.path}`));

describe('a text', () => {
  test.each([
    ['${X}', '${X}'],
    ['$X ${X:-y} ${X?z}', '$X ${X:-y} ${X?z}'],
    ['$${VAR} is what compose files say', '$${VAR} is what compose files say'],
    ['${{environment.X}} is the platform’s', '${{environment.X}} is the platform’s'],
    ['$${env:X} is escaped', '${env:X} is escaped'],
    ['$${var:x}$${file:x}$${secret:x}$${ref:x}', '${var:x}${file:x}${secret:x}${ref:x}'],
    ['$$${env:NAME}', '$${env:NAME}'],
    ['${ENV:X} ${envs:x} ${env} ${env :x}', '${ENV:X} ${envs:x} ${env} ${env :x}'],
    ['a ${env:NAME} b ${env:NAME}', 'a here b here'],
    ['${env:NAME}', 'here'],
    ['${env:NESTED}', '${env:NAME}'],
    ['${', '${'],
    ['}', '}'],
  ])('%j means %j', async (written, value) => {
    const made = bench();
    made.env['NAME'] = 'here';
    made.env['NESTED'] = '${env:NAME}';
    expect(await valueOf(made, redis(`        description: ${JSON.stringify(written)}\n`), 'description')).toBe(value);
  });

  // What takes longer than in proportion to the text comes to no end with these.
  test('of a million characters is split', () => {
    const many = 200_000;
    expect(parseExpressions('${env:'.repeat(many))).toMatchObject({ unclosed: { name: 'env' } });
    expect(parseExpressions('$${env:'.repeat(many)).parts).toEqual(['${env:'.repeat(many)]);
    expect(parseExpressions(`\${ref:${'["'.repeat(many)}`)).toMatchObject({
      unclosed: { name: 'ref' },
    });
    expect(parseExpressions('${ref:a["b"].c}'.repeat(many)).parts).toHaveLength(many);
  });
});

describe('${file:}', () => {
  test('gives the text of a file and leaves its expressions alone', async () => {
    const content = '${env:HOME} $${env:HOME} ${secret:X} ${file:y}\n';
    const files = { 'trueup.yaml': redis('        description: ${file:x.txt}\n'), 'x.txt': content };
    expect(await valueOf(bench(), files, 'description')).toBe(content);
  });

  test('names a file relative to the file it stands in, in an included file too', async () => {
    const files = {
      'trueup.yaml': `${head}include: [sub/a.yaml]\n`,
      'sub/a.yaml': 'environments: { production: { description: "${file:text}" } }\n',
      'sub/text': 'beside',
      text: 'above',
    };
    expect(await valueOf(bench(), files, 'description', 'production')).toBe('beside');
  });

  test('may name a file further up inside the workspace', async () => {
    const files = {
      'trueup.yaml': `${head}include: [sub/a.yaml]\n`,
      'sub/a.yaml': 'environments: { production: { description: "${file:../text}" } }\n',
      text: 'above',
    };
    expect(await valueOf(bench(), files, 'description', 'production')).toBe('above');
  });
});

describe('a key', () => {
  test('U7: never holds an expression, and that is one error with the way to write it', async () => {
    const made = bench();
    made.env['X'] = 'y';
    const refused = made.manifest(
      `${head}environments: { "\${env:X}": { description: "\${env:X}", redis: { a: {} } } }\n`,
    );
    await expect(refused).rejects.toMatchObject({
      diagnostics: [
        {
          code: 'bad-expression',
          message: '${env:X} stands in a key, and expressions do not work in keys',
          remedy: 'Write a name of your own as the key, and below it name: "${env:X}".',
        },
      ],
    });
  });

  test('that holds a secret is written with a variable: no object is found by a secret', async () => {
    const refused = bench().manifest(`${head}environments: { "a-\${secret:X}": {} }\n`);
    await expect(refused).rejects.toMatchObject({
      diagnostics: [{ remedy: 'Write a name of your own as the key, and below it name: "a-${var:X}".' }],
    });
  });

  test('may hold the text of an expression, escaped', async () => {
    const { resources } = await bench().manifest(`${head}environments: { "$\${env:X}": {} }\n`);
    expect(resources.map((resource) => resource.address)).toEqual(['["$${env:X}"]']);
  });
});

describe('a default, as a shell writes it', () => {
  test.each(['env', 'var', 'file', 'secret', 'ref'])(
    'is no expression of ${%s:}: the remedy says how to write both',
    async (name) => {
      const text = (written: string) =>
        `${head}environments: { production: { redis: { a: { dockerImage: "redis:8", databasePassword: x, env: { A: "${written}" } } } } }\n`;
      const made = bench();
      await expect(made.manifest(text(`\${${name}:-x}`))).rejects.toMatchObject({
        diagnostics: [
          {
            remedy: `Write $\${${name}:-…} where a shell reads it. Write \${var:NAME} for a variable that has its default under variables:.`,
          },
        ],
      });
      await made.apply(text(`$\${${name}:-x}`));
      await plansNothing(made, text(`$\${${name}:-x}`));
    },
  );
});

describe('${var:}', () => {
  const variables =
    'variables: { count: { default: 3 }, version: { default: 16.10 }, on: { default: true }, text: { default: "5" } }\n';

  test.each([
    ['a number to a field that takes one', 'replicas: ${var:count}', 'replicas', 3],
    ['a number for text to a field that takes a number', 'replicas: ${var:text}', 'replicas', 5],
    [
      'the written form of a number in the middle of a text',
      'dockerImage: postgres:${var:version}',
      'dockerImage',
      'postgres:16.10',
    ],
    ['the written form of a number to a field that takes text', 'description: ${var:version}', 'description', '16.10'],
    ['a boolean to a field that takes one', 'detachDokployNetwork: ${var:on}', 'detachDokployNetwork', true],
    ['text for a boolean to a field that takes text', 'description: ${var:on}', 'description', 'true'],
    ['a number inside JSON', 'healthCheckSwarm: { Retries: "${var:count}" }', 'healthCheckSwarm', { Retries: 3 }],
  ])('gives %s', async (_title, line, field, value) => {
    const text = redis(`        ${line}\n`, variables).replace(
      line.startsWith('dockerImage') ? '        dockerImage: redis:8\n' : '\0',
      '',
    );
    expect(await valueOf(bench(), text, field)).toEqual(value);
  });

  test('prefers the value given for the run to the default', async () => {
    const made = bench();
    const { openWorkspace } = await import('../../src/manifest/workspace.ts');
    const { validate } = await import('../../src/workflow/validate.ts');
    const { kinds } = await import('../../src/resources/index.ts');
    await made.manifest(redis('        replicas: ${var:count}\n', variables));
    const { manifest } = await validate({
      workspace: await openWorkspace(made.folder),
      file: 'trueup.yaml',
      kinds,
      env: () => undefined,
      secret: () => undefined,
      given: (name) => (name === 'count' ? { text: '7', by: '--var count' } : undefined),
      addSecret: () => undefined,
    });
    const main = manifest.resources.find((resource) => resource.address === 'production.redis.main');
    expect(main?.fields['replicas']?.content.reveal()).toEqual({ is: 'value', value: 7 });
  });
});

describe('${env:}', () => {
  test('an amount is read as its field takes it, and shows neither so nor as it was written', async () => {
    const made = bench();
    made.env['MEMORY'] = '2Gi';
    const text = redis('        memoryLimit: ${env:MEMORY}\n');
    expect(await valueOf(made, text, 'memoryLimit')).toBe('2147483648');
    const create = (await made.plan(text)).actions.find(({ address }) => address === 'production.redis.main');
    expect(create?.changes.find(({ path }) => path === 'memoryLimit')?.after).toEqual({ is: 'hidden' });
    await made.apply(text);
    expect(changesOf(await made.plan(text))).toEqual([]);
  });
});

describe('${secret:}', () => {
  const withToken = redis('        env: { TOKEN: "${secret:TOKEN}", PLAIN: "1" }\n');

  test('that the run lacks keeps the settled value, and shows its drift without repairing it', async () => {
    const made = bench();
    made.secrets['TOKEN'] = 'top-secret-token';
    await made.apply(withToken);
    delete made.secrets['TOKEN'];
    expect(changesOf(await made.plan(withToken))).toEqual([]);
    const redisId = Object.keys(made.emulator.world.tables.redis)[0] ?? '';
    await made.emulator.act('redis.saveEnvironment', { redisId, env: 'TOKEN=other\nPLAIN=1\n' });
    const plan = await made.plan(withToken);
    expect(changesOf(plan)).toEqual([]);
    const notes = plan.actions.flatMap((action) => action.notes.map((note) => `${note.code} ${note.message}`));
    expect(notes).toEqual([expect.stringMatching(/^drift-left env\.TOKEN: .*TOKEN/)]);
  });

  test('that the run lacks keeps its variable on the platform while others are written', async () => {
    const made = bench();
    made.secrets['TOKEN'] = 'top-secret-token';
    await made.apply(withToken);
    delete made.secrets['TOKEN'];
    await made.apply(withToken.replace('"1"', '"2"'));
    expect(Object.values(made.emulator.world.tables.redis)[0]?.['env']).toBe('TOKEN=top-secret-token\nPLAIN=2\n');
  });

  test('that the run lacks prevents the creation of resources that need it', async () => {
    const made = bench();
    await expect(made.apply(withToken)).rejects.toMatchObject({ diagnostics: [{ code: 'secret-missing' }] });
    expect(made.requests('POST')).toEqual([]);
  });

  test('never prints in the manifest, the plan or the state', async () => {
    const { inspect } = await import('node:util');
    const made = bench();
    made.secrets['TOKEN'] = 'top-secret-token';
    const manifest = await made.manifest(withToken);
    const plan = await made.plan(withToken);
    const { state } = await made.apply(withToken);
    const resources = manifest.resources.map(({ kind, ...rest }) => ({ ...rest, kind: kind.kind }));
    const actions = plan.actions.map(({ steps, attributes: parts, changes, notes }) => ({
      steps: steps.map(({ members }) => Object.values(members).map((member) => ({ ...member, field: undefined }))),
      parts: parts.map((part) => ({ ...part, field: undefined })),
      changes,
      notes,
    }));
    for (const shown of [resources, actions, state]) {
      expect(inspect(shown, { depth: Infinity, showHidden: true })).not.toContain('top-secret-token');
      expect(JSON.stringify(shown)).not.toContain('top-secret-token');
    }
  });
});

describe('${ref:}', () => {
  const shop = (reference: string, env = '') => `${head}environments:
  production:
    redis:
      main: { dockerImage: redis:8, databasePassword: correct-horse-1 }
      "odd.key": { dockerImage: redis:8, databasePassword: correct-horse-2 }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        ${env}
        domains:
          x.example.com: { serviceName: web, middlewares: [${JSON.stringify(reference)}] }
          y.example.com: { serviceName: web }
  staging:
    redis:
      main: { dockerImage: redis:8, databasePassword: correct-horse-3 }
`;

  test.each([
    ['beside its parent', '${ref:redis.main.host}', 'production.redis.main'],
    ['beside itself', '${ref:domains["y.example.com"].id}', 'production.compose.shop.domains["y.example.com"]'],
    ['its parent', '${ref:compose.shop.appName}', 'production.compose.shop'],
    ['its environment', '${ref:production.id}', 'production'],
    ['another environment', '${ref:staging.redis.main.host}', 'staging.redis.main'],
    ['a full address', '${ref:production.redis.main.host}', 'production.redis.main'],
    [
      'a full address with quotes',
      '${ref:production.compose.shop.domains["y.example.com"].id}',
      'production.compose.shop.domains["y.example.com"]',
    ],
    ['a key with a dot', '${ref:redis["odd.key"].host}', 'production.redis["odd.key"]'],
    ['a key in quotes that it does not need', '${ref:redis["main"].host}', 'production.redis.main'],
  ])('finds %s', async (_title, reference, address) => {
    const { resources } = await bench().manifest(shop(reference));
    const domain = resources.find((resource) => resource.key === 'x.example.com');
    expect(domain?.fields['middlewares']?.references.map((found) => found.address)).toEqual([address]);
  });

  test('gets its value in the run that creates its target, and then plans nothing', async () => {
    const made = bench();
    const text = shop('a', 'env: { URL: "redis://${ref:redis.main.host}:6379/${ref:production.redis.main.id}" }');
    await made.apply(text);
    const main = Object.values(made.emulator.world.tables.redis).find(
      (row) => row['databasePassword'] === 'correct-horse-1',
    );
    const env = String(Object.values(made.emulator.world.tables.compose)[0]?.['env']);
    expect(env).toContain(`redis://${String(main?.['appName'])}:6379/${String(main?.['redisId'])}`);
    expect(changesOf(await made.plan(text))).toEqual([]);
  });

  test('works inside lists', async () => {
    const made = bench();
    const text = shop('auth-${ref:redis.main.host}@file');
    await made.apply(text);
    const main = Object.values(made.emulator.world.tables.redis).find(
      (row) => row['databasePassword'] === 'correct-horse-1',
    );
    const domain = Object.values(made.emulator.world.tables.domain).find((row) => row['host'] === 'x.example.com');
    expect(domain?.['middlewares']).toEqual([`auth-${String(main?.['appName'])}@file`]);
    expect(changesOf(await made.plan(text))).toEqual([]);
  });
});

test.each([
  ['${reff:a.host}', '${ref:…}'],
  ['${vra:tag}', '${var:…}'],
  ['${evn:HOME}', '${env:…}'],
  ['${flie:a}', '${file:…}'],
  ['${serect:PW}', '${secret:…}'],
])('U1: %s is a near miss', (written, meant) => {
  expect(findNearMisses(written)).toMatchObject([{ meant }]);
});

test.each(['${VERSION:-1}', '${PORT}', '$HOME:x', '${nested:x}', '${{environment.X}}'])(
  'U1: %s is text that others write',
  (text) => {
    expect(findNearMisses(text)).toEqual([]);
  },
);
