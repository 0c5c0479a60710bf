import type { KindCommand } from '../../kind/command.ts';

/** How several kinds of services run a command, beside the operation itself. */
type Manner = Omit<Extract<KindCommand, { call: unknown }>, 'call' | 'when'>;

/** The operation requires the internal name beside the id. */
export const reloadingApplication: Manner = {
  with: { appName: 'appName' },
  interrupts: 'its container is replaced by a new one',
};

/** A database is stopped and started again. */
const reloadingDatabase: Manner = {
  with: { appName: 'appName' },
  interrupts: 'it stops and starts again, and its clients are disconnected',
};

/** The answer comes when the image is there and the container runs. */
const deployingDatabase: Manner = { answers: 'late' };

/** The container and its volumes are removed, and a new one is started on empty ones. */
const rebuildingDatabase: Manner = {
  dataAtRisk: 'the volumes of this database with all its data',
  answers: 'late',
};

/** A dump by hand: the answer comes when it is in the destination. */
export const backingUp: Manner = { answers: 'late' };

/** What every database can do, by the group of its operations. */
export function databaseCommands(group: 'libsql' | 'mariadb' | 'mongo' | 'mysql' | 'postgres' | 'redis') {
  return {
    start: { call: `${group}.start` },
    stop: { call: `${group}.stop` },
    reload: { call: `${group}.reload`, ...reloadingDatabase },
    deploy: { call: `${group}.deploy`, ...deployingDatabase },
    rebuild: { call: `${group}.rebuild`, ...rebuildingDatabase },
  } as const;
}
