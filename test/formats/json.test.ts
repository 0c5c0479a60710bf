import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, canonical, mapTexts } from '../../src/formats/json.ts';

test('each text of a value gets another one, however deep; keys and other values stay', () => {
  const value = { main: ['a main', 1, null] };
  expect(mapTexts(value, (text) => text.replaceAll('main', '(sensitive)'))).toEqual({
    main: ['a (sensitive)', 1, null],
  });
});

describe('the one text of a value', () => {
  /** By a copy with all keys in order, as digests in states were made from the first. */
  const byCopy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(byCopy);
    if (typeof value !== 'object' || value === null) return value;
    const keys = Object.keys(value).toSorted();
    return Object.fromEntries(keys.map((key) => [key, byCopy((value as Record<string, unknown>)[key])]));
  };

  test('is that of a copy with its keys in order, whatever keys there are', () => {
    const key = fc.oneof(fc.constantFrom('b', 'a', '10', '9', '01', '-1', '__proto__', 'é', '\uD800'), fc.string());
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, 0, -0, 1.5, ''),
        fc.string(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
      ),
    }));
    fc.assert(
      fc.property(value, (one) => {
        expect(canonical(one as Json)).toBe(JSON.stringify(byCopy(one)));
      }),
      { numRuns: 500 },
    );
  });

  test('does not depend on the order of keys', () => {
    expect(canonical({ b: 1, a: { 10: 1, 9: 2 } })).toBe(canonical({ a: { 9: 2, 10: 1 }, b: 1 }));
    expect(canonical([{ b: 1, a: 2 }])).toBe('[{"a":2,"b":1}]');
  });
});
