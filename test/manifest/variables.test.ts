import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Json } from '../../src/formats/json.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import { knownValue } from '../../src/manifest/wanted.ts';
import { kinds } from '../../src/resources/index.ts';
import { validate } from '../../src/workflow/validate.ts';
import { folderWith } from '../diagnostics/provoked.ts';

/** Variables of manifests: types, limits, and where their values come from. */

interface Read {
  readonly variables: string;
  /** The fields of an application. */
  readonly fields?: string;
  /** An included file. */
  readonly shared?: string;
  readonly given?: Readonly<Record<string, string>>;
}

async function read({ variables, fields = '', shared, given = {} }: Read) {
  const files = {
    'staging.yaml': `trueup: 1
platform: emulator
project: prj_1
variables: ${variables}
${shared === undefined ? '' : 'include: [shop.yaml]\n'}environments:
  production:
    application:
      web:
${fields}        source: { type: docker, image: nginx }
`,
    ...(shared === undefined ? {} : { 'shop.yaml': shared }),
  };
  return validate({
    workspace: await openWorkspace(folderWith(files)),
    file: 'staging.yaml',
    kinds,
    env: () => undefined,
    secret: () => undefined,
    given: (name) => (given[name] === undefined ? undefined : { text: given[name], by: `--var ${name}` }),
    addSecret: () => undefined,
  });
}

/** The value of a field of the application. */
async function valueOf(field: string, about: Read): Promise<Json | undefined> {
  const { manifest } = await read(about);
  const web = manifest.resources.find(({ kind }) => kind.kind === 'application');
  const [name = '', key] = field.split('.');
  return knownValue(key === undefined ? web?.fields[name] : web?.maps[name]?.get(key));
}

/** What is wrong: the place, the message and the remedy. */
async function problemsOf(about: Read): Promise<readonly string[]> {
  const error = await read(about).catch((reason: unknown) => reason);
  if (!(error instanceof Stop)) throw new Error('it was not refused', { cause: error });
  return error.diagnostics.map(
    ({ message, remedy, position: { file, line, column } = { file: '', line: 0, column: 0 } }) =>
      [`${file}:${line}:${column} ${message}`, ...(remedy === undefined ? [] : [remedy])].join(' -> '),
  );
}

const description = '        description: "${var:x}"\n';
const replicas = '        replicas: ${var:x}\n';
const args = '        args: ${var:x}\n';

