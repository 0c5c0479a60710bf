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

test('it is as wanted when all wanted members are in it, in any sequence', () => {
  expect(means(contains, ['a', 'b'], ['x', 'b', 'a'])).toBe(true);
  expect(means(contains, [], ['x'])).toBe(true);
  expect(means(contains, [], null)).toBe(true);
  expect(means(contains, ['a', 'b'], ['a', 'x'])).toBe(false);
  expect(means(contains, ['a'], null)).toBe(false);
});

test('a write has the present members, without ours that are no longer wanted, and with the wanted ones', () => {
  expect(merged(['a', 'c'], ['x', 'a', 'b'], ['a', 'b'])).toEqual(['x', 'a', 'c']);
  expect(merged(['x'], ['x'], [])).toEqual(['x']);
  expect(merged(['a'], null, ['b'])).toEqual(['a']);
});

test('a member that was ours, is no longer wanted and is still there is left behind', () => {
  expect(leftBehind(['a'], ['x', 'a', 'b'], ['a', 'b', 'c'])).toEqual(['b']);
  expect(leftBehind(['a'], ['x', 'a'], ['a', 'b'])).toEqual([]);
});
