import { describe, expect, test } from 'vitest';
import { type Container, isDataFolder, movedData, unkeptData } from '../../../src/resources/families/data-folder.ts';
import { showing } from '../../../src/secrets/looks-secret.ts';

/** Where containers look for their data. */

/** A container, of `source:target[:ro]` or `tmpfs:target`, `NAME=value` and a command. */
function container(image: string, mounts: readonly string[], words: readonly string[] = []): Container {
  return {
    image,
    mounts: mounts.map((text) => {
      const [source = '', target = '', mode] = text.split(':');
      const type = source === 'tmpfs' ? 'tmpfs' : /^[./]/.test(source) ? 'bind' : 'volume';
      return { type, source: type === 'tmpfs' ? undefined : source, target, isReadOnly: mode === 'ro' };
    }),
    environment: new Map(
      words.filter((word) => /^\w+=/.test(word)).map((word) => word.split('=') as unknown as [string, string]),
    ),
    command: words.filter((word) => !/^\w+=/.test(word)),
  };
}

const pgdata = '/var/lib/postgresql/data';

/** A container that also takes variables from a file that is not known. */
function withFile(one: Container): Container {
  return { ...one, unread: { files: ['/srv/db.env'], besides: new Set(one.environment.keys()) } };
}

describe('data that a container looks for elsewhere', () => {
  test.each<[string, Container, Container, string]>([
    [
      'PGDATA below the volume',
      container('postgres:16', [`pg:${pgdata}`]),
      container('postgres:16', [`pg:${pgdata}`], [`PGDATA=${pgdata}/pgdata`]),
      'PGDATA names another folder for them',
    ],
    [
      'PGDATA is removed',
      container('postgis/postgis:16-3.4', [`../files/pg:${pgdata}`], [`PGDATA=${pgdata}/pgdata`]),
      container('postgis/postgis:16-3.4', [`../files/pg:${pgdata}`]),
      'PGDATA names another folder for them',
    ],
    [
      '-D of PostgreSQL',
      container('postgres:16', [`pg:${pgdata}`]),
      container('postgres:16', [`pg:${pgdata}`], ['postgres', '-D', '/srv/pg']),
      '-D names another folder for them',
    ],
    [
      '--dbpath',
      container('mongo:7', ['m:/data'], ['mongod', '--dbpath', '/data/db']),
      container('mongo:7', ['m:/data'], ['mongod', '--dbpath=/data/db7']),
      '--dbpath names another folder for them',
    ],
    [
      '--data-dir of a program that is not known',
      container('quay.io/coreos/etcd:v3.5.9', ['e:/etcd'], ['etcd', '--data-dir=/etcd/a']),
      container('quay.io/coreos/etcd:v3.5.9', ['e:/etcd'], ['etcd', '--data-dir=/etcd/b']),
      '--data-dir names another folder for them',
    ],
    [
      'the folder of MinIO',
      container('minio/minio', ['m:/data'], ['server', '/data', '--console-address', ':9001']),
      container('minio/minio', ['m:/data'], ['server', '/export', '--console-address', ':9001']),
      'server names another folder for them',
    ],
    [
      'another image',
      container('postgres:17', [`pg:${pgdata}`]),
      container('postgres:18', [`pg:${pgdata}`]),
      'postgres:18 keeps them in /var/lib/postgresql/18/docker, where nothing is mounted',
    ],
    [
      'a rootless image',
      container('gitea/gitea:1.22', ['g:/data']),
      container('gitea/gitea:1.22-rootless', ['g:/data']),
      'gitea/gitea:1.22-rootless keeps them in /var/lib/gitea, where nothing is mounted',
    ],
    [
      'memory over a volume',
      container('mysql:8.4', ['my:/var/lib/mysql']),
      container('mysql:8.4', ['my:/var/lib/mysql', 'tmpfs:/var/lib/mysql']),
      'memory covers their folder',
    ],
  ])('%s', (_, before, after, what) => {
    expect(movedData(before, after)?.what).toBe(what);
  });

  test.each<[string, Container, Container]>([
    [
      'PGDATA as the image has it',
      container('postgres:16', [`pg:${pgdata}`]),
      container('postgres:16', [`pg:${pgdata}`], [`PGDATA=${pgdata}/`]),
    ],
    [
      'PGDATA keeps the folder of 17',
      container('postgres:17', [`pg:${pgdata}`]),
      container('postgres:18', [`pg:${pgdata}`], [`PGDATA=${pgdata}`]),
    ],
    [
      'a flag in two words',
      container('mariadb:11', ['my:/var/lib/mysql'], ['--datadir=/var/lib/mysql']),
      container('mariadb:11', ['my:/var/lib/mysql'], ['--datadir', '/var/lib/mysql']),
    ],
    [
      'data that nothing keeps',
      container('postgres:16', ['./init.sql:/docker-entrypoint-initdb.d/init.sql:ro']),
      container('postgres:16', [], ['PGDATA=/srv']),
    ],
    [
      '-D of another program',
      container('elasticsearch:8.11.1', ['es:/usr/share/elasticsearch/data']),
      container('elasticsearch:8.11.1', ['es:/usr/share/elasticsearch/data'], ['-D', '/tmp']),
    ],
    [
      'PGDATA of another program',
      container('nginx:1.27', ['web:/srv']),
      container('nginx:1.28', ['web:/srv'], ['PGDATA=/tmp']),
    ],
    [
      'memory elsewhere',
      container('mysql:8.4', ['my:/var/lib/mysql']),
      container('mysql:8.4', ['my:/var/lib/mysql', 'tmpfs:/tmp']),
    ],
    [
      'a volume that goes is another loss',
      container('mysql:8.4', ['my:/var/lib/mysql']),
      container('mysql:8.4', ['other:/var/lib/mysql']),
    ],
  ])('%s: not', (_, before, after) => {
    expect(movedData(before, after)).toBeUndefined();
  });
});

