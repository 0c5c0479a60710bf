import { expect, test } from 'vitest';
import { knownValue } from '../../src/manifest/wanted.ts';
import { declared, lacking, referring } from '../support/plan-values.ts';

/** Values of a manifest, as far as they are known. */

test('a value is known without outputs where it holds no reference, and no secret that this run lacks', () => {
  expect([declared('a'), declared(null), declared(0)].map(knownValue)).toEqual(['a', null, 0]);
  expect(knownValue(referring({ address: 'production.redis.main', output: 'host' }))).toBeUndefined();
  expect(knownValue(lacking('TOKEN'))).toBeUndefined();
  expect(knownValue(undefined)).toBeUndefined();
});
