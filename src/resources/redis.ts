import * as z from 'zod';
import { defineKind } from '../kind/kind.ts';
import {
  serviceOutputs,
  databaseServiceFields,
  description,
  dockerImage,
  generatedAppName,
  serverId,
  serviceIn,
  serviceName,
} from './families/service-fields.ts';
import { databaseData } from './families/database-data.ts';
import { imageFamilies } from './families/image-version.ts';
import { externalPorts } from './families/external-ports.ts';
import { databaseCommands } from './families/service-commands.ts';
import { imageBelow } from './families/short-forms.ts';

/** A Redis server that runs as a service of an environment. */
export const redis = defineKind({
  kind: 'redis',
  section: 'redis',
  alsoCalled: ['valkey', 'keydb', 'cache'],
  summary: 'A Redis server that runs as a service of an environment.',
  identity: { id: 'redisId', key: ['name'], keyField: 'name' },
  short: imageBelow((image) => ({ dockerImage: image })),
  parents: { environment: serviceIn('redis') },
  fields: {
    name: serviceName,
    appName: generatedAppName,
    description,
    dockerImage: dockerImage(['redis:7', 'redis:8']),
    databasePassword: {
      schema: () => z.string().min(1, 'may not be empty: the platform would make one up').describe('Password.'),
      secrecy: 'secret',
      appliesAt: 'deploy',
      examples: ['correct-horse-1', 'battery-staple-2'],
    },
    serverId,
    ...databaseServiceFields,
  },
  outputs: serviceOutputs,
  operations: {
    create: 'redis.create',
    read: 'redis.one',
    update: 'redis.update',
    delete: 'redis.remove',
    move: { call: 'redis.move', as: 'targetEnvironmentId' },
  },
  lifecycle: databaseData(imageFamilies.redis),
  commands: databaseCommands('redis'),
  service: { status: 'applicationStatus', setStatus: 'redis.changeStatus', logs: 'redis.readLogs' },
  checks: {
    publishes: externalPorts('externalPort'),
    hints: { backups: 'the platform has no backups of a Redis database; back up its volume instead' },
  },
  examples: ['cache:\n  dockerImage: redis:8\n  databasePassword: ${secret:CACHE_PASSWORD}\n'],
});
