import { defineKind } from '../kind/kind.ts';
import {
  serviceOutputs,
  databaseServiceFields,
  deployedFlag,
  description,
  dockerImage,
  firstStartOnly,
  generatedAppName,
  needed,
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

/** A MongoDB server that runs as a service of an environment. */
export const mongo = defineKind({
  kind: 'mongo',
  section: 'mongo',
  alsoCalled: ['mongodb'],
  summary: 'A MongoDB server that runs as a service of an environment.',
  identity: { id: 'mongoId', key: ['name'], keyField: 'name' },
  short: imageBelow((image) => ({ dockerImage: image })),
  parents: { environment: serviceIn('mongo') },
  fields: {
    name: serviceName,
    appName: generatedAppName,
    description,
    // The default of the platform, mongo:15, does not exist as an image.
    dockerImage: needed(dockerImage(['mongo:7', 'mongo:8'])),
    databaseUser: firstStartOnly('User with all rights.', ['shop', 'owner']),
    databasePassword: changeablePassword('Password of the user.', 'mongo.changePassword'),
    // The platform starts a replica set with a command of its own.
    replicaSets: deployedFlag('Whether it runs as a replica set of one member; command and args then have no effect.'),
    serverId,
    ...databaseServiceFields,
  },
  outputs: serviceOutputs,
  operations: {
    create: 'mongo.create',
    read: 'mongo.one',
    update: 'mongo.update',
    delete: 'mongo.remove',
    move: { call: 'mongo.move', as: 'targetEnvironmentId' },
  },
  without: { 'mongo.changePassword': withFixedPasswords('databasePassword') },
  lifecycle: databaseData(imageFamilies.mongo),
  commands: databaseCommands('mongo'),
  service: { status: 'applicationStatus', setStatus: 'mongo.changeStatus', logs: 'mongo.readLogs' },
  checks: {
    publishes: externalPorts('externalPort'),
    hints: { databaseName: 'a MongoDB makes a database when a client first writes to it; remove the line' },
  },
  examples: ['main:\n  dockerImage: mongo:8\n  databaseUser: shop\n  databasePassword: ${secret:SHOP_DB_PASSWORD}\n'],
});
