import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Edit } from '../../src/edit/edit-yaml.ts';
import { editTogether, editYaml } from '../../src/edit/edit-yaml.ts';
import type { Value } from '../../src/edit/write-yaml.ts';
import { plainly } from '../../src/edit/write-yaml.ts';
import type { Json } from '../../src/formats/json.ts';
import { toJson } from '../../src/formats/yaml-node.ts';
import { readTree } from '../../src/manifest/read-tree.ts';
import { effort } from '../support/whole.ts';

/** Texts that somebody wrote, in which one value changes and nothing else. */

const secret: Value = { is: 'expression', text: '${secret:TOKEN}' };

/** Changes the values at paths such as `a.b`; undefined removes. */
function edited(text: string, changes: Readonly<Record<string, Json | undefined>>, order?: readonly string[]): string {
  const edits = Object.entries(changes).map(([path, value]): Edit => {
    const about = { path: path.split('.'), value: value === undefined ? undefined : plainly(value) };
    return order === undefined ? about : { ...about, order };
  });
  return editYaml('f.yaml', text, edits);
}

test.each<[string, string, Record<string, Json | undefined>, string]>([
  ['a word with blanks behind it that becomes lines', 'a: x  \nb: 1\n', { a: 'l\nm\n' }, 'a: |\n  l\n  m\nb: 1\n'],
  ['a word below its key that becomes lines', 'a:\n  x # c\nb: 1\n', { a: 'l\nm' }, 'a:\n  |- # c\n  l\n  m\nb: 1\n'],
  ['a list with a tab behind it', 'a: []\t\r\n', { a: 'l\nm\n' }, 'a: |\r\n  l\r\n  m\r\n'],
  ['a list in the column of its key, below a comment', 'a: # c\n- 1\n- 2\nb: 1\n', { a: 'x' }, 'a: # c\n  x\nb: 1\n'],
  ['such a list that becomes lines', 'a: # c\n- 1\nb: 1\n', { a: 'l\nm\n' }, 'a: # c\n  |\n  l\n  m\nb: 1\n'],
  ['a list of texts with other line breaks', 'a:\n- x\n', { a: ['x', 'p\u2028  q'] }, 'a:\n- x\n- "p\u2028  q"\n'],
  ['a number', 'a: 1 # why\nb: 2\n', { a: 3 }, 'a: 3 # why\nb: 2\n'],
  ['an empty list that gets items', 'a: []\nb: 2\n', { a: ['x'] }, 'a:\n  - x\nb: 2\n'],
  ['a value below its key', 'a:\n  x\nb: 2\n', { a: ['y'] }, 'a:\n  - y\nb: 2\n'],
  ['a tab before a comment', 'a: 1\t# why\n', { a: 3 }, 'a: 3\t# why\n'],
  ['a plain text', 'a: x\n', { a: 'y z' }, 'a: y z\n'],
  ['a text that needs quotes', 'a: x\n', { a: 'no: #' }, 'a: "no: #"\n'],
  ['a text that looks like a number', 'a: x\n', { a: '12' }, 'a: "12"\n'],
  ['a text whose letters would show in another order', 'a: x\n', { a: 'x\u202Ey' }, 'a: "x\\u202ey"\n'],
  ['lines of such a text', 'a: |\n  x\n', { a: 'x\n\u2066y\n' }, 'a: "x\\n\\u2066y\\n"\n'],
  ['a key of that kind', 'a: {}\n', { 'a.k\u200F': 1 }, 'a: { "k\\u200f": 1 }\n'],
  ['double quotes stay', 'a: "x"   # c\n', { a: 'y' }, 'a: "y"   # c\n'],
  ['single quotes stay', "a: 'x'\n", { a: "it's" }, "a: 'it''s'\n"],
  ['a value that begins below its key', 'a:\n  # c\n  x\nb: 1\n', { a: 'y' }, 'a:\n  # c\n  y\nb: 1\n'],
  ['a plain text of several lines', 'a: x\n  y\nb: 1\n', { a: 'z' }, 'a: z\nb: 1\n'],
  ['a text in quotes of several lines', 'a: "x\n  y" # c\nb: 1\n', { a: 'z' }, 'a: "z" # c\nb: 1\n'],
  ['an empty value', 'a:\nb: 1\n', { a: 2 }, 'a: 2\nb: 1\n'],
  ['an empty value with a comment', 'a: # c\nb: 1\n', { a: 2 }, 'a: 2 # c\nb: 1\n'],
  ['null', 'a: 1\n', { a: null }, 'a: null\n'],
  [
    'CRLF',
    'a: 1\r\nb:\r\n  c: x\r\n',
    { 'b.c': 'y', 'b.d': 'z\nw' },
    'a: 1\r\nb:\r\n  c: y\r\n  d: |-\r\n    z\r\n    w\r\n',
  ],
  ['a byte order mark', '\uFEFFa: 1\n', { a: 2 }, '\uFEFFa: 2\n'],
  ['no line break at the end', 'a: 1\nb: 2', { b: 3, c: 4 }, 'a: 1\nb: 3\nc: 4'],
  ['the only key of a file without a line break', 'a: 1', { a: 2 }, 'a: 2'],
  ['braces', 'a: { b: 1, c: [x,y] } # d\n', { 'a.b': 2, 'a.c': ['x', 'z'] }, 'a: { b: 2, c: [x,z] } # d\n'],
  [
    'braces over several lines',
    'a: {\n  b: 1, # c\n  d: 2 # e\n  }\n',
    { 'a.d': 3 },
    'a: {\n  b: 1, # c\n  d: 3 # e\n  }\n',
  ],
  ['a text with a comma in braces', 'a: {b: x}\n', { 'a.b': 'x, y' }, 'a: {b: "x, y"}\n'],
  ['a text of lines in braces', 'a: {b: x}\n', { 'a.b': 'x\ny' }, 'a: {b: "x\\ny"}\n'],
  ['a key in quotes', '"a.b": 1\n', {}, '"a.b": 1\n'],
  ['a text with a tag by a number', 'a: !!str 5 # c\nb: 1\n', { a: 6 }, 'a: 6 # c\nb: 1\n'],
  ['a text with a tag by a text', 'a: !!str 5\n', { a: '6' }, 'a: !!str "6"\n'],
  ['a number with a tag by a text', 'a: !!int "5"\n', { a: 'x' }, 'a: "x"\n'],
  [
    'a number with a tag by a number',
    'a: !!float 1.5\nb: !!int "5"\n',
    { a: 2.5, b: 6 },
    'a: !!float 2.5\nb: !!int 6\n',
  ],
  ['a number with a tag by a whole one', 'a: !!float 1.5\n', { a: 6 }, 'a: 6\n'],
  ['nothing with a tag', 'a: !!str\nb: 1\n', { a: 2 }, 'a: 2\nb: 1\n'],
  ['a map with a tag by a text', 'a: !!map\n  b: 1\nc: 1\n', { a: 'x' }, 'a: x\nc: 1\n'],
  ['braces with a tag by a list', 'a: !!map { b: 1 }\n', { a: ['x'] }, 'a:\n  - x\n'],
  ['a tag below its key', 'a:\n  !!str 5\nb: 1\n', { a: 6 }, 'a:\n  6\nb: 1\n'],
  ['a tag in brackets', 'a: [!!str 5, x]\n', { a: [6, 'x'] }, 'a: [6, x]\n'],
  ['a tag in a list', 'a:\n  - !!str 5\n  - x\n', { a: [6, 'x'] }, 'a:\n  - 6\n  - x\n'],
  ['a tag by lines', 'a: !!int 5\nb: 1\n', { a: 'l\nm\n' }, 'a: |\n  l\n  m\nb: 1\n'],
  ['a key in braces without a value', 'm: { a }\n', { 'm.a': 6 }, 'm: { a: 6 }\n'],
  ['such a key among others', 'm: { "a", b: 1, ? c }\n', { 'm.a': 6, 'm.c': 'x' }, 'm: { "a": 6, b: 1, ? c: x }\n'],
  ['such a key with one below', 'm: { a }\n', { 'm.a.b': 6 }, 'm: { a: { b: 6 } }\n'],
  ['such a key on its own line', 'm: {\n  a, # c\n  b: 1\n}\n', { 'm.a': 6 }, 'm: {\n  a: 6, # c\n  b: 1\n}\n'],
  ['a key in braces with a colon alone', 'm: { a: , b: }\n', { 'm.a': 6, 'm.b': 7 }, 'm: { a: 6 , b: 7 }\n'],
  ['a document that is marked', '%YAML 1.2\n---\na: 1\n...\n', { a: 2 }, '%YAML 1.2\n---\na: 2\n...\n'],
])('replaces %s', (_, text, changes, next) => {
  expect(edited(text, changes)).toBe(next);
});