describe('a mount where PostgreSQL kept its data before 18', () => {
  test.each<[Container, number]>([
    [container('postgres:18', [`pg:${pgdata}`]), 18],
    [container('postgres:19.1-alpine', [`pg:${pgdata}`]), 19],
    [container('pgvector/pgvector:0.8.1-pg18', [`pg:${pgdata}`]), 18],
    [container('postgis/postgis:18-3.6', [`../files/pg:${pgdata}`]), 18],
    [container('postgres:18', [`pg:${pgdata}`, 'all:/var/lib/postgresql']), 18],
  ])('%j', (one, version) => {
    expect(unkeptData('db', one, showing())).toMatchObject([
      { fails: true, message: expect.stringContaining(`db does not start: PostgreSQL ${version} refuses`) as string },
    ]);
  });

  test.each<[Container]>([
    [container('postgres:17', [`pg:${pgdata}`])],
    [container('postgres:18', ['pg:/var/lib/postgresql'])],
    [container('postgres:18', [`pg:${pgdata}`], [`PGDATA=${pgdata}`])],
    [container('postgres:18', [`pg:${pgdata}/pgdata`, 'all:/var/lib/postgresql'])],
    [container('bitnamilegacy/postgresql:18', [`pg:${pgdata}`, 'b:/bitnami/postgresql'])],
    [withFile(container('postgres:18', [`pg:${pgdata}`]))],
  ])('%j starts', (one) => {
    expect(unkeptData('db', one, showing())).toEqual([]);
  });

  test('a file of variables tells nothing of an image that takes its folder from none', () => {
    const one = withFile(container('redis:7', ['r:/var/lib/redis']));
    expect(unkeptData('db', one, showing())).toMatchObject([{ code: 'unkept-data' }]);
    expect(movedData(container('redis:7', ['r:/data']), withFile(container('redis:7', ['r:/data'])))).toBeUndefined();
  });
});

