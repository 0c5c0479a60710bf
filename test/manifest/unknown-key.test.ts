import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { bench, head } from '../support/world.ts';

/** What a key that does not exist was meant to be, and what follows from it. */

/** What is wrong with a manifest: the sentence and the remedy of each error. */
async function problems(
  text: string | Record<string, string>,
  secrets: Record<string, string> = {},
): Promise<string[]> {
  const made = bench();
  Object.assign(made.secrets, secrets);
  try {
    await made.manifest(text);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return error.diagnostics.map(({ message, remedy }) => `${message} -> ${remedy ?? ''}`);
  }
  return [];
}

const services = (lines: string) => `${head}environments:\n  production:\n${lines}`;
const database = (more: string) =>
  services(`    postgres:
      main: { dockerImage: "postgres:17", databaseName: a, databaseUser: a, databasePassword: abcdef, ${more} }
`);
const application = (more: string) =>
  services(`    application:\n      web: { source: { type: docker, image: nginx }, ${more} }\n`);
const domain = (more: string) => application(`domains: { a.example.com: { ${more} } }`);
const stack = (source: string) => services(`    compose:\n      shop: { source: { ${source} } }\n`);

describe('U12: a key of another tool', () => {
  test.each([
    ['image', database('image: x'), 'Did you mean dockerImage?'],
    ['password', database('password: x'), 'Did you mean databasePassword?'],
    ['a misspelt password', database('pasword: x'), 'Did you mean databasePassword?'],
    ['user', database('user: x'), 'Did you mean databaseUser?'],
    ['a word that resembles another key', database('dbName: x'), 'Did you mean databaseName?'],
    ['volumes', database('volumes: []'), 'Did you mean mounts?'],
    ['ports', database('ports: []'), 'Did you mean externalPort?'],
    ['ports of an application', application('ports: []'), 'Write it as ports: { name: { … } }.'],
    ['environment', application('environment: {}'), 'Did you mean env?'],
    ['tls', domain('tls: true'), 'Did you mean https?'],
    ['hostname', domain('hostname: x'), 'Did you mean host?'],
    ['cron', database('backups: { a: { cron: x } }'), 'Did you mean schedule?'],
    ['cron of a volume', application('volumeBackups: { a: { cron: x } }'), 'Did you mean schedule?'],
    [
      'image of an application',
      application('image: x'),
      'Write it inside of source:, as source: { type: docker, image: … }.',
    ],
    ['depends_on', application('depends_on: [a]'), 'Remove it. A service is deployed after what its'],
    ['dependsOn', application('dependsOn: [a]'), 'Remove it. A service is deployed after what its'],
    ['postgresql', services('    postgresql: {}\n'), 'Did you mean postgres?'],
    ['mongodb', services('    mongodb: {}\n'), 'Did you mean mongo?'],
    ['sqlite', services('    sqlite: {}\n'), 'Did you mean libsql?'],
    ['stacks', services('    stacks: {}\n'), 'Did you mean compose?'],
    ['services', services('    services: {}\n'), 'Did you mean application?'],
    ['a service at the top', `${head}postgres: {}\n`, 'Write it inside of a block of environments:'],
    [
      'domains in an environment',
      services('    domains: {}\n'),
      'Write it inside of a block of application: or compose:',
    ],
    ['a git host in an environment', services('    gitlab: {}\n'), 'Write gitlab: at the top of the file.'],
  ])('%s is told by the one that was meant', async (_title, text, remedy) => {
    const found = await problems(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`-> ${remedy}`);
  });

  test('that is near to none lists a few, and the page with all', async () => {
    const [found = ''] = await problems(database('zzzzzz: x'));
    expect(found).toMatch(/-> It takes (\w+, ){11}\w+ and \d+ more: docs\/kinds\/postgres\.md\.$/);
    expect(await problems(services('    zzzzzz: 1\n'))).toEqual([
      expect.stringMatching(
        /-> It takes application, compose, (\w+, ){9}\w+ and \d+ more: docs\/kinds\/environment\.md\.$/,
      ),
    ]);
  });
});

