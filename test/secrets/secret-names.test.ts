import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isSecretEntry } from '../../src/secrets/looks-secret.ts';
import { isOpenName, keyRules } from '../../src/secrets/secret-names.ts';

/** Each rule finds its examples, and leaves keys that look alike. */

const table: Record<string, { readonly examples: readonly string[]; readonly others: readonly string[] }> = {
  password: {
    examples: [
      'POSTGRES_PASSWORD',
      'PGPASSWORD',
      'Pwd',
      'smtp_passwd',
      'dbPass',
      'requirepass',
      'ROOT_PW',
      'PASSWORD_OLD',
      'DB_PASS_APP',
      'SMTP_PASS_RO',
      'DB_PWD_MAIN',
      'LDAP_BINDPW',
      'ftppass',
      'DB_PASSWORT',
      'WIFI_PSK',
      'PASSWORD_FOR_BOB',
      'REDIS_PASSWORD_JOBS',
    ],
    others: [
      'PASSWORD_MIN_LENGTH',
      'POSTGRES_PASSWORD_FILE',
      'proxy_pass',
      'BYPASS',
      'COMPASS',
      'passive',
      'OLDPWD',
      'PASS_THROUGH',
      'TLS_PASS_THROUGH',
      'TRESPASS',
      'PASS_HEADERS',
      'PASSWORD_HASHER',
      'password_query',
      'PASSWORD_OPTIONS',
      'PASSWORD_RESET_URL',
      'password_file',
    ],
  },
  secret: {
    examples: ['CLIENT_SECRET', 'clientSecret', 'JWT_SECRET', 'AUTHSECRET', 'secret', 'TRUEUP_SECRET_DB'],
    others: ['SECRET_NAME', 'secretary', 'SECRETS_DIR'],
  },
  token: {
    examples: [
      'ACCESS_TOKEN',
      'accessToken',
      'GITHUB_PAT',
      'NPM_TOKEN',
      'authtoken',
      'TOKEN_READ_ONLY',
      'BOT_TOKEN_CI',
    ],
    others: ['TOKEN_TTL', 'tokenizer', 'MAX_TOKENS', 'TOKEN_ENDPOINT', 'PATTERN'],
  },
  key: {
    examples: [
      'API_KEY',
      'apiKey',
      'APIKEY',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_ACCESS_KEY_ID',
      'SECRET_KEY_BASE',
      'MEILI_MASTER_KEY',
      'API_KEY_READ_ONLY',
      'API_KEY_ADMIN',
      'apiKeyReadOnly',
      'ACCESS_KEY_BACKUP',
      'SECRET_KEY_JOBS',
      'APIKEY_METRICS',
      'pagerdutyServiceKey',
      'YOURLS_COOKIEKEY',
      's3-access-key-id',
    ],
    others: [
      'PUBLIC_KEY',
      'NEXT_PUBLIC_API_KEY',
      'KEY_PREFIX',
      'keyspace',
      'API_KEY_HEADER',
      'monkey',
      'API_KEY_READ_ONLY_FILE',
      'VAPID_PUBLIC_KEY',
    ],
  },
  'one of two keys': {
    examples: ['X_SECONDARY_KEY', 'AZURE_PRIMARY_KEY', 'cosmosTertiaryKey'],
    others: ['PRIMARY_KEY', 'PRIMARY_KEY_COLUMN'],
  },
  'another key or cookie': {
    examples: [
      'MAPS_KEY',
      'FERNET_KEY',
      'key',
      'PUSHER_KEYS',
      'Authorization',
      'SESSION_COOKIE',
      'ALERT_WEBHOOK',
      'TOTP_SEED',
    ],
    others: [
      'PRIMARY_KEY',
      'sort_key',
      'CACHE_KEY',
      'CASSANDRA_KEYSPACE',
      'RECAPTCHA_SITE_KEY',
      'COOKIE_DOMAIN',
      'WEBHOOK_URL',
      'SEEDERS',
    ],
  },
  'routing key': {
    examples: ['PAGERDUTY_ROUTING_KEY', 'routing_key', 'PD_ROUTING_KEY'],
    others: ['ROUTING_KEYS_FILE', 'ROUTING'],
  },
  credential: {
    examples: ['GOOGLE_CREDENTIALS', 'DB_CREDS', 'SENTRY_DSN', 'traefik.http.middlewares.a.basicauth.users'],
    others: ['CREDENTIALS_FILE', 'CREDENTIAL_HELPER_PATH', 'users'],
  },
  auth: {
    examples: [
      'NEO4J_AUTH',
      'FLOWER_BASIC_AUTH',
      'REDIS_AUTH',
      'AUTH_SALT',
      'masterauth',
      'RABBITMQ_ERLANG_COOKIE',
      'PEPPER',
    ],
    others: ['AUTH_URL', 'OAUTH_CLIENT_ID', 'AUTHOR', 'AUTH_SERVER', 'MONGO_AUTH_DB'],
  },
  pin: {
    examples: ['ADMIN_PIN', 'PIN_CODE', 'RECOVERY_CODE', 'PADDLE_AUTH_CODE'],
    others: ['PINNED', 'EXIT_CODE', 'COUNTRY_CODE'],
  },
};

