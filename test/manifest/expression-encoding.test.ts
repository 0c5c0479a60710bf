import { writeFileSync } from 'node:fs';
import { compareSync } from 'bcryptjs';
import { breakingAddresses, encode } from '../../src/manifest/expression-encoding.ts';
import { parseExpressions } from '../../src/manifest/expression.ts';
import { describe, expect, it, test } from 'vitest';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import { validate } from '../../src/workflow/validate.ts';
import { actionsOf } from '../support/faults.ts';
import { oneError, told, warningsOf } from '../support/problems.ts';
import { kinds } from '../../src/resources/index.ts';
import { bench, head } from '../support/world.ts';

/** `|urlencode` behind an expression, and values that split the address around them. */

const env = (text: string, before = '') =>
  `${head}${before}environments: { production: { env: { URL: ${JSON.stringify(text)} } } }\n`;

/** What is reported of an address with the secret PW. */
async function warned(address: string, value: string): Promise<readonly string[]> {
  const made = bench();
  made.secrets['PW'] = value;
  writeFileSync(`${made.folder}/trueup.yaml`, env(address));
  const { warnings } = await validate({
    workspace: await openWorkspace(made.folder),
    file: 'trueup.yaml',
    kinds,
    env: () => undefined,
    secret: (name) => made.secrets[name],
    given: () => undefined,
    addSecret: () => undefined,
  });
  return warnings.map(({ code, message, remedy }) => `${code}: ${message} ${remedy}`);
}

const warning =
  'splits-address: the value of ${secret:PW} has a character that ends or splits the address around it Write ${secret:PW|urlencode}.';

describe('F10: an address with a secret', () => {
  it.each([
    'p@ss-word',
    'p#ss-word',
    'p:ss-word',
    'p/ss-word',
    'p?ss-word',
    'p%ss-word',
    'p ss-word',
    'p\\ss-word',
    'p%4',
  ])('F10: that is %s is reported, with its place and the encoding', async (value) => {
    expect(await warned('postgres://u:${secret:PW}@h/db', value)).toEqual([warning]);
    expect(await warned('a redis://:${secret:PW}@h b', value)).toEqual([warning]);
    expect(await warned('postgres://u:${secret:PW|urlencode}@h/db', value)).toEqual([]);
  });

  it.each([
    ['postgres://u:${secret:PW}@h/db', 'correct-horse_battery.1~'],
    ['postgres://u:${secret:PW}@h/db', 'p%40ss%2Fword'],
    ['postgres://u:${secret:PW}@h/db', '$&+,;=!()*'],
    ['postgres://${secret:PW}@h/db', 'user:password'],
    ['https://hooks.example.com/${secret:PW}', 'T0/B0/xyz'],
    ['https://h/x?key=${secret:PW}&to=a@b', 'a/b'],
    ['${secret:PW}', 'postgres://u:p@h/db'],
    ['key ${secret:PW} of a@b, https://h', 'a@b'],
    ['https://h "${secret:PW}" a@b', 'a@b'],
  ])('F10: %s that it does not split is not reported', async (address, value) => {
    expect(await warned(address, value)).toEqual([]);
  });

  it('F10: stands beside others, of which each is judged by itself', () => {
    const text = 'a://x:${secret:PW}@h ${secret:PW} b://${secret:PW}:${secret:PW|urlencode}@h c://${secret:PW}@h';
    const breaking = (value: string) =>
      breakingAddresses(
        parseExpressions(text).parts.map((part) => (typeof part === 'string' ? part : { ...part, value })),
      ).map(({ from }) => text.slice(0, from).split('${').length);
    expect([breaking('a/b'), breaking('a:b')]).toEqual([
      [1, 3, 5],
      [1, 3],
    ]);
  });

  it('F10: is reported at its place', async () => {
    const text = `${head}variables: { pw: { default: a@b } }\nenvironments: { production: { env: { URL: §"postgres://u:\${var:pw}@h" } } }\n`;
    expect(await warningsOf(text)).toEqual(['warning splits-address at the mark']);
  });
});

