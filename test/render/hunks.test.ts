import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Hunk } from '../../src/render/hunks.ts';
import { findHunks, maskedChanges } from '../../src/render/hunks.ts';

const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

/** The new text, made from the old one and the hunks alone. */
function patched(before: readonly string[], hunks: readonly Hunk[]): string[] {
  const after: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const isNew = hunk.lines.every(({ sign }) => sign === '+');
    const start = isNew ? hunk.before : hunk.before - 1;
    after.push(...before.slice(at, start));
    at = start;
    const isGone = hunk.lines.every(({ sign }) => sign === '-');
    expect(hunk.after).toBe(after.length + (isGone ? 0 : 1));
    for (const { sign, text } of hunk.lines) {
      if (sign !== '-') after.push(text);
      if (sign === '+') continue;
      expect(before[at]).toBe(text);
      at++;
    }
  }
  return [...after, ...before.slice(at)];
}

describe('hunks', () => {
  it('show three unchanged lines on both sides, removed lines before added ones', () => {
    const before = numbers(20);
    const { hunks } = findHunks(before, before.with(9, 'LINE 10'));
    expect(hunks.map(({ before: old, after, lines }) => [old, after, lines.map(({ sign }) => sign).join('')])).toEqual([
      [7, 7, '   -+   '],
    ]);
  });

  it('are two where two changes are far apart, and one where they are near', () => {
    const before = numbers(359);
    expect(findHunks(before, before.with(54, 'A').with(158, 'B')).hunks.map((hunk) => hunk.before)).toEqual([52, 156]);
    expect(findHunks(before, before.with(54, 'A').with(60, 'B')).hunks).toHaveLength(1);
  });

  it('give the new text when they are applied to the old one', () => {
    const line = fc.constantFrom('a', 'b', 'c', '', '  a');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.array(line, { maxLength: 30 }), (before, after) => {
        expect(patched(before, findHunks(before, after).hunks)).toEqual(after);
      }),
    );
  });

  it('mark lines in which only secret parts differ', () => {
    const text = numbers(9);
    const { hunks } = findHunks(text, text, new Map([[5, 'LINE 5']]));
    expect(hunks.map(({ lines }) => lines.map(({ sign }) => sign).join(''))).toEqual(['   ~   ']);
    expect(hunks[0]?.lines[3]?.text).toBe('LINE 5');
  });

  it('of texts that are too different have what is between their common start and end', () => {
    const ends = (middle: string, count: number) => ['start', ...numbers(count).map((one) => middle + one), 'end'];
    const [before, after] = [ends('a', 6_000), ends('b', 5_000)];
    const { hunks, isMatched } = findHunks(before, after);
    expect(isMatched).toBe(false);
    expect(hunks).toHaveLength(1);
    expect(patched(before, hunks)).toEqual(after);
  });

  it.each([
    ['lines of one character that are all different', () => numbers(200_000).map((_, at) => String(at % 89)), 200_000],
    ['empty lines', () => numbers(450_000).map(() => ''), 400_000],
  ])('of 1 MB take no minutes: %s', (_, make, count) => {
    const before = make();
    const after = numbers(count).map((_, at) => (at % 7 === 0 ? 'x' : (before[count - at] ?? '')));
    // What takes the square of so many lines does not end within the limit of a test.
    expect(findHunks(before, after).hunks.length).toBeGreaterThan(0);
  });
});

describe('changes that a mask hides', () => {
  it('are the new lines that replace a line with the same masked text', () => {
    const shown = ['a: ***\nb: 1\nc: ***\n', 'a: ***\nb: 2\nc: ***\nd: ***\n'] as const;
    expect([...maskedChanges(['a: x\nb: 1\nc: y\n', 'a: z\nb: 2\nc: y\nd: n\n'], shown)]).toEqual([
      [1, 'a: *** (changed)'],
    ]);
    expect([...maskedChanges(['a: x\nb: 1\nc: y\n', 'a: x\nb: 2\nc: y\nd: n\n'], shown)]).toEqual([]);
  });

  it('are none in texts that are equal', () => {
    expect([...maskedChanges(['a\n', 'a\n'], ['***\n', '***\n'])]).toEqual([]);
  });
});