test.each<[string, string, Record<string, Json | undefined>, string]>([
  [
    'one line of many',
    'a: |\n  x\n\n  y\n    z\nb: 1\n',
    { a: 'x\n\nnew\n  z\n' },
    'a: |\n  x\n\n  new\n    z\nb: 1\n',
  ],
  [
    'deeper than usual, with a comment',
    'a: | # c\n      x\n      y\n',
    { a: 'x\nz\n' },
    'a: | # c\n      x\n      z\n',
  ],
  ['lines with blanks only stay', 'a: |\n  x\n \n  y\n', { a: 'x\n\nz\n' }, 'a: |\n  x\n \n  z\n'],
  ['an indentation that is given', 'a: |2\n   x\n  y\n', { a: ' x\nz\n' }, 'a: |2\n   x\n  z\n'],
  ['a first line that gets blanks', 'a: |\n  x\n  y\n', { a: '  x\ny\n' }, 'a: |2\n    x\n  y\n'],
  ['the last line break goes', 'a: |\n  x\nb: 1\n', { a: 'y' }, 'a: |-\n  y\nb: 1\n'],
  ['the last line break comes', 'a: |-\n  x\nb: 1\n', { a: 'x\ny\n' }, 'a: |\n  x\n  y\nb: 1\n'],
  ['a folded text of one line', 'a: >-\n  x\n  y\nb: 1\n', { a: 'z' }, 'a: >-\n  z\nb: 1\n'],
  ['a folded text of several lines', 'a: >\n  x\n  y\nb: 1\n', { a: 'x\ny\n' }, 'a: |\n  x\n  y\nb: 1\n'],
  ['CRLF', 'a: |\r\n  x\r\n  y\r\nb: 1\r\n', { a: 'x\nz\ny\n' }, 'a: |\r\n  x\r\n  z\r\n  y\r\nb: 1\r\n'],
  ['at the end without a line break', 'a: |-\n  x\n  y', { a: 'x\nz' }, 'a: |-\n  x\n  z'],
  ['a number in its place', 'a: |\n  x\n  y\n# c\n', { a: 3 }, 'a: 3\n# c\n'],
  ['a line in place of one value', 'a: x # c\nb: 1\n', { a: 'x\ny\n' }, 'a: | # c\n  x\n  y\nb: 1\n'],
  ['as escapes in quotes', 'a: "x\\ny" # c\n', { a: 'x\nz' }, 'a: "x\\nz" # c\n'],
  ['in a list', 'a:\n  - |\n    x\n  - y\n', { a: ['z\n', 'y'] }, 'a:\n  - |\n    z\n  - y\n'],
  ['that ends with empty lines', 'a: |+\n  x\n\nb: 1\n', { a: 'y\n\n' }, 'a: "y\\n\\n"\nb: 1\n'],
  ['with a control character', 'a: |\n  x\nb: 1\n', { a: 'x\u0007\n' }, 'a: "x\\a\\n"\nb: 1\n'],
])('replaces the text of a block: %s', (_, text, changes, next) => {
  expect(edited(text, changes)).toBe(next);
});

