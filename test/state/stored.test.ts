import { expect, test } from 'vitest';
import { membersOf } from '../../src/state/stored.ts';

/** Values as the state holds them. */

test('what was ours is known where the state holds it, and not where it holds a digest', () => {
  expect(membersOf({ value: ['a', 1] })).toEqual(['a', '1']);
  expect(membersOf({ value: null })).toEqual([]);
  expect(membersOf({ digest: 'abc' })).toEqual([]);
  expect(membersOf(undefined)).toEqual([]);
});
