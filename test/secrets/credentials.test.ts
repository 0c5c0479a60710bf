import { expect, test } from 'vitest';
import { holdsCredentials, withoutCredentials } from '../../src/secrets/credentials.ts';

/** Addresses with a user or a password in them. */

const url = 'https://bot:token@git.example.com/shop.git';

test.each([
  [url, true],
  ['ssh://git@git.example.com', true],
  ['https://git.example.com/@team/shop', false],
  ['https://git.example.com/a b@c', false],
  ['git@git.example.com:shop.git', false],
  ['https://@git.example.com', false],
  [7, false],
  [null, false],
])('%s holds credentials: %s', (value, isOne) => {
  expect(holdsCredentials(value)).toBe(isOne);
});

test('a value shows without them', () => {
  expect(withoutCredentials(url)).toBe('https://(sensitive)@git.example.com/shop.git');
  expect(withoutCredentials([url])).toEqual([url]);
});
