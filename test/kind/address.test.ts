import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressParts, childAddress, isWithin, normalAddress } from '../../src/kind/address.ts';

/** An address is the YAML path of a resource. */

describe('an address', () => {
  test.each([
    [undefined, undefined, 'production', 'production'],
    ['production', 'compose', 'shop', 'production.compose.shop'],
    ['production.compose.shop', 'domains', 'shop.example.com', 'production.compose.shop.domains["shop.example.com"]'],
    [undefined, undefined, 'a b', '["a b"]'],
    ['production', 'redis', 'with "quotes"', String.raw`production.redis["with \"quotes\""]`],
    ['production', 'redis', '1st', 'production.redis["1st"]'],
    ['production', 'redis', 'a-b_c', 'production.redis.a-b_c'],
    [undefined, undefined, 'constructor', '["constructor"]'],
    [undefined, undefined, '__proto__', '["__proto__"]'],
  ])('below %s in %s with the key %s is %s', (parent, section, key, address) => {
    expect(childAddress(parent, section, key)).toBe(address);
  });

  test('is never the name of something that every object has', () => {
    for (const name of Object.getOwnPropertyNames(Object.prototype)) {
      expect(childAddress(undefined, undefined, name) in {}).toBe(false);
    }
  });

  test('splits into its parts again, with any keys', () => {
    const keys = fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(keys, (parts) => {
        const address = parts.reduce<string | undefined>(
          (parent, key) => childAddress(parent, parent === undefined ? undefined : 'redis', key),
          undefined,
        );
        const split = parts.flatMap((key, index) => (index === 0 ? [key] : ['redis', key]));
        expect(addressParts(address ?? '')).toEqual(split);
        expect(normalAddress(address ?? '')).toBe(address);
      }),
    );
  });

  test('differs where the keys differ', () => {
    const key = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(childAddress('p', 's', a) === childAddress('p', 's', b)).toBe(a === b);
      }),
    );
  });

  test.each(['', '.', 'a.', '.a', 'a..b', 'a b', 'a["b"', 'a[b]', "a['b']", String.raw`a["\x"]`, 'a["b"]c', '["a"'])(
    '%j is none',
    (written) => {
      expect(addressParts(written)).toBeUndefined();
      expect(normalAddress(written)).toBeUndefined();
    },
  );

  test('may be written with quotes that it does not need', () => {
    expect(normalAddress('["production"].redis["main"]')).toBe('production.redis.main');
  });
});

describe('isWithin', () => {
  test.each([
    ['production', 'production', true],
    ['production.redis.main', 'production', true],
    ['production["x"]', 'production', true],
    ['production2', 'production', false],
    ['production-eu.redis.main', 'production', false],
    ['production', 'production.redis', false],
    ['a.redis.main2', 'a.redis.main', false],
  ])('%s within %s: %s', (address, ancestor, within) => {
    expect(isWithin(address, ancestor)).toBe(within);
  });
});
