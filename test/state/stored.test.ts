import { expect, test } from 'vitest';
import { membersOf } from '../../src/state/stored.ts';

/** Values as the state holds them. */

test('our members are known where the state has their values, not where it has a digest', () => {
  expect(membersOf({ value: ['a', 1] })).toEqual(['a', '1']);
  expect(membersOf({ value: null })).toEqual([]);
  expect(membersOf({ digest: 'abc' })).toEqual([]);
  expect(membersOf(undefined)).toEqual([]);
});
