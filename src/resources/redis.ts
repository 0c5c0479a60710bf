import * as z from 'zod';
import { defineDatabase } from './families/database-kinds.ts';
import { dockerImage } from './families/service-fields.ts';

/** A Redis server that runs as a service of an environment. */
export const redis = defineDatabase('redis', {
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
