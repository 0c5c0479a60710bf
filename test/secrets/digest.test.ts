import { expect, test } from 'vitest';
import { digest, newDigestKey } from '../../src/secrets/digest.ts';
import { envSecrets } from '../../src/secrets/sources/env.ts';

test('the same key and text give the same digest, and another key another one', () => {
  const key = newDigestKey();
  expect(digest(key, 'correct-horse')).toBe(digest(key, 'correct-horse'));
  expect(digest(key, 'correct-horse')).not.toBe(digest(key, 'correct-horsf'));
  expect(digest(newDigestKey(), 'correct-horse')).not.toBe(digest(key, 'correct-horse'));
  expect(digest(key, 'correct-horse')).not.toContain('correct');
});

test('a secret comes from the variable with its prefix and from no other', () => {
  const secret = envSecrets({ TRUEUP_SECRET_A: 'yes', A: 'no', TRUEUP_API_KEY: 'no', TRUEUP_SECRET_: 'no' });
  expect(secret('A')).toBe('yes');
  expect(secret('B')).toBeUndefined();
  expect(secret('API_KEY')).toBeUndefined();
  expect(secret('__proto__')).toBeUndefined();
});
