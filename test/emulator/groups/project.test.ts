import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts';
import { textOf, type Row } from '../../../src/emulator/json-rows.ts';
import { addRow, seedWorld } from '../../../src/emulator/world.ts';
import { compared, named, type Sample } from '../../support/recorded.ts';
import { addOrganization, addMembership, addPerson, keyFor, openWorld } from '../people.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const projects: readonly Row[] = [
  { projectId: 'Lh9jQVHHEa3gs-WTyEyDO', name: 'p1' },
  { projectId: '__C_HI80WSrIudRZcKDGF', name: 'p2', description: 'd', env: 'A=1\nB=2' },
  { projectId: 'jWZsUMIB5vyn7sdRzI36H', name: 'p1' },
  { projectId: 'spdEMp6Uqlxrsdpzw0p23', name: 'rec' },
  { projectId: 'BeiEHkOjV60G-TthcYdil', name: 'dup2' },
  { projectId: '23qCRzEEDZeRoHoTgHgbV', name: 'm2' },
];
const withServices = ['spdEMp6Uqlxrsdpzw0p23', 'BeiEHkOjV60G-TthcYdil'];

/** The world in which the requests about projects were recorded. */
function recordedProjects(rights: Row): Emulator {
  const world = seedWorld();
  addOrganization(world, 'foreign');
  addMembership(world, 'user_1', 'foreign', { role: 'owner' });
  for (const row of projects) {
    const id = String(row['projectId']);
    addRow(world, 'project', { ...row, organizationId: 'org_1', createdAt });
    const environment = { environmentId: `env ${id}`, name: 'production', isDefault: true, projectId: id, createdAt };
    addRow(world, 'environment', environment);
    if (!withServices.includes(id)) continue;
    const place = { environmentId: `env ${id}`, createdAt };
    addRow(world, 'application', { ...place, applicationId: `app ${id}`, name: 'a', appName: `app-${id}` });
    addRow(world, 'compose', { ...place, composeId: `compose ${id}`, name: 'c', appName: `compose-${id}` });
  }
  const own = '23qCRzEEDZeRoHoTgHgbV';
  addPerson(world, 'member', { accessedProjects: [own], accessedEnvironments: [`env ${own}`], ...rights });
  return createEmulator({ world });
}

const other = '4KR3zFZRNOyhaB0zjnckp';
const preparations: Readonly<Record<string, (emulator: Emulator) => Promise<unknown>>> = {
  'project.remove/again': (emulator) => emulator.act('project.remove', { projectId: 'Lh9jQVHHEa3gs-WTyEyDO' }),
  'project.one/after update of the organizationId, read with the old key': (emulator) =>
    emulator.act('project.update', { projectId: 'jWZsUMIB5vyn7sdRzI36H', organizationId: 'foreign' }),
};

describe('the emulator answers about projects as the platform was recorded to', () => {
  const folder = join(import.meta.dirname, '../../fixtures/extension-samples');
  for (const name of ['all', 'allForPermissions', 'create', 'one', 'remove', 'search', 'update', 'homeStats']) {
    const operation = `project.${name}`;
    const samples = JSON.parse(readFileSync(join(folder, `${operation}.json`), 'utf8')) as Sample[];
    for (const [title, sample] of named(operation, samples)) {
      test(title, async () => {
        const { as = '' } = sample;
        const hasRights = /with can/.test(title);
        const emulator = recordedProjects({ canCreateProjects: hasRights, canDeleteProjects: hasRights });
        await preparations[title]?.(emulator);
        const isForeign = as === 'key of another organization';
        const key = isForeign ? keyFor('user_1', 'foreign') : as === '' ? 'emulator-key' : keyFor('member', 'org_1');
        const { method, path, body } = sample.request;
        const sent = typeof body === 'string' ? body : JSON.stringify(body).replace(other, 'foreign');
        const answer = await emulator.send({
          method,
          path,
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body: body === null ? undefined : sent,
        });
        const { answered, recorded } = compared(answer, sample);
        expect(answered).toEqual(recorded);
      });
    }
  }
});

describe('a project', () => {
  test('comes with its environment, which cannot be removed, and takes all below it along', async () => {
    const { call } = openWorld();
    const made = await call('project.create', { name: 'shop', env: 'A=1' });
    expect(made.body).toMatchObject({ project: { name: 'shop', description: null, env: 'A=1' } });
    const environment = made.body['environment'] as Row;
    const [projectId, environmentId] = [textOf(environment, 'projectId'), textOf(environment, 'environmentId')];
    expect(environment).toMatchObject({ name: 'production', description: 'Production environment', env: '' });
    const compose = await call('compose.create', { name: 'web', environmentId });
    expect((await call('environment.remove', { environmentId })).status).toBe(400);
    expect((await call('project.remove', { projectId })).body).toMatchObject({ projectId, name: 'shop' });
    expect((await call('environment.one', { environmentId })).status).toBe(404);
    expect((await call('compose.one', { composeId: compose.body.composeId })).status).toBe(404);
  });

  test('keeps null and an empty description apart, and takes a name that another one has', async () => {
    const { call } = openWorld();
    const create = async (input: Row) => (await call('project.create', input)).body['project'] as Row;
    const [first, second] = [await create({ name: 'shop' }), await create({ name: 'shop', description: '' })];
    expect([first['description'], second['description']]).toEqual([null, '']);
    expect(first['projectId']).not.toBe(second['projectId']);
    const projectId = first['projectId'];
    expect((await call('project.update', { projectId, description: '' })).body.description).toBe('');
    expect((await call('project.update', { projectId, env: null })).status).toBe(400);
    expect((await call('project.update', { projectId })).status).toBe(200);
  });

  test('is listed newest first, to a member only what it may see', async () => {
    const world = seedWorld();
    const key = addPerson(world, 'm', { accessedProjects: ['prj_2'], accessedEnvironments: ['env_prj_2'] });
    const { call, as, pass } = openWorld(world);
    pass(1000);
    await call('project.create', { name: 'shop' });
    const names = ({ body }: { body: unknown }) => (body as Row[]).map(({ name }) => name);
    expect(names(await call('project.all'))[0]).toBe('shop');
    expect(names(await as(key)('project.all'))).toEqual(['project-2']);
    expect((await call('project.search', { q: 'SHO' })).body).toMatchObject({ items: [{ name: 'shop' }], total: 1 });
  });
});
