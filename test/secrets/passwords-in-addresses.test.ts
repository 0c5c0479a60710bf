import { expect, test } from 'vitest';
import { decoded, passwordsIn } from '../../src/secrets/passwords-in-addresses.ts';

/** The passwords of addresses. */

test.each([
  ['https://bot:token@git.example.com/shop.git', ['token', 'token']],
  ['https://token@git.example.com', ['token', 'token']],
  ['postgres://shop:a%40b@db/shop?password=c%20d', ['a%40b', 'c%20d', 'a@b', 'c d']],
  ['http://bot:pass@word:1@proxy:3128', ['pass@word:1', 'pass@word:1']],
  ['a://b:one@c,d://e:two@f?to=g@h', ['one', 'two', 'one', 'two']],
  ['https://git.example.com/@team/shop', []],
  ['git@git.example.com:shop.git', []],
])('%s has %j', (text, passwords) => {
  expect(passwordsIn(text)).toEqual(passwords);
});

test('wrong percent-encoding stays as it is', () => {
  expect([decoded('a%20b'), decoded('%zz')]).toEqual(['a b', '%zz']);
});
