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
import { changeablePassword, withFixedPasswords } from './families/database-password.ts';
import { imageFamilies } from './families/image-version.ts';
import { externalPorts } from './families/external-ports.ts';
import { databaseCommands } from './families/service-commands.ts';
import { imageBelow } from './families/short-forms.ts';

/** A MySQL server that runs as a service of an environment. */
export const mysql = defineKind({
  kind: 'mysql',
  section: 'mysql',
  alsoCalled: ['percona'],
  summary: 'A MySQL server that runs as a service of an environment.',
  identity: { id: 'mysqlId', key: ['name'], keyField: 'name' },
  short: imageBelow((image) => ({ dockerImage: image })),
  parents: { environment: serviceIn('mysql') },
  fields: {
    name: serviceName,
    appName: generatedAppName,
    description,
    dockerImage: dockerImage(['mysql:8', 'mysql:9']),
    databaseName: firstStartOnly('Name of the database.', ['shop', 'store']),
    databaseUser: firstStartOnly('User that owns the database.', ['shop', 'owner']),
    // Before that of root: the platform logs in as root to change either, with the password of root that it stores.
    databasePassword: changeablePassword('Password of the user.', 'mysql.changePassword', { type: 'user' }),
    databaseRootPassword: changeablePassword(
      'Password of root; the platform makes one up when it is left out.',
      'mysql.changePassword',
      { type: 'root' },
    ),
    serverId,
    ...databaseServiceFields,
  },
  outputs: serviceOutputs,
  operations: {
    create: 'mysql.create',
    read: 'mysql.one',
    update: 'mysql.update',
    delete: 'mysql.remove',
    move: { call: 'mysql.move', as: 'targetEnvironmentId' },
  },
  without: { 'mysql.changePassword': withFixedPasswords('databasePassword', 'databaseRootPassword') },
  lifecycle: databaseData(imageFamilies.mysql),
  commands: databaseCommands('mysql'),
  service: { status: 'applicationStatus', setStatus: 'mysql.changeStatus', logs: 'mysql.readLogs' },
  checks: { publishes: externalPorts('externalPort') },
  examples: [
    'main:\n  dockerImage: mysql:8\n  databaseName: shop\n  databaseUser: shop\n  databasePassword: ${secret:SHOP_DB_PASSWORD}\n',
  ],
});
