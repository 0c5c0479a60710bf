import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/formats/json.ts';
import type { Change, Shown } from '../../src/plan/action.ts';
import { renderChange } from '../../src/render/change-text.ts';
import { columnsOf } from '../../src/render/columns.ts';
import type { Style } from '../../src/render/style.ts';
import { plainStyle } from '../../src/render/style.ts';

const value = (of: Json): Shown => ({ is: 'value', value: of });
const absent: Shown = { is: 'absent' };

/** A change as text. */
function rendered(change: Partial<Change>, style: Partial<Style> = {}): string {
  const full: Change = {
    path: 'f',
    cause: 'edit',
    before: absent,
    after: absent,
    atDeploy: false,
    forcesReplacement: false,
    ...change,
  };
  return renderChange(full, 4, { ...plainStyle, ...style }).join('\n');
}

const edit = (before: Json, after: Json, style: Partial<Style> = {}): string =>
  rendered({ before: value(before), after: value(after) }, style);

/** A compose file of 359 lines. */
const file = (images: Record<number, string> = {}): string => {
  const service = (at: number) =>
    `  s${at}:\n    image: ${images[at] ?? 'nginx:1.27'}\n    restart: always\n    environment:\n      A: "1"\n      B: "2"\n`;
  return `services:\n${Array.from({ length: 59 }, (_, at) => service(at)).join('')}volumes:\n  data: {}\n  more: {}\n  last: {}\n`;
};

