import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inOrder, topological } from '../../src/graph/order.ts';
import { bench, head } from '../support/world.ts';

/** What depends on what, and the order that follows from it. */

describe('resources', () => {
  const text = `${head}environments:
  production:
    redis:
      a: { dockerImage: redis:8, databasePassword: password-1, env: { OTHER: "\${ref:redis.z.host}" } }
      z: { dockerImage: redis:8, databasePassword: password-2, description: "in \${ref:staging.id}" }
  staging: {}
`;

  test('stand after their parent and after their references, of fields and of keys of maps alike', async () => {
    const { order, diagnostics } = inOrder((await bench().manifest(text)).resources);
    expect(diagnostics).toEqual([]);
    expect(order.map((resource) => resource.address)).toEqual([
      'production',
      'staging',
      'production.redis.z',
      'production.redis.a',
    ]);
  });

  test('are all sorted, when there is no cycle', async () => {
    const { resources } = await bench().manifest(text);
    expect(inOrder(resources.toReversed()).order).toHaveLength(resources.length);
  });
});

describe('the order', () => {
  test('keeps the given sequence where nothing decides', () => {
    expect(topological(['c', 'a', 'b'], () => [])).toEqual({ sorted: ['c', 'a', 'b'], circle: undefined });
  });

  test('ignores needs that do not exist, and the same need twice', () => {
    expect(topological(['a', 'b'], (name) => (name === 'a' ? ['b', 'b', 'x'] : []))).toEqual({
      sorted: ['b', 'a'],
      circle: undefined,
    });
  });

  test.each([
    ['one', { a: ['a'] }, ['a']],
    ['two', { a: ['b'], b: ['a'] }, ['a', 'b']],
    [
      'three, with others before and behind it',
      { x: ['a'], a: ['y', 'b'], b: ['c'], c: ['a'], y: [] },
      ['a', 'b', 'c'],
    ],
  ])('names only the members of a cycle of %s', (_title, needs, members) => {
    const { circle } = topological(Object.keys(needs), (name) => (needs as Record<string, string[]>)[name] ?? []);
    expect(circle?.toSorted()).toEqual(members);
  });

  test('is right for every graph without a cycle, and finds a true cycle in any other', () => {
    const graphs = fc.array(fc.array(fc.nat(20), { maxLength: 3 }), { maxLength: 20 });
    fc.assert(
      fc.property(graphs, (rows) => {
        const names = rows.map((_, index) => `n${index}`);
        const needs = (name: string) => (rows[Number(name.slice(1))] ?? []).map((index) => `n${index}`);
        const { sorted, circle } = topological(names, needs);
        for (const [place, name] of sorted.entries()) {
          for (const need of needs(name)) {
            if (names.includes(need)) expect(sorted.indexOf(need)).toBeLessThan(place);
          }
        }
        if (circle === undefined) expect(sorted.toSorted()).toEqual(names.toSorted());
        else {
          expect(circle.length).toBeGreaterThan(0);
          for (const [place, name] of circle.entries())
            expect(needs(name)).toContain(circle[(place + 1) % circle.length]);
        }
      }),
    );
  });

  test('reads the needs of each once, and once more in a cycle, with a flat stack: of a hundred thousand', () => {
    const count = 100_000;
    const names = Array.from({ length: count }, (_, index) => `n${index}`);
    let asked = 0;
    const chain = topological(names, (name) => {
      asked += 1;
      return [`n${Number(name.slice(1)) + 1}`];
    });
    expect([chain.sorted[0], asked]).toEqual([`n${count - 1}`, count]);
    asked = 0;
    const circle = topological(names, (name) => {
      asked += 1;
      return [`n${(Number(name.slice(1)) + 1) % count}`];
    });
    expect([circle.circle?.length, asked]).toEqual([count, 2 * count]);
  });
});
