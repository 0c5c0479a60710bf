import { expect, test } from 'vitest';
import { createStore } from '../../src/emulator/table-store.ts';
import { seedWorld } from '../../src/emulator/world.ts';

const open = () => {
  const world = seedWorld();
  const store = createStore(world, () => {});
  store.insert('compose', { composeId: '-c', appName: 'c', environmentId: 'env_prj_1', githubId: 'hub_1' });
  store.insert('domain', { domainId: '_d', host: 'a.test', composeId: '-c' });
  store.insert('backup', { backupId: 'b', destinationId: 'dst_1', composeId: '-c' });
  store.insert('deployment', { deploymentId: 'x', backupId: 'b' });
  return { world, store };
};

test('deleting a row deletes all its descendants', () => {
  const { world, store } = open();
  store.remove('project', 'prj_1');
  for (const table of ['compose', 'domain', 'backup', 'deployment'] as const) expect(world.tables[table]).toEqual({});
  expect(Object.keys(world.tables.environment)).toEqual(['env_prj_2']);
  expect(Object.keys(world.tables.destination)).toHaveLength(2);
});

test('deleting a destination deletes its backups without a word', () => {
  const { world, store } = open();
  store.remove('destination', 'dst_1');
  expect(world.tables.backup).toEqual({});
});

test('deleting a git provider only clears the references to it', () => {
  const { world, store } = open();
  store.remove('gitProvider', 'git_hub_1');
  expect(world.tables.compose['-c']).toMatchObject({ githubId: null });
});

test('a user cannot be deleted while a backup refers to him', () => {
  const { world, store } = open();
  store.update('backup', 'b', { userId: 'user_1' });
  expect(() => store.remove('user', 'user_1')).toThrow('"backup" still refers to it');
  expect(world.tables.user['user_1']).toBeDefined();
});

test('a row must refer to something, and an id can be taken once', () => {
  const { store } = open();
  expect(() => store.insert('domain', { domainId: 'e', composeId: 'x' })).toThrow('"composeId" refers to nothing');
  expect(() => store.insert('domain', { domainId: '_d' })).toThrow('the id is taken');
  expect(() => store.update('domain', '_d', { composeId: 'x' })).toThrow('refers to nothing');
  expect(store.find('domain', '_d')).toMatchObject({ composeId: '-c' });
});

test('names that every object has are no ids', () => {
  const { store } = open();
  expect(store.find('compose', 'constructor')).toBeUndefined();
  expect(store.remove('compose', 'toString')).toBeUndefined();
});

test('children follow their row to another parent', () => {
  const { store } = open();
  store.insert('compose', { composeId: 'other', appName: 'o', environmentId: 'env_prj_2' });
  store.update('domain', '_d', { composeId: 'other' });
  expect(store.children('domain', 'composeId', '-c')).toEqual([]);
  expect(store.children('domain', 'composeId', 'other')).toMatchObject([{ domainId: '_d' }]);
});

test('a row that comes back under the same id is not found where it was before', () => {
  const { store } = open();
  store.remove('domain', '_d');
  store.insert('domain', { domainId: '_d', host: 'a.test' });
  expect(store.children('domain', 'composeId', '-c')).toEqual([]);
});

test('an index over loaded tables is the index of the tables that were stored', () => {
  const { world, store } = open();
  store.insert('domain', { domainId: 'e', host: 'b.test', composeId: '-c' });
  store.update('domain', '_d', { host: 'c.test' });
  const again = createStore(JSON.parse(JSON.stringify(world)) as typeof world, () => {});
  expect(again.children('domain', 'composeId', '-c')).toEqual(store.children('domain', 'composeId', '-c'));
});
