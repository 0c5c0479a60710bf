import { expect, test } from 'vitest';
import { resolveField } from '../../src/manifest/fields.ts';
import { anything, kindNamed, referring } from '../support/plan-values.ts';

/** Values of fields, as far as they are known. */

const host = { address: 'production.redis.other', output: 'host' };

test('a text is read as a number or a boolean where the field is one', () => {
  const port = kindNamed('redis').fields['externalPort'] ?? anything;
  expect(resolveField(port, referring(host), () => '6379')).toEqual({ is: 'known', value: 6379 });
  const name = kindNamed('redis').fields['name'] ?? anything;
  expect(resolveField(name, referring(host), () => '6379')).toEqual({ is: 'known', value: '6379' });
});
