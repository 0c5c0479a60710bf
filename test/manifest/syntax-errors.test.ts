import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { withQuotes } from '../../src/manifest/quote.ts';
import { readTree } from '../../src/manifest/read-tree.ts';
import { plainStyle } from '../../src/render/style.ts';
import { renderDiagnostic } from '../../src/render/diagnostics-text.ts';
import { kinds } from '../../src/resources/index.ts';

/** Typical mistakes of YAML, each with its place, its sentence and its remedy. */

function problemsOf(text: string): Diagnostic[] {
  const found: Diagnostic[] = [];
  readTree('f', text, found);
  return found;
}

const spaces = 'Indent with spaces: YAML does not take tabs.';
const commas = ['a comma is missing between two entries', 'Separate the entries of { } and [ ] by commas.'] as const;
const noColon = [
  'this line has no colon behind its key',
  'Write key: value, or - value for an item of a list.',
] as const;
const column = (at: number) => `this line begins in column ${at}, and no line that it can belong to does`;

describe('U12: a mistake of YAML has the remedy that fits it', () => {
  test.each([
    ['a tab before a key', 'a:\n§\tb: 1\n', 'a tab indents this line', spaces],
    ['a tab behind spaces', 'a:\n  b: 1\n §\tc: 2\n', 'a tab indents this line', spaces],
    ['less indentation', 'a:\n    b: 1\n§   c: 2\n', column(4), 'Begin it in column 5, as line 2.'],
    ['more indentation', 'a:\n  b: 1\n§    c: 2\n', column(5), 'Begin it in column 3, as line 2.'],
    ['more indentation in an item', 'a:\n  - b: 1\n§   c: 2\n', column(4), 'Begin it in column 5, as line 2.'],
    ['less than a key without a value', 'a:\n  b:\n    c:\n§   d: 1\n', column(4), 'Begin it in column 5, as line 3.'],
    ['less than such a key with CRLF', 'a:\r\n  b:\r\n    c:\r\n§   d: 1\r\n', column(4), 'in column 5, as line 3.'],
    ['less than such a key in an item', 'a:\n  - b:\n§   c: 1\n', column(4), 'Begin it in column 5, as line 2.'],
    ['a text of several lines that ends early', 'a: |\n    x\n§  y\n', column(3), 'Begin it in column 5, as line 2.'],
    ['no space behind a colon', 'a:\n  §b:1\n  c: 2\n', 'there is no space behind the colon', 'Write one: key: value.'],
    [
      'the marks of a merge conflict',
      'a:\n  b: 1\n§<<<<<<< HEAD\n  c: 2\n=======\n  c: 3\n>>>>>>> other\n',
      'git could not merge this file here',
      'Keep the lines that are right',
    ],
    ['no colon', 'a:\n  §b\n  c: 2\n', ...noColon],
    ['no colon in the last line', 'a:\n  c: 2\n  §b\n', ...noColon],
    ['= for a colon', 'a: 1\n§b = 2\n', 'this line has = instead of a colon', 'Write key: value.'],
    ['two keys in a line', 'a: §b: c\n', 'this line has two keys', 'Quote a value that holds ": "'],
    ['an address with a colon', 'a: §http://x: 80\n', 'this line has two keys', 'Quote a value that holds ": "'],
    ['double quotes', 'a: 1\nb: §"x\nc: 2\n', 'these quotes are never closed', 'Close them with ".'],
    ['single quotes', "a: §'x\nb: 1\n", 'these quotes are never closed', "Close them with '."],
    ['an apostrophe', "a: 'it'§s'\n", 'text follows behind the closing quote', "Write '' for an apostrophe"],
    ['text behind quotes', 'a: "x" §y\n', 'text follows behind the closing quote', 'Quote the whole value'],
    ['quotes in quotes', 'a: "x "§y" z"\n', 'text follows behind the closing quote', String.raw`write \" inside`],
    ['curly quotes', 'a: §“x”: y\n', 'curly quotes are no quotes in YAML', 'Write straight ones'],
    ['a [', 'a: §[1, 2\nb: 1\n', 'this [ is never closed', 'Close it with ].'],
    ['a {', 'a: §{ b: 1\nc: 2\n', 'this { is never closed', 'Close it with }.'],
    [
      'the inner one of two',
      'a: { b: §{ c: 1 }\nd: 2\n'.replace('§', ''),
      'this { is never closed',
      'Close it with }.',
    ],
    ['a } too many', 'a: { b: 1 }§}\n', 'there is no { that this } closes', 'Remove it'],
    ['a ] too many', 'b: §]\n', 'there is no [ that this ] closes', 'Remove it'],
    ['another bracket', 'a: [1, 2§}\n', '} closes a [', 'Write ] here'],
    ['no comma in { }', 'a: { b: §1 c: 2 }\n', ...commas],
    ['no comma in { } of several lines', 'a: {\n  b: §1\n  c: 2\n}\n', ...commas],
    ['no comma in [ ]', 'a: ["x" §"y"]\n', ...commas],
    ['a comma too many', 'a: [1,§, 2]\n', 'there is nothing before this comma', 'Remove the comma'],
    ['a list in the line of its key', 'a: §- 1\n', 'a list cannot begin in the line of its key', 'next line'],
    ['a list in braces', 'a: { b:\n  §- 1 }\n', 'a list with - cannot stand inside of { } and [ ]', '[a, b]'],
    ['no dash', 'a:\n  - 1\n  §2\n', 'this line stands in a list and does not begin with -', 'Write - and a space'],
    ['dashes in two columns', 'a:\n  - 1\n§ - 2\n', 'the items of this list do not begin in one column', 'same column'],
    ['@', 'a: §@x\n', 'a value without quotes cannot begin with @', 'Quote the value.'],
    ['a backtick', 'a: §`x`\n', 'a value without quotes cannot begin with `', 'Quote the value.'],
    ['%', 'a: §%x\n', 'a value without quotes cannot begin with %', 'Quote the value.'],
    ['*', 'a: §*.example.com\n', 'there is no complete anchor &.example.com', 'Quote a text that begins with *.'],
    ['a misspelt alias', 'a: &base { b: 1 }\nc: §*bsae\n', 'no complete anchor &bsae', 'Did you mean *base?'],
    ['!', 'a: §!x\n', 'Trueup reads no tag !x', 'quote the value'],
    ['!!int', 'a: §!!int x\n', '!!int stands before a value of another type', 'Write a value that it takes'],
    ['!!binary', 'a: §!!binary aGk=\n', 'Trueup reads no tag !!binary', 'quote the value'],
    ['|', 'a: |§x\n', 'a value that begins with | or > is a text of several lines', 'next line'],
    ['text behind a bracket', 'a: [x] §y\n', 'text follows behind the end of a value', 'Quote the whole value.'],
    ['an expression in braces', 'a: { b: $§{var:x} }\n', 'a value with ${…} has no quotes', 'Quote the value: "${…}"'],
    ['no space before #', 'a: "x"§#y\n', 'there is no space before this #', 'Write one to begin a comment'],
    ['a backslash', String.raw`a: "C:§\dir"` + '\n', 'this backslash begins no escape', String.raw`Write \\`],
    ['a key twice', 'a: 1\nb: 2\n§a: 3\n', 'the key a is defined twice, first on line 1', 'Keep one of them.'],
    ['a second document', 'a: 1\n§---\nb: 1\n', 'a second document begins here', 'a file of its own'],
    ['line ends of old', 'a: §1\rb: 2\n', 'lines end with CR alone', 'Save the file'],
  ])('%s', (_title, marked, message, remedy) => {
    const at = marked.indexOf('§');
    const [problem, ...others] = problemsOf(marked.replace('§', ''));
    expect(others).toEqual([]);
    expect(problem?.message).toContain(message);
    expect(problem?.remedy).toContain(remedy);
    if (at === -1) return;
    const before = marked.slice(0, at).split('\n');
    expect(problem?.position).toMatchObject({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
  });
});

describe('a secret', () => {
  const signs = [
    '*',
    '&',
    '!',
    '|',
    '>',
    '%',
    '@',
    '`',
    '{',
    '[',
    ']',
    '}',
    '"',
    "'",
    '"\\c',
    ', ',
    '- ',
    '? ',
    ': ',
    '#',
  ];
  const places = (value: string) => [
    `databasePassword: ${value}\n`,
    `env: { TOKEN: ${value} }\n`,
    `env:\n  TOKEN: ${value}\n  B: 1\n`,
    `- password: ${value}\n`,
    `databasePassword:\n  ${value}\n`,
    `databasePassword: x ${value}\n`,
    `databasePassword: "x" ${value}\n`,
    `databasePassword: x\n ${value}\n`,
    `databasePassword: >\n  x\n ${value}\n`,
  ];

  test.each(signs)('that begins with %s shows in no mistake of YAML', (sign) => {
    for (const value of [
      `${sign}canary-one`,
      `canary-one${sign}canary-two`,
      `"canary-one${sign}`,
      `x: ${sign}canary-one`,
    ]) {
      for (const text of places(value)) {
        const found = withQuotes(problemsOf(text), new Map([['f', text]]), kinds);
        const shown = found.flatMap((item) => renderDiagnostic(item, plainStyle)).join('\n');
        expect(shown, text).not.toContain('canary');
      }
    }
  });
});
