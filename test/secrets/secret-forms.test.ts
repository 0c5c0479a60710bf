import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { maskText } from '../../src/secrets/looks-secret.ts';
import { contentRules } from '../../src/secrets/secret-forms.ts';

/** Each rule finds its examples, and leaves what looks alike. */

const table: Record<string, { readonly examples: readonly string[]; readonly others: readonly string[] }> = {
  'private key': {
    examples: ['-----BEGIN PRIVATE KEY-----MIIE-----END PRIVATE KEY-----', '# -----BEGIN RSA PRIVATE KEY-----'],
    others: ['-----BEGIN PUBLIC KEY-----', 'BEGIN PRIVATE KEY'],
  },
  token: {
    examples: [
      'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
      'eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.c2lnbmF0dXJl',
      'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZ',
      'glpat-x1y2z3x1y2z3x1y2z3x1',
      'whsec_4eC39HqLyjWDarjtT1',
      'AKIAIOSFODNN7EXAMPLE',
      'xoxb-2444-1234567890-abcdef',
      '# npm_16C7e42F292c6912E7710c838347Ae178B4a',
      'dp.st.prd.16C7e42F292c6912E7710c838347Ae178B4a',
      'st.64bb3a1c-9d4f-4f7e-8a55-0d7f6a22aaaa.16c7e42f292c',
    ],
    others: [
      'pk_live_4eC39HqLyjWDarjtT1',
      'sk-learn',
      'ghp_short',
      'task-runner-with-a-long-name',
      'AKIA',
      'dp.status.of.the.production.shop',
      'st.production.shop.example.com',
      'ops_team_and_their_friends',
      'npm_config_loglevel=error',
      'AGE-SECRET-KEY-1',
      'age1gfpyysjzgfpyysjzgfpyysjzgfpyysjz',
      'eyJrey',
      'theyJustSaid.something.else',
    ],
  },
  webhook: {
    examples: [
      'https://hooks.slack.com/services/T000/B000/XXXX',
      'https://discord.com/api/webhooks/123/abc-def',
      'gotify://push.example.com/Az.D4iJL/?priority=1',
    ],
    others: ['https://hooks.slack.com/', 'https://discord.com/developers/docs/resources/webhook'],
  },
  'password hash': {
    examples: [
      '$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
      'admin:$$apr1$$q8eZFHjF$$Fvmkk//V6Btlaf2i/ju5n/',
    ],
    others: ['$1$2', 's/(.*)/$1$/', '$5$'],
  },
  bearer: {
    examples: ['Authorization: Bearer abc123def456', 'Basic dXNlcjpwYXNz'],
    others: ['Bearer authentication', 'basic setup', 'the token provider'],
  },
  SQL: {
    examples: ["CREATE USER shop WITH PASSWORD 'hunter2'", "ALTER USER root IDENTIFIED BY 'x'"],
    others: ["COMMENT ON COLUMN users.password IS 'hashed'"],
  },
  'short option': {
    examples: [
      'redis-cli -h cache -a hunter2 ping',
      '["CMD", "redis-cli", "-a", "hunter2", "ping"]',
      'mysqladmin ping -phunter2',
      "mariadb-dump     --all-databases     -u root -p'hunter2' | gzip",
      '/opt/mssql-tools/bin/sqlcmd -S localhost -U sa -P hunter2',
      'ldapsearch -x -D cn=admin -w hunter2',
    ],
    others: ['redis-cli ping', 'redis-cli -a $REDIS_PASSWORD ping', 'mysqladmin ping -h localhost', 'mysql -p shop'],
  },
  'access list': {
    examples: ['user worker on >hunter2 ~jobs:* +@all', 'ACL SETUSER worker >hunter2 on'],
    others: ['user default on nopass ~* +@all', 'echo user worker >file'],
  },
  'password file': {
    examples: ['db:5432:shop:anna:hunter2', '10.0.0.1:6379:0:hunter2'],
    others: ['127.0.0.1:8080:80', '127.0.0.1:5432:5432/tcp', 'db:5432:shop:anna:$PASSWORD', 'a:1000:1000:A:/home/a'],
  },
  'user of curl': {
    examples: ['curl -u admin:hunter2 http://a', 'curl -uadmin:hunter2 http://a', "curl -fsSu 'admin:a b' http://a"],
    others: ['curl -fsS http://a:80', 'curl -u $USER:$PASSWORD http://a', 'docker run -u shop:staff curlimages/curl'],
  },
  address: {
    examples: [
      'postgres://shop:hunter2@db/shop',
      '# postgres://shop:hunter2@db/shop',
      'postgres://${DB_USER:-shop}:hunter2@db/shop',
      'jdbc:postgresql://shop:hun?ter2@db/shop',
      'git+https://token@git.example.com/shop',
      'ssh://token4711@git.example.com/shop',
    ],
    others: [
      'postgres://shop@(known after apply)/shop',
      'postgres://shop:${PASSWORD}@db/shop',
      'ssh://git@git.example.com/shop.git',
      'http://registry:4873/@scope/package',
      'redis://:@redis:6379/0',
    ],
  },
  'address without a scheme': {
    examples: [
      'shop:hunter2@db',
      ':hunter2@redis:6379/0',
      'shop:password@db.example.com/shop',
      'shop:hunter2@tcp(db:3306)/shop',
      'DATA_SOURCE_NAME=exporter:hunter2@(db:3306)/',
    ],
    others: [
      'mailto:bob@example.com',
      'nginx:1.27@sha256:9f86d081884c7d659a2feaa0c55ad015',
      'npm:react@18.3.1',
      'contact:bob@example.com',
      'shop:$PASSWORD@db:5432',
      'at 10:30@Berlin',
      'git@git.example.com:team/shop.git',
      'root:@tcp(db:3306)/shop',
      'shop@tcp(db:3306)/shop',
      '%s:%s@tcp(%s:%d)/%s',
    ],
  },
  'high entropy': {
    examples: ['kX8vQ2mZp4Lr9TnW', '9f86d081884c7d659a2feaa0c55ad015', 'q8Zt/4vKp+1XwR7n/Ls9bYc2Qm0HdJ3uTf6Ae5Go'],
    others: [
      'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2ZkQ1l3v8Xp0',
      'commit: 356a192b7913b04c54574d18c28d46e6395428ab',
      '5f0c1d9e-7a52-4f3c-9d2b-1f0a6c9b7e11',
      'ghcr.io/example/internal-tools-2025.11.3-alpine3',
      'CREATE_TABLE_IF_NOT_EXISTS',
      '/usr/share/elasticsearch/config/certs',
      'getUserByIdAndNameOrThrow',
      '2025-11-03T10-15-00Z',
    ],
  },
};

describe.each(contentRules)('the content "$name"', ({ name }) => {
  const { examples = [], others = [] } = table[name] ?? {};

  test.each(examples)('%s holds a secret', (text) => {
    expect(maskText(text)).toContain('(sensitive)');
    expect(maskText(`a: 1\n    ${text}\nb: 2\n`)).toContain('(sensitive)');
  });

  test.each(others)('%s holds none', (text) => {
    expect(maskText(text)).toBe(text);
  });
});

test('the page about secrets has a row for each', () => {
  const page = readFileSync(new URL('../../docs/secrets.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ');
  const hasRow = (name: string) =>
    page
      .split('\n')
      .some((row) => row.startsWith(`| ${name} | `) && row.endsWith(` | \`${table[name]?.examples[0]}\` |`));
  expect(contentRules.filter(({ name }) => !hasRow(name))).toEqual([]);
});