describe('a value', () => {
  test.each(['1.10', '007', '1e3', '0x1F', 'yes', 'true', '"1.10"', '~a', "'it''s'"])(
    'of text is what is written: %s',
    async (written) => {
      const text =
        written.startsWith('"') || written.startsWith("'") ? written.slice(1, -1).replace("''", "'") : written;
      expect(
        await valueOf('description', { variables: `{ x: { type: text, default: ${written} } }`, fields: description }),
      ).toBe(text);
      expect(await valueOf('description', { variables: `{ x: { default: ${written} } }`, fields: description })).toBe(
        text,
      );
      const shared = 'variables: { x: { type: text } }';
      expect(await valueOf('description', { variables: `{ x: ${written} }`, shared, fields: description })).toBe(text);
      expect(
        await valueOf('description', { variables: '{ x: { type: text } }', given: { x: text }, fields: description }),
      ).toBe(text);
    },
  );

  test('of a number is one in a field and in text', async () => {
    const variables = '{ x: { type: number, default: 3 } }';
    expect(await valueOf('replicas', { variables, fields: replicas })).toBe(3);
    expect(await valueOf('replicas', { variables, fields: replicas, given: { x: '4' } })).toBe(4);
    expect(await valueOf('description', { variables, fields: '        description: "n=${var:x}"\n' })).toBe('n=3');
    expect(await valueOf('env.N', { variables, fields: '        env: { N: "${var:x}" }\n' })).toBe('3');
    const written = '{ x: { type: number, default: 1.50 } }';
    expect(await valueOf('description', { variables: written, fields: '        description: "n=${var:x}"\n' })).toBe(
      'n=1.50',
    );
  });

  test('of a boolean is true or false', async () => {
    const fields = '        autoDeploy: ${var:x}\n';
    expect(await valueOf('autoDeploy', { variables: '{ x: { type: boolean, default: true } }', fields })).toBe(true);
    expect(await valueOf('autoDeploy', { variables: '{ x: { type: boolean } }', fields, given: { x: 'false' } })).toBe(
      false,
    );
  });

  test('of a list is a list of texts, split at commas on the command line', async () => {
    const variables = '{ x: { type: list, default: [--port, 8080, 1.10] } }';
    expect(await valueOf('args', { variables, fields: args })).toEqual(['--port', '8080', '1.10']);
    expect(await valueOf('args', { variables, fields: args, given: { x: '-a, b' } })).toEqual(['-a', 'b']);
    expect(await valueOf('args', { variables, fields: args, given: { x: '' } })).toEqual([]);
  });

  test('of a list is no part of a text', async () => {
    const variables = '{ x: { type: list, default: [a, b] } }';
    const remedy = 'Write it alone, where a field takes a list, or declare the variable as text.';
    const list = `\${var:x} is a list, and no text -> ${remedy}`;
    expect(await problemsOf({ variables, fields: '        description: "a ${var:x}"\n' })).toEqual([
      `staging.yaml:9:22 ${list}`,
    ]);
    expect(await problemsOf({ variables, fields: '        env: { A: "${var:x}" }\n' })).toEqual([
      `staging.yaml:9:19 ${list}`,
    ]);
    expect(await problemsOf({ variables, fields: '        description: "${var:x|urlencode}"\n' })).toEqual([
      'staging.yaml:9:22 ${var:x} is a list, and takes no |urlencode -> Declare the variable as text.',
    ]);
  });

  test('comes from the last place that gives one', async () => {
    const shared = 'variables: { x: { default: a } }';
    expect(await valueOf('description', { variables: '{}', shared, fields: description })).toBe('a');
    expect(await valueOf('description', { variables: '{ x: b }', shared, fields: description })).toBe('b');
    expect(
      await valueOf('description', { variables: '{ x: b }', shared, fields: description, given: { x: 'c' } }),
    ).toBe('c');
  });
});

