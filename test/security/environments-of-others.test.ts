import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { Row } from '../../src/formats/json.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import {
  actionsOf,
  answered,
  operationOf,
  worldOver,
  byHand,
  everything,
  idOf,
  notesOf,
  plansNothing,
  refusal,
  results,
} from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';

/** An environment goes with all that is inside: Trueup refuses while something there is not its own. */

const own = '    compose: {}\n';
const both = `${production(database())}  staging:\n${stack()}`;
const without = production(database());

/** A platform with both environments, and services of others in staging. */
async function world() {
  const made = bench();
  await made.apply(both, everything);
  const environmentId = idOf(made, 'staging');
  const postgresId = await byHand(made, { name: 'theirs', environmentId });
  const row = (await made.emulator.act('compose.create', { name: 'their-stack', environmentId })) as Row;
  made.requests('POST');
  return { made, postgresId, composeId: String(row.composeId) };
}

describe('S19: an environment with services that the state does not have', () => {
  test('S19: is not deleted, whatever is permitted; the refusal names them and the data at risk', async () => {
    const { made, postgresId, composeId } = await world();
    const [found, ...others] = await refusal(made, () => made.apply(without, everything));
    expect(found).toMatchObject({ code: 'not-empty', severity: 'error', address: 'staging' });
    expect(found?.message).toBe(
      `staging holds 2 services that are not in the state: compose their-stack (${composeId}), ` +
        `postgres theirs (${postgresId}; the data of this database would be lost)`,
    );
    expect(found?.remedy).toContain('Move them to another environment');
    expect(others).toEqual([]);
    expect(made.requests('POST')).toEqual([]);
    expect(notesOf(await made.plan(without)).map(({ code }) => code)).toEqual(['not-empty']);
  });

  test('S19: of a kind that Trueup does not know is not deleted', async () => {
    const made = bench();
    await made.apply(both, everything);
    const manifest = await made.manifest(without);
    const send: Send = async (request) => {
      const answer = await made.emulator.send(request);
      if (operationOf(request) !== 'environment.byProjectId') return answer;
      const rows = JSON.parse(answer.body) as Row[];
      const cassandra = [{ cassandraId: 'ca_1', name: 'orders' }];
      return answered(JSON.stringify(rows.map((row) => (row.name === 'staging' ? { ...row, cassandra } : row))));
    };
    const [found] = notesOf(await plan(manifest, worldOver(made, send)));
    expect(found?.message).toBe('staging holds a service that is not in the state: cassandra orders');
  });

  test('S19: is not deleted by destroy', async () => {
    const { made } = await world();
    const found = await refusal(made, () => made.destroy(both));
    expect(found.map(({ code, address }) => [code, address])).toEqual([['not-empty', 'staging']]);
    expect(made.requests('POST')).toEqual([]);
  });

  test('S19: is deleted once they are gone', async () => {
    const { made, postgresId, composeId } = await world();
    await made.emulator.act('postgres.move', { postgresId, targetEnvironmentId: 'env_prj_1' });
    await made.emulator.act('compose.delete', { composeId, deleteVolumes: false });
    expect(results(await made.apply(without, everything))['staging']).toBe('done');
    await plansNothing(made, without);
  });

  test('S19: of the state itself is deleted with its services', async () => {
    const made = bench();
    await made.apply(both, everything);
    expect(actionsOf(await made.plan(without))).toEqual(['delete staging', 'delete staging.compose.shop']);
    await made.apply(without, everything);
    await plansNothing(made, without);
  });

  test('S19: is deleted with a service that moves to another environment in the same apply', async () => {
    const made = bench();
    await made.apply(`${production(own)}  staging:\n${database()}`, everything);
    const moved = 'moved: [{ from: staging.postgres.main, to: production.postgres.main }]\n';
    const text = without.replace('environments:', `${moved}environments:`);
    expect(results(await made.apply(text, everything))['staging']).toBe('done');
    await plansNothing(made, text);
  });
});