describe('a bad value that an expression gave: the remedy is about what it stands for', () => {
  const varied = (value: string, text: string) => `${text}variables: { it: { default: ${JSON.stringify(value)} } }\n`;
  const key = (more: string) => `${head}sshKeys:\n  deploy: { publicKey: "ssh-ed25519 AAAA a", ${more} }\n`;

  test.each([
    [
      'a number',
      varied('eighty', domain('port: "${var:it}"')),
      /^port must be a number, got "eighty" -> Correct the value of \$\{var:it\}, from trueup\.yaml:\d+:29\. For example 8080\. /,
    ],
    [
      'a choice',
      varied('volumes', application('mounts: { /data: { type: "${var:it}", volumeName: d } }')),
      /-> Correct the value of \$\{var:it\}, from trueup\.yaml:\d+:29\. Did you mean volume\?/,
    ],
    [
      'a switch',
      varied('yes', domain('https: "${var:it}"')),
      /^https must be true or false, got "yes" -> Correct the value of \$\{var:it\}, from trueup\.yaml:\d+:29\. /,
    ],
    [
      'two parts',
      varied('-', database('externalPort: "${var:it}${var:it}"')),
      /-> Correct the value of \$\{var:it\}, from trueup\.yaml:\d+:29\. /,
    ],
  ])('%s', async (_what, text, expected) => {
    const found = await problems(text);
    expect(found).toEqual([expect.stringMatching(expected)]);
    expect(found.join()).not.toMatch(/Write/);
  });

  test('a secret: nothing says to write one into the manifest', async () => {
    const found = await problems(key('privateKey: "${secret:KEY}"'), { KEY: 'no key at all' });
    expect(found).toEqual([
      expect.stringMatching(/PEM form .* -> Correct the value of \$\{secret:KEY\}\. Private half/),
    ]);
    expect(found.join()).not.toMatch(/Write|no key at all|BEGIN/);
  });
});

