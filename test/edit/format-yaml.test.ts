import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatYaml, wordsOf } from '../../src/edit/format-yaml.ts';
import { sameTree } from '../../src/edit/same-tree.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { readTree } from '../../src/manifest/read-tree.ts';
import { effort } from '../support/whole.ts';

/** Layout of a text that somebody wrote: the values, the words and their order stay. */

test.each([
  ['two columns per level', 'a:\n    b:\n        c: 1\n    d: 2\n', 'a:\n  b:\n    c: 1\n  d: 2\n'],
  [
    'a list stands below its key',
    'a:\n- 1\n-   2\nb:\n    - x: 1\n      y: 2\n',
    'a:\n  - 1\n  - 2\nb:\n  - x: 1\n    y: 2\n',
  ],
  ['a list in a list', '-   - 1\n    - 2\n- -   - 3\n', '- - 1\n  - 2\n- - - 3\n'],
  ['one blank behind a colon', 'a:   1\nb:\t2\n"c":    [1,2]\n', 'a: 1\nb: 2\n"c": [1,2]\n'],
  ['no blanks at the end of a line', 'a: 1  \nb:  \n  c: 2\t\n# d  \n', 'a: 1\nb:\n  c: 2\n# d\n'],
  ['empty lines', '\n\na: 1\n\n\n\nb: 2\n \n\t\n\nc: 3\n\n\n', 'a: 1\n\nb: 2\n\nc: 3\n'],
  ['a line break at the end', 'a: 1', 'a: 1\n'],
  ['a comment at the end without a line break', 'a: 1\n# b', 'a: 1\n# b\n'],
  [
    'the blanks before a comment at the end of a line stay',
    'a:  1    # x\nbb: 2   # y\n',
    'a: 1    # x\nbb: 2   # y\n',
  ],
  ['CRLF stays', 'a:\r\n    b: 1\r\n', 'a:\r\n  b: 1\r\n'],
  ['mixed line breaks become the first', 'a: 1\r\nb: 2\nc: |\n  x\r\n  y\n', 'a: 1\r\nb: 2\r\nc: |\r\n  x\r\n  y\r\n'],
  ['a byte order mark stays', '\uFEFFa:   1\n', '\uFEFFa: 1\n'],
  [
    'a text of a block moves with its key',
    'a:\n    b: |\n        x\n          y\n\n        z\n',
    'a:\n  b: |\n    x\n      y\n\n    z\n',
  ],
  [
    'an indentation that is given stays',
    'a:\n    b: |4\n          x\n        y\n',
    'a:\n  b: |4\n        x\n      y\n',
  ],
  ['blanks at the end of a text of a block stay', 'a: |\n    x  \n    y\n', 'a: |\n  x  \n  y\n'],
  ['empty lines that a text keeps stay', 'a: |+\n  x\n\n\nb: >+\n  y\n\n\n', 'a: |+\n  x\n\n\nb: >+\n  y\n\n\n'],
  ['a text that is cut', 'a: >-\n     x\n\n     y\n\n\nb: 1\n', 'a: >-\n  x\n\n  y\n\nb: 1\n'],
  ['a text in quotes moves as a whole', 'a:\n    b: "x\n      y\n       z"\n', 'a:\n  b: "x\n    y\n     z"\n'],
  ['a plain text of several lines', 'a:\n     b\n      c  \n\n      d\n', 'a:\n  b\n   c\n\n   d\n'],
  ['brackets over several lines', 'a:\n    b: [1,\n        2,\n     ]\n', 'a:\n  b: [1,\n      2,\n    ]\n'],
  ['blanks in braces stay', 'a: {b: 1,   c: [ 2,3 ]}\n', 'a: {b: 1,   c: [ 2,3 ]}\n'],
  ['quotes stay', 'a: "no"\nb: \'0755\'\n\'c\': "d"\n', 'a: "no"\nb: \'0755\'\n\'c\': "d"\n'],
  [
    'anchors and merge keys',
    'x-a:   &a\n    b: 1\nc:\n    <<:  *a\n    d: &e   2\n',
    'x-a: &a\n  b: 1\nc:\n  <<: *a\n  d: &e 2\n',
  ],
  ['an anchor that has its line', 'a:\n    &b\n    c: 1\n', 'a:\n  &b\n  c: 1\n'],
  ['a blank before a colon stays', 'a :   1\n', 'a : 1\n'],
  ['an explicit key', '?   a\n:   - b\n    - c\n', '? a\n: - b\n  - c\n'],
  ['a document that is marked', '%YAML 1.2\n---\na:    1\n...\n', '%YAML 1.2\n---\na: 1\n...\n'],
  [
    'comments move with the block in whose column they stand',
    '# top\na:\n    # of b\n    b: 1\n    # end of a\n# of c\nc:\n- 1\n# of 2\n- 2\n# end\n',
    '# top\na:\n  # of b\n  b: 1\n  # end of a\n# of c\nc:\n  - 1\n  # of 2\n  - 2\n# end\n',
  ],
  [
    'a comment deeper than its key belongs to what comes',
    'a:\n      # of b\n    b: 1\nc:\n  # of d\n    d: 1\n',
    'a:\n  # of b\n  b: 1\nc:\n  # of d\n  d: 1\n',
  ],
  ['a comment behind a text is not part of it', 'a: |\n      x\n   # c\nb: 1\n', 'a: |\n  x\n# c\nb: 1\n'],
  ['blanks at the end of a file of empty lines that are kept', 'u: |2+\n\r\n  ', 'u: |2+\n\n'],
  ['deep blanks at the end of a file of empty lines', 'u: |2+\n\n    ', 'u: |2+\n\n'],
  ['blanks at the end of a file that are all of a text', 'u: |+\n  ', 'u: |+\n\n'],
  ['deep blanks at the end of a file, which are a line of the text', 'u: |+\n  a\n    ', 'u: |+\n  a\n    \n'],
  ['empty lines behind an empty text', 'u: |\n\n\n  \nc: 1\n', 'u: |\nc: 1\n'],
  ['only a comment', '\n\n  # a\n\n', '# a\n'],
  ['nothing', '', ''],
])('%s', (_, text, formatted) => {
  expect(formatYaml(text)).toBe(formatted);
  expect(formatYaml(formatted)).toBe(formatted);
  expectSame(text, formatted);
});