describe('a change of a text of several lines', () => {
  it('in two places of 359 lines is two hunks with the numbers of both sides and the keys above', () => {
    expect(file().split('\n')).toHaveLength(360);
    expect(edit(file(), file({ 9: 'nginx:1.28' }).replace('  data: {}\n', ''))).toBe(
      `f:
  @@ -54,7 +54,7 @@ services.s9
          A: "1"
          B: "2"
      s9:
  -     image: nginx:1.27
  +     image: nginx:1.28
        restart: always
        environment:
          A: "1"
  @@ -354,6 +354,5 @@ volumes
          A: "1"
          B: "2"
    volumes:
  -   data: {}
      more: {}
      last: {}`,
    );
  });

  it.each([
    ['a newline at the end', 'a\nb\n', 'a\nb', '(no newline at the end any more)'],
    ['a newline that comes', 'a\nb', 'a\nb\n', '(now with a newline at the end)'],
    ['the line ends', 'a\nb\n', 'a\r\nb\r\n', '(line ends: LF -> CRLF)'],
    ['some line ends', 'a\r\nb\nc\n', 'a\nb\nc\n', '(line ends: CRLF in 1 of 3 lines -> LF)'],
  ])('is said in words where no line shows it: %s', (_, before, after, words) => {
    expect(edit(before, after)).toBe(`f:\n  ${words}`);
  });

  it('shows a line end that moved', () => {
    expect(edit('a\r\nb\nc\n', 'a\nb\r\nc\n')).toContain('  - a\\r\n');
  });

  it('shows white space where nothing else differs', () => {
    expect(edit('a:\n  b: 1\n  c: 2\n', 'a:\n  b: 1  \n\tc: 2\n')).toBe(
      `f:
  (only white space differs)
  @@ -1,3 +1,3 @@ a
    a:
  -   b: 1
  -   c: 2
  +   b: 1\\u0020\\u0020
  + \\tc: 2`,
    );
  });

  it('has no two sides that look the same', () => {
    const text = edit('one\ncaf\u00e9 x\n', 'one\ncafe\u0301\u00a0x\n');
    expect(text).toContain('  - caf\\u00e9 x\n  + cafe\\u0301\\u00a0x');
    expect(edit('a b', 'a\u00a0b')).toBe('f: a b -> a\\u00a0b');
  });

  it('is cut with a count, and whole with --full', () => {
    const lines = (word: string) => Array.from({ length: 40 }, (_, at) => `${word} ${at}\n`).join('');
    const text = edit(`start\n${lines('old')}`, `start\n${lines('new')}end\n`);
    expect(text).toContain('  - old 11\n  … 28 more removed lines (--full shows all)\n  + new 0\n');
    expect(text).toMatch(/ {2}\+ new 11\n {2}… 29 more added lines \(--full shows all\)$/);
    const full = edit(`start\n${lines('old')}`, `start\n${lines('new')}end\n`, { isFull: true });
    expect(full).not.toContain('…');
    expect(full.split('\n')).toHaveLength(84);
  });

  it('in many places is cut with a count', () => {
    const text = (every: string) =>
      Array.from({ length: 2_000 }, (_, at) => (at % 20 === 0 ? every : `line ${at}`)).join('\n');
    const shown = edit(text('a'), text('b'));
    expect(shown).toMatch(/\n {2}… 176 more changed lines \(--full shows all\)$/);
    expect(shown.split('\n').length).toBeLessThan(130);
  });

  it('shows the part of a very long line that differs', () => {
    const long = (word: string) => `${'a'.repeat(100_000)}${word}${'b'.repeat(100_000)}`;
    const text = edit(`x\n${long('ONE')}\n`, `x\n${long('TWO')}\n`);
    expect(text).toContain('  - … 99,960 characters …');
    expect(text).toContain('aaONEbb');
    expect(text).toContain('aaTWObb');
    expect(text.length).toBeLessThan(2_000);
    expect(edit(long('ONE'), long('TWO'))).toContain('aaTWObb');
  });

  it('escapes what a terminal obeys', () => {
    const text = edit('a\n\u001b[2J\u202e1\n', 'a\n\u001b[2J\u202e2\n');
    expect(text).toContain('- \\x1b[2J\\u202e1');
  });

  it('stays within the width without losing a blank', () => {
    const [before, after] = [`a\n${'word  '.repeat(30)}1\n`, `a\n${'word  '.repeat(30)}2\n`];
    const text = edit(before, after, { width: 60 });
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(56);
    expect(text.replaceAll('\n  … ', '')).toContain(`- ${'word  '.repeat(30)}1`);
    expect(edit(before, after)).toContain(`- ${'word  '.repeat(30)}1`);
  });

  it('of a conflict shows what the platform has changed since the last apply', () => {
    const text = (port: number, tag: number) => `a: 1\nport: ${port}\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\ntag: ${tag}\n`;
    const shown = rendered({
      cause: 'conflict',
      before: value(text(81, 1)),
      after: value(text(80, 2)),
      last: value(text(80, 1)),
    });
    expect(shown).toContain('f: (conflict: changed here and on the platform, apply writes what the manifest says)\n');
    expect(shown).toContain('  - port: 81\n  + port: 80\n');
    expect(shown).toMatch(/\(changed on the platform since the last apply:\)\n {2}f:\n[^]*- port: 80\n {4}\+ port: 81/);
  });
});

describe('a text of several lines', () => {
  it('that is new shows its first lines and the number of the others', () => {
    expect(rendered({ before: absent, after: value(file()), cause: 'create' })).toBe(
      `+ f: 359 lines
    services:
      s0:
        image: nginx:1.27
        restart: always
        environment:
          A: "1"
          B: "2"
      s1:
        image: nginx:1.27
        restart: always
    … 349 more lines (--full shows all)`,
    );
  });

  it('that is short is shown whole', () => {
    expect(rendered({ before: absent, after: value('a\nb\n'), cause: 'create' })).toBe('+ f: 2 lines\n    a\n    b');
  });

  it('that goes shows what goes', () => {
    expect(rendered({ before: value('a\nb\n'), cause: 'removed' })).toBe(
      '- f: 2 lines (on the platform only, not in the manifest)\n    a\n    b',
    );
    expect(rendered({ before: value('a\nb\n') })).toBe('- f: 2 lines\n    a\n    b');
  });
});

