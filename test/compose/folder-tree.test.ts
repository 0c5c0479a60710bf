import { expect, test } from 'vitest';
import { folderTree } from '../../src/compose/folder-tree.ts';

const paths = ['a', 'a/b', undefined, 'a/b', 'ab/c', 'a/b/c', 'x/y'];

test.each([
  ['', [], true],
  ['a', [0], true],
  ['a/b', [0, 1, 3], true],
  ['a/b/c/d', [0, 1, 3, 5], false],
  ['ab', [], true],
  ['ab/cd', [], false],
  ['x/z', [], false],
])('what a tree has above %j, and whether it reaches it', (path, above, reaches) => {
  const tree = folderTree(paths);
  expect([tree.above(path), tree.reaches(path)]).toEqual([above, reaches]);
});

test('the root is above all', () => {
  expect(folderTree(['', 'a']).above('a/b')).toEqual([0, 1]);
  expect(folderTree().reaches('')).toBe(false);
});
