import { expect, it } from 'vitest';
import { driftOf, edit } from '../support/drifting.ts';
import { bench, head } from '../support/world.ts';

/** One story of every day; test/scenarios/drift.test.ts has the others. */

const day = (text: string) => ({ now: Date.parse(`${text}T12:00:00Z`) });

const shop = `${head}environments:
  production:
    redis:
      cache: { dockerImage: "redis:7", databasePassword: "correct-horse-battery" }
`;

const permissions = { adoption: true, dataLoss: true };

it('finds a hot fix, knows it in the next run, and finds a further change to be new', async () => {
  const made = bench();
  const { state } = await made.apply(shop, permissions);
  const redisId = state.resources['production.redis.cache']?.id ?? '';
  await edit(made, 'redis.update', { redisId, dockerImage: 'redis:8' });
  const first = await driftOf(made, shop, day('2026-03-01'));
  expect(first).toMatchObject({
    exitCode: 2,
    findings: [
      {
        is: 'drifted',
        address: 'production.redis.cache',
        path: 'dockerImage',
        status: 'new',
        since: '2026-03-01',
        applied: { is: 'value', value: 'redis:7' },
        platform: { is: 'value', value: 'redis:8' },
        manifest: { is: 'value', value: 'redis:7' },
      },
    ],
  });
  expect(await driftOf(made, shop, day('2026-03-02'))).toMatchObject({
    exitCode: 8,
    findings: [{ status: 'known', since: '2026-03-01' }],
    memory: { isUpdated: false },
  });
  await edit(made, 'redis.update', { redisId, dockerImage: 'redis:9' });
  expect(await driftOf(made, shop, day('2026-03-03'))).toMatchObject({
    exitCode: 2,
    findings: [{ status: 'new', since: '2026-03-03' }],
  });
  await made.apply(shop, permissions);
  expect(await driftOf(made, shop, day('2026-03-04'))).toMatchObject({
    exitCode: 0,
    findings: [],
    resolved: [{ address: 'production.redis.cache', field: 'dockerImage' }],
  });
  expect(await driftOf(made, shop, day('2026-03-05'))).toMatchObject({ exitCode: 0, resolved: [] });
  const { actions } = await made.plan(shop);
  expect(actions.every(({ action }) => action === 'no-op')).toBe(true);
});
