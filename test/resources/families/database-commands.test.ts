import { expect, test } from 'vitest';
import { read } from '../../diagnostics/in-manifests.ts';
import { production } from '../../diagnostics/provoked.ts';

/** Databases with a command or arguments of their own. */

const needs = {
  redis: 'dockerImage: "redis:8", databasePassword: abc',
  mongo: 'dockerImage: "mongo:8", databaseUser: shop, databasePassword: abc',
  libsql: 'dockerImage: "libsql:1", sqldNode: primary, databaseUser: shop, databasePassword: abc',
  postgres: 'dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: abc',
} as const;
const open = 'it starts without database';

test.each<readonly [engine: keyof typeof needs, more: string, message: string | undefined]>([
  ['redis', 'command: redis-server --appendonly yes', `ignored-setting command: ${open}Password`],
  ['redis', 'args: [--appendonly, "yes"]', `ignored-setting args: ${open}Password`],
  ['redis', 'command: sh, args: ["-c", "exec valkey-server"]', `ignored-setting command: ${open}Password`],
  ['redis', 'args: [--requirepass, "${secret:PW}"]', undefined],
  ['redis', 'args: ["${secret:OPTIONS}"]', undefined],
  ['redis', 'command: sh, args: ["-c", "redis-server --requirepass $REDIS_PASSWORD"]', undefined],
  ['redis', 'command: redis-server /data/redis.conf', undefined],
  ['redis', 'command: /scripts/start.sh', undefined],
  ['redis', "command: ''", undefined],
  ['redis', 'command: null, args: null', undefined],
  ['mongo', 'command: mongod --bind_ip_all', `ignored-setting command: ${open}User and databasePassword`],
  ['mongo', 'command: /usr/bin/mongod', `ignored-setting command: ${open}User and databasePassword`],
  ['mongo', 'command: mongod --auth', undefined],
  ['mongo', 'command: docker-entrypoint.sh mongod --quiet', undefined],
  ['mongo', 'args: [mongod, --quiet]', undefined],
  ['mongo', 'replicaSets: true, command: mongod', undefined],
  ['mongo', "replicaSets: true, command: ''", `refused-setting command: with replicaSets`],
  ['mongo', "command: ''", undefined],
  ['libsql', "enableNamespaces: true, command: ''", `refused-setting command: with enableNamespaces`],
  ['libsql', "command: ''", undefined],
  ['libsql', 'command: sqld', undefined],
  ['postgres', 'args: ["-c", "max_connections=200"]', undefined],
])('%s with %s', async (engine, more, message) => {
  const files = { 'trueup.yaml': production(`    ${engine}: { main: { ${needs[engine]}, ${more} } }\n`) };
  const found = (await read(files, { secrets: { PW: 'x', OPTIONS: '--save' } })).map(
    (one) => `${one.code} ${one.message}`,
  );
  expect(found).toEqual(message === undefined ? [] : [expect.stringContaining(message) as string]);
});
