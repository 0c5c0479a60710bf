/** The name of an image, read: `registry:5000/team/postgres:15.4-alpine@sha256:…`. */
export interface ImageName {
  /** The part before the last one: `bitnami` of `docker.io/bitnami/postgresql`; empty for an official image. */
  readonly owner: string;
  readonly name: string;
  readonly tag: string;
  /** undefined where the tag has none. */
  readonly version: readonly number[] | undefined;
}

/** Images that keep data of one form. Facts of July 2026, from the documentation of each. */
export interface StatefulImage {
  readonly called: string;
  /** Matches the last part of the name, and not that of a tool for it. */
  readonly names: RegExp;
  /** How many numbers of a version decide whether it reads the data of another. */
  readonly major: (version: readonly number[]) => number;
  /** What the data of an older major version need, after the name: `Redis upgrades older data itself`. */
  readonly upgrade: string;
  /** Reports that a newer version of the same major one is still too far away. */
  readonly isTooFar?: (from: readonly number[], to: readonly number[]) => boolean;
  /** Reports that an image of another name reads the data. */
  readonly isReadBy?: (from: ImageName, to: ImageName) => boolean;
  /** The folder of the data; undefined where it is not known. */
  readonly folder: (image: ImageName) => string | undefined;
  /** The folder of the newest version, for an official image without a version. */
  readonly newest?: string;
  /** The variables that move the folder. */
  readonly variables?: readonly string[];
  /** The flags of its command that move the folder, beside `--datadir` and the like. */
  readonly flags?: readonly string[];
}

const first = () => 1;
const firstTwo = () => 2;
/** Before 1.0 the second number is the major one. */
const zeroTwo = ([major = 0]: readonly number[]) => (major === 0 ? 2 : 1);
const always = (path: string) => () => path;
const dump = 'does not read the data of another one: dump them before, and restore them into an empty volume';
const itself = 'upgrades older data itself, and there is no way back: back them up before';
const stepwise = 'upgrades older data one major version at a time, and there is no way back: back them up before';

/** The folder of an image of PostgreSQL. From 18 on each version has one of its own. */
function postgresFolder({ name, version: [major] = [] }: ImageName): string | undefined {
  if (name === 'timescaledb-ha') return '/home/postgres/pgdata/data';
  if (major === undefined || (name === 'timescaledb' && major >= 18)) return undefined;
  return major >= 18 ? `/var/lib/postgresql/${major}/docker` : '/var/lib/postgresql/data';
}

