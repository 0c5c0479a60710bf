import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Codec } from '../../src/kind/codecs.ts';
import { idSet, json, list, means, plain, suffixed, text } from '../../src/kind/codecs.ts';
import type { Json } from '../../src/formats/json.ts';
import { canonical } from '../../src/formats/json.ts';

/** When two values mean the same. */

test.each<[string, Codec, Json, Json, boolean]>([
  ['the same text', plain, 'a', 'a', true],
  ['empty text and nothing', plain, '', null, false],
  ['0 and false', plain, 0, false, false],
  ['"1" and 1', plain, '1', 1, false],
  ['objects with their keys in another order', plain, { a: 1, b: 2 }, { b: 2, a: 1 }, true],
  ['lists in another order', plain, [1, 2], [2, 1], false],
  ['empty text and nothing, as text', text, '', null, true],
  ['a space and nothing, as text', text, ' ', null, false],
  ['an empty list and nothing, as a list', list, [], null, true],
  ['a list with nothing in it and an empty one', list, [null], [], false],
  ['ids in another order and twice', idSet, ['b', 'a', 'b'], ['a', 'b'], true],
  ['no ids and nothing', idSet, [], null, true],
  ['other ids', idSet, ['a'], ['a', 'b'], false],
  ['an empty object and nothing, as JSON', json, {}, null, true],
  ['an empty list and nothing, as JSON', json, [], null, true],
  ['an empty member and none', json, { a: {} }, {}, false],
  ['an object with a key __proto__ and one without', json, JSON.parse('{"__proto__":1}') as Json, {}, false],
  ['objects with a key toString', plain, { toString: 1, valueOf: { a: 1 } }, { toString: 1, valueOf: { a: 1 } }, true],
  ['objects with other values of a key toString', plain, { toString: 1 }, { toString: 2 }, false],
  ['objects with a key constructor', plain, [{ constructor: { a: 1 } }], [{ constructor: { a: 1 } }], true],
  ['objects with other values of a key constructor', plain, { constructor: [1] }, { constructor: [2] }, false],
  ['a name and what the platform makes of it', suffixed, 'My Shop', 'my-shop-a1b2c3', true],
  ['a name and a suffix of another length', suffixed, 'shop', 'shop-a1b2c', false],
  ['a name and one that only begins like it', suffixed, 'shop', 'shop-two-a1b2c3', false],
  ['a name that ends like a suffix, and itself', suffixed, 'shop-a1b2c3', 'shop-a1b2c3', true],
])('%s', (_title, codec, wanted, observed, same) => {
  expect(means(codec, wanted, observed)).toBe(same);
});

describe('the one text of a value', () => {
  const values = fc.jsonValue() as fc.Arbitrary<Json>;

  test('is the same exactly when the values are equal as JSON', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(canonical(a) === canonical(b)).toBe(
          means(plain, JSON.parse(JSON.stringify(a)) as Json, JSON.parse(JSON.stringify(b)) as Json),
        );
        expect(canonical(JSON.parse(canonical(a)) as Json)).toBe(canonical(a));
      }),
    );
  });

  test('does not depend on the sequence of keys, at any depth', () => {
    expect(canonical({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
    expect(canonical(JSON.parse('{"b":1,"__proto__":{"y":1,"x":2}}') as Json)).toBe(
      '{"__proto__":{"x":2,"y":1},"b":1}',
    );
  });
});
