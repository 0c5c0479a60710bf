import { expect, test } from 'vitest';
import { bench, head } from '../support/world.ts';

/** The platform starts a Redis with its password only where it has no args, and an empty list is some. */

const cache = (args: string) =>
  `${head}environments: { production: { redis: { cache: { dockerImage: "redis:8", databasePassword: abc${args} } } } }\n`;

test('an empty list of args that somebody left is a difference from none', async () => {
  const made = bench();
  await made.apply(cache(', args: null'));
  const row = () => Object.values(made.emulator.world.tables.redis)[0] ?? {};
  await made.emulator.act('redis.update', { redisId: row()['redisId'], args: [] });
  expect(row()['args']).toEqual([]);
  await made.apply(cache(', args: null'));
  expect(row()['args']).toBeNull();
  expect((await made.plan(cache(', args: null'))).actions.every(({ action }) => action === 'no-op')).toBe(true);
});

test('an empty list of args is refused', async () => {
  await expect(bench().plan(cache(', args: []'))).rejects.toThrow(
    'may not be empty: it would start without its password',
  );
});
