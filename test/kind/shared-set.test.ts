import { expect, test } from 'vitest';
import { means } from '../../src/kind/codecs.ts';
import { contains, isMerged, leftBehind, merged } from '../../src/kind/shared-set.ts';
import { anything } from '../support/plan-values.ts';

/** Sets that others add to. */

test('only a field that grows by itself is merged, and only where the block does not want the whole', () => {
  const growing = { ...anything, growsByItself: true } as const;
  expect(isMerged({ mapMode: 'merge' }, growing)).toBe(true);
  expect(isMerged({ mapMode: 'own' }, growing)).toBe(false);
  expect(isMerged({ mapMode: 'merge' }, anything)).toBe(false);
});

test('it is as it should be when all that is wanted is in it, in whatever order', () => {
  expect(means(contains, ['a', 'b'], ['x', 'b', 'a'])).toBe(true);
  expect(means(contains, [], ['x'])).toBe(true);
  expect(means(contains, [], null)).toBe(true);
  expect(means(contains, ['a', 'b'], ['a', 'x'])).toBe(false);
  expect(means(contains, ['a'], null)).toBe(false);
});

test('what is written is what is there, without what was ours and is not wanted, with what is', () => {
  expect(merged(['a', 'c'], ['x', 'a', 'b'], ['a', 'b'])).toEqual(['x', 'a', 'c']);
  expect(merged(['x'], ['x'], [])).toEqual(['x']);
  expect(merged(['a'], null, ['b'])).toEqual(['a']);
});

test('what was ours, is not wanted and is there is left behind', () => {
  expect(leftBehind(['a'], ['x', 'a', 'b'], ['a', 'b', 'c'])).toEqual(['b']);
  expect(leftBehind(['a'], ['x', 'a'], ['a', 'b'])).toEqual([]);
});
