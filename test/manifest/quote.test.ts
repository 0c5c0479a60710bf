import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import type { Code } from '../../src/diagnostics/codes.ts';
import type { Quote } from '../../src/diagnostics/diagnostic.ts';
import { diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { masking, withQuotes } from '../../src/manifest/quote.ts';
import { kinds } from '../../src/resources/index.ts';

/** The line of a file below an error, and what of it never shows. */

/** The quote of each line of a text. */
function quotesOf(text: string, code: Code = 'wrong-type'): Quote[] {
  const positions = text.split('\n').map((_, index) => ({ file: 'trueup.yaml', line: index + 1, column: 1 }));
  const found = positions.map((position) => diagnostic(code, 'x', { position }));
  return withQuotes(found, new Map([['trueup.yaml', text]]), kinds).flatMap(({ quote }) => quote ?? []);
}

/** The quote of the part between two marks. */
function quoteAt(marked: string): { text: string; part: string } | undefined {
  const [before = '', part = '', after = ''] = marked.split('§');
  const lines = before.split('\n');
  const column = (lines.at(-1)?.length ?? 0) + 1;
  const position = { file: 'f', line: lines.length, column, endColumn: column + part.length };
  const [found] = withQuotes(
    [diagnostic('wrong-type', 'x', { position })],
    new Map([['f', before + part + after]]),
    kinds,
  );
  const quote = found?.quote;
  return quote && { text: quote.text, part: quote.text.slice(quote.from, quote.to) };
}

describe('U12: the line of an error', () => {
  test.each([
    ['a field', 'main:\n  externalPort: §eighty§ # as always\n', '  externalPort: eighty', 'eighty'],
    ['a key', 'main:\n  §externalprot§: 80\n', '  externalprot: 80', 'externalprot'],
    ['quotes', `domains: { a: { §"port"§: 'x' } }`, `domains: { a: { "port": 'x' } }`, '"port"'],
    ['a list', 'watchPaths:\n- src\n- §5§\n', '- 5', '5'],
    ['a list in brackets', 'watchPaths: [a, §5§]', 'watchPaths: [a, 5]', '5'],
    ['tags of the project', 'project:\n  tags: [live, §5§]\n', '  tags: [live, 5]', '5'],
    [
      'the path of a file',
      "composeFile: §'${file:../a/b.yml}'§",
      "composeFile: '${file:../a/b.yml}'",
      "'${file:../a/b.yml}'",
    ],
    ['an expression', 'databasePassword: §${secrets:PW}§', 'databasePassword: ${secrets:PW}', '${secrets:PW}'],
    ['a password', 'databasePassword: §hunter2§', 'databasePassword: ********', '********'],
    ['a password with a colon', 'databasePassword: §hun: ter2§', 'databasePassword: ********', '********'],
    ['a value below a password', 'metadata:\n  postgres:\n    §x§: y', '    ********: ********', '********'],
    [
      'the address of a webhook',
      'drift:\n  notify:\n    - url: §https://hooks.example/services/a/b§\n',
      '    - url: ********',
      '********',
    ],
    ['a variable', 'env: { §TOKEN§: hunter2 }', 'env: { TOKEN: ******** }', 'TOKEN'],
    ['wide characters', 'name: "店舗"\ndescription: §店§', 'description: 店', '店'],
    ['line ends of two characters', 'port: 80\r\nhttps: §yes§\r\nport: 80\r\n', 'https: yes', 'yes'],
    [
      'an address with a password',
      'repositoryUrl: x\nregistryUrl: §https://u:pw@host§',
      'registryUrl: https://u:********@host',
      'https://u:********@host',
    ],
    ['a token', 'name: §ghp_16C7e42F292c6912E7710c838347Ae178B4a§', 'name: ********', '********'],
  ])('with %s is quoted with its part', (_title, marked, text, part) => {
    expect(quoteAt(marked)).toEqual({ text, part });
  });

  test.each([
    ['of which only a comment is left', 'port: 80\n§# password: hunter2§\n'],
    ['that is too long', `name: §x§ # ${'y'.repeat(5000)}\n`],
    ['that does not exist', '§§'],
  ])('%s is not quoted', (_title, marked) => {
    expect(quoteAt(marked)).toBeUndefined();
  });

  test('of a file that is not at hand is not quoted', () => {
    const found = diagnostic('wrong-type', 'x', { position: { file: 'other', line: 1, column: 1 } });
    expect(withQuotes([found], new Map(), kinds)).toEqual([found]);
  });
});

const secret = 'canary-one-canary-two';

/** A manifest in which a secret stands wherever one can. */
const text = `trueup: 1
project: prj_1
variables: { token: { default: ${secret} } } # ${secret}
secrets: [{ command: [get, --token, ${secret}] }]
environments:
  production:
    env: { A_TOKEN: ${secret}, "PASSWORD": "${secret}", PW: '${secret}', PORT: 80 }
    postgres:
      main:
        dockerImage: postgres:17
        databasePassword: ${secret} # was ${secret}
        databaseName: "shop"
        env: |
          A_TOKEN=${secret}
          PASSWORD: ${secret}
        backups:
          nightly: { schedule: '0 3 * * *', metadata: { postgres: { databasePassword: ${secret}, ${secret}: 1 } } }
    compose:
      shop:
        source:
          type: raw
          composeFile: |
            services: { web: { image: nginx, environment: [ TOKEN=${secret} ] } }
        env:
          DATABASE_URL: postgres://shop:${secret}@host/db
          TOKEN: "${secret}
            ${secret}"
          OTHER_SECRET: ${secret}
            ${secret}
        domains: { a.example.com: { serviceName: web, https: true } }
sshKeys:
  deploy:
    privateKey: >-
      -----BEGIN OPENSSH PRIVATE KEY-----
      ${secret}
`;

describe('a secret', () => {
  test('never shows in a line of a valid manifest', () => {
    expect(parseDocument(text).errors).toEqual([]);
    const lines = quotesOf(text).map((quote) => quote.text);
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.filter((line) => line.includes('canary'))).toEqual([]);
    expect(lines).toContain('        dockerImage: postgres:17');
  });

  test('never shows in a line of a manifest that is not valid YAML', () => {
    const signs = ['"', "'", ': ', '\n', '  ', '\t', '{', '}', '[', ']', ', ', '# ', '- ', '|', '>', '&a ', '*a', '${'];
    const edit = fc.record({
      at: fc.nat(text.length),
      removes: fc.nat(3),
      adds: fc.constantFrom('', ...signs),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        let broken = text;
        for (const { at, removes, adds } of edits) {
          const isInSecret = [...broken.matchAll(/canary-one-canary-two/g)].some(
            ({ index }) => at + removes > index && at < index + secret.length,
          );
          if (!isInSecret) broken = broken.slice(0, at) + adds + broken.slice(at + removes);
        }
        const shown = quotesOf(broken, 'yaml-syntax').filter((quote) => quote.text.includes('canary'));
        expect(shown).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

const random = 'V1StGXR8Z5jdHi6BmyT';

describe('what looks like no secret', () => {
  test.each([
    ['accessKeyId: AKID1234', undefined],
    ['canAccessToSSHKeys: key1', undefined],
    [`accessedServices: [${random}]`, undefined],
    [`main: { appName: shop-${random}, dockerImage: "shop:${random}" }`, undefined],
    [`env: { appName: ${random} }`, 'env: { appName: ******** }'],
    [`private: [appName]\nmain: { appName: ${random} }`, 'main: { appName: ******** }'],
    ['appName: ghp_16C7e42F292c6912E7710c838347Ae178B4a', 'appName: ********'],
    ['source: { type: raw, composeFile: "services: { web: { image: nginx, restart: always } }" }', undefined],
    ['main:\n  github: my-team/shop\n', undefined],
    ['main:\n  restart: unless-stopped\n', undefined],
    ['accepted:\n  - { kind: application, until: 2026-12-31, because: Black Friday, by: ada }\n', undefined],
    ['env: { REGION: eu-central-1, TIER: production, DB_USER: shop, DB_PASSWORD: "${secret:PW}" }', undefined],
    ['metadata: { mariadb: { databaseUser: nextcloud } }', 'metadata: { ********: { ********: nextcloud } }'],
    ['private: [CUSTOMER]\nenv: { CUSTOMER: Example GmbH, TAG: "1" }\n', 'env: { CUSTOMER: ********, TAG: "1" }'],
    [
      'variables: { db_password: { default: hunter2 }, tier: { default: gold } }',
      'variables: { db_password: { default: ******** }, tier: { default: gold } }',
    ],
    ['env: |\n  A=1\n  DB_PASSWORD=hunter2\n', '  DB_PASSWORD=********'],
    ['env:\n  URL: postgres://shop:hunter2@db/shop\n', '  URL: postgres://shop:********@db/shop'],
    ['command: [redis-server, --requirepass, hunter2]', 'command: [redis-server, --requirepass, ********]'],
  ])('shows in a valid manifest: %s', (text, shown) => {
    const quotes = quotesOf(text).map((quote) => quote.text);
    const lines = text.trimEnd().split('\n');
    if (shown === undefined) expect(quotes).toEqual(lines);
    else expect(quotes).toContain(shown);
  });

  test.each([
    ['restart: always\nbroken: "x\n', ['restart: always', 'broken: ********']],
    ['port: 8080\nhttps: yes\nenv: {\n', ['port: 8080', 'https: yes', 'env: {']],
    ['github: team/shop\n\tx: 1\n', ['github: ********', '\tx: 1']],
    ['image: "${var:image}"\n- a\n', ['image: "${var:image}"', '- ********']],
    ['databasePassword: hunter\nx: [\n', ['databasePassword: ********', 'x: [']],
    ['DB_PASSWORD "hunter2\nb: 1\n', ['********', 'b: 1']],
    ['tokens:\n  - hunter\n x: ]\n', ['tokens:', '  - ********', ' ********']],
    ['A: x # password: hunter2\nb: }\n', ['A: x', 'b: ********']],
  ])('shows in a broken one: %s', (text, shown) => {
    expect(quotesOf(text, 'yaml-syntax').map((quote) => quote.text)).toEqual(shown);
  });
});

test('quotes the lines of many errors in a time that grows with their number', () => {
  const count = 20_000;
  const many = Array.from({ length: count }, (_, index) => `a${index}: { port: eighty }`).join('\n');
  expect(quotesOf(many)).toHaveLength(count);
  const oneLine = `a: [${'x, '.repeat(50_000)}]`;
  const positions = Array.from({ length: count }, (_, index) => ({ file: 'f', line: 1, column: 5 + 3 * index }));
  const found = positions.map((position) => diagnostic('wrong-type', 'x', { position }));
  const quotes = withQuotes(found, new Map([['f', oneLine]]), kinds).filter(({ quote }) => quote !== undefined);
  expect(quotes).toEqual([]);
});

test.each([
  ['in one line', 'x-a: ', '{a: ', '}'],
  ['in a line each', 'x-a:\n', ' {a:\n', ' }'],
])('brackets of any depth %s cost a time that grows with the text', (_title, start, open, close) => {
  const depth = 50_000;
  const quotes = quotesOf(`${start}${open.repeat(depth)}port${close.repeat(depth)}`);
  expect(quotes.filter((quote) => quote.text.includes('port'))).toEqual([]);
});

test('behind more than 64 brackets nothing shows', () => {
  const nested = (depth: number) => quotesOf(`${'{ a: '.repeat(depth)}\n{ port: 80 }${' }'.repeat(depth)}`)[1]?.text;
  expect(nested(63)).toContain('{ port: 80 }');
  expect(nested(64)).not.toMatch(/port|80/);
});

test.each([
  ['behind a colon in a key', 'cache: { §databasePassword:hunter2§ }'],
  ['behind a colon in a key of a block', 'cache:\n  §DB_PASSWORD:hunter2§: x'],
  ['as a key two below a map of names', 'env: { DB_PASSWORD: { §hunter2§: x } }'],
  ['as a key below a definition of a variable', 'variables: { token: { default: { §hunter2§: x } } }'],
  ['as a key that looks like one', 'env: { §ghp_16C7e42F292c6912E7710c838347Ae178B4a§: x }'],
  ['below a block of text', 'metadata:\n  postgres:\n    command: |\n      x\n    a: b\n    description: §hunter2§'],
])('a secret %s does not show', (_title, marked) => {
  expect(quoteAt(marked)?.text).toContain('********');
  expect(quoteAt(marked)?.text).not.toMatch(/hunter2|ghp_/);
});

test.each([
  ['a key in quotes with a colon', 'domains: { §"a:b"§: { port: 80 } }', '"a:b"'],
  ['a name of a variable', 'env: { §DB_PASSWORD§: x }', 'DB_PASSWORD'],
  ['a key of a definition', 'variables: { a: { §default§: x } }', 'default'],
  ['a merge of maps', 'main:\n  §<<§: *limits', '<<'],
  ['a key behind a block of text', 'main:\n  command: |\n    x\n  §cpuLimit§: lots', 'cpuLimit'],
  ['a value behind a block of text', 'main:\n  command: |\n    x\n  cpuLimit: §lots§', 'lots'],
  ['a key behind an empty block of text', 'main:\n  composeFile: |\n  §domains§: {}', 'domains'],
  ['a key behind a folded text', 'main:\n  composeFile: >-\n    a: b\n\n  §env§: {}', 'env'],
])('%s shows', (_title, marked, part) => {
  expect(quoteAt(marked)?.part).toBe(part);
});

/** A manifest with a text in front of a block whose fields have it by an alias or an expression. */
const elsewhere = (start: string, fields: string, key = 'main') =>
  `${start}\nenvironments:\n  production:\n    postgres:\n      ${key}: { ${fields} }\n`;
const template = (parameter: string, block = 'databasePassword: "${param:login}"') =>
  `templates:\n  db:\n    parameters: { login: ${parameter} }\n    block: { ${block} }`;

test.each([
  ['an alias', elsewhere('x-a: &login my`tiger9', 'databasePassword: *login')],
  ['an alias of a text in a map', elsewhere('x-a: { b: &login my`tiger9 }', 'databasePassword: *login')],
  ['an alias of a list', elsewhere('x-a: &login [tiger9]', 'private: [LOGIN], env: { LOGIN: *login }')],
  ['an alias below a secret name', elsewhere('x-a: &login tiger9', 'env: { DB_PASSWORD: *login }')],
  ['an alias in a list below a secret', elsewhere('x-a: &login tiger9', 'databasePassword: [*login]')],
  ['an alias of an alias', elsewhere('x-a: &a tiger9\nx-b: &b [*a]', 'databasePassword: *b')],
  ['the inner of two anchors', elsewhere('x-a: &a [&a tiger9]', 'databasePassword: *a')],
  ['an alias beside merged maps', elsewhere('x-a: &a { <<: {} }\nx-b: &b tiger9', 'databasePassword: *b')],
  ['a parameter', elsewhere(template('{}'), 'use: db, with: { login: my`tiger9 }')],
  ['the default of a parameter', elsewhere(template('{ default: my`tiger9 }'), 'use: db')],
  [
    'a parameter in env',
    elsewhere(template('{}', 'env: { DB_PASSWORD: "${param:login}" }'), 'use: db, with: { login: tiger9 }'),
  ],
  [
    'a parameter that is private',
    elsewhere(template('{}', 'private: [A], env: { A: "${param:login}" }'), 'use: db, with: { login: tiger9 }'),
  ],
  ['a variable', elsewhere('variables: { a: { default: tiger9 } }', 'databasePassword: "${var:a}"')],
  ['the value of a variable', elsewhere('variables: { a: tiger9 }', 'databasePassword: "${var:a}"')],
  [
    'a variable by a parameter',
    elsewhere(`variables: { a: { default: tiger9 } }\n${template('{}')}`, 'use: db, with: { login: "${var:a}" }'),
  ],
])('a secret that reaches its field by %s does not show where it stands', (_title, manifest) => {
  expect(parseDocument(manifest).errors).toEqual([]);
  const lines = quotesOf(manifest).map((quote) => quote.text);
  expect(lines.join('\n')).toContain('********');
  expect(lines.join('\n')).not.toContain('tiger9');
  const [shown, ...rest] = [manifest, ''].map(masking([manifest], kinds));
  expect(shown).not.toContain('tiger9');
  expect(rest).toEqual(['']);
});

const inAddress = (hole: string) => `env: { URL: "postgres://app:\${${hole}}@db/app" }`;

test.each([
  ['a parameter', elsewhere(template('{}', inAddress('param:login')), 'use: db, with: { login: tiger9 }')],
  ['a number as a parameter', elsewhere(template('{}', inAddress('param:login')), 'use: db, with: { login: 7909990 }')],
  ['the default of a parameter', elsewhere(template('{ default: tiger9 }', inAddress('param:login')), 'use: db')],
  [
    'a parameter that is user and password',
    elsewhere(
      template('{}', 'env: { URL: "postgres://${param:login}@db/app" }'),
      'use: db, with: { login: "app:tiger9" }',
    ),
  ],
  ['a variable', elsewhere('variables: { a: { default: tiger9 } }', inAddress('var:a'))],
  ['a variable that is encoded', elsewhere('variables: { a: { default: tiger9@ } }', inAddress('var:a|urlencode'))],
  [
    'a variable that becomes another word',
    elsewhere('variables: { a: "app:tiger9" }', 'env: { A: "Authorization: Basic ${var:a|base64}" }'),
  ],
  [
    'a text in a compose file',
    elsewhere('variables: { a: tiger9 }', 'composeFile: "{ web: { command: app --db-password ${var:a} } }"'),
  ],
  [
    'a parameter of a parameter',
    elsewhere(
      `${template('{}', 'use: url, with: { a: "app:${param:login}" }')}\n  url:\n    parameters: { a: {} }\n    block: { env: { A: "postgres://\${param:a}@db" } }`,
      'use: db, with: { login: tiger9 }',
    ),
  ],
  [
    'a variable by a parameter',
    elsewhere(
      `variables: { a: { default: tiger9 } }\n${template('{}', inAddress('param:login'))}`,
      'use: db, with: { login: "${var:a}" }',
    ),
  ],
  [
    'an alias',
    elsewhere(`x-a: &a tiger9\n${template('{}', inAddress('param:login'))}`, 'use: db, with: { login: *a }'),
  ],
  [
    'an alias of all parameters',
    elsewhere(`x-a: &a { login: tiger9 }\n${template('{}', inAddress('param:login'))}`, 'use: db, with: *a'),
  ],
  [
    'a merged map of parameters',
    elsewhere(`x-a: &a { login: tiger9 }\n${template('{}', inAddress('param:login'))}`, 'use: db, with: { <<: *a }'),
  ],
  ['an alias of variables', elsewhere('x-a: &a { a: tiger9 }\nvariables: *a', inAddress('var:a'))],
])('a secret that is a part of a longer text by %s does not show where it stands', (_title, manifest) => {
  const secret = manifest.includes('7909990') ? '7909990' : 'tiger9';
  expect(parseDocument(manifest).errors).toEqual([]);
  expect(
    quotesOf(manifest)
      .map(({ text }) => text)
      .join('\n'),
  ).not.toContain(secret);
  expect(masking([manifest], kinds)(manifest)).not.toContain(secret);
});

test('what is a part of a longer text beside a secret shows', () => {
  const manifest = elsewhere(
    `variables: { host: { default: db1 }, user: { default: app } }\n${template('{}', 'env: { URL: "postgres://${var:user}:${secret:PW}@${var:host}:5432/${param:login}" }')}`,
    'use: db, with: { login: main }',
  );
  expect(quotesOf(manifest).map(({ text }) => text)).toEqual(manifest.trimEnd().split('\n'));
});

test('a secret in one file does not show where it reaches its field by a template or a variable in another', () => {
  const files = new Map([
    ['root.yaml', elsewhere('variables: { a: tiger9 }', 'use: db, with: { login: zebra7 }')],
    ['values.yaml', 'a: tiger9\n'],
    ['shared.yaml', `${template('{}')}\napplication: { x: { private: [A], env: { A: "\${var:a}" } } }\n`],
  ]);
  const found = [...files].flatMap(([file, whole]) =>
    whole
      .split('\n')
      .map((_, index) => diagnostic('wrong-type', 'x', { position: { file, line: index + 1, column: 1 } })),
  );
  const lines = withQuotes(found, files, kinds).flatMap(({ quote }) => quote?.text ?? []);
  expect(lines.join('\n')).not.toMatch(/tiger9|zebra7/);
  expect(lines).toContain('variables: { a: ******** }');
});

test('what reaches no secret by an alias or an expression shows', () => {
  const manifest = elsewhere(
    `x-a: &name shop\nvariables: { tier: { default: gold } }\n${template('{}', 'databaseName: "${param:login}"')}`,
    'use: db, with: { login: main }, databaseUser: *name, description: "${var:tier}", databasePassword: "${secret:PW}"',
  );
  expect(quotesOf(manifest).map((quote) => quote.text)).toEqual(manifest.trimEnd().split('\n'));
});
