import * as z from 'zod';
import { stringList } from '../api/member-types.ts';
import { defineKind } from '../kind/kind.ts';
import { defineDatabase } from './families/database-kinds.ts';
import { databaseServiceFields, dockerImage } from './families/service-fields.ts';

/**
 * What a shell changes: the platform starts `/bin/sh -c "redis-server --requirepass …"`, without quotes. Source: buildRedis of
 * v0.30.2. Measured with dash, BusyBox and Redis 7.0: another password counted, the start failed, or the shell ran the rest.
 */
const changedByShell = /[\s$`"'\\;&|<>()*?[]|^(?:[#~]|--|-$)/;

const password = () => z.string().min(1, 'may not be empty: the platform would make one up').describe('Password.');

const database = defineDatabase('redis', {
  alsoCalled: ['valkey', 'keydb', 'cache'],
  summary: 'A Redis server that runs as a service of an environment.',
  fields: {
    dockerImage: dockerImage(['redis:7', 'redis:8']),
    databasePassword: {
      schema: () =>
        password().refine(
          (text) => !changedByShell.test(text),
          'may not hold a space or one of $ ` " \' \\ ; & | < > ( ) * ? [ nor begin with # ~ or -- without command or args (the platform starts it by a shell, which would change it)',
        ),
      besides: {
        fields: ['command', 'args'],
        schema: () =>
          password().refine(
            (text) => !text.includes('${{'),
            'may not hold ${{ (the platform reads a reference to a variable there, and no deployment succeeds)',
          ),
      },
      secrecy: 'secret',
      appliesAt: 'deploy',
      examples: ['correct-horse-1', 'battery-staple-2'],
    },
  },
  hints: { backups: 'the platform has no backups of a Redis database; back up its volume instead' },
  examples: ['cache:\n  dockerImage: redis:8\n  databasePassword: ${secret:CACHE_PASSWORD}\n'],
});

const { codec: _codec, ...args } = databaseServiceFields.args;

/**
 * A Redis server that runs as a service of an environment. Only without a command and args, which an empty list is too, the
 * platform starts it with its password. Source: buildRedis of v0.30.2.
 */
export const redis = defineKind({
  ...database,
  fields: {
    ...database.fields,
    args: {
      ...args,
      schema: () =>
        stringList
          .min(1, 'may not be empty: it would start without its password; write null')
          .describe('Arguments of the command; with them it starts without its password, unless they give it.'),
    },
  },
});
