import { runningServices } from '../compose-source.ts';
import type { Group, Handler } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { recordRun } from '../deployment.ts';
import { ApiError, notFound } from '../error-answers.ts';
import { textOr, type Row } from '../json-rows.ts';
import type { Store } from '../table-store.ts';
import { destinationView, rowView } from '../views.ts';
import type { DatabaseTable } from '../service-tables.ts';

const { find, add, update, remove } = rowsOf('backup', 'Backup');

/** The databases that have backups, by their words in operations. */
const databasesByWord = {
  Postgres: 'postgres',
  Mariadb: 'mariadb',
  MySql: 'mysql',
  Mongo: 'mongo',
  Libsql: 'libsql',
} as const;

/** The `backup` group. No bucket is ever reached. */
export const backup: Group = {
  // Answers nothing: the new id shows only in the lists of the parent.
  'backup.create'(context, input) {
    add(context, input);
    return undefined;
  },

  'backup.one'({ store }, input) {
    const row = find({ store }, input);
    return {
      ...row,
      ...Object.fromEntries(
        Object.values(databasesByWord).map((table) => [table, rowView(store, table, row[`${table}Id`])]),
      ),
      destination: destinationView(store, row['destinationId']),
      compose: rowView(store, 'compose', row['composeId']),
    };
  },

  'backup.update'(context, input) {
    void update(context, input);
    return undefined;
  },

  'backup.remove': remove,

  ...Object.fromEntries(
    Object.entries(databasesByWord).map(([word, table]) => [`backup.manualBackup${word}`, runOf(table)]),
  ),

  // The container is the one of the service that the row names.
  'backup.manualBackupCompose': run('Error running manual Compose backup ', (store, row) => {
    const owner = store.find('compose', row['composeId']);
    return owner !== undefined && runningServices(store, owner).includes(textOr(row, 'serviceName'));
  }),

  'backup.manualBackupWebServer': run('', () => true),

  'backup.listBackupFiles'({ store }, input) {
    if (store.find('destination', input['destinationId']) === undefined) throw notFound('Destination');
    return [];
  },
};

/** A backup of a database by hand. */
function runOf(table: DatabaseTable): Handler {
  return run('Command execution failed: no running container', (store, row) => {
    const owner = store.find(table, row[`${table}Id`]);
    return store.find('container', owner?.['appName'])?.['running'] === true;
  });
}

/** A backup by hand: done within the request, and refused with a message when what it would save does not run. */
function run(refusal: string, isRunning: (store: Store, row: Row) => boolean): Handler {
  return (context, input) => {
    const row = find(context, input);
    const isDone = isRunning(context.store, row);
    recordRun(context, row, { owner: 'backupId', title: 'Backup', status: isDone ? 'done' : 'error' });
    if (!isDone) throw new ApiError('BAD_REQUEST', refusal);
    return true;
  };
}
