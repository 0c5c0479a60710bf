import { describe, expect, test } from 'vitest';
import { applyLater, everything, idOf, plansNothing, results, rowsIn, said } from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';

/** A plan that was shown and approved does not overwrite what it never showed. */

const address = 'production.compose.shop';
const withEnv = (value: string, more = '') => production(stack(`${more}env: { A: "${value}" }`));

/** A stack that was applied, and its id. */
async function applied(text: string) {
  const made = bench();
  await made.apply(text);
  made.requests('POST');
  return { made, composeId: idOf(made, address) };
}

describe('what somebody changes between the plan and its apply', () => {
  test.each([
    ['in the field that is written', { description: 'by hand' }, 'description'],
    ['in the variable that is written', { env: 'A=by hand\n' }, 'env.A'],
    ['by adding a variable, where all are ours', { env: 'A=1\nHOTFIX=1\n' }, 'env.HOTFIX'],
  ])('%s is named, and nothing of that resource is sent', async (_title, change, path) => {
    const text = (value: string) => withEnv(value, `description: text ${value}, `);
    const { made, composeId } = await applied(text('1'));
    const planned = await made.plan(text('2'));
    await made.emulator.act('compose.update', { composeId, ...change });
    const result = await applyLater(made, planned);
    expect(results(result)[address]).toBe('failed');
    expect(said(result)).toMatch(new RegExp(`^${path} of ${address} was (changed|added) on the platform since`));
    expect(made.requests('POST')).toEqual([]);
    expect(rowsIn(made, 'compose')[0]).toMatchObject(change);
    // A plan that shows it may write it.
    await made.apply(text('2'));
    await plansNothing(made, text('2'));
  });

  test('to the wanted value does not stop the update', async () => {
    const { made, composeId } = await applied(withEnv('1', 'description: a, '));
    const text = withEnv('1', 'description: b, ');
    const planned = await made.plan(text);
    await made.emulator.act('compose.update', { composeId, composeStatus: 'error' });
    expect(results(await applyLater(made, planned))[address]).toBe('done');
    await plansNothing(made, text);
  });

  test('in an undeclared field is kept', async () => {
    const { made, composeId } = await applied(withEnv('1'));
    const planned = await made.plan(withEnv('2'));
    await made.emulator.act('compose.update', { composeId, description: 'by hand' });
    expect(results(await applyLater(made, planned))[address]).toBe('done');
    expect(rowsIn(made, 'compose')[0]).toMatchObject({ description: 'by hand', env: 'A=2\n' });
    await plansNothing(made, withEnv('2'));
  });

  test('by adding a variable is kept where the manifest merges variables', async () => {
    const { made, composeId } = await applied(withEnv('1', 'envMode: merge, '));
    const planned = await made.plan(withEnv('2', 'envMode: merge, '));
    await made.emulator.act('compose.update', { composeId, env: 'A=1\nHOTFIX=1\n' });
    expect(results(await applyLater(made, planned))[address]).toBe('done');
    const env = String(rowsIn(made, 'compose')[0]?.env);
    expect(env.split('\n').filter(Boolean).toSorted()).toEqual(['A=2', 'HOTFIX=1']);
    await plansNothing(made, withEnv('2', 'envMode: merge, '));
  });

  test('in a variable that the plan removes stops its removal', async () => {
    const text = (env: string) => production(stack(`env: { ${env} }`));
    const { made, composeId } = await applied(text('A: "1", B: "1"'));
    const planned = await made.plan(text('A: "1"'));
    await made.emulator.act('compose.update', { composeId, env: 'A=1\nB=by hand\n' });
    expect(said(await applyLater(made, planned))).toContain('env.B');
    expect(rowsIn(made, 'compose')[0]?.env).toContain('B=by hand');
    await made.apply(text('A: "1"'));
    await plansNothing(made, text('A: "1"'));
  });

  test('of one resource does not stop the updates of others', async () => {
    const text = (value: string) =>
      `${production(stack(`description: text ${value}`))}${database(`description: text ${value}`)}`;
    const { made, composeId } = await applied(text('1'));
    const planned = await made.plan(text('2'));
    await made.emulator.act('compose.update', { composeId, description: 'by hand' });
    expect(results(await applyLater(made, planned))).toMatchObject({
      [address]: 'failed',
      'production.postgres.main': 'done',
    });
    await made.apply(text('2'));
    await plansNothing(made, text('2'));
  });
});

test('an object that is already gone counts as deleted', async () => {
  const text = `${production(stack())}${database()}`;
  const { made, composeId } = await applied(text);
  const without = production('    compose: {}\n');
  const planned = await made.plan(without);
  await made.emulator.act('compose.delete', { composeId, deleteVolumes: false });
  await made.emulator.act('postgres.remove', { postgresId: idOf(made, 'production.postgres.main') });
  const result = await applyLater(made, planned);
  expect(said(result)).toBe('');
  expect(results(result)).toMatchObject({
    [address]: 'done',
    'production.postgres.main': 'done',
  });
  expect(Object.keys(made.store.state?.resources ?? {})).toEqual(['production']);
  await plansNothing(made, without);
});

test('merge without a state names the variables that it leaves, because their owner is unknown', async () => {
  const { made, composeId } = await applied(production(stack('env: { A: "1", B: "2" }')));
  made.store.state = undefined;
  await made.emulator.act('compose.update', { composeId, env: '# by hand\nA=1\nB=2\nX="a b" # note\n' });
  const text = withEnv('9', 'envMode: merge, ');
  const planned = await made.plan(text);
  const notes = planned.actions.flatMap((action) => action.notes);
  expect(notes.map((item) => [item.code, item.address])).toEqual([['left-alone', address]]);
  expect(notes[0]?.message).toContain('B, X');
  await made.apply(text, everything);
  expect(rowsIn(made, 'compose')[0]?.env).toBe('B=2\nX=a b\nA=9\n');
  await plansNothing(made, text);
});

test('a database of which the password changed in between keeps it', async () => {
  const made = bench();
  const text = (password: string) => production(database()).replace('password-1', password);
  await made.apply(text('password-1'));
  const planned = await made.plan(text('password-2'));
  await made.emulator.act('postgres.update', {
    postgresId: idOf(made, 'production.postgres.main'),
    databasePassword: 'password-of-others',
  });
  expect(said(await applyLater(made, planned))).toContain('databasePassword of production.postgres.main was changed');
  expect(rowsIn(made, 'postgres')[0]?.databasePassword).toBe('password-of-others');
  await made.apply(text('password-2'));
  await plansNothing(made, text('password-2'));
});
