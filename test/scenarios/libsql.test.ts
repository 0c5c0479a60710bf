import { expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { bench, head } from '../support/world.ts';

/** A libSQL: its create answers no id, and its update writes defaults into what it does not send. */

const environment = (blocks: string) => `${head}environments:\n  production:\n    libsql:\n${blocks}`;
const login = 'databaseUser: shop, databasePassword: correct-horse-1';
const image = 'ghcr.io/tursodatabase/libsql-server:v0.24.33';
const consent = { adoption: true, dataLoss: true };

async function applied(text: string) {
  const made = bench();
  await made.apply(text, consent);
  const plansNothing = async (manifest: string) =>
    expect((await made.plan(manifest)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  const rows = () =>
    Object.values(made.emulator.world.tables.libsql).toSorted((a, b) =>
      String(a['name']) < String(b['name']) ? -1 : 1,
    );
  return { made, plansNothing, rows };
}

test('several that are created in one environment are told apart', async () => {
  const text = environment(['a', 'b', 'c'].map((key) => `      ${key}: { ${login} }\n`).join(''));
  const { made, plansNothing, rows } = await applied(text);
  expect(rows().map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  const known = ['a', 'b', 'c'].map((key) => made.store.state?.resources[`production.libsql.${key}`]?.id);
  expect(known).toEqual(rows().map(({ libsqlId }) => libsqlId));
  await plansNothing(text);
});

test('an update keeps the image and the namespaces that the block does not declare', async () => {
  const { made, plansNothing, rows } = await applied(environment(`      edge: { ${login} }\n`));
  const [{ libsqlId } = {}] = rows();
  await made.emulator.act('libsql.update', { libsqlId, dockerImage: image, enableNamespaces: true });
  const text = environment(`      edge: { ${login}, description: Close to the reader. }\n`);
  await made.apply(text, consent);
  expect(rows()).toMatchObject([
    { description: 'Close to the reader.', dockerImage: image, enableNamespaces: true, applicationStatus: 'done' },
  ]);
  await plansNothing(text);
});

test.each([
  ['the address of a primary without the role', 'sqldPrimaryUrl: "http://main:5001"', /goes with sqldNode: replica/],
  [
    'a gRPC port of a replica',
    'sqldNode: replica, sqldPrimaryUrl: "http://main:5001", externalGRPCPort: 5001',
    /externalGRPCPort does not go with/,
  ],
  ['a replica without its primary', 'sqldNode: replica', /cannot be created without sqldPrimaryUrl/],
])('%s is an error, and nothing is sent', async (_title, more, message) => {
  const made = bench();
  const error: unknown = await made
    .apply(environment(`      edge: { ${login}, ${more} }\n`), consent)
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Stop);
  expect((error as Stop).diagnostics.map((one) => one.message).join('\n')).toMatch(message);
  expect(made.requests('POST')).toEqual([]);
});
