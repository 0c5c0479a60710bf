import { expect, test } from 'vitest';
import { read } from '../diagnostics/in-manifests.ts';
import { production } from '../diagnostics/provoked.ts';
import { cleanText } from '../../src/api/answer.ts';
import { withoutSlash } from '../../src/api/slash.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import type { CheckedResource } from '../../src/kind/checks.ts';
import { readComposeYaml } from '../../src/formats/compose-yaml.ts';
import { wordsOf } from '../../src/edit/format-yaml.ts';
import { ignoreLine } from '../../src/project/write-files.ts';
import { masking } from '../../src/manifest/quote.ts';
import { shown } from '../../src/manifest/problem.ts';
import { reshapedSetting } from '../../src/manifest/reshape.ts';
import { readTree } from '../../src/manifest/read-tree.ts';
import { inAscii } from '../../src/render/text-lines.ts';
import { secretParts } from '../../src/secrets/looks-secret.ts';
import { kinds } from '../../src/resources/index.ts';
import { composeWorks } from '../../src/resources/families/compose-checks.ts';
import { keepersIn, volumesOf } from '../../src/resources/families/compose-data.ts';
import { showing } from '../../src/secrets/looks-secret.ts';

/**
 * Texts of a stranger that take time in proportion to their square, where an expression tries each place again. Such a test
 * ends in minutes, and fails by its limit of time. What is right takes some seconds of a processor, and a busy machine has a tenth of
 * one.
 */

const many = 400_000;
const limit = { timeout: 60_000 };

test('A7: the target of a volume with many slashes', limit, () => {
  const mounting = (target: string) =>
    volumesOf(keepersIn(`services: { a: { image: x, volumes: ['data:${target}'] } }\nvolumes: { data: {} }\n`));
  expect(mounting(`/data${'/'.repeat(many)}x`)).toHaveLength(1);
  expect(['/data//', '/', '//', '/a/b'].map((target) => mounting(target)[0]?.text)).toEqual([
    'data at /data',
    'data at /',
    'data at /',
    'data at /a/b',
  ]);
});

test('A7: a compose file with many names that it does not declare, and a text with many variables', limit, () => {
  const works = (composeFile: string) =>
    composeWorks(
      {
        address: 'a',
        kind: 'compose',
        key: 'a',
        parent: 'p',
        values: { sourceType: 'raw', composeFile },
        maps: {},
        shown: showing(),
        written: () => undefined,
      },
      [],
    );
  const each = (form: (index: number) => string) => Array.from({ length: 4000 }, (_, index) => form(index)).join('');
  const wrong = each((index) => `      - wolume-number-${index}:/a${index}\n`);
  const declared = each((index) => `  volume-number-${index}: {}\n`);
  expect(works(`services:\n  web:\n    image: a\n    volumes:\n${wrong}volumes:\n${declared}`)).toHaveLength(4000);
  const image = each((index) => `$X${index}/`).repeat(5);
  expect(works(`services: { web: { image: "${image}" } }`)).toMatchObject([{ code: 'unset-variable', fails: true }]);
  const few = 'services: { web: { image: a, volumes: ["wolume:/a"] } }\nvolumes: { volume: {} }';
  expect(works(few)).toMatchObject([{ remedy: 'Did you mean volume?' }]);
});

test('A7: a map of many keys in a text that only the parser reads', limit, () => {
  const keys = Array.from({ length: 60_000 }, (_, index) => `k${index}: 1\n`).join('');
  expect(readComposeYaml(`a: "b"\t# c\n${keys}`)).toHaveProperty('content.k59999', 1);
  expect(readComposeYaml(`a: "b"\t# c\n${keys}k1: 2\n`)).toMatchObject({
    unreadable: { errors: [{ code: 'DUPLICATE_KEY' }] },
  });
});

