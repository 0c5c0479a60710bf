import { expect, test } from 'vitest';
import { groupBy } from '../../src/kind/group.ts';

test('values are grouped by their keys, and both stay in sequence', () => {
  const groups = groupBy([
    ['b', 1],
    ['a', 2],
    ['b', 1],
    ['b', 3],
  ]);
  expect([...groups]).toEqual([
    ['b', [1, 1, 3]],
    ['a', [2]],
  ]);
});

test('no pair makes no group', () => {
  expect(groupBy([]).size).toBe(0);
});
