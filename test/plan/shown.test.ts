import { describe, expect, test } from 'vitest';
import { compareHidden, showObserved, showStored, showWanted } from '../../src/plan/shown.ts';
import { anything, declared } from '../support/plan-values.ts';

/** What people may see of a value: plans have more readers than manifests. */

const open = anything;
const secret = { ...anything, secrecy: 'secret' } as const;
const known = (value: string | number | null) => ({ is: 'known', value }) as const;
const pending = { is: 'pending', on: [] } as const;
const unavailable = { is: 'unavailable', secrets: ['TOKEN'] } as const;
const hidden = { is: 'hidden' };
const shown = (value: unknown) => ({ is: 'value', value });

describe('a value that is declared', () => {
  test('shows when nothing secret can be in it', () => {
    expect(showWanted(open, declared('a'), known('a'))).toEqual(shown('a'));
    expect(showWanted(open, declared(1), known(1))).toEqual(shown(1));
    expect(showWanted(open, declared('a'), pending)).toEqual({ is: 'known after apply' });
  });

  test('hides in a field that may hold secrets, and where a secret flowed into it', () => {
    for (const resolved of [known('a'), pending, unavailable]) {
      expect(showWanted(secret, declared('a'), resolved)).toEqual(hidden);
      expect(showWanted({ ...open, secrecy: 'private' }, declared('a'), resolved)).toEqual(hidden);
      expect(showWanted(open, declared('a', true), resolved)).toEqual(hidden);
    }
    expect(showWanted(open, declared('a'), unavailable)).toEqual(hidden);
  });

  test('says that it is none wherever it stands', () => {
    expect(showWanted(secret, declared(null, true), known(null))).toEqual({ is: 'absent' });
  });
});

describe('a value of the platform', () => {
  test('shows in a field that hides nothing, unless a secret flowed into it once', () => {
    expect(showObserved(open, 'a', false)).toEqual(shown('a'));
    expect(showObserved(open, 'a', true)).toEqual(hidden);
    expect(showObserved(secret, 'a', false)).toEqual(hidden);
    for (const isSecret of [true, false]) expect(showObserved(secret, null, isSecret)).toEqual({ is: 'absent' });
  });

  test('that was settled shows as the state holds it', () => {
    expect(showStored({ value: 'a' })).toEqual(shown('a'));
    expect(showStored({ value: null })).toEqual({ is: 'absent' });
    expect(showStored({ digest: 'abc' })).toEqual(hidden);
  });
});

describe('an address with a user or a password in it', () => {
  const url = 'https://bot:token@git.example.com/shop.git';

  test('shows without them, declared and observed', () => {
    expect(showWanted(open, declared(url), known(url))).toEqual(shown('https://(sensitive)@git.example.com/shop.git'));
    expect(showObserved(open, url, false)).toEqual(shown('https://(sensitive)@git.example.com/shop.git'));
  });
});

describe('of two texts that do not show', () => {
  test.each([
    ['the lines that differ are told', 'a\nb\nc\n', 'a\nx\nc\n', 'line 2 of 3, before 3'],
    ['the first', 'a\nb\n', 'x\nb\n', 'line 1 of 2, before 2'],
    ['the first of many', 'a\nb\nc\nd\n', 'x\nb\nc\nd\n', 'line 1 of 4, before 4'],
    ['the last', 'a\nb\n', 'a\nx\n', 'line 2 of 2, before 2'],
    ['several', 'a\nb\nc\nd\n', 'a\nx\ny\nd\n', 'lines 2 to 3 of 4, before 4'],
    ['all of them', 'a\nb\n', 'x\ny\n', 'lines 1 to 2 of 2, before 2'],
    ['one more at the end', 'a\n', 'a\nb\n', 'line 2 of 2, before 1'],
    ['two more of the same', 'a\n', 'a\na\na\n', 'lines 2 to 3 of 3, before 1'],
    ['one more in the middle, like its neighbour', 'a\na\n', 'a\na\na\n', 'line 3 of 3, before 2'],
    ['one less', 'a\nb\nc\n', 'a\nc\n', 'line 2 of 2, before 3'],
    ['one less at the end', 'a\nb\nc\n', 'a\nb\n', 'line 2 of 2, before 3'],
    ['one less of the same', 'a\na\na\n', 'a\na\n', 'line 2 of 2, before 3'],
    ['a line break at the end', 'a\nb', 'a\nb\n', 'line 2 of 2, before 2'],
    ['what was one line', 'a', 'a\nb', 'line 2 of 2, before 1'],
  ])('%s', (_what, before, after, told) => {
    expect(compareHidden(before, after)).toBe(told);
  });

  test('how many lines there are, where there was no text', () => {
    expect(compareHidden(null, 'a\n')).toBe('1 line');
    expect(compareHidden(null, 'a\nb')).toBe('2 lines');
    expect(compareHidden(['a'], 'a\nb\nc\n')).toBe('3 lines');
  });

  test('nothing, where there is no line to tell', () => {
    expect(compareHidden('a\nb\n', 'one line')).toBeUndefined();
    expect(compareHidden('a\nb\n', null)).toBeUndefined();
  });
});
