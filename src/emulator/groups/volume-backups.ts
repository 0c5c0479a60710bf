import type { Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { runningServices } from '../compose-source.ts';
import { recordRun } from '../deployment.ts';
import { pick, textOf, textOr, type Json, type Row } from '../json-rows.ts';
import { newestFirst } from '../newest-first.ts';
import type { Store } from '../table-store.ts';
import { destinationView, environmentView } from '../views.ts';
import { serviceTables } from '../service-tables.ts';

const { find, add, update, remove } = rowsOf('volumeBackup', 'Volume backup');

/** The `volumeBackups` group. No bucket is ever reached. */
export const volumeBackups: Group = {
  'volumeBackups.list': ({ store }, input) =>
    newestFirst(store.children('volumeBackup', `${textOf(input, 'volumeBackupType')}Id`, input['id'])).map((row) => ({
      ...row,
      ...ownersOf(store, row, shortView),
    })),

  // Neither scheduled nor told so when `enabled` is left out; an appName that is sent stays as it is.
  'volumeBackups.create': add,

  'volumeBackups.one'({ store }, input) {
    const row = find({ store }, input);
    return {
      ...row,
      ...ownersOf(store, row, (kind, owner) => ({
        // Of an application three columns; of the others all, passwords included.
        ...(kind === 'application' ? shortView(kind, owner) : owner),
        environment: environmentView(store, owner['environmentId']),
      })),
      destination: destinationView(store, row['destinationId']),
    };
  },

  'volumeBackups.update': update,

  'volumeBackups.delete'(context, input) {
    void remove(context, input);
    return undefined;
  },

  // Done within the request; a failure, because the service was never deployed, is a 200 with `false`.
  'volumeBackups.runManually'(context, input) {
    const { store } = context;
    const row = find({ store }, input);
    const isDeployed = serviceTables.some((kind) => {
      const owner = store.find(kind, row[`${kind}Id`]);
      if (owner === undefined || store.find('container', owner['appName']) === undefined) return false;
      return kind !== 'compose' || runningServices(store, owner).includes(textOr(row, 'serviceName'));
    });
    const status = isDeployed ? 'done' : 'error';
    recordRun(context, row, { owner: 'volumeBackupId', title: 'Volume Backup', status });
    return isDeployed ? undefined : false;
  },
};

/** The owner by kind: one of the eight as the view shows it, the others null. */
function ownersOf(store: Store, row: Row, view: (kind: string, owner: Row) => Json): Row {
  return Object.fromEntries(
    serviceTables.map((kind) => {
      const owner = store.find(kind, row[`${kind}Id`]);
      return [kind, owner === undefined ? null : view(kind, owner)];
    }),
  );
}

function shortView(kind: string, owner: Row): Row {
  return pick(owner, [`${kind}Id`, 'appName', 'serverId']);
}