test.each<[string, string, Record<string, Json | undefined>, string]>([
  ['a text that ends with empty lines, before others', 'a: x\n\n\n', { b: 'p\n\n' }, 'a: x\nb: "p\\n\\n"\n\n\n'],
  ['a map that ends with such a text', 'a: x', { b: { c: 'p\n\n' } }, 'a: x\nb:\n  c: "p\\n\\n"'],
  ['a text with other line breaks', 'a:\n  b: x\n', { 'a.c': 'p\u2028q' }, 'a:\n  b: x\n  c: "p\u2028q"\n'],
  ['a key', 'a:\n  b: 1 # c\n  # d\ne: 2\n', { 'a.x': 1 }, 'a:\n  b: 1 # c\n  x: 1\n  # d\ne: 2\n'],
  [
    'a key behind a block',
    'a:\n  b:\n    c: |\n      x\n\n\n  # d\ne: 2\n',
    { 'a.x': 1 },
    'a:\n  b:\n    c: |\n      x\n  x: 1\n\n\n  # d\ne: 2\n',
  ],
  ['keys that are not there above it', 'a: 1\n# z\n', { 'b.c.d': 'x' }, 'a: 1\nb:\n  c:\n    d: x\n# z\n'],
  ['a key to nothing', 'a:\nb: 1\n', { 'a.x': 1 }, 'a:\n  x: 1\nb: 1\n'],
  ['a key to empty braces', 'a: {} # c\n', { 'a.x': 1 }, 'a: { x: 1 } # c\n'],
  ['a key to braces', 'a: { b: 1 }\n', { 'a.x': [1], 'a.y': 'z, w' }, 'a: { b: 1, x: [ 1 ], y: "z, w" }\n'],
  ['a key to braces that end with a comma', 'a: { b: 1, }\n', { 'a.x': 1 }, 'a: { b: 1, x: 1, }\n'],
  [
    'a key to a map in a list',
    'a:\n  - b: 1\n    c: 2\n',
    { a: [{ b: 1, c: 2, d: 3 }] },
    'a:\n  - b: 1\n    c: 2\n    d: 3\n',
  ],
  [
    'over a merge key',
    'x: &x { a: 1 }\nb:\n  <<: *x\n  c: 1\n',
    { 'b.a': 2 },
    'x: &x { a: 1 }\nb:\n  <<: *x\n  c: 1\n  a: 2\n',
  ],
  ['an item of a list', 'a:\n- x # c\n\n# d\nb: 1\n', { a: ['x', 'y'] }, 'a:\n- x # c\n- y\n\n# d\nb: 1\n'],
  ['an item at the start', 'a:\n  - x # c\n', { a: ['y', 'x'] }, 'a:\n  - y\n  - x # c\n'],
  ['an item to brackets', 'a: [ x ]\n', { a: ['x', 'y', { z: 1 }] }, 'a: [ x, y, { z: 1 } ]\n'],
  [
    'an item behind a comment, on a line of its own',
    'a: [\n  x, # x\n  y # y\n  # end\n]\n',
    { a: ['x', 'y', 'z'] },
    'a: [\n  x, # x\n  y, # y\n  z\n  # end\n]\n',
  ],
  [
    'an item between comments in brackets',
    'a: [\n  x, # x\n  # y\n  y\n]\n',
    { a: ['x', 'z', 'y'] },
    'a: [\n  x, # x\n  z,\n  # y\n  y\n]\n',
  ],
  [
    'an item above the first comment in brackets',
    'a: [ # a\n  # x\n  x ]\n',
    { a: ['z', 'x'] },
    'a: [ # a\n  z,\n  # x\n  x ]\n',
  ],
  ['items to empty brackets', 'a: [] # c\n', { a: ['x'] }, 'a: # c\n  - x\n'],
  ['to an empty file', '# only this\n', { a: 1 }, '# only this\na: 1\n'],
])('adds %s', (_, text, changes, next) => {
  expect(edited(text, changes)).toBe(next);
});

