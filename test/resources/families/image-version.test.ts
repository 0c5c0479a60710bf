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
    expect(risk(kind, before, after)?.replace(/ \(\w+ [^()]+\)$/, '')).toBe(`${after} is ${words} ${before}`);
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

describe('an image of a compose file or an application: another major version', () => {
  test.each([
    ['mysql:8.0', 'mysql:8.4', 'MySQL upgrades data from one LTS series to the next'],
    ['percona/percona-server:8.0', 'percona/percona-server:8.4', 'MySQL upgrades'],
    ['mongo:6.0', 'mongo:7.0', 'MongoDB upgrades data one major version at a time'],
    ['mongo:4.2', 'mongo:4.4', 'MongoDB upgrades'],
    ['mongo:8', 'mongo:7', 'MongoDB does not read what a newer version wrote'],
    ['bitnami/postgresql:15', 'bitnamilegacy/postgresql:16', 'PostgreSQL does not read the data of another one'],
    ['postgis/postgis:16-3.4', 'postgis/postgis:17-3.5', 'PostgreSQL does not read'],
    ['timescale/timescaledb:2.14.2-pg15', 'timescale/timescaledb:2.14.2-pg16', 'PostgreSQL does not read'],
    ['valkey/valkey:8.1', 'valkey/valkey:9', 'Valkey upgrades older data itself'],
    ['elasticsearch:8.19.3', 'docker.elastic.co/elasticsearch/elasticsearch:9.1.0', 'Elasticsearch upgrades data from'],
    [
      'opensearchproject/opensearch:1.3.20',
      'opensearchproject/opensearch:2.19.1',
      'OpenSearch upgrades older data one',
    ],
    ['influxdb:2.7-alpine', 'influxdb:3-core', 'InfluxDB keeps its data in another format'],
    ['neo4j:4.4', 'neo4j:5.26-community', 'Neo4j upgrades'],
    ['neo4j:5', 'neo4j:2025.06.0', 'Neo4j upgrades'],
    [
      'clickhouse/clickhouse-server:24.8-alpine',
      'clickhouse/clickhouse-server:25.3',
      'ClickHouse upgrades data itself',
    ],
    ['cassandra:4.1', 'cassandra:5.0', 'Cassandra upgrades older data one major version at a time'],
    ['rabbitmq:3.13-management', 'rabbitmq:4-management', 'RabbitMQ starts on data of the version right before'],
    ['getmeili/meilisearch:v1.12', 'getmeili/meilisearch:v1.13.3', 'Meilisearch does not read the data of another one'],
    ['typesense/typesense:0.25.2', 'typesense/typesense:27.1', 'Typesense upgrades older data itself'],
    ['qdrant/qdrant:v0.11.7', 'qdrant/qdrant:v1.0.0', 'Qdrant upgrades data one minor version at a time'],
    [
      'codeberg.org/forgejo/forgejo:9',
      'codeberg.org/forgejo/forgejo:10-rootless',
      'Forgejo upgrades older data itself',
    ],
    ['nextcloud:29-apache', 'nextcloud:30-fpm', 'Nextcloud upgrades older data one major version at a time'],
  ])('%s -> %s', (before, after, words) => {
    expect(databaseRisk(before, after)?.what).toContain(`${after} is another major version than ${before} (${words}`);
    expect(databaseRisk(before, after)?.unnamed).toContain(`the image is another major version (${words}`);
  });
});

describe('an image of a compose file or an application: other reasons', () => {
  test.each([
    ['postgres:16', 'an image that is built', 'it is not known whether an image that is built can read'],
    ['elasticsearch:7.17.9', 'opensearchproject/opensearch:1.3.20', 'it is not known'],
    ['redis:7.4', 'valkey/valkey:8', 'it is not known'],
    ['valkey/valkey:8', 'redis:8', 'it is not known'],
    ['influxdb:2.7', 'influxdb', 'it is not known'],
    ['gitea/gitea:1.22', 'gitea/gitea:1.21', 'is older than'],
    ['neo4j:2026.01', 'neo4j:2025.12', 'is older than'],
    ['minio/minio:RELEASE.2025-04-22T22-12-26Z', 'minio/minio:RELEASE.2024-01-01T00-00-00Z', 'is older than'],
    ['qdrant/qdrant:v1.15.4', 'qdrant/qdrant:v1.17.0', 'is more than one step after'],
  ])('%s -> %s: %s', (before, after, words) => {
    expect(databaseRisk(before, after)?.what).toContain(words);
  });
});

describe('an image of a compose file or an application that reads the data, or keeps none', () => {
  test.each([
    ['mysql:8.0.36', 'mysql:8.0.39'],
    ['mongo:latest', 'mongo:latest'],
    ['mongo:7', 'mongo:7.0.14-jammy'],
    ['elasticsearch:8.11.1', 'elasticsearch:8.19.3'],
    ['influxdb:2.6', 'influxdb:2.7-alpine'],
    ['neo4j:2025.06.0', 'neo4j:2026.01-enterprise'],
    ['clickhouse/clickhouse-server:24.3', 'clickhouse/clickhouse-server:24.8'],
    ['cassandra:4.0', 'cassandra:4.1'],
    ['rabbitmq:4.0', 'rabbitmq:4.2-management-alpine'],
    ['minio/minio:RELEASE.2024-01-01T00-00-00Z', 'minio/minio:RELEASE.2025-04-22T22-12-26Z'],
    ['getmeili/meilisearch:v1.13.1', 'getmeili/meilisearch:v1.13.3'],
    ['qdrant/qdrant:v1.15.4', 'qdrant/qdrant:v1.16.0'],
    ['gitea/gitea:1.21', 'gitea/gitea:1.24-rootless'],
    ['nextcloud:30', 'nextcloud:30.0.4-apache'],
    ['redis:7.2-alpine', 'valkey/valkey:8.1'],
    ['redis:6', 'valkey/valkey:7.2'],
    ['nginx:1.27', 'nginx:2.0'],
    ['n8nio/n8n:1.80', 'n8nio/n8n:2.0'],
    ['dpage/pgadmin4:8', 'dpage/pgadmin4:9'],
    ['prometheuscommunity/postgres-exporter:v0.15.0', 'prometheuscommunity/postgres-exporter:v0.16.0'],
    ['redis/redisinsight:2', 'redis/redisinsight:latest'],
    ['mongo-express:1.0', 'mongo-express:2.0'],
    ['docker.elastic.co/kibana/kibana:8.1', 'docker.elastic.co/kibana/kibana:9.1'],
    ['gitea/act_runner:0.2', 'gitea/act_runner:1.0'],
    ['minio/mc:RELEASE.2025-04-22T22-12-26Z', 'minio/mc:latest'],
    ['an image that is built', 'postgres:16'],
  ])('%s -> %s', (before, after) => {
    expect(databaseRisk(before, after)).toBeUndefined();
  });
});

test('a database that had no image yet has no data', () => {
  expect(risk('postgres', '', 'postgres:16')).toBeUndefined();
});
