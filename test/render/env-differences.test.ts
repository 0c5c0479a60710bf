import { describe, expect, it } from 'vitest';
import { envDifference } from '../../src/render/env-differences.ts';

describe('the difference of two env files', () => {
  it('names the keys that are added, removed and changed', () => {
    expect(envDifference(['A=1\nB=2\nC=3\n', 'A=1\nB=two\nD=4\n'])).toEqual({
      keys: [
        ['B', '2', 'two'],
        ['C', '3', undefined],
        ['D', undefined, '4'],
      ],
      hasMore: false,
    });
  });

  it.each([
    ['a comment', '# one\nA=1\nB=2\n', '# two\nA=1\nB=2\n'],
    ['the order', 'A=1\nB=2\n', 'B=2\nA=1\n'],
    ['quotes', 'A=1\nB=2\n', 'A="1"\nB=2\n'],
    ['an empty line', 'A=1\nB=2\n', 'A=1\n\nB=2\n'],
  ])('tells when only this differs: %s', (_, before, after) => {
    expect(envDifference([before, after])).toEqual({ keys: [], hasMore: true });
  });

  it('tells when a comment differs beside a value', () => {
    expect(envDifference(['# one\nA=1\n', 'A=2\n'])).toEqual({ keys: [['A', '1', '2']], hasMore: true });
  });

  it('names a key of which only a secret part differs', () => {
    const text = '# keys\nA=1\nTOKEN=(sensitive)\n';
    const rotated = new Map([[3, 'TOKEN=(sensitive -> sensitive)']]);
    expect(envDifference([text, text], rotated)?.keys).toEqual([['TOKEN', '(sensitive)', '(sensitive -> sensitive)']]);
  });

  it('reads values as the platform does', () => {
    expect(envDifference(['A=1 # one\nexport B="x y"\n', "A=1\nB='x z'\n"])?.keys).toEqual([['B', 'x y', 'x z']]);
  });

  it.each([
    ['YAML', 'services:\n  web: {}\n'],
    ['a section', '[main]\nA=1\n'],
    ['a key twice', 'A=1\nA=2\n'],
    ['a value of several lines', 'A="1\nB=2"\n'],
    ['a value of several lines, the second one empty', 'A="1\n\nx"\n'],
  ])('is not made of %s', (_, text) => {
    expect(envDifference([text, 'A=1\n'])).toBeUndefined();
  });

  it('is not made of two texts without entries', () => {
    expect(envDifference(['# a\n# b', '# c\n# d'])).toBeUndefined();
  });
});
