import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { topological } from '../../src/graph/order.ts';
import type { Edge } from '../../src/graph/preferred.ts';
import { withPreferred } from '../../src/graph/preferred.ts';
import { effort } from '../support/whole.ts';

/** Preferred edges: each is added where it closes no circle. */

const edge = (text: string): Edge => {
  const [from = '', to = ''] = text.split('>');
  return { from, to };
};
const edges = (...texts: string[]) => texts.map(edge);
const shown = (list: readonly Edge[]) => list.map(({ from, to }) => `${from}>${to}`);
const noHub = () => false;

test('without a circle all are added', () => {
  expect(shown(withPreferred(edges('a>b'), edges('b>c', 'a>c'), noHub))).toEqual(['a>b', 'b>c', 'a>c']);
});

test('one that closes a circle is left out, and no other, however far away they are', () => {
  const found = withPreferred(edges('a>b', 'b>c', 'x>y'), edges('c>a', 'a>c', 'y>a', 'c>z'), noHub);
  expect(shown(found)).toEqual(['a>b', 'b>c', 'x>y', 'a>c', 'y>a', 'c>z']);
});

test('of two contradictory edges the first is added, and so is an edge that contradicts only the second', () => {
  const found = withPreferred(edges('a>b', 'c>d'), edges('b>c', 'd>a', 'd>e', 'e>a', 'b>e'), noHub);
  expect(shown(found)).toEqual(['a>b', 'c>d', 'b>c', 'd>e', 'b>e']);
});

test('from a node to itself there is none', () => {
  expect(shown(withPreferred([], edges('a>a', 'a>b'), noHub))).toEqual(['a>b']);
});

test('a required circle stays as it is', () => {
  expect(shown(withPreferred(edges('a>b', 'b>a'), edges('b>c', 'c>a'), noHub))).toEqual(['a>b', 'b>a', 'b>c']);
});

describe('a hub', () => {
  const isHub = (name: string) => name.startsWith('hub');

  test('with an edge that closes a cycle yields to edges from its predecessors that close none', () => {
    // b must come before x, which is one of those that the hub stands for.
    const found = withPreferred(edges('b>x'), edges('x>hub', 'y>hub', 'z>hub', 'hub>a', 'hub>b'), isHub);
    expect(shown(found)).toEqual(['b>x', 'x>hub', 'y>hub', 'z>hub', 'hub>a', 'y>b', 'z>b']);
  });

  test('yields to the edges before a hub that stands before it', () => {
    const found = withPreferred(edges('b>x'), edges('x>hub1', 'y>hub1', 'hub1>hub2', 'z>hub2', 'hub2>b'), isHub);
    expect(shown(found)).toEqual(['b>x', 'x>hub1', 'y>hub1', 'hub1>hub2', 'z>hub2', 'z>b', 'y>b']);
  });

  test('and another that stand before each other have the same before them', () => {
    const found = withPreferred([], edges('x>hub1', 'hub2>hub1', 'hub1>hub2', 'y>hub2', 'hub1>a', 'hub2>a'), isHub);
    expect([...new Set(shown(found))]).toEqual(['x>hub1', 'hub2>hub1', 'x>hub2', 'y>hub2', 'hub1>a', 'hub2>a']);
  });

  test('keeps the data of an edge', () => {
    const found = withPreferred(
      [{ from: 'b', to: 'x', is: 'required' }],
      [
        { from: 'x', to: 'hub', is: 'in' },
        { from: 'y', to: 'hub', is: 'in' },
        { from: 'hub', to: 'b', is: 'out' },
      ],
      isHub,
    );
    expect(found.at(-1)).toEqual({ from: 'y', to: 'b', is: 'out' });
  });
});

const reaches = (list: readonly Edge[], from: string, to: string): boolean => {
  const found = new Set([from]);
  for (const name of found) for (const one of list) if (one.from === name) found.add(one.to);
  return found.has(to);
};

test('in every graph, an edge is added exactly when it closes no cycle with the edges before it', () => {
  const name = fc.nat(8).map((index) => `n${index}`);
  const anyEdges = fc.array(fc.record({ from: name, to: name }), { maxLength: 16 });
  fc.assert(
    fc.property(anyEdges, anyEdges, (some, preferred) => {
      const required = some.filter(({ from, to }) => from < to);
      const expected = [...required];
      for (const one of preferred) if (!reaches(expected, one.to, one.from)) expected.push(one);
      expect(shown(withPreferred(required, preferred, noHub))).toEqual(shown(expected));
    }),
    { numRuns: effort({ fast: 100, full: 500 }) },
  );
});

test('with a hub, the sort is that of edges from each predecessor to each successor', () => {
  const name = fc.nat(6).map((index) => `n${index}`);
  const anyEdges = fc.array(fc.record({ from: name, to: name }), { maxLength: 8 });
  const names = fc.uniqueArray(name, { maxLength: 5 });
  fc.assert(
    fc.property(anyEdges, names, names, (some, before, after) => {
      const required = some.filter(({ from, to }) => from < to);
      const through = [...before.map((from) => ({ from, to: 'hub' })), ...after.map((to) => ({ from: 'hub', to }))];
      const direct = after.flatMap((to) => before.map((from) => ({ from, to })));
      const [withHub, without] = [
        withPreferred(required, through, (one) => one === 'hub'),
        withPreferred(required, direct, noHub),
      ];
      const all = [...new Set(withHub.flatMap(({ from, to }) => [from, to]))];
      const needs = (one: string) => withHub.filter(({ to }) => to === one).map(({ from }) => from);
      expect(topological(all, needs).circle).toBeUndefined();
      for (const from of before) {
        for (const to of after)
          expect([from, to, reaches(withHub, from, to)]).toEqual([from, to, reaches(without, from, to)]);
      }
    }),
    { numRuns: effort({ fast: 100, full: 500 }) },
  );
});

test.each<[string, (count: number) => readonly Edge[]]>([
  ['a ring', (count) => ring(count, (n) => n)],
  ['a ring in another order', (count) => ring(count, (n) => (n * 7) % count)],
  [
    'many small rings',
    (count) => Array.from({ length: count }, (_, n) => `n${n}>n${n % 2 === 0 ? n + 1 : n - 1}`).map(edge),
  ],
  ['a chain', (count) => ring(count, (n) => n).slice(1)],
])('work grows with the number of edges and not with its square: %s', (_title, preferredOf) => {
  const counts = [];
  for (const count of [1000, 2000]) {
    let reads = 0;
    const counted = preferredOf(count).map(
      (one) =>
        new Proxy(one, {
          get: (target, name) => {
            reads++;
            return Reflect.get(target, name) as unknown;
          },
        }),
    );
    const found = withPreferred([], counted, noHub);
    expect(found.length).toBeGreaterThanOrEqual(count / 2);
    counts.push(reads);
  }
  const [few = 0, many = 0] = counts;
  expect(few).toBeGreaterThan(1000);
  expect(many).toBeLessThan(few * 2.5);
});

/** Each node before the next, the last before the first. */
function ring(count: number, nth: (index: number) => number): Edge[] {
  return Array.from({ length: count }, (_, index) => {
    const n = nth(index);
    return edge(`n${n}>n${(n + 1) % count}`);
  });
}
