import { describe, expect, test } from 'vitest';
import { readGoRegex, replacementProblem } from '../../src/formats/go-regex.ts';

describe('a regular expression of Go', () => {
  test.each([
    '^https?://www\\.example\\.com/(.*)',
    '^http://old.example.com/(.*)',
    '(?i)^https?://(?:www\\.)?(?P<host>[a-z0-9.-]+)/(?<rest>.*)$',
    '[]a-z^-]+?',
    '[^]]{2,3}',
    '[[:alpha:]\\d_-]*',
    '\\Qa+b(\\E+',
    '\\x{10FFFF}\\x41\\pL\\p{Greek}\\P{^Greek}\\012\\07\\bx\\B\\A\\z',
    'a{,3}{',
    'a|b||c',
    '(?s-i:a.b)(?U)c',
    '\\/\\-\\_\\.\\ ',
    'ä[ö-ü]',
    '^*$?',
    '',
  ])('%j has no problem', (text) => {
    expect(readGoRegex(text).problem).toBeUndefined();
  });

  test.each([
    ['(((', 'has a ( without its )'],
    ['a)', 'has a ) without its ('],
    ['[a-z', 'has a [ without its ]'],
    ['[]', 'has a [ without its ]'],
    ['[z-a]', 'has the range z-a, which ends before it begins'],
    ['^(?!/api)(.*)', 'has a look-ahead (?!, which Go does not have'],
    ['a(?=b)', 'has a look-ahead (?=, which Go does not have'],
    ['(?<=a)b', 'has a look-behind (?<=, which Go does not have'],
    ['(?<!a)b', 'has a look-behind (?<!, which Go does not have'],
    ['(?>a)b', 'has an atomic group (?>, which Go does not have'],
    ['(?#note)b', 'has a comment (?#, which Go does not have'],
    ['(?P=name)', 'has a group that begins with (?P, which Go does not have'],
    ['(?P<a>b)(?P<a>c)', 'has two groups of the name a'],
    ['(a)\\1', 'has a back-reference \\1, which Go does not have'],
    ['(?P<a>b)\\k<a>', 'has a back-reference \\k, which Go does not have'],
    ['a\\Z', 'has the escape \\Z, which Go does not have'],
    ['[\\b]', 'has the escape \\b, which Go does not have'],
    ['a\\', 'ends with a \\ that nothing follows'],
    ['*.example.com', 'has * with nothing before it to repeat'],
    ['(+a)', 'has + with nothing before it to repeat'],
    ['a|*', 'has * with nothing before it to repeat'],
    ['a++', 'has + behind +, which repeats already'],
    ['a*?*', 'has * behind *, which repeats already'],
    ['a{2}{3}', 'has {3} behind {2}, which repeats already'],
    ['a{1001}', 'has {1001}, and Go repeats at most 1000 times'],
    ['a{3,2}', 'has {3,2}, which ends before it begins'],
  ])('%j %s', (text, problem) => {
    expect(readGoRegex(text).problem).toBe(problem);
  });

  test('has its groups counted, those with names too', () => {
    const { groups, names } = readGoRegex('(a)(?:b)(?P<c>d)\\(\\Q(\\E[(](?<e>f)');
    expect([groups, [...names]]).toEqual([3, ['c', 'e']]);
  });
});

describe('a replacement', () => {
  const regex = readGoRegex('^https://(.*)\\.example\\.com/(?P<rest>.*)$');

  test.each(['https://example.com', '$1/$2', '${1}x${rest}', '$rest/', '$0', '$$9', 'cost: $', '${', '$-'])(
    '%j gets what it names',
    (text) => {
      expect(replacementProblem(text, regex)).toBeUndefined();
    },
  );

  test.each([
    ['https://$1x', 'names the group "1x" with $1x: a number ends where the braces do, as in ${1}x'],
    ['${3}', 'names ${3}, and the expression has 2 groups'],
    ['$path', 'names $path, and the expression has 2 groups'],
    ['${01}', 'names ${01}, and the expression has 2 groups'],
  ])('%j %s', (text, problem) => {
    expect(replacementProblem(text, regex)).toBe(problem);
  });

  test('of an expression without groups', () => {
    expect(replacementProblem('$1', readGoRegex('^a$'))).toBe('names $1, and the expression has no groups');
    expect(replacementProblem('$1', readGoRegex('(a)'))).toBeUndefined();
    expect(replacementProblem('$2', readGoRegex('(a)'))).toBe('names $2, and the expression has 1 group');
  });
});
