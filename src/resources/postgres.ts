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
import { changeablePassword } from './families/database-password.ts';
import { imageFamilies } from './families/image-version.ts';
import { externalPorts } from './families/external-ports.ts';
import { databaseCommands } from './families/service-commands.ts';
import { imageBelow } from './families/short-forms.ts';

/** A PostgreSQL server that runs as a service of an environment. */
export const postgres = defineKind({
  kind: 'postgres',
  section: 'postgres',
  alsoCalled: ['postgresql', 'pg', 'databases', 'database'],
  summary: 'A PostgreSQL server that runs as a service of an environment.',
  identity: { id: 'postgresId', key: ['name'], keyField: 'name' },
  short: imageBelow((image) => ({ dockerImage: image })),
  parents: { environment: serviceIn('postgres') },
  fields: {
    name: serviceName,
    appName: generatedAppName,
    description,
    dockerImage: dockerImage(['postgres:17', 'postgres:18']),
    databaseName: firstStartOnly('Name of the database.', ['shop', 'store']),
    databaseUser: firstStartOnly('User that owns the database.', ['shop', 'owner']),
    databasePassword: changeablePassword('Password of the user.', 'postgres.changePassword'),
    serverId,
    ...databaseServiceFields,
  },
  outputs: serviceOutputs,
  operations: {
    create: 'postgres.create',
    read: 'postgres.one',
    update: 'postgres.update',
    delete: 'postgres.remove',
    move: { call: 'postgres.move', as: 'targetEnvironmentId' },
  },
  lifecycle: databaseData(imageFamilies.postgres),
  commands: databaseCommands('postgres'),
  service: { status: 'applicationStatus', setStatus: 'postgres.changeStatus', logs: 'postgres.readLogs' },
  checks: { publishes: externalPorts('externalPort') },
  examples: [
    'main:\n  dockerImage: postgres:17\n  databaseName: shop\n  databaseUser: shop\n  databasePassword: ${secret:SHOP_DB_PASSWORD}\n',
  ],
});