describe('a change of an env text', () => {
  it('is shown by key', () => {
    expect(edit('A=1\nB=2\nC=3\n', 'A=1\nB=two\nD=4\n')).toBe('f.B: "2" -> two\n- f.C: "3"\n+ f.D: "4"');
  });

  it('says when only comments, order or quotes differ', () => {
    expect(edit('# one\nA=1\n', '# two\nA=1\n')).toBe(
      'f: the same values\n  @@ -1,2 +1,2 @@\n  - # one\n  + # two\n    A=1',
    );
    expect(edit('# one\nA=1\n', 'A=2\n')).toBe('f.A: "1" -> "2"\n(f: comments, order or quotes differ too)');
  });
});

describe('a change of a list or a map', () => {
  it('is shown by member, with its path', () => {
    const before = { Test: ['CMD-SHELL', 'curl -f http://localhost:8080/health'], Interval: 10, Retries: 3 };
    const after = { Test: ['CMD-SHELL', 'curl -f http://localhost:8080/ready'], Interval: 30, Timeout: 5 };
    expect(edit(before, after)).toBe(
      `f.Test[1]: curl -f http://localhost:8080/health -> curl -f http://localhost:8080/ready
f.Interval: 10 -> 30
- f.Retries: 3
+ f.Timeout: 5`,
    );
  });

  it('shows amounts in their units', () => {
    const check = (Interval: number) => value({ Test: ['CMD', 'true'], Interval, Retries: 3 });
    const durations = { Interval: 'nanoseconds' } as const;
    expect(rendered({ before: check(10_000_000_000), after: check(90_000_000_000), unit: durations })).toBe(
      'f.Interval: 10s -> 1m30s',
    );
    expect(rendered({ before: absent, after: check(5e8), cause: 'create', unit: durations })).toBe(
      '+ f: { Test: [CMD, "true"], Interval: 500ms, Retries: 3 }',
    );
    const limit = { before: value('536870912'), after: value('1073741824'), unit: 'bytes' } as const;
    expect(rendered(limit)).toBe('f: 512Mi -> 1Gi');
    expect(rendered({ ...limit, cause: 'conflict', last: value('268435456') })).toBe(
      'f: 512Mi -> 1Gi (conflict: was 256Mi, platform has 512Mi, manifest says 1Gi; apply writes what the manifest says)',
    );
  });

  it('of a few words stands on one line', () => {
    expect(edit(['net_1'], ['net_1', 'net_2'])).toBe('f: [net_1] -> [net_1, net_2]');
  });

  it('says when the order differs', () => {
    const objects = [{ a: 'a'.repeat(30) }, { a: 'b'.repeat(30) }];
    expect(edit(objects, objects.toReversed())).toMatch(/ \(another order\)$/);
  });

  it('shows members that come or go', () => {
    const long = { first: 'x'.repeat(40), second: { third: 'y'.repeat(70), fourth: true } };
    expect(rendered({ before: absent, after: value(long), cause: 'create' })).toBe(
      `+ f.first: ${'x'.repeat(40)}\n+ f.second.third: ${'y'.repeat(70)}\n+ f.second.fourth: true`,
    );
    expect(edit({ a: 1, second: { third: 1 } }, { a: 1 })).toBe('- f.second: { third: 1 }');
    expect(rendered({ before: absent, after: value({ a: 1 }), cause: 'create' })).toBe('+ f: { a: 1 }');
  });

  it('shows a text of several lines in it as hunks', () => {
    expect(edit({ a: 'x\ny\n' }, { a: 'x\nz\n' })).toBe('f.a:\n  @@ -1,2 +1,2 @@\n    x\n  - y\n  + z');
  });

  it('is cut with a count', () => {
    const many = (of: number) => Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, of]));
    const text = edit(many(1), many(2));
    expect(text).toMatch(/f\.k39: 1 -> 2\n… 10 more differences \(--full shows all\)$/);
    expect(edit(many(1), many(2), { isFull: true }).split('\n')).toHaveLength(50);
  });
});

