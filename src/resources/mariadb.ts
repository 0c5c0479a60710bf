import { databasePassword } from '../api/values.ts';
import type { Field } from '../kind/field.ts';
import { defineKind } from '../kind/kind.ts';
import {
  serviceOutputs,
  databaseServiceFields,
  description,
  dockerImage,
  firstStartOnly,
  generatedAppName,
  serverId,
  serviceIn,
  serviceName,
} from './families/service-fields.ts';
import { databaseData } from './families/database-data.ts';
import { imageFamilies } from './families/image-version.ts';
import { deployingDatabase, rebuildingDatabase, reloadingDatabase } from './families/service-commands.ts';

const password = (whose: string): Field => ({
  schema: databasePassword.min(1, 'may not be empty: the platform would make one up').describe(`Password of ${whose}.`),
  secrecy: 'secret',
  onChange: {
    refuse:
      'the platform has no operation that changes a password of a running MariaDB; change it in the database by hand and set the same one in the platform, then write it here',
  },
  rowOnly: true,
  examples: ['correct-horse-1', 'battery-staple-2'],
});

/** A MariaDB server that runs as a service of an environment. */
export const mariadb = defineKind({
  kind: 'mariadb',
  section: 'mariadb',
  summary: 'A MariaDB server that runs as a service of an environment.',
  identity: { id: 'mariadbId', key: ['name'], keyField: 'name' },
  parents: { environment: serviceIn('mariadb') },
  fields: {
    name: serviceName,
    appName: generatedAppName,
    description,
    // The default of the contract, mariadb:6, does not exist as an image.
    dockerImage: { ...dockerImage(['mariadb:11', 'mariadb:12']), needed: true },
    databaseName: firstStartOnly('Name of the database.', ['shop', 'store']),
    databaseUser: firstStartOnly('User that owns the database.', ['shop', 'owner']),
    databasePassword: password('the user'),
    databaseRootPassword: password('root; the platform makes one up when it is left out'),
    serverId,
    ...databaseServiceFields,
  },
  outputs: serviceOutputs,
  operations: {
    create: 'mariadb.create',
    read: 'mariadb.one',
    update: 'mariadb.update',
    delete: 'mariadb.remove',
    move: { call: 'mariadb.move', as: 'targetEnvironmentId' },
  },
  lifecycle: databaseData(imageFamilies.mariadb),
  commands: {
    start: { call: 'mariadb.start' },
    stop: { call: 'mariadb.stop' },
    reload: { call: 'mariadb.reload', ...reloadingDatabase },
    deploy: { call: 'mariadb.deploy', ...deployingDatabase },
    rebuild: { call: 'mariadb.rebuild', ...rebuildingDatabase },
  },
  service: { status: 'applicationStatus', setStatus: 'mariadb.changeStatus' },
  examples: [
    'main:\n  dockerImage: mariadb:11\n  databaseName: shop\n  databaseUser: shop\n  databasePassword: ${secret:SHOP_DB_PASSWORD}\n',
  ],
});
