import { expect, it } from 'vitest';
import { diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { planDocument } from '../../src/documents/plan-document.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { plan as planManifest } from '../../src/workflow/make-plan.ts';
import { anyDocument, planDocument as schema } from '../../src/render/document-schemas.ts';
import { renderPlan } from '../../src/render/plan-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { verdictOf } from '../../src/render/verdict.ts';
import { documentOf } from '../support/documents.ts';
import { bench, head } from '../support/world.ts';
import { shown } from '../render/plans.ts';

const database = (name: string, more = ''): string =>
  `${head}environments:\n  production:\n    postgres:\n      main: { dockerImage: "postgres:17", databaseName: ${name}, databaseUser: shop, databasePassword: hunter2-hunter2${more} }\n`;
const main = 'production.postgres.main';
const counts = { reads: 0, writes: 0 };

it('names what a plan overwrites, and what it stops and creates again, as the text does', async () => {
  const made = bench();
  const drifting = database('shop', ', description: one');
  await made.apply(drifting, { adoption: true });
  const id = made.store.state?.resources[main]?.id;
  await made.emulator.act('postgres.update', { postgresId: id, description: 'by hand' });
  const drifted = await made.plan(drifting);
  expect(planDocument({ plan: drifted, counts })).toMatchObject({ overwrites: [main], recreates: [], restarts: [] });
  expect(shown(drifted)).toContain(`\nOverwrites changes that were made on the platform: ${main}.\n`);
  const replaced = await made.plan(database('store', ', description: by hand'));
  expect(planDocument({ plan: replaced, counts })).toMatchObject({ overwrites: [], recreates: [main], restarts: [] });
  expect(shown(replaced)).toContain(`\nStops, and creates again, 1 service: ${main}.\n`);
  const edited = await made.manifest(drifting.replace('one', 'one, command: postgres'));
  const left = await planManifest(edited, made.world(), { deploys: false });
  expect(planDocument({ plan: left, counts })).toMatchObject({ notDeployed: [main], waitsFor: [], restarts: [] });
  expect(shown(left)).toContain(`\nTakes effect with the next deployment of 1 service: ${main}. `);
  await made.apply(drifting);
  const clean = await made.plan(drifting);
  expect(planDocument({ plan: clean, counts })).toMatchObject({ hasChanges: false, overwrites: [], recreates: [] });
});

it('tells the warnings of the manifest from those of the plan', async () => {
  const made = bench();
  const plan = { ...(await made.plan(database('shop'))), diagnostics: [diagnostic('duplicate', 'of the plan')] };
  const { diagnostics } = planDocument({ plan, counts, warnings: [diagnostic('no-unit', 'of the manifest')] });
  expect(diagnostics.map(({ message, source }) => [message, source])).toEqual([
    ['of the manifest', 'manifest'],
    ['of the plan', undefined],
  ]);
});

it('says of the old object of a replacement that the new one replaces it', async () => {
  const made = bench();
  const key = (text: string) => `${head}environments: { production: {} }
sshKeys: { deploy: { publicKey: "ssh-ed25519 ${text} shop", privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\\nb25l\\n-----END OPENSSH PRIVATE KEY-----\\n" } }
`;
  await made.apply(key('AAAAone'), { adoption: true });
  const document = documentOf(await made.plan(key('AAAAtwo')));
  expect(document.actions.map(({ action, why }) => [action, why])).toEqual([
    ['no-op', undefined],
    ['replace', undefined],
    ['delete', 'replaced'],
  ]);
  expect(renderPlan(document, plainStyle)).toMatch(/^- sshKeys\.deploy .*: the new object replaces it$/m);
  await made.apply(key('AAAAtwo'));
  expect(hasChanges(await made.plan(key('AAAAtwo')))).toBe(false);
});

it('counts the writes of each action, also those that remove the old object of a replacement', async () => {
  const made = bench();
  const text = (name: string, more = '') => `${database(name, ', deploy: never')}${more}`;
  const redis = '    redis: { cache: { dockerImage: "redis:8", databasePassword: x, deploy: never } }\n';
  const applied = async (one: string) => {
    const { actions } = documentOf(await made.plan(one));
    made.requests('POST');
    await made.apply(one, { adoption: true, dataLoss: true });
    const sent = made.requests('POST');
    expect(actions.reduce((sum, { requests }) => sum + requests, 0)).toBe(sent.length);
    return sent;
  };
  expect(await applied(text('shop', redis))).toEqual(expect.arrayContaining(['postgres.create', 'redis.create']));
  expect(await applied(text('store'))).toEqual(
    expect.arrayContaining(['postgres.remove', 'postgres.create', 'redis.remove']),
  );
  expect(hasChanges(await made.plan(text('store')))).toBe(false);
});

it('counts no value as compared that it does not know', async () => {
  const made = bench();
  made.secrets['PW'] = 'hunter2-hunter2';
  const text = (description: string, more = '') => `${database('shop', `, description: "${description}"`)}${more}`;
  const counted = async (one: string) => {
    const { compared, notCompared } = planDocument({ plan: await made.plan(one), counts });
    return [compared, notCompared.length];
  };
  await made.apply(text('at ${secret:PW}'), { adoption: true });
  const [all = 0] = await counted(text('at ${secret:PW}'));
  expect(await counted(text('to ${secret:PW}'))).toEqual([all, 0]);
  const redis = '    redis: { main: { dockerImage: "redis:8", databasePassword: x } }\n';
  expect(await counted(text('at ${ref:redis.main.host}', redis))).toEqual([all - 1, 0]);
  delete made.secrets['PW'];
  expect(await counted(text('at ${secret:PW}'))).toEqual([all - 1, 1]);
  // The plan has an error about it.
  expect(await counted(text('to ${secret:PW}'))).toEqual([all - 1, 0]);
  await made.apply(text('at last'));
  expect(hasChanges(await made.plan(text('at last')))).toBe(false);
});

it('says why each object goes, and what goes with it', async () => {
  const made = bench();
  const web = 'source: { type: raw, composeFile: "services: { web: { image: nginx } }" }';
  const shop = `compose: { shop: { ${web}, domains: { a.example.com: { serviceName: web }, b.example.com: { serviceName: web } } } }`;
  const cache = 'redis: { cache: { dockerImage: "redis:8", databasePassword: x } }';
  const text = (production: string, staging = '{}') =>
    `${head}environments:\n  production: { ${production} }\n  staging: ${staging}\n`;
  const before = text(`${shop}, ${cache}`);
  await made.apply(before, { adoption: true });
  const goingIn = async (after: string) => {
    const plan = documentOf(await made.plan(after));
    const going = plan.actions.filter(({ action }) => action === 'delete');
    return { plan, going: going.map((one) => [one.address, one.why, one.goesWith ?? one.elsewhere]) };
  };
  const removed = await goingIn(text(cache));
  expect(removed.going).toEqual([
    ['production.compose.shop', 'block removed', undefined],
    ['production.compose.shop.domains["a.example.com"]', 'block removed', 'production.compose.shop'],
    ['production.compose.shop.domains["b.example.com"]', 'block removed', 'production.compose.shop'],
  ]);
  expect(removed.plan.deletes).toEqual({ environments: 0, services: 1, along: 2, others: 0 });
  expect(verdictOf(removed.plan)).toContain('3 to delete (1 service, 2 below it)');
  const elsewhere = await goingIn(text(shop, `{ ${cache} }`));
  expect(elsewhere.going).toEqual([['production.redis.cache', 'block elsewhere', 'staging.redis.cache']]);
  expect(renderPlan(elsewhere.plan, plainStyle)).toContain(': its block was removed, and staging.redis.cache is new\n');
  const lone = await goingIn(before.replace(', b.example.com: { serviceName: web }', ''));
  expect(lone.plan.deletes).toEqual({ environments: 0, services: 0, along: 0, others: 1 });
  expect(verdictOf(lone.plan)).toContain('Plan: 1 to delete, ');
  const all = documentOf(await planManifest(await made.manifest(before), made.world(), { destroys: true }));
  expect(new Set(all.actions.flatMap(({ why }) => why ?? []))).toEqual(new Set(['destroy']));
  expect(renderPlan(all, plainStyle)).toContain('Deletes everything that the state holds');
});

it('has blocks and changes in the order of the file, whatever the alphabet says', async () => {
  const made = bench();
  const text = (tag: string) => `${head}environments:
  production:
    redis:
      zebra: { memoryLimit: ${tag}Gi, dockerImage: "redis:${tag}", databasePassword: x, command: run ${tag} }
      ant: { dockerImage: "redis:${tag}", databasePassword: x }
    compose:
      shop: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, env: { Z: "${tag}", A: "${tag}" } }
`;
  await made.apply(text('7'), { adoption: true });
  const { actions, restarts } = documentOf(await made.plan(text('8')));
  expect(actions.map(({ address, action }) => `${action} ${address}`)).toEqual([
    'no-op production',
    'update production.redis.zebra',
    'deploy production.redis.zebra',
    'update production.redis.ant',
    'deploy production.redis.ant',
    'update production.compose.shop',
    'deploy production.compose.shop',
  ]);
  expect(restarts).toEqual(['production.redis.zebra', 'production.redis.ant', 'production.compose.shop']);
  const paths = actions
    .filter(({ action }) => action === 'update')
    .map(({ changes }) => changes.map(({ path }) => path));
  expect(paths).toEqual([['memoryLimit', 'dockerImage', 'command'], ['dockerImage'], ['env.Z', 'env.A']]);
});

it('is read again as it was made, also in the form of version 1', async () => {
  const made = bench();
  const document = documentOf(await made.plan(database('shop')));
  expect(schema.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
  expect(JSON.stringify(document)).not.toContain('hunter2-hunter2');
  const { compared: _compared, notCompared: _not, left: _left, ignored: _ignored, ...rest } = document;
  const old = { ...rest, version: 1, actions: rest.actions.map(({ requests: _requests, ...one }) => one) };
  expect(anyDocument.safeParse(old).success).toBe(true);
  expect(anyDocument.safeParse(document).success).toBe(true);
  expect(schema.safeParse(old).success).toBe(false);
  for (const text of ['{}', '{"plan":{"actions":[{}]}}', '[]'])
    expect(schema.safeParse(JSON.parse(text)).success).toBe(false);
});
