import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { bench, head } from '../support/world.ts';

/** References to what is not declared. */

async function problems(text: string): Promise<string[]> {
  try {
    await bench().manifest(text);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return error.diagnostics.map(({ position, remedy = '' }) => `${position?.line ?? 0}: ${remedy}`);
  }
  return [];
}

const ref = (path: string) => `"\${ref:${path}}"`;
const production = (services: string) => `${head}environments:\n  production:\n${services}`;
const redis = (...names: readonly string[]) =>
  production(
    `    redis:\n${names.map((name) => `      ${name}: { dockerImage: "redis:8", databasePassword: abcdef }\n`).join('')}`,
  );
const members = (...lists: readonly string[]) =>
  `members:\n${lists.map((list, at) => `  m${at}@example.test: { accessedServices: [${list}] }\n`).join('')}`;

describe('M3: a removed service that lists of members still name', () => {
  const main = ref('production.redis.main.id');
  const [cache, jobs] = [ref('production.redis.cache.id'), ref('production.redis.jobs.id')];

  test('is an error at each entry; the first one lists all entries to remove, and then the manifest is valid', async () => {
    const found = await problems(redis('main') + members(`${main}, ${cache}`, cache, `${jobs}, ${main}`));
    expect(found).toEqual([
      [
        '9: Remove the entries of what is no longer declared, or correct their addresses:',
        'trueup.yaml:9 members["m0@example.test"] accessedServices: ${ref:production.redis.cache.id}',
        'trueup.yaml:10 members["m1@example.test"] accessedServices: ${ref:production.redis.cache.id}',
        'trueup.yaml:11 members["m2@example.test"] accessedServices: ${ref:production.redis.jobs.id}',
      ].join('\n'),
      '10: Remove this entry too: the error at trueup.yaml:9 lists all of them.',
      '11: Remove this entry too: the error at trueup.yaml:9 lists all of them.',
    ]);
    expect(await problems(redis('main') + members(main, '', main))).toEqual([]);
  });

  test('may stand in the list of a service', async () => {
    const text = production(
      `    application:\n      web:\n        source: { type: docker, image: nginx }\n        networkIds: [${ref('redis.cache.id')}]\n`,
    );
    expect(await problems(text)).toEqual([
      [
        '9: Remove the entries of what is no longer declared, or correct their addresses:',
        'trueup.yaml:9 production.application.web networkIds: ${ref:redis.cache.id}',
      ].join('\n'),
    ]);
  });

  test('has a suggestion where a value needs it', async () => {
    const text = production(
      `    redis:\n      main: { dockerImage: "redis:8", databasePassword: abcdef, env: { A: ${ref('redis.mian.host')} } }\n`,
    );
    expect(await problems(text)).toEqual([expect.stringContaining('Did you mean ${ref:redis.main.host}?')]);
  });

  test('lists at most 40 entries', async () => {
    const names = [...Array(50).keys()].map((at) => ref(`production.redis.r${at}.id`));
    const found = await problems(redis('main') + members(names.join(', ')));
    const lines = found[0]?.split('\n') ?? [];
    expect(lines).toHaveLength(42);
    expect(lines.at(-1)).toBe('and 10 more');
  });
});