describe('F10: |urlencode', () => {
  const applied = async (
    text: string,
    secrets: Record<string, string> = {},
    variables: Record<string, string> = {},
  ) => {
    const made = bench();
    Object.assign(made.secrets, secrets);
    Object.assign(made.env, variables);
    await made.apply(text, { adoption: true });
    expect(actionsOf(await made.plan(text))).toEqual([]);
    return { made, env: Object.values(made.emulator.world.tables.environment).map(({ env: sent }) => sent) };
  };

  test.each([
    ['${secret:PW|urlencode}', { PW: 'p@s/s %é' }, {}, ''],
    ['${env:PW|urlencode}', {}, { PW: 'p@s/s %é' }, ''],
    ['${var:PW|urlencode}', {}, {}, 'variables: { PW: { default: "p@s/s %é" } }\n'],
  ])('F10: of %s sends the encoded value, and then plans nothing', async (text, secrets, variables, before) => {
    const { env: sent } = await applied(env(`postgres://u:${text}@h/db`, before), secrets, variables);
    expect(sent.join('')).toContain('URL=postgres://u:p%40s%2Fs%20%25%C3%A9@h/db');
  });

  test.each([
    ['${secret:PW|base64}', 'URL=cEBzIi9zJMOp'],
    ['{"a": "${secret:PW|json}"}', String.raw`p@s\"/s$é`],
    ['${secret:PW|base64|urlencode}', 'URL=cEBzIi9zJMOp'],
    ['${secret:PW|json|base64}', 'URL=cEBzXCIvcyTDqQ=='],
  ])('F10: %s, and then plans nothing', async (text, sends) => {
    const { made, env: sent } = await applied(env(text), { PW: 'p@s"/s$é' });
    expect(sent.join('')).toContain(sends);
    made.secrets['PW'] = 'another-pass';
    expect(actionsOf(await made.plan(env(text)))).toEqual([expect.stringContaining('production') as string]);
  });

  test('F10: |bcrypt gives the same hash of a password in each run, by the name of the secret', async () => {
    const text = env('${secret:PW|bcrypt} ${secret:OTHER|bcrypt} ${secret:PW|bcrypt|base64}');
    const password = 'pä$s"word-4711';
    const first = await applied(text, { PW: password, OTHER: password });
    const again = await applied(text, { PW: password, OTHER: password });
    expect(again.env).toEqual(first.env);
    const sent = first.env.join('');
    const [hash = '', other = ''] = sent.match(/\$2b\$10\$[./A-Za-z0-9]{53}/g) ?? [];
    expect([compareSync(password, hash), compareSync(password, other), compareSync('x', hash)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(hash.slice(0, 29)).not.toBe(other.slice(0, 29));
    expect(sent).toContain(Buffer.from(hash).toString('base64'));
    expect(first.made.redact(`a ${hash} b`)).not.toContain(hash.slice(8));
    first.made.secrets['PW'] = 'another-pass';
    expect(actionsOf(await first.made.plan(text))).toEqual([expect.stringContaining('production') as string]);
  });

  test('F10: |bcrypt of a password that it would cut off is refused', async () => {
    await warned('${secret:PW|bcrypt}', 'é'.repeat(36));
    await expect(warned('${secret:PW|bcrypt}', 'é'.repeat(37))).rejects.toThrow('longer than bcrypt reads');
  });

  test('F10: |compose doubles what compose reads as a variable, and a hash without it is refused', async () => {
    const file = (word: string) =>
      `${head}environments: { production: { compose: { shop: { source: { type: raw, composeFile: §"services: { web: { image: nginx, labels: { users: 'admin:\${secret:PW|${word}}' } } }" } } } } }\n`;
    const { made } = await applied(file('bcrypt|compose').replace('§', ''), { PW: 'pass-word-4711' });
    const sent = Object.values(made.emulator.world.tables.compose).map((row) => row['composeFile']);
    expect(sent.join('')).toMatch(/admin:\$\$2b\$\$10\$\$[./A-Za-z0-9]{53}'/);
    const refused = await told(file('bcrypt'));
    expect(refused).toEqual(oneError('wrong-type', ''));
    expect(refused.said).toContain('Write ${secret:PW|bcrypt|compose}');
    const env = (value: string) =>
      `${head}environments: { production: { compose: { shop: { source: { type: raw, composeFile: "services: { web: { image: nginx, environment: [USERS] } }" }, env: { USERS: §"${value}" } } } } }\n`;
    expect(await told(env('admin:${secret:PW|bcrypt}'))).toEqual(oneError('wrong-type', 'env.USERS: compose reads'));
    for (const value of ['${secret:PW|bcrypt|compose}', '${secret:PW|bcrypt|base64}', "'${secret:PW|bcrypt}'"])
      expect((await told(env(value).replace('§', ''))).said).toBe('');
  });

  test.each(['urlencode', 'base64', 'json', 'base64|urlencode'])(
    'F10: |%s of a reference is known after the creation of its object, and then plans nothing',
    async (word) => {
      const databases = `redis: { "a|b": { dockerImage: redis:8, databasePassword: 'p@s/word' } }`;
      const text = `${head}environments: { production: { ${databases}, application: { web: { source: { type: docker, image: nginx }, env: { A: "x \${ref:redis[\\"a|b\\"].host} \${ref:redis[\\"a|b\\"].host|${word}} y" } } } } }\n`;
      const { made } = await applied(text);
      const sent = Object.values(made.emulator.world.tables.application).map((row) => row['env']);
      const [, plain = '', coded = ''] = /x (\S+) (\S+) y/.exec(sent.join('')) ?? [];
      const once = decodeURIComponent(coded);
      expect([plain, word.startsWith('base64') ? Buffer.from(once, 'base64').toString('utf8') : once]).toEqual([
        expect.stringMatching(/\w/),
        plain,
      ]);
      expect(coded === plain).toBe(!word.startsWith('base64'));
    },
  );

  test('F10: a value that an encoding makes break an address is reported too', async () => {
    expect(await warned('a://u:${secret:PW|base64}@h', 'p?????w')).toEqual([
      'splits-address: the value of ${secret:PW|base64} has a character that ends or splits the address around it Write ${secret:PW|base64|urlencode}.',
    ]);
    expect(await warned('a://u:${secret:PW|base64|urlencode}@h', 'p?????w')).toEqual([]);
  });

  test('F10: of a number gives its text', async () => {
    const { env: sent } = await applied(env('a://u:${var:n|urlencode}@h', 'variables: { n: { default: 16.10 } }\n'));
    expect(sent.join('')).toContain('URL=a://u:16.10@h');
  });

  test('F10: with the same secret beside it, and without it in later runs', async () => {
    const text = env('a://${secret:PW|urlencode}@h ${secret:PW}');
    const { made } = await applied(text, { PW: 'p@ss-word-1' });
    const plain = text.replace('|urlencode', '');
    expect(actionsOf(await made.plan(plain))).toEqual([expect.stringContaining('production') as string]);
    delete made.secrets['PW'];
    expect(actionsOf(await made.plan(text))).toEqual([]);
    const problems = (await made.plan(plain)).actions.flatMap(({ notes }) => notes.map(({ message }) => message));
    expect(problems).toEqual(['env.URL: it was edited and needs PW, which this run does not have']);
    made.secrets['PW'] = 'p@ss-word-2';
    expect(actionsOf(await made.plan(text))).toEqual([expect.stringContaining('production') as string]);
    await made.apply(text);
    expect(actionsOf(await made.plan(text))).toEqual([]);
  });

  test('F10: stands in a compose file beside the secret itself', async () => {
    const composeFile =
      'services:\n  web:\n    image: nginx:1\n    environment:\n      A: "a://u:${secret:PW|urlencode}@h"\n      B: "${secret:PW}"\n';
    const text = `${head}environments: { production: { compose: { shop: { source: { type: raw, composeFile: ${JSON.stringify(composeFile)} } } } } }\n`;
    const { made } = await applied(text, { PW: 'p@ss-word-1' });
    const sent = Object.values(made.emulator.world.tables.compose).map((row) => row['composeFile']);
    expect(sent.join('')).toContain('A: "a://u:p%40ss-word-1@h"\n      B: "p@ss-word-1"');
  });

  test.each([
    [
      '${secret:PW|base32}',
      '"base32" is no encoding Write ${secret:PW|urlencode} or ${secret:PW|base64} or ${secret:PW|json}.',
    ],
    ['${secret:PW|base64|x}', '"x" is no encoding'],
    ['${secret:PW|}', '"" is no encoding'],
    ['${env:PW|urlEncode}', '"urlEncode" is no encoding Write ${env:PW|urlencode}'],
    ['${var:pw| urlencode}', '" urlencode" is no encoding'],
    ['${file:a.txt|urlencode}', '${file:…} takes no |urlencode'],
    ['${env:PW|bcrypt}', '${env:…} takes no |bcrypt'],
    ['${var:pw|bcrypt}', '${var:…} takes no |bcrypt'],
    ['${secret:PW|base64|bcrypt}', '|bcrypt stands behind another word'],
    ['${file:a.txt|base64}', '${file:…} takes no |base64'],
    ['${ref:postgres.main.host|hex}', '"hex" is no encoding'],
  ])('F10: refuses %s', async (text, words) => {
    const description = `environments: { production: { env: { A: §${JSON.stringify(text)} } } }\n`;
    const result = await told(`${head}variables: { pw: { default: x } }\n${description}`);
    expect(result).toEqual(oneError('bad-expression', ''));
    expect(result.said).toContain(words.split(' Write ')[0]);
  });
});

test('a text that many encodings make too long is not encoded further', () => {
  const long = encode('""'.repeat(5), Array.from({ length: 60 }, () => 'json').join('|'));
  expect(long.length).toBeGreaterThan(16 * 1024 * 1024);
  expect(long.length).toBeLessThan(64 * 1024 * 1024);
});
