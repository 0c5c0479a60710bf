import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { stringify } from 'yaml';
import { parseYaml, yamlTokens } from '../../src/formats/yaml.ts';

/** YAML that nests too deeply is refused before it is parsed. */

const indented = (levels: number) => Array.from({ length: levels }, (_, at) => `${' '.repeat(at)}a:\n`).join('');

const forms: Readonly<Record<string, (levels: number) => string>> = {
  'lists in brackets': (levels) => '['.repeat(levels) + ']'.repeat(levels),
  'maps in braces': (levels) => `${'{ a: '.repeat(levels)}1${' }'.repeat(levels)}`,
  'brackets that stay open': (levels) => '['.repeat(levels),
  'braces that stay open': (levels) => '{ '.repeat(levels),
  'lists in a line': (levels) => `${'- '.repeat(levels)}x`,
  'keys in a line': (levels) => `${'? '.repeat(levels)}x`,
  'values in a line': (levels) => `${': '.repeat(levels)}x`,
  'maps in lists': (levels) => Array.from({ length: levels / 2 }, (_, at) => `${' '.repeat(4 * at)}- a:\n`).join(''),
  'maps by their indentation': (levels) => indented(levels),
  'maps below a text in a block': (levels) => `x: |\n  one\n  two\n${indented(levels)}`,
  'brackets below keys': (levels) =>
    `${indented(levels - 10)}${' '.repeat(levels)}${'['.repeat(10)}${']'.repeat(10)}\n`,
};

describe.each(Object.entries(forms))('%s', (_title, nested) => {
  const isTooDeep = (levels: number) =>
    parseYaml(nested(levels), { prettyErrors: false, strict: false }).errors.some(
      ({ code }) => code === 'RESOURCE_EXHAUSTION',
    );

  it('are read up to 64 levels', () => {
    expect([isTooDeep(20), isTooDeep(64)]).toEqual([false, false]);
  });

  it.each([66, 1_000, 4_000])('are refused at %i', (levels) => {
    expect(isTooDeep(levels)).toBe(true);
  });
});

it.each(['{ ', '[', '- ', '? ', '{a: ', '[a: ', '- - ', '"a": [', ': '])(
  'refuses 60,000 and 120,000 of %j at the place where they are too deep',
  (sign) => {
    for (const many of [60_000, 120_000]) {
      const { errors, contents } = parseYaml(`# text\n${sign.repeat(many)}`, { prettyErrors: false });
      expect(errors.map(({ code }) => code)).toEqual(['RESOURCE_EXHAUSTION']);
      expect(contents).toBeNull();
      expect(errors[0]?.pos[0]).toBeLessThan(600);
    }
  },
);

it.each([
  ['long texts in blocks', Array.from({ length: 200 }, (_, at) => `k${at}: |\n${'  text\n'.repeat(at)}`).join('')],
  [
    'texts in quotes over lines',
    Array.from({ length: 200 }, (_, at) => `k${at}: "a\n${' b\n'.repeat(at)} c"\n`).join(''),
  ],
  [
    'texts over lines',
    Array.from({ length: 200 }, (_, at) => `k${at}: a\n${' b: c\n'.repeat(at).replaceAll(':', '')}`).join(''),
  ],
  [
    'brackets in texts',
    `a: "${'['.repeat(500)}"\nb: '${'{'.repeat(500)}'\nc: x${'['.repeat(500)}\nd: |\n  ${'{'.repeat(500)}\n# ${'['.repeat(500)}\n`,
  ],
  ['many brackets beside each other', `[${'[{ a: [b] }],'.repeat(500)}]`],
  [
    'comments and empty lines',
    Array.from({ length: 200 }, (_, at) => `${' '.repeat(at)}# a\n\nk${at}: [\n  x\n]\n`).join(''),
  ],
  ['signs in texts', Array.from({ length: 200 }, (_, at) => `- ${' '.repeat(at)}a - b ? c\n`).join('')],
])('takes %s for no depth', (_title, text) => {
  expect(parseYaml(text, { prettyErrors: false }).errors).toEqual([]);
});

test('a value that nests less is never refused, in any form', () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 12 },
      fc.string(),
      fc.constantFrom('a\nb\n', 'x: [', '- {', 1),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 4 }),
    map: fc.dictionary(fc.constantFrom('a', 'b c', '- d', 'e:', '{'), tie('value'), { maxKeys: 4 }),
  })).value;
  fc.assert(
    fc.property(value, fc.constantFrom('any', 'flow'), fc.constantFrom(1, 2, 7), (content, collectionStyle, indent) => {
      const text = stringify(content, { indent, collectionStyle });
      expect(Array.from(yamlTokens(text), ({ source }) => source).join('')).toBe(text);
      expect(parseYaml(text, { prettyErrors: false }).errors).toEqual([]);
    }),
  );
});