test('A7: a map of many keys that many services merge', limit, () => {
  const numbers = Array.from({ length: 6000 }, (_, index) => index);
  const base = numbers.map((index) => `  k${index}: 1\n`).join('');
  const services = numbers.map((index) => `  s${index}: { <<: *b }\n`).join('');
  expect(readComposeYaml(`x: &b\n${base}services:\n${services}`)).toHaveProperty('unreadable');
});

test('A7: many findings in one compose file, each at its line', limit, async () => {
  const count = 10_000;
  const services = Array.from(
    { length: count },
    (_, index) => `              s${index}: { build: ./a${index} }\n`,
  ).join('');
  const block = `    compose:\n      shop:\n        source:\n          type: raw\n          composeFile: |\n            services:\n${services}`;
  const text = production(block);
  const found = (await read({ 'trueup.yaml': text })).filter(({ code }) => code === 'not-in-source');
  const [first = NaN] = found.map(({ position }) => position?.line ?? NaN);
  expect(found.map(({ position }) => position?.line)).toEqual(
    Array.from({ length: count }, (_, index) => first + index),
  );
});

/** A block as checks get it. */
function blockOf(
  some: Pick<CheckedResource, 'address' | 'kind' | 'parent' | 'values'> & Partial<CheckedResource>,
): CheckedResource {
  return { key: some.address, maps: {}, shown: showing(), written: () => undefined, ...some };
}

test.each(['docker-compose', 'stack'])('A7: many files of a %s, and many mounts of others', limit, (composeType) => {
  const count = 20_000;
  const numbers = Array.from({ length: count }, (_, index) => index);
  const mounting = numbers.map((index) => `      - ../files/other-${index}.conf:/a${index}:ro\n`).join('');
  const configs = numbers.map((index) => `  c${index}: { file: ../files/config-${index} }\n`).join('');
  const composeFile = `services:\n  web:\n    image: a\n    configs: [${numbers.map((index) => `c${index}`).join(', ')}]\n    volumes:\n${mounting}configs:\n${configs}`;
  const values = { sourceType: 'raw', composeType, composeFile };
  const files = numbers.map((index) =>
    blockOf({
      address: `a.${index}`,
      kind: 'fileMount',
      key: `${index}.conf`,
      parent: 'a',
      values: { filePath: `${index}.conf` },
    }),
  );
  const found = composeWorks(blockOf({ address: 'a', kind: 'compose', parent: 'p', values }), files);
  expect(found.filter(({ code }) => code === 'unmounted-file')).toHaveLength(2 * count);
});

test.each([
  [
    'services that extend one another',
    (at: number) => `  s${at}: { image: a, extends: { service: s${at + 1} } }\n`,
    {},
    1, // the last one extends none that is there
  ],
  ['variables that reach no service', (at: number) => `  s${at}: { image: a }\n`, { env: 'V' }, 1],
])('A7: a compose file of many %s', limit, (_, service, more, findings) => {
  const count = 10_000;
  const numbers = Array.from({ length: count }, (_, index) => index);
  const values = { sourceType: 'raw', composeFile: `services:\n${numbers.map(service).join('')}` };
  const entries = new Map(numbers.map((at) => [`V${at}`, `text of ${at}`]));
  const maps = 'env' in more ? { env: { entries, isOwn: true } } : {};
  const found = composeWorks(blockOf({ address: 'a', kind: 'compose', parent: 'p', values, maps }), []);
  expect(found).toHaveLength(findings);
});

test('A7: many blocks that name services which a compose file of many services lacks', limit, () => {
  const numbers = Array.from({ length: 10_000 }, (_, index) => index);
  const composeFile = `services:\n${numbers.map((at) => `  service-number-${at}: { image: a }\n`).join('')}`;
  const blocks = numbers.map((at) =>
    blockOf({ address: `a.${at}`, kind: 'domain', key: `${at}`, parent: 'a', values: { serviceName: `other-${at}` } }),
  );
  const values = { sourceType: 'raw', composeFile };
  const found = composeWorks(blockOf({ address: 'a', kind: 'compose', parent: 'p', values }), blocks);
  expect(found).toHaveLength(numbers.length);
  expect(found[0]?.remedy).toMatch(/^Its services are service-number-0, .* and 9990 more\.$/);
});

