import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { read } from '../diagnostics/in-manifests.ts';
import { bench, head } from '../support/world.ts';

/** Compose files with secrets: they are read with marks in their place, and are what was read. */

const compose = (lines: string, more = '') => `${head}environments:
  production:
    compose:
      shop:
        source:
          type: raw
          composeFile: |
${lines.replaceAll(/^/gm, '            ')}
${more}`;
const inService = (line: string) => compose(`services:\n  web:\n    image: nginx:1.27\n    ${line}`);

/** What is reported of a manifest in a run with a secret X, or without it. */
async function reported(text: string, secret: string | undefined): Promise<string[]> {
  const found = await read({ 'trueup.yaml': text }, secret === undefined ? {} : { secrets: { X: secret } }).catch(
    (error: unknown) => {
      if (error instanceof Stop) return error.diagnostics;
      throw error;
    },
  );
  return found.map(({ message, remedy = '' }) => `${message} -> ${remedy}`);
}

const quote =
  'source.composeFile: YAML does not read the value of ${secret:X} as text -> Put the value that holds ${secret:X} in single quotes.';
const elsewhere =
  'source.composeFile: YAML does not read the value of ${secret:X} as text -> Write X: "${secret:X}" under env:, and ${X} in the text: compose fills it in.';

describe('without quotes, a secret', () => {
  test.each([
    'abc #def',
    '0x1F',
    '0123',
    '1e3',
    'true',
    'null',
    '~',
    '{a: b}',
    '[a]',
    '|',
    'a: b',
    '&a',
    '*a',
    '!a',
    '- a',
    ' a',
    '"a"',
    '%a',
    '@a',
    '`a',
  ])('that is %s is not read as text, and is refused without it', async (secret) => {
    const found = await reported(inService('labels: { a: 1 }\n    command: ${secret:X}'), secret);
    expect(found).toEqual([quote]);
  });

  test.each(["it's", 'two\nlines', "'a'"])('that single quotes do not hold goes elsewhere: %j', async (secret) => {
    const found = await reported(inService('command: a ${secret:X} #b'), secret);
    expect(found).toEqual(secret === "it's" || secret === "'a'" ? [] : [elsewhere]);
    expect(await reported(inService("command: '${secret:X}'"), secret)).toEqual([elsewhere]);
  });

  test.each(['abc', '5432', 'a b', 'a=b', 'https://a.example/x?y=1', 'hunter2-hunter2', 'a#b', '-5'])(
    'that is %s is text',
    async (secret) => {
      expect(await reported(inService('command: ${secret:X}'), secret)).toEqual([]);
      expect(await reported(inService('command: a ${secret:X} b'), secret)).toEqual([]);
    },
  );
});

test.each([
  ['command: 0x${secret:X}', 'abcdef'],
  ['command: 1${secret:X}', 'e123456'],
  ['command: [&anchor a, &${secret:X} b, *anchor]', 'anchor'],
  // The alias repeats one mark, and the other one is an anchor: as many as in the text.
  ["command: [&anchor 'a${secret:X}', &${secret:X} b, *anchor]", 'anchor'],
])('a word that becomes something else behind what stands before it is found: %s', async (line, word) => {
  expect(await reported(inService(line), word)).toEqual([quote]);
});

test.each([
  ['a merge', 'command: [a]\n    x-a: &a { one: 1 }\n    x-b: &${secret:X} { two: 1 }\n    labels: { <<: *a }', 'a'],
  ['an alias', 'command: [&a one, &${secret:X} two]\n    labels: { *a : 1 }', 'a'],
])('a secret that changes no value but a key is found: in %s', async (_what, lines, secret) => {
  expect(await reported(inService(lines), 'other')).toEqual([]);
  expect(await reported(inService(lines), secret)).toEqual([quote]);
});

