import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/emulator/json-rows.ts';
import { seedWorld } from '../../src/emulator/world.ts';
import { addPerson, openWorld } from './people.ts';

/** Two projects of services with a second between their creations. */
async function filled() {
  const world = seedWorld();
  const key = addPerson(world, 'm', { accessedProjects: ['prj_2'], accessedEnvironments: ['env_prj_2'] });
  const opened = openWorld(world);
  const { call, pass } = opened;
  const staging = await call('environment.create', { name: 'staging', projectId: 'prj_2' });
  for (const [name, environmentId] of [
    ['shop_1', 'env_prj_1'],
    ['Shop-2', 'env_prj_2'],
    ['100%', String(staging.body['environmentId'])],
  ]) {
    pass(1000);
    const made = await call('application.create', { name, environmentId, description: `the ${name}` });
    const { applicationId } = made.body;
    await call('application.update', { applicationId, repository: `repo-${name}`, dockerImage: 'nginx:1.27' });
    await call('compose.create', { name, environmentId, sourceType: 'raw', composeFile: '' });
  }
  const names = async (operation: string, input: Row = {}, by = call) => {
    const { items, total } = (await by(operation, input)).body as unknown as { items: Row[]; total: number };
    return [items.map(({ name }) => name), total];
  };
  return { ...opened, names, key, staging: staging.body['environmentId'] as string };
}

describe('a search', () => {
  test('shows newest first, a page at a time, and counts all', async () => {
    const { names } = await filled();
    for (const operation of ['application.search', 'compose.search']) {
      expect(await names(operation)).toEqual([['100%', 'Shop-2', 'shop_1'], 3]);
      expect(await names(operation, { limit: 1, offset: 1 })).toEqual([['Shop-2'], 3]);
      expect(await names(operation, { limit: 2, offset: 5 })).toEqual([[], 3]);
    }
    expect(await names('environment.search', { limit: 1 })).toEqual([['staging'], 3]);
  });

  test.each([
    [{ q: ' SHOP ' }, ['Shop-2', 'shop_1']],
    [{ q: 'repo-100' }, ['100%']],
    [{ q: '   ' }, ['100%', 'Shop-2', 'shop_1']],
    [{ name: 'shop', repository: '2' }, ['Shop-2']],
    [{ dockerImage: 'nginx', owner: 'nobody' }, []],
    // The signs of the database's `ilike`.
    [{ name: 'shop_' }, ['Shop-2', 'shop_1']],
    [{ name: String.raw`shop\_` }, ['shop_1']],
    [{ name: 's%2' }, ['Shop-2']],
    [{ name: String.raw`\%` }, ['100%']],
    [{ name: '.' }, []],
    [{ projectId: 'prj_2' }, ['100%', 'Shop-2']],
    [{ environmentId: 'env_prj_2' }, ['Shop-2']],
    [{ projectId: 'prj_1', environmentId: 'env_prj_2' }, []],
  ])('of applications with %o finds %o', async (input, found) => {
    const { names } = await filled();
    expect(await names('application.search', input)).toEqual([found, found.length]);
  });

  test('of environments and projects shows a member what is in the lists', async () => {
    const { names, as, key, staging } = await filled();
    expect(await names('environment.search', { projectId: 'prj_2', q: 'STAG' })).toEqual([['staging'], 1]);
    expect(await names('environment.search', {}, as(key))).toEqual([['production'], 1]);
    expect(await names('project.search', { q: 'project' }, as(key))).toEqual([['project-2'], 1]);
    // Of services what he made himself, wherever it is; an owner too.
    expect(await names('application.search', { environmentId: staging }, as(key))).toEqual([[], 0]);
  });
});
