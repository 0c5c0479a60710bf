import { parse } from 'dotenv';
import { describe, expect, test } from 'vitest';
import { bench, head } from '../support/world.ts';
import { oneError, told } from '../support/problems.ts';

/** env: is a map or the text of an env file; values reach the platform byte for byte. */

const redis = (env: string) => `${head}environments:
  production:
    redis:
      main:
        dockerImage: redis:8
        databasePassword: correct-horse-1
${env}`;

/** What the platform has after an apply; planning again finds nothing. */
async function applied(files: string | Record<string, string>, made = bench()) {
  await made.apply(files);
  expect((await made.plan(files)).actions.filter((action) => action.action !== 'no-op')).toEqual([]);
  made.requests('POST');
  await made.apply(files);
  expect(made.requests('POST')).toEqual([]);
  const text = Object.values(made.emulator.world.tables.redis)[0]?.['env'];
  return { text: String(text), values: parse(String(text)) };
}

const map = (entries: string) =>
  redis(
    `        env:\n${entries.replace(/^/gm, '          ').replace(/ +$/gm, (spaces) => (spaces.length === 10 ? '' : spaces))}\n`,
  );

describe('a map of variables', () => {
  test.each([
    ['yes', 'yes'],
    ['no', 'no'],
    ['on', 'on'],
    ['True', 'True'],
    ['true', 'true'],
    ['FALSE', 'FALSE'],
    ['0755', '0755'],
    ['0o14', '0o14'],
    ['0x1F', '0x1F'],
    ['1e3', '1e3'],
    ['1.0', '1.0'],
    ['1.10', '1.10'],
    ['.5', '.5'],
    ['+1', '+1'],
    ['-0', '-0'],
    ['1_000', '1_000'],
    ['.inf', '.inf'],
    ['.NaN', '.NaN'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['2024-01-01', '2024-01-01'],
    ['12:30:45', '12:30:45'],
    ['!!str 12', '12'],
    ['!!str', ''],
    ['!!int 12', '12'],
    ['"null"', 'null'],
    ["'~'", '~'],
    ['""', ''],
    ["'it''s'", "it's"],
    [String.raw`"tab\tand \"quotes\" and \u00e9 and \x41"`, 'tab\tand "quotes" and é and A'],
    ['plain text # with a comment', 'plain text'],
    ['a#b', 'a#b'],
    ['with:colon', 'with:colon'],
    ['plain text\n  over two lines', 'plain text over two lines'],
    ['|\n  one\n  two', 'one\ntwo\n'],
    ['|-\n  one\n  two', 'one\ntwo'],
    ['|+\n  one\n\n', 'one\n\n\n'],
    ['|2-\n    indented\n  not', '  indented\nnot'],
    ['>\n  one\n  two\n\n  three', 'one two\nthree\n'],
    ['>-\n  one\n  two', 'one two'],
    ['>+\n  one\n\n', 'one\n\n\n'],
  ])('reads %j as %j', async (written, value) => {
    const { values } = await applied(map(`KEY: ${written}`));
    expect(values).toEqual({ KEY: value });
  });

  test('refuses null, however it is written', async () => {
    for (const written of ['~', 'null', 'Null', 'NULL']) {
      expect(await told(map(`KEY: §${written}`))).toEqual(oneError('env-value', /env\.KEY.*""/));
    }
  });

  test('takes values from anchors, aliases and merge keys', async () => {
    const { values } = await applied(
      map('FIRST: &first 0755\nSECOND: *first\n<<: [{ THIRD: 1.0, FIRST: no }, { FOURTH: yes, THIRD: 2 }]'),
    );
    expect(values).toEqual({ FIRST: '0755', SECOND: '0755', THIRD: '1.0', FOURTH: 'yes' });
  });

  test('takes values from variables, numbers as they were written', async () => {
    const { values } = await applied(
      `${redis('        env: { A: "${var:version}", B: "v${var:version}", C: "${var:flag}" }\n')}variables: { version: { default: 16.10 }, flag: { default: yes } }\n`,
    );
    expect(values).toEqual({ A: '16.10', B: 'v16.10', C: 'yes' });
  });
});

const pem = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC/+=\n'.repeat(3)}-----END PRIVATE KEY-----\n`;

describe('a value that reaches the platform byte for byte', () => {
  test.each([
    ['a dollar', '$'],
    ['two dollars', '$$'],
    ['a dollar with braces', '${X} and ${X:-y} and $X'],
    ["the platform's own", '${{environment.X}} and ${{project.Y}}'],
    ['a hash', 'a #b#c'],
    ['an equals sign', 'a=b==c'],
    ['double quotes', '"a" and "b"'],
    ['single quotes', "it's 'quoted'"],
    ['all quotes', `'a' and "b" and \`c\``],
    ['JSON', '{"a":[1,"two",{"b":null}],"c":"d#e"}'],
    ['a space before', ' a'],
    ['spaces after', 'a  '],
    ['spaces only', '   '],
    ['a tab', '\ta\t'],
    ['a key of several lines', pem],
    ['a key without its last line feed', pem.trimEnd()],
    ['Windows line ends', 'a\r\nb\r\n'],
    ['a carriage return', 'a\rb'],
    ['nothing', ''],
    ['other languages', 'ünï 日本 🚀 \u200B'],
    ['a backslash', String.raw`C:\dir\x and \\`],
    ['a literal line feed', String.raw`a\nb`],
    ['what looks like another key', 'a\nB=c'],
    ['what looks like a comment', '# a'],
    ['export', 'export A=b'],
    ['a long value', 'x'.repeat(100_000)],
  ])('%s', async (_title, value) => {
    const made = bench();
    Object.assign(made.emulator.world.tables.project['prj_1'] ?? {}, { env: 'Y=of the project' });
    const { values } = await applied(
      JSON.stringify({
        trueup: 1,
        platform: 'emulator',
        project: 'prj_1',
        environments: {
          production: {
            env: { X: 'of the environment' },
            redis: {
              main: {
                dockerImage: 'redis:8',
                databasePassword: 'correct-horse-1',
                env: { BEFORE: 'x', KEY: value, AFTER: 'y' },
              },
            },
          },
        },
      }),
      made,
    );
    expect(values).toEqual({ BEFORE: 'x', KEY: value, AFTER: 'y' });
  });

  test('may come from a file, whose expressions stay text', async () => {
    const content = "a $${env:X} ${env:X} ${secret:Y} ${ref:nothing} ${{environment.Z}}\r\n#'";
    const written = map('KEY: ${file:value.txt}').replace('  production:\n', '$&    env: { Z: of the environment }\n');
    const { values } = await applied({ 'trueup.yaml': written, 'value.txt': content });
    expect(values).toEqual({ KEY: content });
  });

  test('may come from a secret and from the environment', async () => {
    const made = bench();
    made.secrets['TOKEN'] = 'a"b#c$d\ne';
    made.env['REGION'] = "it's ${here}";
    const { values } = await applied(
      map('TOKEN: ${secret:TOKEN}\nREGION: ${env:REGION}\nBOTH: "${env:REGION}/${secret:TOKEN}"'),
      made,
    );
    expect(values).toEqual({ TOKEN: 'a"b#c$d\ne', REGION: "it's ${here}", BOTH: `it's \${here}/a"b#c$d\ne` });
  });

  test('may be one of a hundred keys', async () => {
    const odd = ['$', '#', '"', "'", '`', ' ', '\\', '\n', '=', '{', 'é'];
    const entries = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [
        `K${index}`,
        odd
          .map((sign, at) => sign + (odd[(index + at) % 7] ?? ''))
          .filter((pair) => !/[`]/.test(pair))
          .join('x'),
      ]),
    );
    const body = { dockerImage: 'redis:8', databasePassword: 'correct-horse-1', env: entries };
    const text = JSON.stringify({
      trueup: 1,
      platform: 'emulator',
      project: 'prj_1',
      environments: { production: { redis: { main: body } } },
    });
    const made = bench();
    const refused = await made.apply(text).then(
      () => [],
      (error: unknown) => (error as { diagnostics: { code: string }[] }).diagnostics.map((item) => item.code),
    );
    if (refused.length > 0) {
      // No quoting carries some of them, which is said, and nothing is sent.
      expect(new Set(refused)).toEqual(new Set(['env-value']));
      expect(made.emulator.log).toEqual([]);
    } else expect((await applied(text, made)).values).toEqual(entries);
  });
});

describe('the text of an env file', () => {
  const text = '# comment\nexport A = "x" # more\n\nB=\'y\'\r\nA=again\n  C=1';

  test('reaches the platform byte for byte, with its comments', async () => {
    const made = bench();
    const files = { 'trueup.yaml': redis('        env: ${file:shop.env}\n'), 'shop.env': text };
    expect((await applied(files, made)).text).toBe(text);
  });

  test('differs when one byte of a comment differs', async () => {
    const made = bench();
    const files = { 'trueup.yaml': redis('        env: ${file:shop.env}\n'), 'shop.env': text };
    await made.apply(files);
    const plan = await made.plan({ ...files, 'shop.env': text.replace('comment', 'Comment') });
    expect(plan.actions.flatMap((action) => action.changes.map((change) => change.path))).toEqual(['env']);
  });

  test('plans nothing after it became a map, and text again', async () => {
    const made = bench();
    await applied({ 'trueup.yaml': redis('        env: "A=1\\n# note\\nB=2\\n"\n') }, made);
    expect((await applied(map('A: "1"\nB: "3"'), made)).values).toEqual({ A: '1', B: '3' });
    expect((await applied(redis('        env: "B=3\\nA=1\\n# note\\n"\n'), made)).text).toBe('B=3\nA=1\n# note\n');
  });
});
