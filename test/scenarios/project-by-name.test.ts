import { describe, expect, test } from 'vitest';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { actionsOf, everything, plansNothing, refusal } from '../support/faults.ts';
import { again, fileIn, review } from '../support/reviewed.ts';
import { bench } from '../support/world.ts';

/** `project:` may be a name, where the platform lists projects: the state is bound to the id that the name had. */

const head = (project: string) => `trueup: 1\nplatform: emulator\nproject: ${project}\n`;
const sections = 'environments: { production: { redis: { cache: { databasePassword: secret-1 } } } }\n';
const shop = head('shop') + sections;

/** A bench whose organization has projects `prj_3`, `prj_4`, … of these names. */
function benchWith(...names: readonly string[]) {
  const world = seedWorld();
  for (const [index, name] of names.entries()) {
    const [projectId, createdAt] = [`prj_${index + 3}`, `2026-01-0${index + 1}T00:00:00.000Z`];
    addRow(world, 'project', { projectId, name, organizationId: 'org_1', createdAt });
    const environment = {
      environmentId: `env_${projectId}`,
      name: 'production',
      isDefault: true,
      projectId,
      createdAt,
    };
    addRow(world, 'environment', environment);
  }
  return bench({ emulate: { world } });
}

describe('a project that is named', () => {
  test('is found in the list of projects, and the state is bound to its id', async () => {
    const made = benchWith('shop', 'blog');
    await made.apply(shop, everything);
    expect(await made.store.read()).toMatchObject({ projectId: 'prj_3', projectName: 'shop' });
    expect(Object.values(made.emulator.world.tables.redis)).toMatchObject([{ environmentId: 'env_prj_3' }]);
    await plansNothing(made, shop);
    made.requests('GET');
    await made.plan(shop);
    const steady = made.requests('GET');
    expect(steady).not.toContain('project.all');
    await made.plan(head('prj_3') + sections);
    expect(made.requests('GET')).toEqual(steady);
  });

  test('keeps its state when another project gets its name', async () => {
    const made = benchWith('shop', 'blog');
    await made.apply(shop, everything);
    await made.emulator.act('project.update', { projectId: 'prj_3', name: 'store' });
    await made.emulator.act('project.update', { projectId: 'prj_4', name: 'shop' });
    await plansNothing(made, shop);
    await plansNothing(made, head('store') + sections);
    expect(await made.store.read()).toMatchObject({ projectId: 'prj_3', projectName: 'store' });
    const found = await refusal(made, () => made.plan(head('prj_4') + sections));
    expect(found.map(({ message }) => message)).toEqual([expect.stringContaining('belongs to project prj_3 (store)')]);
  });

  test('is warned of when the platform calls the project of the state otherwise, until the manifest does too', async () => {
    const made = benchWith('shop', 'blog');
    await made.apply(shop, everything);
    const warnings = async (text: string) =>
      (await made.plan(text)).diagnostics.map(({ code, severity, message, remedy, position }) =>
        [`${severity} ${code} ${position?.line}`, message, remedy].join(' | '),
      );
    expect(await warnings(shop)).toEqual([]);
    await made.emulator.act('project.update', { projectId: 'prj_3', name: 'store' });
    await made.emulator.act('project.update', { projectId: 'prj_4', name: 'shop' });
    expect(await warnings(shop)).toEqual([
      'warning project-renamed 3 | the project of this state (prj_3) is called store on the platform, and project: says shop | ' +
        'Write project: store, or its id: a run without this state looks for a project called shop.',
    ]);
    expect(await warnings(head('store') + sections)).toEqual([]);
    expect(await warnings(head('prj_3') + sections)).toEqual([]);
    await plansNothing(made, head('store') + sections);
  });

  test('is refused with the ids when two projects are called so', async () => {
    const made = benchWith('shop', 'shop');
    const found = await refusal(made, () => made.plan(shop));
    expect(found).toMatchObject([{ code: 'ambiguous', message: '2 projects are called shop: prj_4, prj_3' }]);
    expect(found[0]?.remedy).toBe('Write project: with the id of the one that is meant.');
    await made.apply(head('prj_4') + sections, everything);
    await plansNothing(made, head('prj_4') + sections);
    expect(await made.store.read()).not.toHaveProperty('projectName');
  });

  test('is refused with the names of those that there are when none is called so', async () => {
    const made = benchWith('blog');
    const found = await refusal(made, () => made.plan(shop));
    expect(found[0]?.message).toBe('there is no project shop, or the API key may not see it');
    expect(found[0]?.remedy).toBe(
      'Write project: with the name or id of a project that the API key may see: blog (prj_3), project-2 (prj_2), project-1 (prj_1).',
    );
  });

  test('is not found by a member who may not see it', async () => {
    const made = benchWith('shop', 'blog');
    const member = made.emulator.world.tables.member['member_1'];
    Object.assign(member ?? {}, { role: 'member', accessedProjects: ['prj_4'] });
    const found = await refusal(made, () => made.plan(shop));
    expect(found[0]?.remedy).toBe(
      'Write project: with the name or id of a project that the API key may see: blog (prj_4).',
    );
  });

  test('is not found on a platform without a list of projects', async () => {
    const made = benchWith('shop');
    const documented = bench({ emulate: { world: made.emulator.world, documentedOnly: true } });
    const found = await refusal(documented, () => documented.plan(shop));
    expect(found[0]?.remedy).toContain('this platform has no list of projects');
    await documented.apply(head('prj_3') + sections, everything);
    await plansNothing(documented, head('prj_3') + sections);
  });
});

test('an id costs no request for the list of projects, and no other project gives a state away', async () => {
  const made = benchWith('shop', 'blog');
  await made.apply(head('prj_3') + sections, everything);
  expect(made.requests('GET')).not.toContain('project.all');
  for (const project of ['blog', 'prj_4', 'nothing']) {
    const found = await refusal(made, () => made.plan(head(project) + sections));
    expect(found).toHaveLength(1);
  }
  expect((await refusal(made, () => made.plan(head('blog') + sections)))[0]?.message).toContain(
    'belongs to project prj_3, and the manifest names blog (prj_4)',
  );
});

test('a plan file is bound to the id and to the name that it was made with', async () => {
  const made = benchWith('shop', 'blog');
  const file = await review(made, shop);
  expect(fileIn(file)).toMatchObject({ projectId: 'prj_3', project: 'shop' });
  expect(actionsOf(await again(made, file, shop))).toContain('create production.redis.cache');
  await expect(again(made, file, head('blog') + sections)).rejects.toThrow('out of date');
  await made.emulator.act('project.update', { projectId: 'prj_3', name: 'store' });
  await made.emulator.act('project.update', { projectId: 'prj_4', name: 'shop' });
  await expect(again(made, file, shop)).rejects.toThrow('out of date');
});
