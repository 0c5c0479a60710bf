import { expect, test } from 'vitest';
import { lineOf, remediesFor } from '../../src/drift/remedies.ts';

test('an id that begins with a hyphen comes last, behind --', () => {
  const [, , leave] = remediesFor({ is: 'unmanaged', objectId: '-x9' });
  expect(lineOf(leave?.command ?? { words: [] })).toEqual({
    words: ['drift', 'accept'],
    flags: ['--until', 'DATE', '--because', 'TEXT', '--', '-x9'],
  });
});

test('an address comes before the options, and a value that begins with a hyphen is one word with its option', () => {
  const command = { words: ['apply'], options: [['--target', '-a']] } as const;
  expect(lineOf(command)).toEqual({ words: ['apply'], flags: ['--target=-a'] });
  expect(lineOf({ words: ['drift', 'adopt', 'production.compose.shop'] })).toEqual({
    words: ['drift', 'adopt', 'production.compose.shop'],
    flags: [],
  });
});

test('drift of a secret: no command that would be refused, and the secrets that putting it back needs', () => {
  const drifted = { is: 'drifted', address: 'production.compose.shop', path: 'env' } as const;
  const aims = (finding: Parameters<typeof remediesFor>[0]) =>
    remediesFor(finding).map(({ aim, command }) => [aim, command?.words.slice(0, 2).join(' ')]);
  expect(aims({ ...drifted, isSecret: true, isLeft: true, missing: ['A', 'B'] })).toEqual([
    ['put it back in a run that has A, B', 'apply'],
    ['keep what the platform has: write it into the manifest by hand, because it is or holds a secret', undefined],
    ['leave it for now', 'drift accept'],
  ]);
  expect(aims(drifted)).toEqual([
    ['put it back', 'apply'],
    ['keep what the platform has', 'drift adopt'],
    ['leave it for now', 'drift accept'],
  ]);
});