describe.each(keyRules)('the keys "$name"', ({ name, open }) => {
  const { examples = [], others = [] } = table[name] ?? {};

  test.each(examples)('%s names a secret', (key) => {
    expect(isSecretEntry(key, 'hunter-2hunter2!')).toBe(true);
    expect(isSecretEntry(key, 'region')).toBe(open?.test('region') !== true);
  });

  test.each(others)('%s names none', (key) => {
    expect(isSecretEntry(key, 'hunter-2hunter2!')).toBe(false);
  });
});

test('the page about secrets has a row for each', () => {
  const page = readFileSync(new URL('../../docs/secrets.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ');
  const hasRow = (name: string) =>
    page
      .split('\n')
      .some((row) => row.startsWith(`| ${name} | `) && row.endsWith(` | \`${table[name]?.examples[0]}\` |`));
  expect(keyRules.filter(({ name }) => !hasRow(name))).toEqual([]);
});

test.each([
  ['REDIS_AUTH', 'bitterness', true],
  ['ETCD_ROOT_AUTH', 'swordfish', true],
  ['auth', 'password', true],
  ['NEO4J_AUTH', 'none', false],
  ['SMTP_AUTH', 'login', false],
  ['auth', 'ldap', false],
  ['auth', 'admin@file', false],
  ['NEXTAUTH_SALT', 'chili', true],
  ['X_SECONDARY_KEY', 'CAFEBABE', true],
  ['X_PRIMARY_KEY', 'bitterness', true],
  ['ORDERS_PRIMARY_KEY', 'order_id', false],
  ['ORDERS_PRIMARY_KEY', 'id', false],
  ['MAPS_KEY', 'DEADBEEF', true],
  ['MAPS_KEY', 'Region', false],
  ['AZURE_STORAGE_KEY', 'Zm9vYmFy', true],
  ['STORAGE_KEY', 'theme', false],
  ['RABBITMQ_ROUTING_KEY', 'orders.v2', false],
  ['ROUTING_KEY', 'orders-created', false],
  ['routing_key', 'R02BILLING', true],
  ['ADMIN_PIN', '4711', true],
  ['LED_PIN', '13', false],
  ['GPG_KEY', 'E3FF2839C048B25C084DEBE9B26995E310250568', false],
  ['PASSWORD_HASHERS', 'auth.Argon2PasswordHasher', false],
])('%s: %s', (key, value, isSecret) => {
  expect(isSecretEntry(key, value)).toBe(isSecret);
});

test.each([
  'COMMIT_SHA',
  'GIT_COMMIT',
  'VAPID_PUBLIC_KEY',
  'SENTRY_RELEASE',
  'IMAGE_DIGEST',
  'TURNSTILE_SITE_KEY',
  'buildId',
  'UV_HASH',
  'DATA_HASH',
  'sha256sum',
])('%s is a name whose value is meant to be seen', (key) => {
  expect(isOpenName(key)).toBe(true);
});

test.each(['ACCESS_KEY_ID', 'PASSWORD_HASH', 'API_KEY', 'VALID', 'PAID'])('%s is none', (key) => {
  expect(isOpenName(key)).toBe(false);
});