describe('a change of what is redacted', () => {
  it('is no difference with two equal sides', () => {
    expect(rendered({ before: { is: 'hidden' }, after: { is: 'hidden' } })).toBe('~ f: (sensitive -> sensitive)');
    const masked: Shown = { is: 'masked', value: 'postgres://shop:(sensitive)@db/shop' };
    expect(rendered({ before: masked, after: masked })).toBe('~ f: postgres://shop:(sensitive -> sensitive)@db/shop');
    const map: Shown = { is: 'masked', value: { KEY: '(sensitive)' } };
    expect(rendered({ before: map, after: map })).toBe('~ f: { KEY: (sensitive -> sensitive) }');
  });

  it('is the same on the platform and in the manifest in a conflict: it shows no value twice', () => {
    const url = (part: string): Shown => ({ is: 'masked', value: `postgres://shop:${part}@db/shop` });
    const [before, after] = [url('(sensitive)'), url('(sensitive, changed)')];
    const conflict = 'conflict: changed here and on the platform, apply writes what the manifest says';
    expect(rendered({ cause: 'conflict', before, after, last: url('(sensitive)') })).toBe(
      `~ f: postgres://shop:(sensitive -> sensitive)@db/shop (${conflict})`,
    );
    const hidden: Shown = { is: 'hidden' };
    expect(rendered({ cause: 'conflict', before: hidden, after: hidden, last: hidden })).toBe(
      `~ f: (sensitive -> sensitive) (${conflict})`,
    );
    const [was, says] = [`a (sensitive)`, `c (sensitive, changed)`].map((text): Shown => ({
      is: 'masked',
      value: text,
    }));
    expect(rendered({ cause: 'conflict', before: value('b'), after: says ?? hidden, last: was ?? hidden })).toContain(
      '(conflict: was a (sensitive), platform has b, manifest says c (sensitive); apply writes what the manifest says)',
    );
  });

  it('marks the lines of a text in which nothing else changed', () => {
    const masked = (token: string, tag: string): Shown => ({
      is: 'masked',
      value: `services:\n  web:\n    image: nginx:${tag}\n    environment:\n      TOKEN: ${token}\n`,
    });
    const [before, after] = [masked('(sensitive)', '1.27'), masked('(sensitive, changed)', '1.27')];
    expect(rendered({ before, after })).toBe(
      `f:
  @@ -2,4 +2,4 @@ services.web.environment
      web:
        image: nginx:1.27
        environment:
  ~       TOKEN: (sensitive -> sensitive)`,
    );
    expect(rendered({ before, after: masked('(sensitive, changed)', '1.28') })).toContain(
      '  -     image: nginx:1.27\n  +     image: nginx:1.28\n        environment:\n  ~       TOKEN: (sensitive -> sensitive)',
    );
    // A text of somebody that looks like the mark is no mark.
    expect(edit('a\nb\n', 'a\n(sensitive, changed)\n')).toContain('+ (sensitive, changed)');
  });

  it('marks a line that also moved', () => {
    const masked = (text: string): Shown => ({ is: 'masked', value: text });
    const shown = rendered({
      before: masked('x: (sensitive)\na: 1\nb: 2\n'),
      after: masked('a: 1\nb: 2\nx: (sensitive, changed)\n'),
    });
    expect(shown).toContain('  - x: (sensitive)\n');
    expect(shown).toMatch(/ {2}\+ x: \(sensitive -> sensitive\)$/);
  });

  it('marks keys of an env text and values of one line', () => {
    const masked = (text: string): Shown => ({ is: 'masked', value: text });
    expect(rendered({ before: masked('A=1\nPW=(sensitive)\n'), after: masked('A=2\nPW=(sensitive, changed)\n') })).toBe(
      'f.A: "1" -> "2"\n~ f.PW: (sensitive -> sensitive)',
    );
    const url = (part: string) => masked(`postgres://shop:${part}@db/shop`);
    expect(rendered({ before: url('(sensitive)'), after: url('(sensitive, changed)') })).toBe(
      '~ f: postgres://shop:(sensitive -> sensitive)@db/shop',
    );
  });

  it('marks the parts that change, and no others', () => {
    const url = (user: string, password: string): Shown => ({ is: 'masked', value: `https://${user}:${password}@h` });
    const before = url('(sensitive)', '(sensitive)');
    expect(rendered({ before, after: url('(sensitive)', '(sensitive, changed)') })).toBe(
      '~ f: https://(sensitive):(sensitive -> sensitive)@h',
    );
    // Which of them changes is not known.
    expect(rendered({ before, after: before })).toBe(
      '~ f: https://(sensitive):(sensitive)@h (changed in the manifest)',
    );
    const list = (value: string): Shown => ({ is: 'masked', value: ['a', value, '(sensitive)'] });
    expect(rendered({ before: list('(sensitive)'), after: list('(sensitive, changed)') })).toBe(
      '~ f: [a, (sensitive -> sensitive), (sensitive)]',
    );
    const text = (password: string): Shown => ({ is: 'masked', value: `A: 1\nURL: (sensitive):${password}\n` });
    expect(rendered({ before: text('(sensitive)'), after: text('(sensitive, changed)') })).toContain(
      '~ URL: (sensitive):(sensitive -> sensitive)',
    );
  });

  it('tells which lines of hidden text differ', () => {
    const hidden: Shown = { is: 'hidden' };
    expect(rendered({ before: hidden, after: hidden, summary: 'line 3 of 3, before 3' })).toBe(
      'f: (sensitive; line 3 of 3, before 3)',
    );
    expect(rendered({ before: absent, after: hidden, summary: '3 lines' })).toBe('+ f: (sensitive; 3 lines)');
  });
});

