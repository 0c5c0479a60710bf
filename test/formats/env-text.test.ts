import { parse } from 'dotenv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEnvText, writeEnvText } from '../../src/formats/env-text.ts';
import { effort } from '../support/whole.ts';

const words = [
  'A',
  'B=',
  'C.d-e',
  '=',
  ':',
  ': ',
  ' = ',
  'export',
  'export ',
  '__proto__=',
  'constructor=',
  'x',
  '0',
  'é',
  '🚀',
];
const marks = [
  '"',
  "'",
  '`',
  '\\',
  '\\"',
  "\\'",
  '\\`',
  '\\n',
  '\\r',
  '\\\\',
  '#',
  ' # ',
  '$',
  '${X}',
  '{"a":1}',
  '""',
  "''",
];
const spaces = ['\n', '\r\n', '\r', '\n\n', ' ', '\t', '\u00a0', '\u2028', '\u2029', '\ufeff'];
const noText = ['\0', '\ud800'];
const hostileText = fc
  .array(fc.constantFrom(...words, ...marks, ...spaces, ...noText), { maxLength: 24 })
  .map((parts) => parts.join(''));
const assignments = fc
  .array(fc.tuple(fc.constantFrom('A=', 'B =', 'export C=', 'D: '), hostileText), { maxLength: 5 })
  .map((lines) => lines.map(([key, value]) => key + value).join('\n'));