describe('a mistake', () => {
  test.each([
    ['{ x: { type: number, default: §yes } }', 'variables.x.default must be a number, got "yes"'],
    [
      '{ x: { type: number, default: §"3" } }',
      'variables.x.default must be a number, got "3" -> Write 3, without quotes.',
    ],
    ['{ x: { type: boolean, default: §yes } }', 'variables.x.default must be true or false, got "yes" -> Write true.'],
    ['{ x: { type: list, default: §a } }', 'variables.x.default must be a list, got "a" -> Write [a, b].'],
    ['{ x: { type: text, default: §[a] } }', 'variables.x.default must be text, got a list -> Declare type: list.'],
    ['{ x: { §min: 1 } }', 'variables.x.min limits number values only -> Write type: number.'],
    [
      '{ x: { type: number, §pattern: a } }',
      'variables.x.pattern limits text or list values only -> Write type: text.',
    ],
    [
      '{ x: { type: number, min: §5, max: 2 } }',
      'variables.x.min must be at most max, 2, got 5 -> Correct one of the two.',
    ],
    ['{ x: { type: number, max: 2, default: §3 } }', 'variables.x.default must be at most 2, got 3'],
    ['{ x: { type: number, min: 2, default: §1 } }', 'variables.x.default must be at least 2, got 1'],
    [
      '{ x: { oneOf: [main, none], default: §mian } }',
      'variables.x.default must be main or none, got "mian" -> Did you mean main?',
    ],
    [
      '{ x: { type: list, oneOf: [main, none], default: §[main, other] } }',
      'variables.x.default must be main or none, got "other"',
    ],
    ['{ x: { type: number, oneOf: [§a] } }', 'variables.x.oneOf must be a number, got "a"'],
    ['{ x: { pattern: "[.-].+", default: §a.b } }', 'variables.x.default must match [.-].+ as a whole, got "a.b"'],
    ['{ x: { pattern: a|b, default: §ac } }', 'variables.x.default must match a|b as a whole, got "ac"'],
    [
      '{ x: { pattern: §"a)|(b" } }',
      "variables.x.pattern is no regular expression of JavaScript: Unmatched ')' -> Correct the regular expression. A sign that stands for itself needs a \\ before it.",
    ],
    ['{ x: { type: number, §deafult: 3 } }', 'variables.x has no key deafult -> Did you mean default?'],
    ['{ x: { type: §int } }', 'variables.x.type must be text, number, boolean or list'],
    [
      '{ DB_PASSWORD: { type: number, default: §hunter2 } }',
      'variables.DB_PASSWORD.default must be a number, got text',
    ],
    [
      '{ DB_PASSWORD: { type: number, default: §"48151623" } }',
      'variables.DB_PASSWORD.default must be a number, got text -> Write it without quotes.',
    ],
    ['{ x: §"${env:A}" }', 'variables must not hold ${env:…}: settings take no expressions'],
  ])('in %s', async (marked, problem) => {
    const [found = ''] = await problemsOf({ variables: marked.replace('§', '') });
    const expected = `staging.yaml:4:${'variables: '.length + marked.indexOf('§') + 1} ${problem}`;
    expect(found.slice(0, expected.length)).toBe(expected);
  });

  test('in a value names the place of the value', async () => {
    const shared = 'variables:\n  x: { type: number, min: 2 }\n  tag: {}\n';
    expect(await problemsOf({ variables: '{ x: 1, tagg: a }', shared })).toEqual([
      'staging.yaml:4:17 the variable x must be at least 2, got 1 -> It is declared at shop.yaml:2:3.',
      'staging.yaml:4:20 neither staging.yaml nor a file that it includes declares a variable tagg -> Did you mean tag?',
    ]);
    expect(await problemsOf({ variables: '{ x: 2 }', shared, given: { x: 'b' } })).toEqual([
      'shop.yaml:2:3 --var x must be a number, got "b"',
    ]);
    expect(await problemsOf({ variables: '{ x: 2 }', shared, given: { x: '1e999' } })).toEqual([
      'shop.yaml:2:3 --var x must be a number, got "1e999"',
    ]);
  });

  test('a value of an included file is refused', async () => {
    expect(await problemsOf({ variables: '{}', shared: 'variables: { API_TOKEN: hunter2 }' })).toEqual([
      'shop.yaml:1:14 API_TOKEN has a value in shop.yaml, and only a root file gives values -> Write this instead, with your values for …:\nAPI_TOKEN: { default: … }',
    ]);
  });

  test('a declaration of two files is refused', async () => {
    const shared = 'variables: { x: {} }';
    expect(await problemsOf({ variables: '{ x: {} }', shared })).toEqual([
      'shop.yaml:1:14 x is already defined in staging.yaml:4:14 -> Keep one of the two.',
    ]);
  });

  test('a missing value names the root file, and where the variable is declared', async () => {
    const shared = 'variables: { x: {} }';
    expect(await problemsOf({ variables: '{}', shared, fields: description })).toEqual([
      'staging.yaml:10:22 staging.yaml gives no value to the variable x, which shop.yaml:1:14 declares -> Write variables: { x: … } in staging.yaml, or give --var x=… or TRUEUP_VAR_x.',
    ]);
    expect(await problemsOf({ variables: '{ x: {} }', fields: description })).toEqual([
      'staging.yaml:9:22 the variable x has no value -> Give it one with --var x=… or TRUEUP_VAR_x, or declare a default.',
    ]);
  });
});

test.each(['(a+)+', '(a|aa)+b', '(x?){1000}y', '(\\w*\\s*)*[?]', '(?:(?:(?:a?){100}){100}){100}b'])(
  'a pattern that takes too long ends the run: %s',
  async (pattern) => {
    const text = 'a'.repeat(5_000);
    const variables = `{ x: { pattern: '${pattern}', default: ${text}! }, y: { pattern: '${pattern}', default: ${text}! } }`;
    const started = performance.now();
    const [found] = await problemsOf({ variables });
    expect(found).toMatch(
      /^staging\.yaml:4:\d+ (?:the pattern .* takes more than 1 s for the value of x|variables\.x\.default must match)/,
    );
    expect(performance.now() - started).toBeLessThan(20_000);
  },
);
