import { describe, expect, test } from 'vitest';
import { foldServices, groupGraph } from '../../src/render/graph-model.ts';
import { drawGraph, renderSvg } from '../../src/render/graph-svg.ts';
import { renderPlanPage } from '../../src/render/html/plan-page.ts';
import { environmentOf, isEnvironment, serviceOf } from '../../src/render/places.ts';
import { planDocument } from '../../src/documents/plan-document.ts';
import { plan as makePlan } from '../../src/workflow/make-plan.ts';
import { bench } from '../support/world.ts';
import { everything, plansNothing } from '../support/faults.ts';
import { shown } from './plans.ts';

/** Where a block stands: in an environment or in none, also where the manifest declares the project as a block. */

const head = 'trueup: 1\nplatform: emulator\nproject: { name: bookshop }\n';
const manifest = (version: string) => `${head}environments:
  production:
    application:
      web: { source: { type: docker, image: "nginx:${version}" } }
    redis:
      cache: { dockerImage: "redis:${version}", databasePassword: x1 }
  staging: {}
`;

test.each([
  ['production', undefined, 'production'],
  ['production.redis.main', undefined, 'production'],
  ['production.redis.main.backups.nightly', undefined, 'production'],
  ['["my shop"].redis.main', undefined, '["my shop"]'],
  ['project', undefined, 'project'],
  ['project', true, undefined],
  ['registries.images', undefined, undefined],
  ['registries.images (old)', undefined, undefined],
  ['servers.builder.schedules.prune', undefined, undefined],
  ['servers.builder.forwardAuth', true, undefined],
  ['', undefined, undefined],
] as const)('the environment of %s (single: %j) is %s', (address, single, environment) => {
  expect(environmentOf({ address, single })).toBe(environment);
});

test('a plan says which block has no key, and stands in no environment', async () => {
  const made = bench();
  const text = (more: string) => `${head}webServer: { buildsConcurrency: 2 }\n${more}`;
  await made.apply(text(''), everything);
  await plansNothing(made, text(''));
  const { actions } = planDocument({ plan: await made.plan(text('')), counts: { reads: 0, writes: 0 } });
  expect(actions.map((one) => [one.address, one.single, environmentOf(one)])).toEqual([
    ['project', true, undefined],
    ['webServer', true, undefined],
  ]);
});

test.each([
  ['production', true],
  ['["my shop"]', true],
  ['["a\\"].b"]', true],
  ['["a"].redis', false],
  ['["a"]["b"]', false],
  ['production.redis.main', false],
  ['production (old)', false],
  ['', false],
])('whether %s is an address of an environment: %j', (address, is) => {
  expect(isEnvironment(address)).toBe(is);
});

describe('with the project as a block', () => {
  test('a plan has a group for each service, with its deployment', async () => {
    const made = bench();
    const text = shown(await made.plan(manifest('1')));
    expect(text).toMatch(/\+ production\.application\.web: create\n(?: {4}.*\n)* {2}\^ deploy: first deployment\n/);
    expect(text).toMatch(/\+ production\.redis\.cache: create\n(?: {4}.*\n)* {2}\^ deploy: first deployment\n/);
    await made.apply(manifest('1'), everything);
    await plansNothing(made, manifest('1'));
    const edited = shown(await made.plan(manifest('2')));
    expect(edited).toMatch(
      /~ production\.redis\.cache: update\n(?: {4}.*\n)* {2}\^ deploy: restarts with dockerImage\n/,
    );
  });

  test('equal changes of environments are of no services', async () => {
    const made = bench();
    const all = (description: string) =>
      `${head}environments: { ${['a', 'b', 'c', 'd'].map((name) => `${name}: { description: ${description} }`).join(', ')} }\n`;
    await made.apply(all('hello'), everything);
    await plansNothing(made, all('hello'));
    expect(shown(await made.plan(all('hi')))).toContain('~ 4 resources: update\n');
  });

  test('a page says what comes with the project and goes with it, by environment', async () => {
    const made = bench();
    const page = async (destroys: boolean) => {
      const plan = await (destroys
        ? makePlan(await made.manifest(manifest('1')), made.world(), { destroys: true })
        : made.plan(manifest('1')));
      const document = planDocument({ plan, counts: { reads: 0, writes: 0 } });
      return { html: renderPlanPage({ plan: document }), actions: document.actions };
    };
    const first = await page(false);
    expect(first.html).toContain('<p class="what">Comes with project.</p>');
    expect(first.html).not.toContain('exists on the platform');
    expect(first.html).toContain('<option value="production">');
    expect(first.html).toContain('<option value="staging">');
    expect(first.actions.find(({ address }) => address === 'production')).toMatchObject({ comesWithParent: true });
    await made.apply(manifest('1'), everything);
    const last = await page(true);
    expect(last.html).toContain('Deleted with project.');
    expect(last.html).not.toContain('stays on the platform');
    expect(last.actions.find(({ address }) => address === 'production')).toMatchObject({ goesWithParent: true });
  });

  test('a graph frames each environment with blocks, and folds what is in a service', () => {
    const node = (address: string, kind: string, parent?: string) => ({ address, kind, parent, dependsOn: [] });
    const nodes = [
      { ...node('project', 'project'), single: true as const },
      node('production', 'environment', 'project'),
      node('production.redis.main', 'redis', 'production'),
      node('production.redis.main.backups.nightly', 'backup', 'production.redis.main'),
      node('staging', 'environment', 'project'),
      node('servers.builder', 'server'),
      node('servers.builder.schedules.prune', 'machineSchedule', 'servers.builder'),
    ];
    expect(
      groupGraph(nodes).map(({ environment, nodes: some }) => [environment, some.map((one) => one.address)]),
    ).toEqual([
      ['production', ['production.redis.main', 'production.redis.main.backups.nightly']],
      [undefined, ['staging', 'servers.builder', 'servers.builder.schedules.prune']],
    ]);
    expect(foldServices(nodes).map(({ address }) => address)).toEqual([
      'project',
      'production',
      'production.redis.main',
      'staging',
      'servers.builder',
    ]);
    expect(
      renderSvg(nodes)
        .match(/class="title"[^>]*>[^<]*/g)
        ?.map((one) => one.split('>')[1]),
    ).toEqual(['production', 'project']);
    expect(drawGraph([], []).places.size).toBe(0);
  });
});

test.each([
  ['production.redis.main.backups.nightly', 'production.redis.main'],
  ['production.redis.main', 'production.redis.main'],
  ['production', 'production'],
  ['project', 'project'],
  ['servers.builder.schedules.prune', 'servers.builder'],
  ['certificates.web', 'certificates.web'],
])('%s belongs to %s', (address, service) => {
  const parents: Readonly<Record<string, string>> = {
    'production.redis.main.backups.nightly': 'production.redis.main',
    'production.redis.main': 'production',
    production: 'project',
    'servers.builder.schedules.prune': 'servers.builder',
  };
  expect(serviceOf(address, (one) => parents[one])).toBe(service);
});
