import { expect, test } from 'vitest';
import { digest } from '../../src/secrets/digest.ts';
import { envSecrets } from '../../src/secrets/sources/env.ts';

test('a digest depends on its key and its text only', () => {
  const key = 'one key';
  expect(digest(key, 'correct-horse')).toBe(digest(key, 'correct-horse'));
  expect(digest(key, 'correct-horse')).not.toBe(digest(key, 'correct-horsf'));
  expect(digest('another key', 'correct-horse')).not.toBe(digest(key, 'correct-horse'));
  expect(digest(key, 'correct-horse')).not.toContain('correct');
});

test('envSecrets reads variables with its prefix and no others', () => {
  const secret = envSecrets({ TRUEUP_SECRET_A: 'yes', A: 'no', TRUEUP_API_KEY: 'no', TRUEUP_SECRET_: 'no' });
  expect(secret('A')).toBe('yes');
  expect(secret('B')).toBeUndefined();
  expect(secret('API_KEY')).toBeUndefined();
  expect(secret('__proto__')).toBeUndefined();
});