/** The images that Trueup knows to keep data. */
export const statefulImages = {
  postgres: {
    called: 'PostgreSQL',
    names:
      /^(postgres|postgresql|postgis|pgvector|pgvecto-rs|vchord-postgres|timescaledb|timescaledb-ha|percona-distribution-postgresql)$/,
    // Up to 9.6 two numbers were one major version.
    major: ([major = 0]) => (major < 10 ? 2 : 1),
    upgrade: dump,
    folder: postgresFolder,
    newest: '/var/lib/postgresql/18/docker',
    variables: ['PGDATA'],
    // Behind -c it is a word of its own.
    flags: ['-D', 'data_directory', '--data_directory', '--data-directory'],
  },
  mariadb: {
    called: 'MariaDB',
    names: /^(mariadb|mariadb-galera)$/,
    major: firstTwo,
    upgrade: 'upgrades older data with MARIADB_AUTO_UPGRADE=1, and there is no way back: dump them before',
    folder: always('/var/lib/mysql'),
  },
  mysql: {
    called: 'MySQL',
    names: /^(mysql|mysql-server|percona|percona-server)$/,
    major: firstTwo,
    upgrade:
      'upgrades data from one LTS series to the next only: 5.7, 8.0, 8.4, 9.7; there is no way back: dump them before',
    folder: always('/var/lib/mysql'),
  },
  mongo: {
    called: 'MongoDB',
    names: /^(mongo|mongodb|mongodb-community-server|percona-server-mongodb)$/,
    // Up to 4.4 two numbers were one major version.
    major: ([major = 0]) => (major < 5 ? 2 : 1),
    upgrade:
      'upgrades data one major version at a time, and needs featureCompatibilityVersion set after each: dump them before',
    folder: always('/data/db'),
  },
  libsql: {
    called: 'libSQL',
    names: /^(libsql-server|sqld)$/,
    major: zeroTwo,
    upgrade: itself,
    folder: always('/var/lib/sqld'),
  },
  redis: {
    called: 'Redis',
    names: /^(redis|redis-stack|redis-stack-server)$/,
    major: first,
    upgrade: itself,
    // Valkey began as Redis 7.2.4; later versions of Redis write another format.
    isReadBy: ({ version: [major = 8, minor = 9] = [] }, { name, version }) =>
      name === 'valkey' && version !== undefined && (major < 7 || (major === 7 && minor <= 2)),
    folder: always('/data'),
    flags: ['--dir'],
  },
  valkey: {
    called: 'Valkey',
    names: /^(valkey|valkey-bundle)$/,
    major: first,
    upgrade: itself,
    folder: always('/data'),
    flags: ['--dir'],
  },
  elasticsearch: {
    called: 'Elasticsearch',
    names: /^(elasticsearch|elasticsearch-oss|elasticsearch-wolfi)$/,
    major: first,
    upgrade:
      'upgrades data from the last minor version of the major one before it only, and there is no way back: take a snapshot before',
    folder: always('/usr/share/elasticsearch/data'),
    variables: ['path.data'],
  },
  opensearch: {
    called: 'OpenSearch',
    names: /^opensearch$/,
    major: first,
    upgrade: stepwise,
    folder: always('/usr/share/opensearch/data'),
    variables: ['path.data'],
  },
  influxdb: {
    called: 'InfluxDB',
    names: /^influxdb$/,
    major: first,
    upgrade: 'keeps its data in another format and another folder: export them before',
    folder: ({ version: [major] = [] }) => ({ 1: '/var/lib/influxdb', 2: '/var/lib/influxdb2' })[major ?? 0],
    variables: ['INFLUXD_ENGINE_PATH', 'INFLUXD_BOLT_PATH', 'INFLUXDB_DATA_DIR'],
    flags: ['--engine-path', '--bolt-path'],
  },
  neo4j: {
    called: 'Neo4j',
    names: /^neo4j$/,
    // 2025.01 and later are one line, dated.
    major: ([major = 0]) => (major >= 2025 ? 0 : 1),
    upgrade: 'upgrades data of 5.26 and later itself, and those of 4.4 from a dump: dump them before',
    folder: always('/data'),
    variables: ['NEO4J_server_directories_data', 'NEO4J_dbms_directories_data'],
  },
  clickhouse: {
    called: 'ClickHouse',
    names: /^(clickhouse|clickhouse-server)$/,
    // The first number is the year.
    major: first,
    upgrade: 'upgrades data itself, in steps of at most a year: back them up before',
    folder: always('/var/lib/clickhouse'),
  },
  cassandra: {
    called: 'Cassandra',
    names: /^cassandra$/,
    major: first,
    upgrade: stepwise,
    folder: always('/var/lib/cassandra'),
  },
  scylla: {
    called: 'ScyllaDB',
    names: /^scylla$/,
    major: first,
    upgrade: stepwise,
    folder: always('/var/lib/scylla'),
  },
  couchdb: {
    called: 'CouchDB',
    names: /^couchdb$/,
    major: first,
    upgrade: itself,
    folder: always('/opt/couchdb/data'),
  },
  rabbitmq: {
    called: 'RabbitMQ',
    names: /^rabbitmq$/,
    major: first,
    upgrade:
      'starts on data of the version right before it only, with all feature flags enabled there: back up its definitions before',
    folder: always('/var/lib/rabbitmq'),
    variables: ['RABBITMQ_MNESIA_BASE', 'RABBITMQ_MNESIA_DIR'],
  },
  minio: {
    called: 'MinIO',
    names: /^minio$/,
    // Its versions are dates.
    major: () => 0,
    upgrade: itself,
    // The command names it.
    folder: () => undefined,
    variables: ['MINIO_VOLUMES'],
    flags: ['server'],
  },
  meilisearch: {
    called: 'Meilisearch',
    names: /^meilisearch$/,
    major: firstTwo,
    upgrade: dump,
    folder: always('/meili_data'),
    variables: ['MEILI_DB_PATH'],
    flags: ['--db-path'],
  },
  typesense: {
    called: 'Typesense',
    names: /^typesense$/,
    major: zeroTwo,
    upgrade: itself,
    // The command names it.
    folder: () => undefined,
    variables: ['TYPESENSE_DATA_DIR'],
  },
  qdrant: {
    called: 'Qdrant',
    names: /^qdrant$/,
    major: first,
    upgrade: 'upgrades data one minor version at a time: take a snapshot before',
    isTooFar: ([, from = 0], [, to]) => to !== undefined && to > from + 1,
    folder: always('/qdrant/storage'),
    variables: ['QDRANT__STORAGE__STORAGE_PATH'],
  },
  gitea: {
    called: 'Gitea',
    names: /^gitea$/,
    major: first,
    upgrade: itself,
    folder: ({ tag }) => (tag.includes('rootless') ? '/var/lib/gitea' : '/data'),
  },
  forgejo: {
    called: 'Forgejo',
    names: /^forgejo$/,
    major: first,
    upgrade: itself,
    folder: ({ tag }) => (tag.includes('rootless') ? '/var/lib/gitea' : '/data'),
  },
  nextcloud: {
    called: 'Nextcloud',
    names: /^nextcloud$/,
    major: first,
    upgrade: stepwise,
    folder: always('/var/www/html'),
  },
} as const satisfies Record<string, StatefulImage>;

