import * as z from 'zod';
import { defineKind } from '../../src/kind/kind.ts';

export const cache = defineKind({
  kind: 'cache',
  section: 'caches', // in YAML: environments.<name>.caches.<key>
  summary: 'A Redis server that runs as a service of an environment.',
  identity: {
    id: 'redisId', // the member of a row that holds the id
    key: ['name'], // finds the object where the state does not know its id
    keyField: 'name', // a block that has no `name` is called like its YAML key
  },
  parents: {
    environment: {
      listed: { at: 'redis' }, // the row of an environment lists its objects in `redis`,
      rows: 'summary', // each with a few members only: the engine reads each object by itself
      set: { environmentId: { parent: 'id' } }, // create sends this member
      idAt: 'environmentId', // a row says here what it stands below: nothing else is ever touched
    },
  },
  fields: {
    name: { schema: () => z.string().min(1).describe('Name.'), examples: ['sessions', 'pages'] },
    dockerImage: {
      schema: () => z.string().min(1).describe('Image and tag.'),
      appliesAt: 'deploy', // a change is saved first, and then the service is deployed
      examples: ['redis:7', 'redis:8'],
    },
    databasePassword: {
      schema: () => z.string().min(1).describe('Password.'),
      secrecy: 'secret', // no plan, log or state shows it
      appliesAt: 'deploy',
      examples: ['correct-horse-1', 'battery-staple-2'],
    },
    serverId: {
      schema: () => z.string().min(1).describe('Server to run on.'),
      onChange: 'replace', // no operation changes it: a new object replaces the old one
      examples: ['srv_1', 'srv_2'],
    },
  },
  operations: { create: 'redis.create', read: 'redis.one', update: 'redis.update', delete: 'redis.remove' },
  lifecycle: { dataAtRisk: () => ({ of: 'data', what: 'the data of this cache' }) }, // deletion wants --allow-data-loss
  commands: {
    stop: { call: 'redis.stop' }, // trueup run stop <address>
    deploy: { call: 'redis.deploy', answers: 'late' }, // apply uses this one too
  },
  service: { status: 'applicationStatus', setStatus: 'redis.changeStatus' },
  checks: { hints: { backups: 'the platform has no backups of a cache; remove the line' } },
  examples: ['sessions: { dockerImage: redis:8, databasePassword: "${secret:CACHE_PASSWORD}" }\n'],
});