describe('a volume beside the folder of the data', () => {
  test.each<[Container, string]>([
    [container('postgres:18', ['pg:/var/lib/pg']), '/var/lib/postgresql/18/docker'],
    [container('pgvector/pgvector:0.8.1-pg18', ['pg:/data']), '/var/lib/postgresql/18/docker'],
    [container('postgres:alpine', [`pg:${pgdata}`]), '/var/lib/postgresql/18/docker'],
    [container('docker.io/library/postgres', [`pg:${pgdata}`]), '/var/lib/postgresql/18/docker'],
    [container('postgres:16', ['pg:/var/lib/postgres']), pgdata],
    [withFile(container('postgres:16', [`pg:${pgdata}`], ['PGDATA=/srv/pg'])), '/srv/pg'],
    [container('postgres:16', [`pg:${pgdata}`], ['PGDATA=/srv/pg']), '/srv/pg'],
    [container('timescale/timescaledb-ha:pg16', [`pg:${pgdata}`]), '/home/postgres/pgdata/data'],
    [container('bitnamilegacy/postgresql:16', [`pg:${pgdata}`]), '/bitnami/postgresql'],
    [container('influxdb:2.7', ['i:/var/lib/influxdb']), '/var/lib/influxdb2'],
    [container('mongo:7', ['m:/var/lib/mongodb', 'c:/data/configdb']), '/data/db'],
    [container('redis:7', ['r:/var/lib/redis']), '/data'],
    [container('getmeili/meilisearch:v1.13', ['m:/data.ms']), '/meili_data'],
  ])('%j', (one, folder) => {
    expect(unkeptData('db', one, showing()).map(({ message }) => message)).toEqual([
      `db keeps its data in ${folder}, where nothing is mounted: they go with the container`,
    ]);
  });

  test.each<[Container]>([
    [container('postgres:18', ['pg:/var/lib/postgresql'])],
    [container('postgres:18', ['pg:/var/lib/postgresql/18'])],
    [container('postgres:18', [`pg:${pgdata}`], [`PGDATA=${pgdata}`])],
    [container('postgres:18', [`pg:${pgdata}`], ['PGDATA=${PGDATA}'])],
    [container('postgres:17-alpine', [`pg:${pgdata}`])],
    [withFile(container('postgres:17', ['pg:/srv/pg']))],
    [container('postgres:${TAG}', [`pg:${pgdata}`])],
    [container(`postgres@sha256:${'a'.repeat(64)}`, [`pg:${pgdata}`])],
    [container('supabase/postgres:latest', [`pg:${pgdata}`])],
    [container('postgres:16', ['./init:/docker-entrypoint-initdb.d:ro'])],
    [container('postgres:16', ['backups:/backups', 'logs:/var/log/postgresql'])],
    [container('redis:7', ['./redis.conf:/usr/local/etc/redis/redis.conf', 'r:/var/lib/redis'])],
    [container('redis:7', ['r:/var/lib/redis'], ['redis-server', '--dir', '/var/lib/redis'])],
    [container('bitnami/redis:7.2', ['r:/bitnami/redis/data'])],
    [container('lscr.io/linuxserver/mariadb:11', ['m:/config'])],
    [container('elasticsearch:8.19.3', ['certs:/usr/share/elasticsearch/config/certs'])],
    [container('nextcloud:30', ['d:/var/www/html/data'])],
    [container('minio/minio', ['m:/srv'], ['server', '/srv'])],
    [container('minio/minio', ['m:/srv'])],
    [container('nginx:1.27', ['web:/srv'])],
  ])('%j: not', (one) => {
    expect(unkeptData('db', one, showing())).toEqual([]);
  });
});

test.each([
  ['/srv/web', '/srv', true],
  ['../files/pg', pgdata, true],
  ['./uploads', '/app/uploads', true],
  ['/srv/app.conf', '/app/app.conf', false],
  ['../files/nginx', '/etc/nginx', false],
  ['./migrations', '/docker-entrypoint-initdb.d', false],
  ['/var/run/docker.sock', '/var/run/docker.sock', false],
  ['/proc', '/host/proc', false],
])('%s at %s may hold data: %s', (source, target, isData) => {
  expect(isDataFolder({ type: 'bind', source, target })).toBe(isData);
  expect(isDataFolder({ type: 'bind', source, target, isReadOnly: true })).toBe(false);
  expect(isDataFolder({ type: 'volume', source, target })).toBe(false);
});
