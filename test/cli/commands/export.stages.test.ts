import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command as importing } from '../../../src/cli/commands/import.ts';
import { exportCommand, planCommand } from '../asked.ts';
import { documentIn, places } from '../place.ts';

/** What the environment of a root file has and no file declares is written to the top of that root file. */

const place = places();

const store = "dockerImage: redis:8, databasePassword: '${secret:PW}'";
const site = "source: { type: raw, composeFile: 'services: { web: { image: nginx } }' }";
const shop = `redis:\n  cache: { ${store} }\ncompose:\n  shop: { ${site} }\n`;
const root = 'environment: staging # ours\ninclude: [shop.yaml, own.yaml]\n# end\n';
const own = `compose: # of this stage\n  tools:\n    ${site}\n`;

async function world() {
  const applied = `environments:\n  production: {}\n  staging:\n    redis: { cache: { ${store} } }\n    compose: { shop: { ${site} }, tools: { ${site} } }\n`;
  const at = await place(applied, { secrets: { PW: 'canary-4711' } });
  await at.rewriteState((all) => Object.fromEntries(Object.entries(all).filter(([one]) => one !== 'production')));
  const put = (name: string, text: string) => writeFileSync(join(at.folder, name), text);
  put('shop.yaml', shop);
  put('own.yaml', own);
  put(
    'production.yaml',
    'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironment: production\ninclude: [shop.yaml]\n',
  );
  at.rewrite(root);
  const make = async (operation: 'redis.create' | 'domain.create', input: Record<string, unknown>) =>
    (await at.emulator.act(operation, { databasePassword: 'canary-of-another', ...input })) as { redisId: string };
  const read = (name = 'trueup.yaml') => readFileSync(join(at.folder, name), 'utf8');
  const unplanned = async () => {
    const document = documentIn(await at.run(planCommand({}), { format: 'json' }));
    if (document.format !== 'trueup/plan') return [document.format];
    return document.actions.flatMap(({ action, address }) => (action === 'no-op' ? [] : [`${action} ${address}`]));
  };
  return { ...at, make, read, unplanned, head: read().slice(0, -root.length) };
}

test('export --unmanaged adds what the environment has to the top of the root file', async () => {
  const at = await world();
  await at.make('redis.create', { name: 'queue', environmentId: at.idOf('staging'), dockerImage: 'redis:7' });
  await at.make('redis.create', { name: 'other', environmentId: 'env_prj_1', dockerImage: 'redis:7' });
  expect((await at.run(exportCommand({}))).err).toContain(
    'export writes a whole project, and trueup.yaml is of the environment staging -> trueup export --unmanaged adds',
  );
  const ran = await at.run(exportCommand({ unmanaged: true }));
  expect([ran.err, ran.exit]).toEqual(['', 'done']);
  const text = at.read();
  expect(text.slice(0, at.head.length + root.length - '# end\n'.length)).toBe(at.head + root.replace('# end\n', ''));
  expect(text).toMatch(/^redis:\n {2}queue:\n {4}dockerImage: redis:7\n/m);
  expect(text).not.toMatch(/canary|other|environments/);
  expect([at.read('shop.yaml'), at.read('own.yaml')]).toEqual([shop, own]);
  expect(await at.unplanned()).toEqual([]);
  expect((await at.run(exportCommand({ unmanaged: true }))).out).toContain('is managed already');
  expect(at.read()).toBe(text);
});

test('export --address adds a service to the root file, and what is below one to the file that only this stage includes', async () => {
  const at = await world();
  await at.make('redis.create', { name: 'queue', environmentId: at.idOf('staging'), dockerImage: 'redis:7' });
  for (const name of ['shop', 'tools'])
    await at.make('domain.create', {
      composeId: at.idOf(`staging.compose.${name}`),
      host: `${name}.example.com`,
      serviceName: 'web',
      port: 80,
    });
  const service = await at.run(exportCommand({ address: 'staging.redis.queue' }));
  expect([service.err, service.exit]).toEqual(['', 'done']);
  expect(at.read()).toMatch(/^redis:\n {2}queue:\n/m);
  const below = (name: string) =>
    at.run(exportCommand({ address: `staging.compose.${name}.domains["${name}.example.com"]` }));
  const domain = await below('tools');
  expect([domain.err, domain.exit]).toEqual(['', 'done']);
  expect(at.read('own.yaml')).toMatch(
    /^compose: # of this stage\n {2}tools:\n {4}source: .*\n {4}domains:\n {6}tools.example.com:\n/,
  );
  expect((await below('shop')).err).toContain(
    'cannot add staging.compose.shop.domains["shop.example.com"] for this stage alone: staging.compose.shop stands in shop.yaml, which other root files use',
  );
  expect(at.read('shop.yaml')).toBe(shop);
  expect(await at.unplanned()).toEqual([]);
});

test('import adopts an object at an address of the environment', async () => {
  const at = await world();
  const { redisId } = await at.make('redis.create', {
    name: 'queue',
    environmentId: at.idOf('staging'),
    dockerImage: 'redis:8',
  });
  at.rewrite(`${root}redis: { queue: { dockerImage: redis:8 } }\n`);
  const ran = await at.run({ command: importing, args: ['staging.redis.queue', redisId], flags: {} });
  expect([ran.err, ran.exit]).toEqual(['', 'done']);
  expect(await at.unplanned()).toEqual(['deploy staging.redis.queue']);
});
