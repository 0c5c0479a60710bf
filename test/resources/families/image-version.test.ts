import { describe, expect, test } from 'vitest';
import { databaseRisk } from '../../../src/resources/families/image-version.ts';
import { kindNamed } from '../../support/plan-values.ts';

/** Whether an image of a database reads the data that another one wrote, by their tags. */

/** What a new image puts at risk, of a kind of database. */
function risk(kind: string, before: string, after: string): string | undefined {
  const image = kindNamed(kind).lifecycle?.changeAtRisk?.version?.dockerImage;
  return image?.({ before, after, row: {}, next: {}, parent: { row: {}, next: {} } })?.what.replace(
    /^the data of this database, because /,
    '',
  );
}

const digest = (letter: string) => `@sha256:${letter.repeat(64)}`;

describe('an image that reads the data asks for nothing', () => {
  test.each([
    ['postgres', 'postgres:15', 'postgres:15-alpine'],
    ['postgres', 'postgres:15', 'postgres:15.4'],
    ['postgres', 'postgres:15.4', 'postgres:15'],
    ['postgres', 'postgres:15.4', 'postgres:15.10'],
    ['postgres', 'postgres:15.4.0-bookworm', 'postgres:15.4.1-bookworm'],
    ['postgres', 'postgres:9.6.1', 'postgres:9.6.24'],
    ['postgres', 'postgres:18beta1', 'postgres:18rc2'],
    ['postgres', 'postgres:15', 'docker.io/library/postgres:v15'],
    ['postgres', 'postgres:15', 'registry.example.com:5000/db/postgres:15'],
    ['postgres', 'postgres:16', 'pgvector/pgvector:pg16'],
    ['postgres', 'postgres:16', 'pgvector/pgvector:0.7.0-pg16'],
    ['postgres', 'timescale/timescaledb:2.14.2-pg15', 'timescale/timescaledb:2.15.0-pg15'],
    ['postgres', 'postgis/postgis:15-3.3', 'postgis/postgis:15-3.4'],
    ['postgres', 'bitnami/postgresql:15.4.0-debian-11-r0', 'bitnami/postgresql:15.5.0-debian-11-r9'],
    ['postgres', `postgres:15${digest('a')}`, `postgres:15${digest('b')}`],
    ['postgres', `localhost:5000/postgres:15${digest('a')}`, 'localhost:5000/postgres:15'],
    ['postgres', 'example.com/shop-db:15.1', 'mirror.example.com/shop-db:15.2'],
    ['mariadb', 'mariadb:10.11', 'mariadb:10.11.8-jammy'],
    ['mariadb', 'mariadb:11', 'mariadb:11-noble'],
    ['redis', 'redis:7', 'redis:7.4-alpine'],
    ['redis', 'redis:7.2', 'redis:7.4'],
  ])('%s: %s -> %s', (kind, before, after) => {
    expect(risk(kind, before, after)).toBeUndefined();
  });
});

describe('another version asks', () => {
  test.each([
    ['postgres', 'postgres:15', 'postgres:16', 'another major version than'],
    ['postgres', 'postgres:16', 'postgres:15', 'another major version than'],
    ['postgres', 'postgres:15-alpine', 'postgres:16-alpine', 'another major version than'],
    ['postgres', 'postgres:9.5', 'postgres:9.6', 'another major version than'],
    ['postgres', 'postgres:9.6', 'postgres:10', 'another major version than'],
    ['postgres', 'localhost:5000/postgres:15', 'localhost:5000/postgres:16', 'another major version than'],
    ['postgres', 'pgvector/pgvector:pg15', 'pgvector/pgvector:pg16', 'another major version than'],
    ['postgres', 'pgvector/pgvector:0.8.0-pg15', 'pgvector/pgvector:0.8.0-pg-16', 'another major version than'],
    ['postgres', `postgres:15${digest('a')}`, `postgres:16${digest('a')}`, 'another major version than'],
    ['postgres', 'postgres:15.4', 'postgres:15.3', 'older than'],
    ['postgres', 'postgres:15.10', 'postgres:15.9', 'older than'],
    ['postgres', 'example.com/shop-db:15', 'example.com/shop-db:16', 'another major version than'],
    ['mariadb', 'mariadb:10.6', 'mariadb:10.11', 'another major version than'],
    ['mariadb', 'mariadb:10.11', 'mariadb:11', 'another major version than'],
    ['mariadb', 'mariadb:10.11.9', 'mariadb:10.11.8', 'older than'],
    ['redis', 'redis:7.4', 'redis:8.0', 'another major version than'],
    ['redis', 'redis:7.4', 'redis:7.2', 'older than'],
  ])('%s: %s -> %s', (kind, before, after, words) => {
    expect(risk(kind, before, after)).toBe(`${after} is ${words} ${before}`);
  });
});

describe('a version that is not known asks', () => {
  test.each([
    ['postgres', 'postgres:15', 'postgres'],
    ['postgres', 'postgres', 'postgres:15'],
    ['postgres', 'postgres:15', 'postgres:latest'],
    ['postgres', 'postgres:15', 'postgres:alpine'],
    ['postgres', 'postgres:15', 'postgres:3f2ab1c'],
    ['postgres', 'postgres:9', 'postgres:9.6'],
    ['postgres', 'postgres:15', 'localhost:5000/postgres'],
    ['postgres', `postgres${digest('a')}`, `postgres${digest('b')}`],
    ['postgres', 'postgres:15', `postgres${digest('a')}`],
    ['postgres', 'rhel9/postgresql-15:1-28', 'rhel9/postgresql-16:1-28'],
    ['postgres', 'postgres:16', 'mariadb:16'],
    ['postgres', 'postgres:15', 'postgres:'],
    ['mariadb', 'mariadb:11', 'mariadb:11.4'],
    ['mariadb', 'mariadb:11.4', 'mariadb:11'],
    ['mariadb', 'mariadb:11.4', 'mysql:11.4'],
    ['redis', 'redis:8', 'valkey/valkey:8'],
  ])('%s: %s -> %s', (kind, before, after) => {
    expect(risk(kind, before, after)).toBe(`it is not known whether ${after} can read what ${before} wrote`);
  });
});

describe('an image of a compose file or an application', () => {
  test.each([
    ['mysql:8.0', 'mysql:8.4', 'mysql:8.4 is another major version than mysql:8.0'],
    ['mongo:6.0', 'mongo:7.0', 'mongo:7.0 is another major version than mongo:6.0'],
    [
      'postgres:16',
      'an image that is built',
      'it is not known whether an image that is built can read what postgres:16 wrote',
    ],
    ['mysql:8.0.36', 'mysql:8.0.39', undefined],
    ['mongo:latest', 'mongo:latest', undefined],
    ['nginx:1.27', 'nginx:2.0', undefined],
    ['dpage/pgadmin4:8', 'dpage/pgadmin4:9', undefined],
    ['prometheuscommunity/postgres-exporter:v0.15.0', 'prometheuscommunity/postgres-exporter:v0.16.0', undefined],
    ['redis/redisinsight:2', 'redis/redisinsight:latest', undefined],
    ['an image that is built', 'postgres:16', undefined],
  ])('%s -> %s', (before, after, reason) => {
    expect(databaseRisk(before, after)?.what).toBe(reason);
  });
});

test('a database that had no image yet has no data', () => {
  expect(risk('postgres', '', 'postgres:16')).toBeUndefined();
});
