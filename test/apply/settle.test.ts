import { describe, expect, test } from 'vitest';
import { bench, head } from '../support/world.ts';

/** What is remembered after an apply, seen through the emulator. */

const redis = (env: string, more = '') => `${head}environments:
  production:
    redis:
      main:
        dockerImage: redis:8
        databasePassword: correct-horse-1
        env: { ${env} }
${more}`;

const main = 'production.redis.main';
type Made = ReturnType<typeof bench>;
const pairsOf = (made: Made) => made.store.state?.resources[main]?.pairs ?? {};

describe('the state after an apply', () => {
  test('has a pair for every declared field and every key of env, and for nothing else', async () => {
    const made = bench();
    await made.apply(redis('A: "1", "B.C-D": "2"'));
    expect(Object.keys(pairsOf(made)).toSorted()).toEqual([
      'databasePassword',
      'dockerImage',
      'env["A"]',
      'env["B.C-D"]',
      'name',
    ]);
    expect(pairsOf(made)['dockerImage']).toEqual({ wanted: { value: 'redis:8' }, answered: { value: 'redis:8' } });
  });

  test('holds digests of env, of secrets and of everything a secret flowed into, and no text of them', async () => {
    const made = bench();
    made.secrets['WORD'] = 'top-secret-word';
    await made.apply(redis('A: plain-value', '        description: "with ${secret:WORD}"\n'));
    for (const part of ['databasePassword', 'env["A"]', 'description']) {
      expect(pairsOf(made)[part]).toEqual({
        wanted: { digest: expect.any(String) as string },
        answered: { digest: expect.any(String) as string },
      });
    }
    expect(JSON.stringify(made.store.state)).not.toMatch(/plain-value|top-secret-word|correct-horse/);
  });

  test('keeps both what was wanted and what the platform made of it', async () => {
    const made = bench();
    await made.apply(redis('A: "1"', '        appName: Shop\n'));
    const { wanted, answered } = pairsOf(made)['appName'] ?? {};
    expect(wanted).toEqual({ value: 'Shop' });
    expect(answered).toEqual({ value: expect.stringMatching(/^shop-[a-z0-9]{6}$/) as string });
  });

  test('has no pair of a key that was removed, and none of a field that was released', async () => {
    const made = bench();
    await made.apply(redis('A: "1", B: "2"', '        description: x\n'));
    await made.apply(redis('A: "1"'));
    expect(Object.keys(pairsOf(made)).filter((part) => /env|description/.test(part))).toEqual(['env["A"]']);
  });

  test('is the same, byte for byte, when nothing changed', async () => {
    const made = bench();
    await made.apply(redis('A: "1"'));
    const before = JSON.stringify(made.store.state);
    await made.apply(redis('A: "1"'));
    expect(JSON.stringify(made.store.state)).toBe(before);
  });

  test('takes in a hot fix that came into the manifest, without writing it again: it is only deployed', async () => {
    const made = bench();
    await made.apply(redis('A: "1"'));
    const redisId = Object.keys(made.emulator.world.tables.redis)[0] ?? '';
    await made.emulator.act('redis.update', { redisId, dockerImage: 'redis:9' });
    const fixed = redis('A: "1"').replace('redis:8', 'redis:9');
    made.requests('POST');
    await made.apply(fixed);
    expect(made.requests('POST')).toEqual(['redis.changeStatus', 'redis.deploy']);
    expect(pairsOf(made)['dockerImage']).toEqual({ wanted: { value: 'redis:9' }, answered: { value: 'redis:9' } });
  });
});
