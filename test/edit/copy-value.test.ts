import { describe, expect, test } from 'vitest';
import { copyValue } from '../../src/edit/copy-value.ts';
import { sameTree } from '../../src/edit/same-tree.ts';
import { readTree } from '../../src/manifest/read-tree.ts';
import type { Node } from '../../src/manifest/tree.ts';

/** A value of one file, written into another without another byte. */

function copied(raw: string) {
  const text = `variables:\n  tag: ${raw}\n`;
  return { text, node: at(text, ['variables', 'tag']) };
}

function at(text: string, path: readonly string[]): Node {
  const tree = readTree('a.yaml', text, []);
  const found = path.reduce<Node | undefined>(
    (node, key) => (node?.is === 'map' ? node.entries.get(key)?.node : undefined),
    tree,
  );
  if (found === undefined) throw new Error(`there is no ${path.join('.')}`);
  return found;
}

const path = ['variables', 'tag'];
const copy = (text: string, raw: string) => copyValue('b.yaml', text, path, copied(raw));

/** Numbers that look random, the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const raws = [
  '1.10',
  '007',
  '1e3',
  '2025.11.4',
  'true',
  'a b',
  '"1.10"',
  "'it''s'",
  '"a: \\"b\\" # c"',
  'a#b',
  '[a, "b"]',
  '[]',
  '.example.com',
  'a, b',
  '日本',
];
const olds = ['1.9', '"1.9"', "'1.9'", 'x y', '&t 1.9', '[old, list]'];
const noise = [
  '# a comment: with a colon',
  'x-one: &one { a: 1, b: [x, "y"] }',
  'x-two: { <<: *one, c: ~ }',
  '',
  'include: [shop.yaml, "b c.yaml"] # why',
  'x-text: |\n  tag: 0\n\n  variables: { tag: 0 }',
];

/** A root file as people write one, in three parts: what is before the value, the value, and what is behind it. */
function generated(pick: (below: number) => number) {
  const one = (all: readonly string[]) => all[pick(all.length)] ?? '';
  const some = () => noise.filter((_, index) => index === 1 || pick(2) === 0);
  const old = one(olds);
  const isFlow = pick(2) === 0;
  const others = ['other: "a, b"', 'x: ~', "'quoted-name': [1, 2]"].slice(0, pick(4));
  const behind = ['', ' # the release', '   '][pick(3)] ?? '';
  const split = pick(others.length + 1);
  const [before, after] = [others.slice(0, split), others.slice(split)];
  const head = ['trueup: 1', ...some()].join('\n');
  const tail = ['platform: emulator', ...noise.slice(0, 1), 'project: shop'].join('\n');
  const space = ' '.repeat(1 + pick(3));
  const parts = isFlow
    ? [
        `variables: {${pick(2) === 0 ? '' : '\n   '} ${before.map((entry) => `${entry}, `).join('')}tag:${space}`,
        `${after.map((entry) => `, ${entry}`).join('')} }${behind}`,
      ]
    : [
        `variables:\n${before.map((entry) => `    ${entry}\n`).join('')}    tag:${space}`,
        `${behind}\n${after.map((entry) => `    ${entry}\n`).join('')}`.trimEnd(),
      ];
  const end = pick(2) === 0 ? '\r\n' : '\n';
  const ended = (text: string) => text.replaceAll('\n', end);
  const mark = pick(4) === 0 ? '\uFEFF' : '';
  const last = pick(3) === 0 ? '' : '\n';
  // An anchor is of the file, not of the value.
  const [, property = '', value = old] = /^(&\S+ )(.*)$/.exec(old) ?? [];
  return {
    isFlow,
    before: mark + ended(`${head}\n${parts[0] ?? ''}${property}`),
    old: value,
    behind: ended(`${parts[1] ?? ''}\n${tail}${last}`),
  };
}

describe('200 files with comments, anchors, braces and CRLF', () => {
  test.each([...Array(200).keys()])('file %i', (seed) => {
    const pick = numbers(seed);
    const raw = raws[seed % raws.length] ?? '';
    const { isFlow, before, old, behind } = generated(pick);
    const text = before + old + behind;
    expect(at(text.replace('\uFEFF', ''), path)).toBeDefined();
    // A text with a comma needs quotes within braces.
    const next = copy(text, raw);
    expect(next.startsWith(before) && next.endsWith(behind)).toBe(true);
    const put = next.slice(before.length, next.length - behind.length);
    if (!isFlow || raw !== 'a, b') expect(put).toBe(raw);
    const [value, wanted] = [at(next.replace('\uFEFF', ''), path), copied(raw).node];
    expect([value, sameTree(value, wanted)]).toEqual([value, true]);
    expect(copy(next, raw)).toBe(next);
  });
});

describe('a value that is not there', () => {
  test.each([
    [
      'trueup: 1\r\nvariables:\r\n  a: b # c\r\nx: y\r\n',
      'trueup: 1\r\nvariables:\r\n  a: b # c\r\n  tag: 1.10\r\nx: y\r\n',
    ],
    ['variables: { a: b } # c', 'variables: { a: b, tag: 1.10 } # c'],
    ['variables: {}\n', 'variables: { tag: 1.10 }\n'],
    ['trueup: 1\n', 'trueup: 1\nvariables:\n  tag: 1.10\n'],
    ['variables:\n  tag:\n', 'variables:\n  tag: 1.10\n'],
    ['variables: { tag: }\n', 'variables: { tag: 1.10 }\n'],
  ])('is added to %j', (before, after) => {
    expect(copy(before, '1.10')).toBe(after);
  });
});

describe('a value of several lines', () => {
  test.each([
    ['variables:\n  tag: old # c\n', '|\n    a\n    b\n', 'variables:\n  tag: | # c\n    a\n    b\n'],
    ['variables: { tag: old }\n', '|\n    a\n    b\n', 'variables: { tag: "a\\nb\\n" }\n'],
    ['variables:\n  tag: |\n    a\n    b\n', '1.10', 'variables:\n  tag: 1.10\n'],
    [
      'variables:\n  tag:\n    - a\n    - b # c\n',
      '\n    - a\n    - c\n',
      'variables:\n  tag:\n    - a\n    - c # c\n',
    ],
  ])('replaces, or is replaced, in %j', (before, raw, after) => {
    expect(copy(before, raw)).toBe(after);
  });
});

test('a value with a tag becomes the one of the other file', () => {
  expect(copy('variables: { tag: !!str 1.9 }\n', '1.10')).toBe('variables: { tag: 1.10 }\n');
  expect(copy('variables:\n  tag: 1.9 # c\n', '!!str 1.10')).toBe('variables:\n  tag: "1.10" # c\n');
});

test('a value that others share by an anchor is refused', () => {
  const text = 'x-tag: &t 1.9\nvariables: { tag: *t, other: *t }\n';
  expect(copy(text, '1.10')).toBe('x-tag: &t 1.9\nvariables: { tag: 1.10, other: *t }\n');
  expect(() => copy('variables: { tag: &t 1.9, other: *t }\n', '1.10')).toThrow(/share it by the anchor/);
  expect(() => copy('x-v: &v { tag: 1.9 }\nvariables: *v\n', '1.10')).toThrow(/alias/);
});