describe('U12: a bad value', () => {
  test.each([
    ['yes', domain('https: yes'), 'https must be true or false, got "yes" -> Write https: true.'],
    ['off', domain('https: off'), 'https must be true or false, got "off" -> Write https: false.'],
    ['a number in quotes', domain('port: "80"'), 'port must be a number, got "80" -> Write port: 80, without quotes.'],
    [
      'text for a number',
      domain('port: eighty'),
      'port must be a number, got "eighty" -> Write for example port: 8080.',
    ],
    [
      'a version that is a number',
      database('description: 16.10'),
      'description must be text, got 16.1 -> Write it in quotes: description: "16.10".',
    ],
    [
      'a word with other capitals',
      domain('certificateType: LetsEncrypt'),
      'certificateType must be "letsencrypt", "none" or "custom", got "LetsEncrypt" -> Did you mean letsencrypt?',
    ],
    [
      'a source with other capitals',
      stack('type: Raw, composeFile: "services: {}"'),
      'source.type must be raw, git, github, gitlab, bitbucket or gitea, got "Raw" -> Did you mean raw?',
    ],
    [
      'a source without a type',
      stack('composeFile: "services: {}"'),
      'source.type is missing -> Write source: { type: raw, … }',
    ],
  ])('%s is named, with what to write', async (_title, text, words) => {
    const found = await problems(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(words);
  });

  test('is not named where it is a secret', async () => {
    const [found = ''] = await problems(database('').replace('abcdef', '12345678'));
    expect(found).toContain('databasePassword must be text, got a number');
    expect(found).not.toContain('12345678');
  });
});

describe('U12: one mistake is one error', () => {
  const referring = `    compose:
      shop:
        source: { type: raw, composeFile: "services: {}" }
        env: { A: "\${ref:postgres.main.host}", B: "\${ref:postgres.main.appName}" }
`;

  test.each([
    ['a misspelt section', `    postgress:\n      main: { dockerImage: "postgres:17" }\n${referring}`],
    ['a section that is empty', `    postgres:\n${referring}`],
    ['a block that is empty', `    postgres:\n      main:\n${referring}`],
    ['a block that is no map', `    postgres: { main: 5 }\n${referring}`],
  ])('%s, without one for each reference into it', async (_title, lines) => {
    expect(await problems(services(lines))).toHaveLength(1);
  });

  test('a misspelt word for environments', async () => {
    expect(await problems(services(referring).replace('environments:', 'enviroments:'))).toEqual([
      'a manifest has no key enviroments -> Did you mean environments?',
    ]);
  });

  test('an included file that cannot be read', async () => {
    expect(await problems(services(referring).replace('environments:', 'include: [none.yaml]\nenvironments:'))).toEqual(
      [expect.stringContaining('none.yaml')],
    );
  });

  test('a mistake in a fragment that many blocks take, with their addresses', async () => {
    const blocks = Array.from({ length: 8 }, (_, index) => `      a${index}: { <<: *base }\n`).join('');
    const text = services(
      `    redis:\n      base: &base { databasePassword: abcdef, externalPort: eighty }\n${blocks}`,
    );
    const refused = bench().manifest(text);
    await expect(refused).rejects.toMatchObject({
      diagnostics: [
        {
          address: 'production.redis.base',
          message: 'externalPort must be a number, got "eighty"',
          details: [expect.stringMatching(/^also in production\.redis\.a0, .*a4 and 3 more$/)],
        },
      ],
    });
  });

  test('U7: an expression in a key', async () => {
    const text = application('domains: { "${var:host}": { port: 80 } }');
    expect(await problems(text)).toEqual([
      '${var:host} stands in a key, and expressions do not work in keys -> ' +
        'Write a name of your own as the key, and below it host: "${var:host}".',
    ]);
  });
});

describe('a word of a compose file in the block of a compose', () => {
  const source = 'source: { type: raw, composeFile: "services: {}" }';

  test.each([
    [`shop: { image: nginx, ${source} }`, 'a compose has no key image -> write the images in the compose file,'],
    [`shop: { services: {}, ${source} }`, 'a compose has no key services -> write them in the compose file: source:'],
    [
      'image: nginx',
      'image must be a map of fields -> compose: holds blocks by their names. Write it as compose: { name: { … } }.',
    ],
  ])('%s is answered with its place', async (block, words) => {
    const found = await problems(services(`    compose:\n      ${block}\n`));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(words);
  });
});

describe('U12: a reference that names nothing', () => {
  const text = (reference: string) =>
    services(`    postgres:
      main: { dockerImage: "postgres:17", databaseName: a, databaseUser: a, databasePassword: abcdef }
    compose:
      shop: { source: { type: raw, composeFile: "services: {}" }, env: { A: "\${ref:${reference}}" } }
`);

  test.each([
    ['postgres.mian.host', 'Did you mean ${ref:postgres.main.host}?'],
    ['postgres.main.hots', 'Did you mean ${ref:postgres.main.host}?'],
    ['posgres.main.host', 'Did you mean ${ref:postgres.main.host}?'],
    ['prodution.postgres.main.host', 'Did you mean ${ref:production.postgres.main.host}?'],
    ['postgres.mian.hots', 'Did you mean ${ref:postgres.main.host}?'],
    ['postgres.main', 'Write an output behind it: ${ref:postgres.main.host}. It has id, host, appName.'],
    ['main.host', 'Did you mean ${ref:postgres.main.host}?'],
    ['postgres.host', 'Addresses look like production.compose.shop.'],
    ['redis.cache.host', 'Addresses look like production.compose.shop.'],
  ])('%s', async (reference, remedy) => {
    const found = await problems(text(reference));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`-> ${remedy}`);
  });

  test('from a block at the top is answered with an address that exists', async () => {
    const found = await problems(
      services('    description: "${ref:redis.cache.host}"\n').replace('environments:', 'environments:\n  other: {}'),
    );
    expect(found[0]).toContain('-> Addresses look like production.');
  });

  test('is one of very many: the first get a suggestion, in a time that grows with their number', async () => {
    const count = 2_000;
    const blocks = Array.from({ length: count }, (_, index) => `a${index}: { env: { A: "\${ref:redis.main.host}" } }`);
    const found = await problems(`${head}environments:\n${blocks.map((line) => `  ${line}\n`).join('')}`);
    expect(found).toHaveLength(count);
  });
});