/** The data that an image keeps; undefined for one that is not known to keep any. */
export function statefulImage({ name }: ImageName): StatefulImage | undefined {
  return Object.values<StatefulImage>(statefulImages).find(({ names }) => names.test(name));
}

/** Owners of images of other makers' programs, with a folder and variables of their own. */
export const distributors = /^(bitnami(legacy|secure)?|linuxserver)$/;

/** Where an image keeps its data, unless a variable or a flag names another folder. */
export function folderOf(image: ImageName): string | undefined {
  const { owner, name } = image;
  if (!distributors.test(owner)) return statefulImage(image)?.folder(image);
  return owner === 'linuxserver' ? '/config' : `/bitnami/${name}`;
}

export function readImage(text: string): ImageName {
  const [reference = ''] = text.split('@');
  const parts = reference.split('/');
  const [name = '', tag = ''] = (parts.at(-1) ?? '').split(':');
  // A name such as postgresql-16 holds the version; the tag is then that of the build.
  return { owner: parts.at(-2) ?? '', name, tag, version: /-\d/.test(name) ? undefined : versionIn(tag) };
}

/** The numbers of `15.4` in `15.4`, `v15.4-alpine`, `pg15.4`, `2.14.2-pg15.4` and `RELEASE.2025-04-22T…`. */
function versionIn(tag: string): readonly number[] | undefined {
  const date = /^RELEASE\.(\d{4}-\d{2}-\d{2})T/.exec(tag)?.[1]?.replaceAll('-', '.');
  const named = /(?:^|[-_.])pg-?(\d+(?:\.\d+)*)/i.exec(tag)?.[1];
  const leading = /^v?(\d+(?:\.\d+)*)(?=$|[-_+]|(?:alpha|beta|rc)\d)/i.exec(tag)?.[1];
  return (date ?? named ?? leading)?.split('.').map(Number);
}
