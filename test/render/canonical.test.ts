import { expect, it } from 'vitest';
import { addressKey, inCanonicalOrder } from '../../src/render/canonical.ts';
import { planJson } from '../../src/render/plan-json.ts';
import { compose, planOf, postgres, redis } from './markdown-plans.ts';

it('sorts what stands below a service behind it, its old object before that, and its deployment last', () => {
  const sorted = [
    'production',
    'production.compose.shop',
    'production.compose.shop (old)',
    'production.compose.shop.domains["a.example.com"]',
    'production.compose.shop.mounts.data',
    'production.compose.shop (deploy)',
    'production.compose.shop-2',
    'staging',
  ];
  const bySign = sorted.toReversed().toSorted((a, b) => (addressKey(a) < addressKey(b) ? -1 : 1));
  expect(bySign).toEqual(sorted);
});

it('gives a plan one order, however its manifest is written', async () => {
  const before = redis + compose('nginx:1', 'A: "1", B: "2"');
  const [one, other] = await Promise.all([
    planOf(before, compose('nginx:2', 'A: "3", C: "4"') + postgres('postgres:17')),
    planOf(before, postgres('postgres:17') + compose('nginx:2', 'C: "4", A: "3"')),
  ]);
  const shape = (plan: typeof one) =>
    planJson({ plan: inCanonicalOrder(plan), counts: { reads: 0, writes: 0 } }).actions.map(
      ({ address, action, changes, because }) => [address, action, changes.map(({ path }) => path), because],
    );
  expect(shape(other)).toEqual(shape(one));
  expect(shape(one).map(([address]) => address)).toEqual([
    'production',
    'production.compose.shop',
    'production.compose.shop',
    'production.postgres.main',
    'production.postgres.main',
    'production.redis.old',
  ]);
});