test('adds a key where it belongs by the usual order', () => {
  const order = ['name', 'image', 'env', 'port'];
  const text = 'a:\n  # n\n  name: x\n  port: 1 # p\n';
  expect(edited(text, { 'a.image': 'i' }, order)).toBe('a:\n  # n\n  name: x\n  image: i\n  port: 1 # p\n');
  expect(edited(text, { 'a.zone': 'z' }, order)).toBe('a:\n  # n\n  name: x\n  port: 1 # p\n  zone: z\n');
  expect(edited('a:\n  port: 1\n', { 'a.image': 'i' }, order)).toBe('a:\n  image: i\n  port: 1\n');
  expect(edited('a: { port: 1 }\n', { 'a.image': 'i' }, order)).toBe('a: { image: i, port: 1 }\n');
  expect(edited('- 1\n'.replace('- 1', 'l:\n  - port: 1'), { l: [{ image: 'i', port: 1 }] })).toBe(
    'l:\n  - image: i\n    port: 1\n',
  );
});

test.each<[string, string, Record<string, Json | undefined>, string]>([
  ['a key', 'a: 1 # x\nb: 2\n', { a: undefined }, 'b: 2\n'],
  [
    'a key with all below it',
    '# a\na:\n  b:\n    - 1\n    # in\n    - |\n      x\n# c\nc: 1\n',
    { a: undefined },
    '# a\n# c\nc: 1\n',
  ],
  ['the last key', 'a: 1\nb: 2\n# c\n', { b: undefined }, 'a: 1\n# c\n'],
  ['the last key of a file without a line break', 'a: 1\r\nb: 2', { b: undefined }, 'a: 1'],
  ['the only key', 'a:\n  # c\n  b: 1 # d\ne: 1\n', { 'a.b': undefined }, 'a:\n  # c\n  {} # d\ne: 1\n'],
  ['keys in braces', 'a: { b: 1, c: 2, d: 3 }\n', { 'a.b': undefined, 'a.d': undefined }, 'a: { c: 2 }\n'],
  ['the only key in braces', 'a: { b: 1 }\n', { 'a.b': undefined }, 'a: {}\n'],
  ['the first key behind a hyphen', 'a:\n  - b: 1\n    c: 2\n', { a: [{ c: 2 }] }, 'a:\n  - c: 2\n'],
  ['items', 'a:\n  - 1\n  - 2 # t\n  - 3\n  - 4 # f\n', { a: [1, 4] }, 'a:\n  - 1\n  - 4 # f\n'],
  ['items in brackets', 'a: [1, 2, 3, 4] # c\n', { a: [1] }, 'a: [1] # c\n'],
  ['all items', 'a:\n  - 1\n  - 2\nb: 1\n', { a: [] }, 'a: []\nb: 1\n'],
  [
    'the last key in braces over several lines',
    'a: {\n  b: 1, # b\n  # c\n  c: 2 # d\n  }\n',
    { 'a.c': undefined },
    'a: {\n  b: 1 # b\n  # c\n  }\n',
  ],
  ['the last item in brackets over several lines', 'a: [\n  x, # x\n  y # y\n]\n', { a: ['x'] }, 'a: [\n  x # x\n]\n'],
  [
    'the first key in braces over several lines',
    'a: { b: 1, # b\n  # c\n  c: 2 }\n',
    { 'a.b': undefined },
    'a: {\n  # c\n  c: 2 }\n',
  ],
  [
    'a key before a comment of its line in braces',
    'a: {\r\n  b: 1, c: 2, # d\r\n}\r\n',
    { 'a.c': undefined },
    'a: {\r\n  b: 1, # d\r\n}\r\n',
  ],
  [
    'the only key between comments in braces',
    'a: { # a\n  b: 1, # b\n  # c\n}\n',
    { 'a.b': undefined },
    'a: { # a\n  # c\n}\n',
  ],
  [
    'the first key behind a hyphen, above a comment',
    'a:\n  - b: 1 # b\n    # c\n    c: 2\n',
    { a: [{ c: 2 }] },
    'a:\n  - # c\n    c: 2\n',
  ],
  [
    'the first key behind two hyphens, above a comment',
    'a:\r\n- - b: |\r\n      x\r\n\r\n    # c\r\n    c: 2\r\n',
    { a: [[{ c: 2 }]] },
    'a:\r\n- - # c\r\n    c: 2\r\n',
  ],
  [
    'the first key behind a hyphen for another one',
    'a:\n  - b: 1 # b\n    # c\n    c: 2\n',
    { a: [{ d: 3, c: 2 }] },
    'a:\n  - d: 3\n    # c\n    c: 2\n',
  ],
  [
    'keys for others between comments in braces',
    'a: {\n  b: 1, # b\n  # c\n  c: 2 # d\n}\n',
    { a: { b: 1, e: 3, f: 4 } },
    'a: {\n  b: 1, # b\n  e: 3,\n  f: 4\n  # c\n}\n',
  ],
  ['the last key behind lines with their end', 'a: |+\n  x\n\nb: 1\n\n', { b: undefined }, 'a: |+\n  x\n\n'],
  ['such a key without a line break', 'a: |+\n  x\n\nb: 1', { b: undefined }, 'a: |+\n  x\n\n'],
  ['such a key of folded lines', 'a: >+\n  x\n\nb: 1\n  \n', { b: undefined }, 'a: >+\n  x\n\n'],
  [
    'a key between such lines and another',
    'a: |+\r\n  x\r\n\r\nb: 1\r\n\r\nc: 2\r\n',
    { b: undefined },
    'a: |+\r\n  x\r\n\r\nc: 2\r\n',
  ],
  [
    'such a key below another',
    'm:\n  a: |+\n    x\n\n  b: 1\n\nc: 1\n',
    { 'm.b': undefined },
    'm:\n  a: |+\n    x\n\nc: 1\n',
  ],
  [
    'a key behind a map with such lines',
    'a:\n  - x: |2+\n      t\n\nb: 1\n\n# c\nc: 1\n',
    { b: undefined },
    'a:\n  - x: |2+\n      t\n\n# c\nc: 1\n',
  ],
  ['an item behind such lines', 'l:\n  - |+\n    x\n\n  - b\n\n', { l: ['x\n\n'] }, 'l:\n  - |+\n    x\n\n'],
  ['some keys for others', 'a: {b: 1, c: 2, d: 3}\n', { a: { b: 1, e: 4 } }, 'a: {b: 1, e: 4}\n'],
  ['all keys for others', 'a:\n  b: 1\n  c: 2\nd: 1\n', { a: { x: 1 } }, 'a:\n  x: 1\nd: 1\n'],
])('removes %s', (_, text, changes, next) => {
  expect(edited(text, changes)).toBe(next);
});

