import { expect, test } from 'vitest';
import { actionsOf, everything, idOf, notesOf, plansNothing, refusal } from '../support/faults.ts';
import { database, production } from '../support/manifest-texts.ts';
import { killedRun } from '../support/histories.ts';
import { bench, head } from '../support/world.ts';

/** moved: in the long run: chains, spellings, mistakes, and what stands in the way. */

const from = (key: string, ...moved: string[]) =>
  production(database('', key)).replace(head, `${head}${moved.join('')}`);
const entry = (source: string, target: string) =>
  `moved: [{ from: ${JSON.stringify(`production.postgres${source}`)}, to: production.postgres.${target} }]\n`;
const chain = `moved:
  - { from: production.postgres.a, to: production.postgres.b }
  - { from: production.postgres.b, to: production.postgres.c }
`;

test.each(['a', 'b'])('entries may stay in the file: a chain leads from %s to the last address', async (first) => {
  const made = bench();
  await made.apply(from(first));
  const id = idOf(made, `production.postgres.${first}`);
  const text = from('c', chain);
  expect(actionsOf(await made.plan(text))).toEqual(['update production.postgres.c']);
  await made.apply(text);
  expect(idOf(made, 'production.postgres.c')).toBe(id);
  await plansNothing(made, text);
});

test('an address may be spelled with quotes that it does not need', async () => {
  const made = bench();
  await made.apply(from('main'));
  const id = idOf(made, 'production.postgres.main');
  const text = from('db', entry('["main"]', 'db'));
  await made.apply(text);
  expect(idOf(made, 'production.postgres.db')).toBe(id);
  await plansNothing(made, text);
});

test('an entry that names nothing the state knows is said, before its database is deleted', async () => {
  const made = bench();
  await made.apply(from('main'));
  const text = from('db', entry('.mian', 'db'));
  const planned = await made.plan(text);
  expect(notesOf(planned).map((item) => [item.code, item.severity])).toContainEqual(['stale-move', 'warning']);
  const found = await refusal(made, () => made.apply(text));
  expect(found.map((item) => item.code)).toEqual(['other-manifest', 'data-at-risk']);
});

test('what stands below an environment is not moved over an object that is there', async () => {
  const made = bench();
  const text = (name: string) => `${head}environments:\n  production: {}\n  ${name}:\n${database()}`;
  await made.apply(text('staging'));
  const state = made.store.state;
  const record = state?.resources['staging.postgres.main'];
  if (state === undefined || record === undefined) throw new Error('nothing was made');
  const other = { ...record, id: 'another', parent: 'preview' };
  made.store.state = { ...state, resources: { ...state.resources, 'preview.postgres.main': other } };
  const moved = text('preview').replace(head, `${head}moved: [{ from: staging, to: preview }]\n`);
  const [found] = await refusal(made, () => made.plan(moved));
  expect(found).toMatchObject({ code: 'bad-move', position: { line: 4 } });
  expect(found?.message).toContain('preview.postgres.main');
});

test('a service leaves an environment that is deleted, with what stands below it', async () => {
  const made = bench();
  const main = database('backups: { n: { schedule: "0 3 * * *", destinationId: dst_1, prefix: n/ } }');
  await made.apply(`${head}environments:\n  production: {}\n  staging:\n${main}`);
  const text = `${head}moved: [{ from: staging.postgres.main, to: production.postgres.main }]\nenvironments:\n  production:\n${main}`;
  made.requests('POST');
  await made.apply(text, everything);
  expect(made.requests('POST')).toEqual(['postgres.move', 'environment.remove']);
  await plansNothing(made, text);
});

test.each(['after the POST', 'before the POST'] as const)(
  'a service whose create got no answer is found where it was made, when the run ended %s',
  async (where) => {
    const made = bench();
    const text = (production: string, staging: string, moved = '') =>
      `${head}${moved}environments:\n  production:\n${production}  staging:\n${staging}`;
    const none = '    postgres: {}\n';
    await made.apply(text(none, none));
    expect(await killedRun(made, text(database(), none), { at: 1, where })).toBe(true);
    const after = text(none, database(), 'moved: [{ from: production.postgres.main, to: staging.postgres.main }]\n');
    const action = where === 'after the POST' ? 'move' : 'create';
    expect(actionsOf(await made.plan(after))).toContain(`${action} staging.postgres.main`);
    await made.apply(after);
    const all = Object.values(made.emulator.world.tables.postgres);
    expect(all).toMatchObject([{ postgresId: idOf(made, 'staging.postgres.main') }]);
    await plansNothing(made, after);
  },
);