test('A7: an address or a prefix with many slashes that are not its end', limit, () => {
  const slashes = `a${'/'.repeat(many)}b`;
  expect(withoutSlash(slashes)).toBe(slashes);
  expect(['a//', '/', '', 'a/b'].map(withoutSlash)).toEqual(['a', '', '', 'a/b']);
});

test('A7: blanks that are not the end of a line', limit, () => {
  const blanks = `a${' '.repeat(many)}b`;
  expect(inAscii(blanks)).toBe(blanks);
  expect(ignoreLine(blanks)).toBe(`/${blanks}`);
  expect(wordsOf(`x: ${blanks}\n`)).toEqual(['x', ':', blanks]);
  expect([inAscii('a b  '), ignoreLine('a b  ')]).toEqual(['a b\\u0020\\u0020', '/a b\\ \\ ']);
});

test('A7: a setting that is no file', limit, () => {
  const forms = [...reshapedSetting(`${'/'.repeat(many)}!`)];
  expect(forms.filter((form) => JSON.stringify(form).includes('file'))).toEqual([]);
  expect([...reshapedSetting('a/b')]).toContainEqual([{ file: 'a/b' }]);
});

test('A7: an address without a user, many times', limit, () => {
  expect(shown('://'.repeat(many))).toBe('"(sensitive)"');
  expect(shown('://'.repeat(many / 10))).toMatch(/^":\/\/.*…"$/);
  expect(shown('a://b\n:c@d')).toBe('text');
});

test.each([
  ['colons', `{ ${': '.repeat(many / 10)}`, false],
  ['braces', `a: {b: "c" ${'['.repeat(9)}`, false],
  ['a value without quotes', 'a: { b: ${env:X} }', true],
  ['a quoted value', 'a: { b: "${env:X}", c: [ }', false],
  ['two values', 'a: { b: "${env:X}", c: ${env:Y} }', true],
])('A7: a line with %s is read in linear time', limit, (_, line, isOpen) => {
  const diagnostics: Diagnostic[] = [];
  readTree('a.yaml', line, diagnostics);
  expect(diagnostics.some(({ message }) => message.includes('has no quotes'))).toBe(isOpen);
});

const named = ['Password=;', 'password=a b ', 'TOKEN= ', '--token=a ', '<token>a', '${TOKEN:-', 'token: a, '];
const maps = ['passwords: ', 'passwords: {a: "b, ', '[passwords]\n', 'a passwords:\n ', "passwords=['a' => \\'b "];
const rows = ["into t (pin) values ('", 'into t(pin)values(', 'into t(pin)values(\'into t(pin)values("\'"', "'\\', "];
const columns = ['user a >b ', '"user a b', 'db:5432:a:b:c ', 'a:*:', ':*:'];

test.each([...named, ...maps, ...rows, ...columns])('A7: a line with many values behind names: %s', limit, (piece) => {
  for (const text of [piece.repeat(many / piece.length), `x "${piece.repeat(many / piece.length)}`]) {
    const parts = secretParts(text);
    expect(parts.every(([from, to], at) => from < to && to <= text.length && from >= (parts[at - 1]?.[1] ?? 0))).toBe(
      true,
    );
  }
});

test.each(['}', ']'])('A7: a text of many mistakes in YAML is quoted: %s', limit, (sign) => {
  expect(masking([], kinds)(`x: ${sign.repeat(120_000)}`).length).toBeLessThan(1_000);
});

test('A7: an answer that names keys, and no value', limit, () => {
  for (let at = 0; at < 50; at++) expect(cleanText('KEY_'.repeat(many), (text) => text)).toMatch(/^KEY_/);
  expect(cleanText('run --api-key=abc --mode=fast TOKEN="a b"', (text) => text)).toBe(
    'run --api-key=*** --mode=fast TOKEN=***',
  );
});
