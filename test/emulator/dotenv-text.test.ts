import { parse } from 'dotenv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readVariables } from '../../src/emulator/dotenv-text.ts';

test('variables are read as the reader of the platform does', () => {
  const words = fc.constantFrom(
    'A',
    'b-c',
    'with.dot',
    'é',
    '=',
    ': ',
    ' ',
    '\t',
    '#',
    '"',
    "'",
    '`',
    '\\',
    String.raw`\n`,
    '\n',
    '\r\n',
    'export ',
    '$',
    '{',
    '}',
  );
  const texts = fc.array(words, { maxLength: 14 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      expect(readVariables(text)).toEqual(parse(text));
    }),
    { numRuns: 5_000, seed: 1 },
  );
});