const sorted = (entries: Iterable<[string, string]>): [string, string][] =>
  [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
const expectSameAsPlatform = (text: string): void => {
  expect(sorted(readEnvText(text))).toEqual(sorted(Object.entries(parse(text))));
};

/** What dotenv's grammar can carry at all, stated without reference to how it is written. */
function canBeCarried(value: string): boolean {
  const isFree = (quote: string): boolean => !new RegExp(`(?<!\\\\)${quote}`).test(value);
  const isExpandable = !/\\[nr]/.test(value);
  return (
    !/[#\r\n]/.test(value) ||
    (!value.includes('\r') && (isFree("'") || isFree('`'))) ||
    (isExpandable && (isFree('"') || !value.includes('#')))
  );
}

describe('reading an env file', () => {
  it.each([
    ['plain values', 'A=1\nB= two words \nC=', { A: '1', B: 'two words', C: '' }],
    ['export and the colon form', 'export A=1\nB: 2\nC:3\nexport=4', { A: '1', B: '2', export: '4' }],
    ['comments', '# A=0\nA=1 # one\nB=a#b\nC="a#b" # c', { A: '1', B: 'a', C: 'a#b' }],
    ['quotes', `A='1 '\nB=" 2"\nC=\` 3 \`\nD='a'b'`, { A: '1 ', B: ' 2', C: ' 3 ', D: "a'b" }],
    [
      'escapes',
      String.raw`A="1\n2\r"` + '\n' + String.raw`B='1\n2'` + '\n' + String.raw`C="\"\t\\"`,
      {
        A: '1\n2\r',
        B: String.raw`1\n2`,
        C: String.raw`\"\t\\`,
      },
    ],
    ['several lines', 'A="1\n2"\nB=\'3\n\n4\'', { A: '1\n2', B: '3\n\n4' }],
    ['carriage returns', 'A=1\r\nB="2\r\n3"\rC=4', { A: '1', B: '2\n3', C: '4' }],
    ['unterminated quotes', 'A="1\nB=\'2\nC=`3', { A: '"1', B: "'2", C: '`3' }],
    ['values that begin below their key', 'A=\n\n"1"\nB:\n  C=2', { A: '1', B: 'C=2' }],
    ['repeated keys', 'A=1\nA=2', { A: '2' }],
    ['keys of every object', 'constructor=1\n__proto__=2\ntoString=3', { constructor: '1', toString: '3' }],
    ['nothing', '', {}],
    ['lines that assign nothing', 'A\nB C=1\n=2\nD', {}],
  ])('understands %s', (_, text, expected) => {
    expect(sorted(readEnvText(text))).toEqual(sorted(Object.entries(expected)));
    expectSameAsPlatform(text);
  });

  it('reads any text as the platform does', () => {
    fc.assert(fc.property(fc.oneof(hostileText, assignments), expectSameAsPlatform), {
      numRuns: effort({ fast: 3_000, full: 25_000 }),
    });
  });

  // What takes longer than in proportion to the text comes to no end with these.
  it('of a million characters is read, with any repetition', () => {
    const million = 1_000_000;
    const units = [
      "A='",
      "A='\n",
      'A="\\"',
      'A',
      '\n',
      'A\n',
      'export\n',
      "'\u2028",
      "A='\u2028",
      "A=x' ",
      'A= \n',
      "A=\"'`\\'\n",
      '#',
    ];
    for (const unit of effort({ fast: units.slice(0, 4), full: units })) {
      const text = unit.repeat(million / unit.length);
      const keys = [text, `A="${text}`, `A=\u2028${text}`].map((long) => readEnvText(long).size);
      expect(keys, JSON.stringify(unit)).toEqual([expect.any(Number), 1, 1]);
    }
  });
});

describe('writing an env file', () => {
  const pem = '-----BEGIN KEY-----\nMIIB+/=\nAAAA==\n-----END KEY-----\n';

  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['$', '$'],
    ['$$', '$$'],
    ['${X}', '${X}'],
    ['${{environment.X}}', '${{environment.X}}'],
    ['a=b', 'a=b'],
    ['a#b', '"a#b"'],
    ['#', '"#"'],
    ["it's", "it's"],
    ['"quoted"', `'"quoted"'`],
    ["'quoted'", `"'quoted'"`],
    [`"'\``, `""'\`"`],
    ['{"a":{"b":[1,"#"]}}', `'{"a":{"b":[1,"#"]}}'`],
    [' both ends ', '" both ends "'],
    ['\t\ttabs\t', '"\t\ttabs\t"'],
    ['in\tside', 'in\tside'],
    [pem, `"${pem}"`],
    ['a\r\nb\r\n', '"a\\r\nb\\r\n"'],
    ['grüße 🚀 日本', 'grüße 🚀 日本'],
    ['\u2028"a"', `'\u2028"a"'`],
    [String.raw`a\nb`, String.raw`a\nb`],
    [String.raw`a\nb #`, String.raw`'a\nb #'`],
    ['ends in \\', 'ends in \\'],
    [' \\', '" \\" # ".'],
    [`"'\`\n`, String.raw`""'` + '`' + String.raw`\n"`],
  ])('keeps %j', (value, quoting) => {
    const { text, refused } = writeEnvText(new Map([['KEY', value]]));
    expect({ text, refused }).toEqual({ text: `KEY=${quoting}\n`, refused: [] });
    expect(parse(text)).toEqual({ KEY: value });
  });

  it('keeps the sequence of the map, and is empty for an empty one', () => {
    expect(writeEnvText(new Map(Object.entries({ B: '1', A: '2', 'c.d-e': '3' }))).text).toBe('B=1\nA=2\nc.d-e=3\n');
    expect(writeEnvText(new Map())).toEqual({ text: '', refused: [] });
  });

  it.each(['', 'a b', 'a=b', 'é', 'a\n', '__proto__'])('refuses the key %j', (key) => {
    expect(
      writeEnvText(
        new Map([
          [key, '1'],
          ['ok', '2'],
        ]),
      ),
    ).toEqual({
      text: 'ok=2\n',
      refused: [{ key, reason: expect.stringContaining('key') }],
    });
  });

  it.each([
    ['all three quotes beside "#"', `"'\`#`],
    ['two quotes and a literal line break beside "#"', `'\`\\n#`],
    ['a carriage return and a literal line break', '\r\\n'],
    ['a carriage return, a double quote and "#"', '\r"#'],
    ['NUL', 'a\0'],
    ['half a surrogate pair', '\ud83d'],
  ])('refuses a value with %s', (_, value) => {
    const { text, refused } = writeEnvText(new Map([['KEY', value]]));
    expect(text).toBe('');
    expect(refused).toEqual([{ key: 'KEY', reason: expect.any(String) }]);
  });

  it('carries every value that a quoting can carry, and refuses the others', () => {
    const value = fc.array(fc.constantFrom(...words, ...marks, ...spaces), { maxLength: 12 });
    const entries = fc.array(
      fc.tuple(
        fc.constantFrom('A', 'b.c', 'D-1', 'export', '1'),
        value.map((parts) => parts.join('')),
      ),
    );
    fc.assert(
      fc.property(entries, (pairs) => {
        const map = new Map(pairs);
        const { text, refused } = writeEnvText(map);
        const isRefused = new Set(refused.map(({ key }) => key));
        expect(sorted(Object.entries(parse(text)))).toEqual(sorted([...map].filter(([key]) => !isRefused.has(key))));
        for (const [key, wanted] of map) {
          // Beside a quote, U+2028 ends a line for the platform: there, only the way back is promised.
          if (!/[\u2028\u2029]/.test(wanted))
            expect(isRefused.has(key), JSON.stringify(wanted)).toBe(!canBeCarried(wanted));
        }
      }),
      { numRuns: effort({ fast: 1_500, full: 10_000 }) },
    );
  });

  it('refuses no short value that some line of text would carry', () => {
    const alphabet = ['"', "'", '`', '#', '\\', 'n', 'r', '\n'];
    let lines = [''];
    for (let length = 1; length <= 5; length++) {
      lines = lines.flatMap((line) => alphabet.map((character) => line + character));
      const values = new Set(lines.map((line) => parse(`A=${line}`)['A'] ?? ''));
      for (const value of values)
        expect(writeEnvText(new Map([['A', value]])).refused, JSON.stringify(value)).toEqual([]);
    }
  });
});