describe('the lines of a change', () => {
  const word = fc.constantFrom(
    'a',
    'word',
    'a longer word',
    'x'.repeat(90),
    '日本語'.repeat(20),
    '(sensitive)',
    '\u001b[2J',
  );
  const line = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
  const text = fc.array(fc.oneof(line, fc.constant('  indented: yes'), fc.constant('KEY=value')), { maxLength: 30 });
  const leaf = fc.oneof(
    line,
    text.map((lines) => lines.join('\n')),
    fc.integer(),
    fc.boolean(),
  );
  const json: fc.Arbitrary<Json> = fc.oneof(
    leaf,
    fc.array(leaf, { maxLength: 8 }),
    fc.dictionary(fc.constantFrom('Interval', 'Test', 'a key', 'name'), leaf),
    fc.array(fc.record({ name: line, value: leaf }), { maxLength: 5 }),
  );
  const side = fc.oneof(
    json.map((of): Shown => value(of)),
    json.map((of): Shown => ({ is: 'masked', value: of })),
    fc.constantFrom<Shown>({ is: 'hidden' }, absent, { is: 'known after apply' }),
  );
  const cause = fc.constantFrom<Change['cause']>('create', 'delete', 'edit', 'drift', 'conflict', 'removed', 'ignored');

  it('stay within any width, and are the same without one however often they are made', () => {
    fc.assert(
      fc.property(side, side, side, cause, fc.constantFrom(80, 100, 120), (before, after, last, why, width) => {
        const change = { path: 'env.SOME_KEY', before, after, last, cause: why };
        for (const one of rendered(change, { width }).split('\n'))
          expect(columnsOf(one)).toBeLessThanOrEqual(width - 4);
        expect(rendered(change)).toBe(rendered(change));
      }),
      { numRuns: 300 },
    );
  });
});
