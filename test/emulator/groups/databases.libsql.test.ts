import { expect, test } from 'vitest';
import { callerOf, inputs } from '../caller.ts';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { databaseReplays, databaseRow } from '../database-samples.ts';

databaseReplays('libsql', 'GIyaY5qLIII_SGlXwICpM', {
  rows: ['AU2e70YV1_rMTh4jegve9', 'hZv8784E6KM2HqXOFyjiy', 'jyguDc-F-UCEuE6Xy9R2S'].map((id) =>
    databaseRow('libsql', id),
  ),
});

async function world() {
  const emulator = createEmulator();
  const call = callerOf(emulator.send);
  await call('libsql.create', { ...inputs.libsql, dockerImage: 'libsql-server:v0.24.33', enableNamespaces: true });
  const libsqlId = Object.keys(emulator.world.tables.libsql)[0];
  const one = async () => (await call('libsql.one', { libsqlId })).body;
  return { call, libsqlId, one };
}

test('an update of the name writes the default image and no namespaces', async () => {
  const { call, libsqlId, one } = await world();
  expect(await one()).toMatchObject({ dockerImage: 'libsql-server:v0.24.33', enableNamespaces: true });
  expect(await call('libsql.update', { libsqlId, name: 'renamed' })).toEqual({ status: 200, body: true });
  const dockerImage = 'ghcr.io/tursodatabase/libsql-server:v0.24.32';
  expect(await one()).toMatchObject({ name: 'renamed', dockerImage, enableNamespaces: false });
});

test('of three ports those that are named change, and a port of another server is taken', async () => {
  const { call, libsqlId, one } = await world();
  const save = async (ports: object) => (await call('libsql.saveExternalPorts', { libsqlId, ...ports })).status;
  expect(await save({ externalPort: 8080, externalGRPCPort: 5001, externalAdminPort: 5000 })).toBe(200);
  expect(await save({ externalGRPCPort: null })).toBe(200);
  expect(await one()).toMatchObject({ externalPort: 8080, externalGRPCPort: null, externalAdminPort: 5000 });
  const { body } = await call('postgres.create', inputs.postgres);
  const take = { postgresId: body['postgresId'], externalPort: 5000 };
  expect((await call('postgres.saveExternalPort', take)).status).toBe(409);
});
