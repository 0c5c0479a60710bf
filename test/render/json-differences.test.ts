import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/formats/json.ts';
import { same } from '../../src/formats/json.ts';
import { jsonDifferences } from '../../src/render/json-differences.ts';

/** Differences as `[path, before, after]`. */
const found = (before: Json, after: Json) =>
  jsonDifferences(before, after, 'f').map((one) => [one.path, one.before, one.after]);

describe('the differences of two JSON values', () => {
  it('are named by their members', () => {
    const before = { Interval: 10, Test: ['CMD', 'true'], Retries: 3 };
    expect(found(before, { Interval: 30, Test: ['CMD', 'true'], Timeout: 5 })).toEqual([
      ['f.Interval', 10, 30],
      ['f.Retries', 3, undefined],
      ['f.Timeout', undefined, 5],
    ]);
  });

  it('quote what is no plain name', () => {
    expect(found({ 'a.b': 1 }, { 'a.b': 2 })).toEqual([['f["a.b"]', 1, 2]]);
  });

  it('pair the objects of lists by their names', () => {
    const nofile = { Name: 'nofile', Soft: 1, Hard: 2 };
    const nproc = { Name: 'nproc', Soft: 1, Hard: 2 };
    expect(found([nofile, nproc], [{ ...nproc, Soft: 9 }, nofile, { ...nofile, Name: 'core' }])).toEqual([
      ['f[nproc].Soft', 1, 9],
      ['f[core]', undefined, { ...nofile, Name: 'core' }],
    ]);
  });

  it('pair the elements of other lists in their order', () => {
    expect(found(['-c', 'a=1', '-v'], ['-x', '-c', 'a=2', '-v'])).toEqual([
      ['f[0]', undefined, '-x'],
      ['f[2]', 'a=1', 'a=2'],
    ]);
    expect(found([{ a: 1 }, { b: 2 }, { b: 2 }], [{ a: 1 }, { b: 3 }])).toEqual([
      ['f[1].b', 2, 3],
      ['f[2]', { b: 2 }, undefined],
    ]);
  });

  it('say when a list has another order', () => {
    expect(jsonDifferences([1, 2], [2, 1], 'f')).toEqual([{ path: 'f', before: [1, 2], after: [2, 1], isOrder: true }]);
  });

  it('are whole values where their forms differ', () => {
    expect(found({ a: [1] }, { a: { b: 1 } })).toEqual([['f.a', [1], { b: 1 }]]);
  });

  it('of a long list that has nothing in common with the other are one', () => {
    const list = (from: number) => Array.from({ length: 600 }, (_, at) => at + from);
    expect(found(list(0), list(1_000))).toHaveLength(1);
  });

  it('are none of equal values, and at least one of others', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        const [left, right] = [before as Json, after as Json];
        expect(jsonDifferences(left, right, 'f').length > 0).toBe(!same(left, right));
        expect(jsonDifferences(left, left, 'f')).toEqual([]);
      }),
    );
  });

  it('compares what is nested very deeply as a whole', () => {
    const nested = (depth: number, inner: Json): Json => {
      let value = inner;
      for (let at = 0; at < depth; at++) value = at % 2 === 0 ? { a: value } : [value];
      return value;
    };
    const [found, ...others] = jsonDifferences(nested(3_000, 1), nested(3_000, 2), 'f');
    expect(others).toEqual([]);
    expect(found?.path.length).toBeLessThan(300);
    expect(jsonDifferences(nested(100_000, 1), nested(100_000, 2), 'f')).toHaveLength(1);
    expect(jsonDifferences(nested(60, 1), nested(60, 2), 'f')).toMatchObject([{ before: 1, after: 2 }]);
  });
});
