import { expect, test } from 'vitest';
import { readData } from '../../src/api/answer.ts';
import { parseJson } from '../../src/api/limited-body.ts';
import { parseState } from '../../src/state/parse.ts';
import { authenticityOf } from '../../src/state/authenticity.ts';
import { testKey } from '../support/state-key.ts';

/** Each empty object of an answer takes two bytes on the way, and sixty of the memory. */

const many = (part: string) => `[${`${part},`.repeat(2_000_000)}1]`;

test.each(['{}', '[]', '[{}]'])('JSON with millions of %s is not parsed', (part) => {
  const text = many(part);
  expect(() => parseJson(text)).toThrow('has more than 2000000 objects and lists');
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: text };
  expect(readData(answer)).toEqual({ isData: false, why: 'has more than 2000000 objects and lists' });
  const about = { location: 'the state', text };
  expect(() =>
    parseState(about, authenticityOf(testKey, { keyName: 'the key', acceptUnsealed: () => undefined })),
  ).toThrow('has more than 2000000 objects and lists');
});

test('large texts, and as many other values, are', () => {
  const text = JSON.stringify({ file: 'x'.repeat(8_000_000) });
  expect(JSON.stringify(parseJson(text))).toBe(text);
  expect(parseJson(many('1'))).toHaveLength(2_000_001);
});