test('U12: a variable that is not declared', async () => {
  const text = `${head}variables: { tag: {} }\nenvironments: { production: { description: "\${var:tga}" } }\n`;
  expect(await problems(text)).toEqual(['there is no variable tga -> Did you mean ${var:tag}?']);
});

describe('a key that holds its value, because a blank is missing,', () => {
  const blank = (name: string) => `Write ${name}: with a blank behind the colon.`;
  const redis = (more: string) => services(`    redis:\n      cache: { dockerImage: "redis:7", ${more} }\n`);

  test.each([
    [
      'of a kind',
      redis('databasePassword:hunter2'),
      `a redis has no key databasePassword:… -> ${blank('databasePassword')}`,
    ],
    [
      'with =',
      redis('databasePassword=hunter2'),
      `a redis has no key databasePassword=… -> ${blank('databasePassword')}`,
    ],
    ['of env', application('env: { DB_PASSWORD:hunter2 }'), `env.DB_PASSWORD:… is null -> ${blank('DB_PASSWORD')}`],
    [
      'of env that is a map',
      application('env: { DB_PASSWORD:hunter2: {} }'),
      `env.DB_PASSWORD:… must be text -> ${blank('DB_PASSWORD')}`,
    ],
    ['of a union', stack('type:hunter2, type: raw, composeFile: a'), `source.type:… -> ${blank('type')}`],
    ['of a manifest', `${head}project:hunter2:\n`, `a manifest has no key project:… -> ${blank('project')}`],
    ['of a setting', `${head}state: { backend: local, url:hunter2 }\n`, 'state has no key url:…'],
    ['of a variable', `${head}variables: { token: { default:hunter2 } }\n`, 'default:…'],
    ['that is a variable', `${head}variables: { token:hunter2 }\n`, 'variables.token:…'],
    ['that stands twice', services('    redis: { cache:hunter2, cache:hunter2 }\n'), 'this key is defined twice'],
    ['of a block', services('    redis: { cache:hunter2 }\n'), `cache:… is empty -> ${blank('cache')}`],
    ['of a block with =', services('    redis: { cache=hunter2: 1 }\n'), `cache=… must be a map of fields -> `],
    ['without a colon', redis('databasePassword hunter2'), `databasePassword … -> Did you mean databasePassword?`],
    ['of env without a colon', application('env: { DB_PASSWORD hunter2 }'), 'env.DB_PASSWORD … is null'],
    ['of a block without a colon', services('    redis: { cache hunter2 }\n'), 'cache … is empty'],
  ])('%s shows up to there', async (_title, text, says) => {
    const told = (await problems(text)).join('\n');
    expect(told).toContain(says);
    expect(told).not.toContain('hunter2');
  });

  test('of a block shows up to there in its address too', async () => {
    const failed = await bench()
      .manifest(services('    redis: { cache:hunter2 }\n'))
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ diagnostics: [{ address: 'production.redis["cache:…"]' }] });
    expect(JSON.stringify(failed)).not.toContain('hunter2');
  });

  test.each([
    ['of a setting', `${head}state: { backend: local, url:hunter2 }\n`],
    ['of a block', services('    redis: { cache:hunter2 }\n')],
    ['of a kind', redis('databasePassword:hunter2')],
    ['of a kind, without a colon', redis('databasePassword hunter2')],
    ['of a source', stack('type:hunter2, type: raw, composeFile: a')],
  ])('%s is masked in the line that is quoted', async (_title, text) => {
    const failed = await bench()
      .manifest(text)
      .catch((error: unknown) => error);
    const quotes = failed instanceof Stop ? failed.diagnostics.map(({ quote }) => quote?.text ?? '') : [];
    expect(quotes.join('\n')).toContain('********');
    expect(quotes.join('\n')).not.toContain('hunter2');
  });

  test('of which the beginning is no name stays whole', async () => {
    expect((await problems(redis('"22 tok=3D": 1')))[0]).toContain('a redis has no key 22 tok=3D -> ');
  });

  test('of an included file shows up to there', async () => {
    const files = { 'trueup.yaml': `${head}include: [more.yaml]\n`, 'more.yaml': 'token:hunter2: {}\n' };
    expect(await problems(files)).toEqual([`an included file has no key token:… -> ${blank('token')}`]);
  });
});