test('writes an expression, and the text of a platform that looks like one', () => {
  expect(editYaml('f', 'a: x # c\n', [{ path: ['a'], value: secret }])).toBe('a: ${secret:TOKEN} # c\n');
  expect(edited('a: x\n', { a: '${secret:TOKEN}' })).toBe('a: $${secret:TOKEN}\n');
});

test.each<[string, string, Record<string, Json | undefined>, string, string]>([
  ['a value with an expression', 'a: "x ${var:b}"\n', { a: 'y' }, 'it is written with the expression ${var:…}', '1:4'],
  ['a secret', 'a: ${secret:B}\n', { a: 'y' }, 'it is written with the expression ${secret:…}', '1:4'],
  [
    'a list with an expression',
    'a: [1, "${env:B}"]\n',
    { a: 'y' },
    'it is written with the expression ${env:…}',
    '1:8',
  ],
  ['an item that has one', 'a: [1, "${env:B}"]\n', { a: [1] }, 'it is written with the expression ${env:…}', '1:8'],
  ['a value below an alias', 'x: &x { a: 1 }\nb: *x\n', { 'b.a': 2 }, 'b is the alias *x', '2:4'],
  ['a value that others share', 'x: &x { a: 1 }\nb: *x\n', { 'x.a': 2 }, 'others share it by the anchor &x', '1:7'],
  ['a text that others share', 'x: &x text\nb: *x\n', { x: 'y' }, 'others share it by the anchor &x', '1:7'],
  ['what an anchor stands in', 'x:\n  y: &y 1\nb: *y\n', { x: undefined }, 'others share it by the anchor &y', '2:9'],
  [
    'a key of a merged map',
    'x: &x { a: { c: 1 } }\nb:\n  <<: *x\n',
    { 'b.a.c': 2 },
    'a comes from a merge key (<<)',
    '3:3',
  ],
  [
    'the removal of one',
    'x: &x { a: 1 }\nb:\n  <<: *x\n',
    { 'b.a': undefined },
    'it comes from a merge key (<<)',
    '3:3',
  ],
  [
    'the removal of what is not there',
    'b:\n  c: 1\n',
    { 'b.a': undefined },
    'change a: it is not written there',
    '2:3',
  ],
  ['the removal of it in braces', 'b: {}\n', { 'b.a': undefined }, 'change a: it is not written there', '1:4'],
  [
    'a map with a merge key as a whole',
    'x: &x { a: 1 }\nb:\n  <<: *x\n  c: 1\n',
    { b: { c: 2 } },
    'it has a merge key',
    '3:3',
  ],
  ['a key below a text', 'a: x\n', { 'a.b': 1 }, 'a is not written as a map', '1:1'],
  ['a value with a tag', 'a: !x y\n', { a: 1 }, 'it has a tag', '1:7'],
  [
    'a list with a comma on another line',
    'a: [\n  x # x\n  , y\n]\n',
    { a: ['x'] },
    'a comma stands at the start',
    '2:3',
  ],
  [
    'a value beside what cannot be read',
    'b: { a: 1 }\nc: !!int x\n',
    { 'b.a': 2 },
    'it is written in an unusual',
    '1:6',
  ],
  ['a file that is no map', '- 1\n', { a: 1 }, 'the file is not a map', '1:1'],
])('refuses %s, and says where', (_, text, changes, why, at) => {
  let stop: unknown;
  try {
    edited(text, changes);
  } catch (error) {
    stop = error;
  }
  expect(stop).toBeInstanceOf(Stop);
  const [found] = stop instanceof Stop ? stop.diagnostics : [];
  expect(found).toMatchObject({ code: 'not-editable', message: expect.stringContaining(why) as string });
  expect(found?.remedy).toMatch(/\.$/);
  expect(`${found?.position?.line}:${found?.position?.column}`).toBe(at);
  expect(found?.message).not.toContain('text');
  // Other values of the run may be written.
  expect(found?.message).not.toContain('nothing was written');
});

