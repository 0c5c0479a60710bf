import { expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import { obstacles, requirePermissions } from '../../src/plan/safeguard.ts';
import { composeBody, database, production } from '../support/manifest-texts.ts';
import { bench, head } from '../support/world.ts';

/** A deletion of an object that is not as the last apply left it. */

const main = 'production.postgres.main';
const text = production(database('description: ours, memoryLimit: "536870912", env: { A: one }'));
const none = `${head}environments:\n  production: {}\n`;
const permitted = { dataLoss: true, adoption: false };

async function planned(change: Row, after = none) {
  const made = bench();
  await made.apply(text);
  const postgresId = made.store.state?.resources[main]?.id ?? '';
  if (Object.keys(change).length > 0) await made.emulator.act('postgres.update', { postgresId, ...change });
  const plan = await made.plan(after);
  const action = plan.actions.find(({ address }) => address === main);
  return { made, plan, action, postgresId, notes: action?.notes.map(({ code, message }) => `${code}: ${message}`) };
}

test('an unchanged object is deleted without a word', async () => {
  const { action, notes } = await planned({});
  expect(action).toMatchObject({ action: 'delete', dataAtRisk: 'the data of this database' });
  expect(notes).toEqual([]);
});

test.each<[string, Row, string]>([
  ['a field', { description: 'theirs' }, 'description'],
  ['a name', { name: 'shop-old' }, 'name'],
  ['a variable', { env: 'A=two\n' }, 'env.A'],
  ['several', { description: 'theirs', memoryLimit: '1073741824' }, 'description, memoryLimit'],
])('the plan names what somebody changed: %s', async (_, change, paths) => {
  const { made, plan, notes, postgresId, action } = await planned(change);
  expect(notes).toEqual([`differs: ${main} (${postgresId}) differs from what the last apply left: ${paths}`]);
  expect(action?.dataAtRisk).toBe('the data of this database');
  expect(() => requirePermissions(plan, permitted)).not.toThrow();
  await made.apply(none, permitted);
  expect((await made.plan(none)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});

test('another object under the same id needs consent, and the plan says why', async () => {
  const made = bench();
  const stack = (more: string) => production(`    compose:\n      shop: { ${composeBody}${more} }\n`);
  await made.apply(stack(', description: ours'));
  const [row] = Object.values(made.emulator.world.tables.compose);
  Object.assign(row ?? {}, {
    name: 'billing',
    description: 'of finance',
    composeFile: 'services: { b: { image: b } }',
  });
  const plan = await made.plan(none);
  const action = plan.actions.find(({ address }) => address === 'production.compose.shop');
  const id = action?.id ?? '';
  expect(action).toMatchObject({
    action: 'delete',
    dataAtRisk: `${id} has another key and other values than the object that Trueup knew by this id`,
  });
  expect(action?.notes.map(({ message }) => message)).toEqual([
    expect.stringMatching(/differs from what the last apply left: .*name/),
  ]);
  const [refusal] = obstacles(plan, { dataLoss: false, adoption: false });
  const keep = "trueup state rm 'production.compose.shop'";
  expect(refusal?.remedy).toBe(
    `Look at ${id} on the platform. To keep it: ${keep}. If it may go, apply needs --allow-data-loss.`,
  );
  await expect(made.apply(none)).rejects.toThrow('puts data at risk');
  expect(Object.keys(made.emulator.world.tables.compose)).toEqual([id]);
  await expect(made.destroy(stack(''))).resolves.toBeDefined();
});

test('a write with an unknown outcome explains the difference', async () => {
  const made = bench();
  await made.apply(text);
  const { state } = made.store;
  const record = state?.resources[main];
  if (state === undefined || record?.id == null) throw new Error('not applied');
  await made.emulator.act('postgres.update', { postgresId: record.id, description: 'theirs' });
  const pending = { is: 'write', at: made.clock.wall(), timeoutMs: 60_000 } as const;
  made.store.state = { ...state, resources: { ...state.resources, [main]: { ...record, pending } } };
  const action = (await made.plan(none)).actions.find(({ address }) => address === main);
  expect(action).toMatchObject({ action: 'delete', notes: [] });
  await made.apply(none, permitted);
  expect((await made.plan(none)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});
