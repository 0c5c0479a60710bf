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
