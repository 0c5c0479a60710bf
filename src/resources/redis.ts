import * as z from 'zod';
import { defineKind } from '../kind/kind.ts';
import { defineDatabase } from './families/database-kinds.ts';
import { dockerImage } from './families/service-fields.ts';

const database = defineDatabase('redis', {
  alsoCalled: ['valkey', 'keydb', 'cache'],
  summary: 'A Redis server that runs as a service of an environment.',
  fields: {
    dockerImage: dockerImage(['redis:7', 'redis:8']),
    databasePassword: {
      schema: () => z.string().min(1, 'may not be empty: the platform would make one up').describe('Password.'),
      secrecy: 'secret',
      appliesAt: 'deploy',
      examples: ['correct-horse-1', 'battery-staple-2'],
    },
  },
  hints: { backups: 'the platform has no backups of a Redis database; back up its volume instead' },
  examples: ['cache:\n  dockerImage: redis:8\n  databasePassword: ${secret:CACHE_PASSWORD}\n'],
});

const { args, ...fields } = database.fields;
if (args === undefined) throw new Error('databases have args');
const { codec: _codec, ...written } = args;

/**
 * A Redis server that runs as a service of an environment. Only without a command and args, which an empty list is too, the
 * platform starts it with its password. Source: buildRedis of v0.30.2.
 */
export const redis = defineKind({
  ...database,
  fields: {
    ...fields,
    args: {
      ...written,
      schema: () =>
        z
          .array(z.string())
          .min(1, 'may not be empty: it would start without its password; write null')
          .describe('Arguments of the command; with them it starts without its password, unless they give it.'),
    },
  },
});