function expectSame(text: string, formatted: string): void {
  const problems: Diagnostic[] = [];
  const [a, b] = [text, formatted].map((one) => readTree('f', one.replace(/^\uFEFF/, ''), problems));
  expect({ problems, same: sameTree(a, b) }).toEqual({ problems: [], same: true });
  expect(wordsOf(formatted)).toEqual(wordsOf(text));
}

/** Pieces of lines from which random texts are made. */
const pieces = [
  'a: ',
  'b:\n',
  '- ',
  '- x\n',
  '  ',
  '    ',
  ' ',
  '\t',
  '\n',
  '\n\n',
  '# c\n',
  '  # d\n',
  'k: |\n',
  'l: >-\n',
].concat([
  'm: &q 1\n',
  'n: *q\n',
  '[1, 2]\n',
  '{ o: 1,\n',
  ' p: 2 }\n',
  '"r\n',
  ' s"\n',
  'text\n',
  '\r\n',
  "'t'\n",
  '<<: *q\n',
  'u: |2+\n',
]);
const lines = fc.array(
  fc.record({
    indent: fc.nat(6),
    text: fc.constantFrom(
      'a:',
      'b: 1',
      '- x',
      '- c: 2',
      '- - 3',
      '# d',
      'e: |',
      'f: >-',
      'g: "h',
      'i"',
      '',
      '  ',
      'j: [1,',
      ']',
      'k: &l',
      'm: *l',
    ),
    end: fc.constantFrom('\n', '\n', '\n', '  \n', '\r\n', ' # n\n', '\n\n\n'),
  }),
  { maxLength: 9 },
);
const texts = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join('')),
  lines.map((all) => all.map(({ indent, text, end }) => ' '.repeat(indent) + text + end).join('')),
);

test('random texts that are valid keep their values and words, and are formatted by formatting once', () => {
  let valid = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const problems: Diagnostic[] = [];
      readTree('f', text, problems);
      if (problems.length > 0) return;
      valid += 1;
      const formatted = formatYaml(text);
      expectSame(text, formatted);
      expect(formatYaml(formatted)).toBe(formatted);
    }),
    { numRuns: effort({ fast: 200, full: 2_000 }) },
  );
  expect(valid).toBeGreaterThan(10);
});
