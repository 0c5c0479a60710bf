import type { DatabaseTable } from '../../src/emulator/service-tables.ts';
import type { Emulator } from '../../src/emulator/emulator.ts';
import type { Row } from '../../src/emulator/json-rows.ts';
import type { TableName } from '../../src/emulator/tables.ts';
import { inputs } from './caller.ts';
import { otherOrganization, recordedIds, replays } from './extension-samples.ts';

const createdAt = '2026-01-01T00:00:00.000Z';

/** A database in the environment of the recordings. */
export function databaseRow(table: DatabaseTable, id: string, values: Row = {}): [TableName, Row] {
  const place = { environmentId: recordedIds.environment, createdAt, dockerImage: 'image:1' };
  return [
    table,
    { ...place, [`${table}Id`]: id, name: 'd', appName: `${table}-${id}`, databasePassword: 'p', ...values },
  ];
}

/** Declares the recorded cases of a kind of databases. */
export function databaseReplays(
  table: DatabaseTable,
  id: string,
  options: {
    readonly rows?: readonly [TableName, Row][];
    readonly preparations?: Readonly<Record<string, (emulator: Emulator) => Promise<unknown>>>;
    readonly differences?: Readonly<Record<string, string>>;
  } = {},
): void {
  const act = (operation: string) => (emulator: Emulator) =>
    emulator.act(`${table}.${operation}`, { [`${table}Id`]: id });
  const foreign = { environmentId: '-aLICWC4cZ6UhXanI6Rmj', projectId: `prj_${otherOrganization}` };
  const targets = ['usPvZohxAk9rCNKmMkLcn', 'JU_AgrfQv4cTyIWSpQ8i3'].map((environmentId): [TableName, Row] => [
    'environment',
    { environmentId, name: 'target', projectId: recordedIds.project, createdAt },
  ]);
  replays(table, {
    rows: [
      databaseRow(table, id),
      ...targets,
      ['environment', { ...foreign, name: 'theirs', createdAt }],
      ...(options.rows ?? []),
    ],
    preparations: {
      [`${table}.start/ok`]: act('deploy'),
      [`${table}.reload/ok`]: act('deploy'),
      [`${table}.remove/again`]: act('remove'),
      ...options.preparations,
    },
    differences: {
      [`${table}.start/never deployed`]: 'the recording had no docker; the emulator says as with docker: no service',
      ...options.differences,
    },
  });
}

/** Declares those of a kind whose other operations the document has. */
export function extensionReplays(table: 'mariadb' | 'redis', id: string, name: string): void {
  replays(table, { rows: [databaseRow(table, id)], preparations: { [`${table}.search/ok`]: toFind(table, name) } });
}

/** Makes a database that a search finds. */
export function toFind(table: 'mariadb' | 'mongo' | 'mysql' | 'redis', name: string) {
  return (emulator: Emulator) => emulator.act(`${table}.create`, { ...inputs[table], name });
}
