import { expect, test } from 'vitest';
import { appendEntries } from '../../src/edit/append.ts';
import type { Entry } from '../../src/edit/write-yaml.ts';
import { plainly } from '../../src/edit/write-yaml.ts';

/** Blocks that are added to a text that somebody wrote. */

function nested(path: readonly string[], leaf: Entry): Entry {
  const [key, ...rest] = path;
  return key === undefined ? leaf : { key, value: { is: 'map', entries: [nested(rest, leaf)] } };
}

const leaf: Entry = { key: 'new', value: { is: 'map', entries: [{ key: 'text', value: plainly('a\n  b\n') }] } };
const compose = nested(['environments', 'production', 'compose'], leaf);

test.each([
  [
    'behind the last block of its section, before a comment that stands less deep',
    'a: 1 # one\nenvironments:\n  production:\n    compose:\n      old: { x: 1 } # why\n\n      # of old\n    # the end\n  staging: {}\n',
    '      old: { x: 1 } # why\n',
  ],
  [
    'behind a text in a block',
    'environments:\n  production:\n    compose:\n      old:\n        text: |\n          a\n\n          b\n  staging: {}\n',
    '          b\n',
  ],
  [
    'at the end of a file without a last line break',
    'environments:\n  production:\n    compose:\n      old: 1',
    '      old: 1',
  ],
])('%s', (_, text, before) => {
  const added = '      new:\n        text: |\n          a\n            b\n';
  const at = text.indexOf(before) + before.length;
  const written = appendEntries('trueup.yaml', text, [compose]);
  expect(written).toBe(`${text.slice(0, at)}${before.endsWith('\n') ? '' : '\n'}${added}${text.slice(at)}`);
});

test('a section that is not there is added to the block around it, and one at the top to the file', () => {
  const text = 'environments:\n  production:\n    env: { A: 1 }\n# end\n';
  const written = appendEntries('f', text, [compose, nested(['sshKeys'], leaf)]);
  expect(written).toBe(
    'environments:\n  production:\n    env: { A: 1 }\n    compose:\n      new:\n        text: |\n          a\n            b\n' +
      'sshKeys:\n  new:\n    text: |\n      a\n        b\n# end\n',
  );
});

test('a file with line breaks of Windows gets no others', () => {
  const text = 'environments:\n  production:\n    compose:\n      old: 1\n'.replaceAll('\n', '\r\n');
  const added = '      new:\n        text: |\n          a\n            b\n'.replaceAll('\n', '\r\n');
  expect(appendEntries('f', text, [compose])).toBe(text + added);
  expect(appendEntries('f', text.trimEnd(), [compose])).toBe(text + added);
});

test.each([
  ['environments: { production: { compose: { old: 1 } } }\n'],
  ['x: &x\n  compose: { old: 1 }\nenvironments:\n  production: *x\n'],
  ['- 1\n'],
  ['environments:\n  production:\n    compose:\n      ? old\n'],
  ['environments:\n  production: # none\n'],
])('a map in braces, from an alias or without a line takes no line: %j', (text) => {
  expect(() => appendEntries('f', text, [compose])).toThrow(
    /cannot add lines to .*: it is not written with one key per line$/,
  );
});
