import { expect, test } from 'vitest';
import { createSecrets, secretSpans, withSpans } from '../../src/export/secrets-of-export.ts';

/** The secrets that an export names: one for each value. */

const used = { names: new Set<string>(), valueOf: () => undefined };

test('one value in several texts has one name, in the environment of the first that has it', () => {
  const secrets = createSecrets(used);
  const nameOf = (value: string, ...parts: string[]) => secrets.nameOf(value, { parts, place: parts.join('.') });
  expect(nameOf('hunter2-hunter2', 'production', 'db', 'POSTGRES_PASSWORD')).toBe('PRODUCTION_DB_POSTGRES_PASSWORD');
  expect(nameOf('hunter2-hunter2', 'production', 'web', 'DB_PASSWORD')).toBe('PRODUCTION_DB_POSTGRES_PASSWORD');
  expect(nameOf('hunter2-hunter2', 'production', 'worker', 'SECRET')).toBe('PRODUCTION_DB_POSTGRES_PASSWORD');
  expect(nameOf('other-hunter2', 'production', 'worker', 'SECRET')).toBe('PRODUCTION_WORKER_SECRET');
  expect(secrets.all().map(({ name, usedBy }) => [name, usedBy.length])).toEqual([
    ['PRODUCTION_DB_POSTGRES_PASSWORD', 3],
    ['PRODUCTION_WORKER_SECRET', 1],
  ]);
});

test('a field that is declared secret gives its name to the texts with its value', () => {
  const secrets = createSecrets(used);
  const field = {
    parts: ['production', 'main', 'databasePassword'],
    place: 'production.postgres.main: databasePassword',
  };
  secrets.declare('hunter2-hunter2', field);
  expect(secrets.nameOf('hunter2-hunter2', { parts: ['production', 'web', 'PW'], place: 'b' })).toBe(
    'PRODUCTION_MAIN_DATABASE_PASSWORD',
  );
  expect(secrets.all().map(({ usedBy }) => usedBy)).toEqual([['b']]);
  expect(secrets.nameOfField('hunter2-hunter2', field)).toBe('PRODUCTION_MAIN_DATABASE_PASSWORD');
});

test('short values prove nothing: each place has a name of its own', () => {
  const secrets = createSecrets(used);
  const names = ['a', 'b'].map((part) => secrets.nameOf('x1y2', { parts: [part, 'TOKEN'], place: part }));
  expect(names).toEqual(['A_TOKEN', 'B_TOKEN']);
});

test('the password of three texts is written with one name', () => {
  const secrets = createSecrets(used);
  const written = (text: string, spans: ReturnType<typeof secretSpans>) =>
    withSpans(text, spans, {
      nameOf: (value, key) => secrets.nameOf(value, { parts: ['production', 'shop', key], place: text }),
      plainly: (plain) => plain,
    });
  const env = 'POSTGRES_PASSWORD=hunter2-hunter2\n# password: see https://example.com/passwords\n';
  const compose = 'environment:\n  DATABASE_URL: postgres://shop:hunter2-hunter2@db/shop # the password is in .env\n';
  const file = 'requirepass hunter2-hunter2\n';
  expect([
    written(env, secretSpans(env, { isEnv: true })),
    written(compose, secretSpans(compose)),
    written(file, secretSpans(file)),
  ]).toEqual([
    env.replace('hunter2-hunter2', '${secret:PRODUCTION_SHOP_POSTGRES_PASSWORD}'),
    compose.replace('hunter2-hunter2', '${secret:PRODUCTION_SHOP_POSTGRES_PASSWORD}'),
    file.replace('hunter2-hunter2', '${secret:PRODUCTION_SHOP_POSTGRES_PASSWORD}'),
  ]);
});