test('in quotes, blocks and comments a secret is what it is, or is refused', async () => {
  for (const secret of ['abc #def', '0x1F', '{a: b}', 'true'])
    expect(await reported(inService('command: \'${secret:X}\'\n    entrypoint: "${secret:X}"'), secret)).toEqual([]);
  expect(await reported(inService('command: "${secret:X}"'), String.raw`a\nb`)).toEqual([quote]);
  expect(await reported(inService('command: "${secret:X}"'), 'a"b')).toEqual([quote]);
  expect(await reported(inService('command: |\n      a: ${secret:X} #b'), '{a: #b')).toEqual([]);
  expect(await reported(inService('command: |\n      ${secret:X}\n      b'), 'one\n                  two')).toEqual([]);
  expect(await reported(inService('command: |\n      ${secret:X}\n      b'), 'one\ntwo')).toEqual([elsewhere]);
  expect(await reported(inService('command: a # ${secret:X}'), 'b: {')).toEqual([]);
  expect(await reported(inService('command: a # ${secret:X}'), 'b\nports: [80]')).toEqual([elsewhere]);
});

test('no secret stands in a key, whether or not the run has it', async () => {
  const expected =
    'source.composeFile: a key of a map must not hold ${secret:X} -> Write ${var:X} in place of ${secret:X}, declare X: {} under variables:, and set TRUEUP_VAR_X to the value.';
  for (const secret of ['8080', 'a', 'a-word-of-letters', undefined]) {
    expect(await reported(inService('environment: { "A${secret:X}": 1 }'), secret)).toEqual([expected]);
    expect(await reported(compose('services:\n  ${secret:X}:\n    image: nginx:1.27'), secret)).toEqual([expected]);
  }
});

test('the checks find the same with the secret, with another one and without it', async () => {
  const text = compose(
    'services:\n  web: { image: "nginx:${secret:X}" }',
    '        domains: { a.example.com: { serviceName: api } }\n',
  );
  const all = await Promise.all(['abc', 'other', undefined].map((secret) => reported(text, secret)));
  expect(all[0]).toEqual(['serviceName: the compose file of shop has no service api -> Its services are web.']);
  expect(all).toEqual([all[0], all[0], all[0]]);
  const broken = compose('services:\n  web: [ "${secret:X}"\n');
  const errors = await Promise.all(['abc', 'other', undefined].map((secret) => reported(broken, secret)));
  expect(errors[0]).toEqual([expect.stringMatching(/^source\.composeFile: the compose file is not valid YAML: /)]);
  expect(errors).toEqual([errors[0], errors[0], errors[0]]);
});

test('a compose file that is one secret is not checked', async () => {
  const text = `${head}environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "\${secret:X}" }
        domains: { a.example.com: { serviceName: api, port: 80 } }
`;
  expect(await reported(text, 'services: { api: { image: nginx } }')).toEqual([]);
  expect(await reported(text, undefined)).toEqual([]);
});

test('a secret that YAML reads as text is applied as it is', async () => {
  const made = bench();
  made.secrets['X'] = '5432';
  const text = inService('command: "run ${secret:X}"');
  await made.apply(text);
  expect(hasChanges(await made.plan(text))).toBe(false);
  expect(JSON.stringify(Object.values(made.emulator.world.tables.compose))).toContain('run 5432');
});

test('one secret in two encodings is two texts, and two secrets that make something else beside each other are named', async () => {
  const text = inService('command: "${secret:X} and ${secret:X|urlencode}"');
  expect(await reported(text, 'a b/c')).toEqual([]);
  expect(await reported(text, 'a"b')).toEqual([quote]);
  const pair = inService('command: ${secret:X}${secret:Y}');
  const found = await read({ 'trueup.yaml': pair }, { secrets: { X: 'a:', Y: ' b' } }).catch((error: unknown) =>
    error instanceof Stop ? error.diagnostics : [],
  );
  expect(found.map(({ message }) => message)).toEqual([
    'source.composeFile: YAML does not read the value of ${secret:X} as text',
    'source.composeFile: YAML does not read the value of ${secret:Y} as text',
  ]);
});

test('a file whose aliases expand to too much is refused, also beside a secret', async () => {
  const values = `services: { web: { image: nginx, labels: { a: &a [${'x,'.repeat(20_000)}x], b: [${'*a,'.repeat(9_000)}*a] } } }`;
  const text = compose(`${values}\nx-token: "\${secret:X}"`);
  expect(await reported(text, 'a-secret-value')).toEqual([
    'source.composeFile: the aliases of the compose file expand to too much -> Correct the compose file: its deployment would fail.',
  ]);
});
