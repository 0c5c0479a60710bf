import { expect, test } from 'vitest';
import { told } from '../support/problems.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** How the platform starts databases: their passwords, and commands and arguments of their own. */

const needs = {
  redis: 'dockerImage: "redis:8", databasePassword: abc',
  mongo: 'dockerImage: "mongo:8", databaseUser: shop, databasePassword: abc',
  libsql: 'dockerImage: "libsql:1", sqldNode: primary, databaseUser: shop, databasePassword: abc',
  postgres: 'dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: abc',
  mysql: 'dockerImage: "mysql:8", databaseName: shop, databaseUser: shop, databasePassword: abc',
  mariadb: 'dockerImage: "mariadb:11", databaseName: shop, databaseUser: shop, databasePassword: abc',
} as const;
type Engine = keyof typeof needs;

const database = (engine: Engine, more: string) =>
  `${head}environments: { production: { ${engine}: { main: { ${needs[engine]}, ${more} } } } }\n`;

async function planned(made: Bench, text: string): Promise<readonly string[]> {
  return (await made.plan(text)).actions.flatMap(({ action, address }) => (action === 'no-op' ? [] : [address]));
}

test.each([
  ['redis', 'args', []],
  ['mongo', 'command', ''],
  ['libsql', 'command', ''],
] as const)('%s: empty %s that somebody left is a difference from none', async (engine, field, empty) => {
  const made = bench();
  const text = database(engine, `${field}: null`);
  await made.apply(text);
  const row = () => Object.values(made.emulator.world.tables[engine])[0] ?? {};
  const id = `${engine}Id`;
  await made.emulator.act(`${engine}.update`, {
    [id]: row()[id],
    [field]: empty,
    ...(engine === 'libsql' ? { dockerImage: 'libsql:1', enableNamespaces: false } : {}),
  });
  expect(row()[field]).toEqual(empty);
  await made.apply(text);
  expect(row()[field]).toBeNull();
  expect(await planned(made, text)).toEqual([]);
});

test.each(['postgres', 'mysql', 'mariadb', 'redis'] as const)(
  '%s: an empty command is as good as none',
  async (engine) => {
    const made = bench();
    await made.apply(database(engine, 'command: null'));
    expect(await planned(made, database(engine, "command: ''"))).toEqual([]);
  },
);

test('an empty list of args of a Redis is refused', async () => {
  await expect(bench().plan(database('redis', 'args: []'))).rejects.toThrow(
    'may not be empty: it would start without its password',
  );
});

const changed = Array.from(' $`"\'\\;&|<>()*?[\t', (sign) => `a${sign}b`);
const signs = [...changed, '#a', '~', '~a', '--a', '-'];

test('a password that the shell changes which starts a Redis is refused before any request', async () => {
  for (const password of signs) {
    const { said } = await told(database('redis', '').replace(': abc', `: ${JSON.stringify(password)}`));
    expect([password, said]).toEqual([password, expect.stringContaining('may not hold a space or one of') as string]);
  }
});

test('a password that the shell leaves as it is may have any other sign', async () => {
  for (const password of ['a#b~c', '-a', 'a-', 'a{b,c}', 'a!b', 'a/b', 'a%^+=,.:@_-b', 'ü']) {
    const text = database('redis', '').replace(': abc', `: ${JSON.stringify(password)}`);
    await expect(bench().plan(text)).resolves.toBeDefined();
  }
});

test('a password that no shell reads, as the Redis has a command or args of its own, may have any sign', async () => {
  for (const own of ['args: [--requirepass, "${secret:PW}"]', 'command: redis-server /etc/redis.conf']) {
    for (const password of signs) {
      const made = bench();
      made.secrets['PW'] = password;
      const text = database('redis', own).replace(': abc', ': "${secret:PW}"');
      await made.apply(text);
      const [row] = Object.values(made.emulator.world.tables.redis);
      expect([own, password, row?.databasePassword]).toEqual([own, password, password]);
      expect(await planned(made, text)).toEqual([]);
    }
  }
});

test.each(["command: ''", 'command: null, args: null', 'command: "${env:NONE}"'])(
  'a password that the shell changes is refused beside %s, which is as good as none',
  async (none) => {
    const text = database('redis', none).replace(': abc', ': a$b');
    const { said } = await told(text, { env: { NONE: '' } });
    expect(said).toContain('may not hold a space or one of');
  },
);

test('a password that the platform reads as a reference is refused with a command too: no deployment would start', async () => {
  const { said } = await told(database('redis', 'args: [--save, ""]').replace(': abc', ': "a${{b}}"'));
  expect(said).toContain('may not hold ${{');
});