const leaf = fc.oneof(
  fc.integer({ min: -9, max: 99 }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('', 'x', 'a: b', '# c', ' y', 'l\nm\n', '  n\no', '${var:z}', '12', "q'r", '-', 'é "s"', 'p\n\n'),
);
const json = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd e', '0'), tie('any'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).any;

test('from any value to any other, and back, by changes that are read again', () => {
  const around = 'first: 1 # one\nit: old # two\n# three\nlast: [ 3 ]';
  fc.assert(
    fc.property(json, json, fc.boolean(), (one, other, isFlow) => {
      const start = isFlow ? 'top: { first: 1, it: old, last: [ 3 ] } # end\n' : around;
      const path = isFlow ? ['top', 'it'] : ['it'];
      const to = (text: string, value: Json) => editYaml('f', text, [{ path, value: plainly(value) }]);
      const second = to(to(start, one), other);
      const tree = readTree('f', second, []);
      const read = tree === undefined ? null : toJson(tree);
      const escaped = JSON.parse(JSON.stringify(other).replaceAll('${var', () => '$${var')) as Json;
      const values = { first: 1, it: escaped, last: [3] };
      expect(read).toEqual(isFlow ? { top: values } : values);
      if (isFlow) expect(second).toMatch(/^top: \{ first: 1, it: .*, last: \[ 3 \] \} # end\n$/s);
      else expect(second.startsWith('first: 1 # one\nit:') && second.endsWith('# three\nlast: [ 3 ]')).toBe(true);
    }),
    { numRuns: effort({ fast: 100, full: 1_000 }) },
  );
});

test('edits that are made together give the text that they give one by one', () => {
  const text =
    'a: 1 # one\nb: { c: x, d: [ 1, 2 ], e: y } # two\nf:\n  g: |\n    old\n    text\n  h:\n    - i: 1\n    - j\n# end\nk: "z"\n';
  const places = [['a'], ['b', 'c'], ['b', 'd'], ['b', 'new'], ['f', 'g'], ['f', 'h'], ['f', 'new'], ['k'], ['new']];
  const edits = fc.array(fc.record({ path: fc.constantFrom(...places), value: fc.option(json) }), { maxLength: 4 });
  let together = 0;
  fc.assert(
    fc.property(edits, (chosen) => {
      const open = editTogether('f', text);
      const made: Edit[] = [];
      for (const { path, value } of chosen) {
        if (made.some((one) => one.path.join() === path.join())) continue;
        const edit = { path, value: plainly(value) };
        if (open.add(edit)) made.push(edit);
      }
      const found = open.text();
      if (made.length > 1 && found !== undefined) together += 1;
      // A text that ends with several line breaks may take empty lines that follow, so that it cannot be changed.
      if (found !== undefined) expect(found).toBe(editYaml('f', text, made));
    }),
    { numRuns: effort({ fast: 100, full: 1_000 }) },
  );
  expect(together).toBeGreaterThan(10);
});

test.each([
  ['the same place', 'a: 1\n', ['b'], ['c']],
  ['the same value', 'a: [ 1, 2 ]\nb: 1\n', ['a'], ['a']],
  ['a value with an anchor', 'a: 1\nb: &b 1\nc: *b\n', ['a'], ['b']],
])('an edit of %s is not made together with others', (_, text, first, second) => {
  const open = editTogether('f', text);
  expect(open.add({ path: first, value: plainly(5) })).toBe(true);
  expect(open.add({ path: second, value: plainly(6) })).toBe(false);
  expect(open.text()).toBe(editYaml('f', text, [{ path: first, value: plainly(5) }]));
});
