import { runningServices } from '../compose-source.ts';
import type { Group, Handler } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { recordRun } from '../deployment.ts';
import { ApiError, notFound } from '../error-answers.ts';
import { textOr, type Row } from '../json-rows.ts';
import type { Store } from '../table-store.ts';
import { destinationView, rowView } from '../views.ts';

const { find, add, update, remove } = rowsOf('backup', 'Backup');

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
      postgres: rowView(store, 'postgres', row['postgresId']),
      mysql: rowView(store, 'mysql', row['mysqlId']),
      mariadb: rowView(store, 'mariadb', row['mariadbId']),
      mongo: rowView(store, 'mongo', row['mongoId']),
      libsql: rowView(store, 'libsql', row['libsqlId']),
      destination: destinationView(store, row['destinationId']),
      compose: rowView(store, 'compose', row['composeId']),
    };
  },

  'backup.update'(context, input) {
    void update(context, input);
    return undefined;
  },

  'backup.remove': remove,

  'backup.manualBackupPostgres': run((store, row) => store.find('postgres', row['postgresId'])),
  'backup.manualBackupMariadb': run((store, row) => store.find('mariadb', row['mariadbId'])),
  // The container is the one of the service that the row names.
  'backup.manualBackupCompose'(context, input) {
    const row = find(context, input);
    const owner = context.store.find('compose', row['composeId']);
    const services = owner === undefined ? [] : runningServices(context.store, owner);
    const isRunning = services.includes(textOr(row, 'serviceName'));
    recordRun(context, row, { owner: 'backupId', title: 'Backup', status: isRunning ? 'done' : 'error' });
    if (!isRunning) throw new ApiError('BAD_REQUEST', 'Error running manual Compose backup ');
    return true;
  },
  'backup.manualBackupMySql': run((store, row) => store.find('mysql', row['mysqlId'])),
  'backup.manualBackupMongo': run((store, row) => store.find('mongo', row['mongoId'])),
  'backup.manualBackupLibsql': run((store, row) => store.find('libsql', row['libsqlId'])),

  'backup.manualBackupWebServer'(context, input) {
    recordRun(context, find(context, input), { owner: 'backupId', title: 'Backup', status: 'done' });
    return true;
  },

  'backup.listBackupFiles'({ store }, input) {
    if (store.find('destination', input['destinationId']) === undefined) throw notFound('Destination');
    return [];
  },
};

/** A backup by hand: done within the request, and refused when what it would save does not run. */
function run(ownerOf: (store: Store, row: Row) => Row | undefined): Handler {
  return (context, input) => {
    const row = find(context, input);
    const owner = ownerOf(context.store, row);
    const container = context.store.find('container', owner?.['appName']);
    const isRunning = container?.['running'] === true;
    recordRun(context, row, { owner: 'backupId', title: 'Backup', status: isRunning ? 'done' : 'error' });
    if (!isRunning) throw new ApiError('BAD_REQUEST', 'Command execution failed: no running container');
    return true;
  };
}
