import { expect, test } from 'vitest';
import { withIncludes } from '../../src/export/includes.ts';

/** Manifests that get more files to include. */

const file = { is: 'file', path: 'secrets.env' } as const;

test.each<[string, string, string]>([
  [
    'a list',
    'include:\n  - a.yaml # one\n# end\nproject: p\n',
    'include:\n  - a.yaml # one\n  - b.yaml\n# end\nproject: p\n',
  ],
  ['a list in brackets', 'include: [ a.yaml ] # one\nproject: p\n', 'include: [ a.yaml, b.yaml ] # one\nproject: p\n'],
  ['an empty list', 'include: []\nproject: p\n', 'include:\n  - b.yaml\nproject: p\n'],
  ['no list', 'project: p # one\n', 'project: p # one\ninclude:\n  - b.yaml\n'],
  ['line breaks of Windows', 'include:\r\n  - a.yaml\r\n', 'include:\r\n  - a.yaml\r\n  - b.yaml\r\n'],
  ['a pattern that fits', 'include: [ "*.yaml" ]\n', 'include: [ "*.yaml" ]\n'],
])('%s', (_, text, expected) => {
  expect(withIncludes(text, ['b.yaml'])).toBe(expected);
});

test('a file of secrets is named once', () => {
  const text = withIncludes('project: p\n', [], file);
  expect(text).toBe('project: p\nsecrets:\n  - file: secrets.env\n');
  expect(withIncludes(text, [], file)).toBe(text);
});

test.each(['include: &a [ a.yaml ]\nb: *a\n', 'include: [ [ a.yaml ] ]\n', '- a\n'])(
  'a form that takes no line is refused: %j',
  (text) => {
    expect(() => withIncludes(text, ['b.yaml'])).toThrow('no line can be added to');
  },
);
