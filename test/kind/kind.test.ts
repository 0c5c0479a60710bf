import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { environment } from '../../src/resources/environment.ts';
import { cache } from '../support/example-kind.ts';
import { bench, head } from '../support/world.ts';

const root = resolve(import.meta.dirname, '../..');

test('the example in kind.ts is the code that is compiled here', () => {
  const written = /^ \* ```ts\n([\s\S]*?)^ \* ```\n/m.exec(readFileSync(join(root, 'src/kind/kind.ts'), 'utf8'))?.[1];
  const compiled = readFileSync(join(root, 'test/support/example-kind.ts'), 'utf8');
  const example = written?.replaceAll(/^ \* ?/gm, '') ?? '';
  expect(example.slice(example.indexOf('export const'))).toBe(compiled.slice(compiled.indexOf('export const')));
});

test('the example in kind.ts is created, then plans nothing, is replaced, and is deleted', async () => {
  const made = bench({ kinds: [environment, cache] });
  made.secrets.CACHE_PASSWORD = 'correct-horse-1';
  const text = `${head}environments:\n  staging:\n    caches:\n      ${cache.examples[0]?.replace(' }', ', serverId: srv_1 }')}`;
  const actions = async (manifest: string) =>
    (await made.plan(manifest)).actions.map(({ address, action }) => `${action} ${address}`);
  const at = 'staging.caches.sessions';
  expect(await actions(text)).toEqual(['create staging', `create ${at}`, `deploy ${at} (deploy)`]);
  await made.apply(text);
  expect(await actions(text)).toEqual(['no-op staging', `no-op ${at}`]);
  expect(await actions(text.replace('redis:8', 'redis:7'))).toEqual([
    'no-op staging',
    `update ${at}`,
    `deploy ${at} (deploy)`,
  ]);
  const moved = text.replace('srv_1', 'srv_2');
  expect((await made.plan(moved)).actions.map(({ action }) => action)).toContain('replace');
  await expect(made.apply(moved)).rejects.toThrow('the data of this cache');
  await made.destroy(text);
  expect(made.store.state?.resources).toEqual({});
});
