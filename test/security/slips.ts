import type { safeguards } from '../../src/diagnostics/safeguards.ts';

/** Edits of one manifest that a person makes by mistake, and harmless ones beside them. */

/** A block or a section of the manifest, as YAML reads it; the edits know what is in it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Tree = any;

export interface Edit {
  /** What the person does; docs/safety.md lists it. */
  readonly does: string;
  readonly edit: (production: Tree, manifest: Tree) => void;
  /** An edit that was applied before, with all permissions. */
  readonly after?: (production: Tree, manifest: Tree) => void;
  /** What happened on the platform before the edit. */
  readonly meanwhile?: (tables: Tree) => void;
}

export interface Slip extends Edit {
  /** The safeguard that stops it. */
  readonly by: keyof typeof safeguards;
}

const composeFile = (volumes: string, mounts: string, image = 'postgres:15') =>
  `services:\n  db:\n    image: ${image}\n    volumes: [${mounts}]\nvolumes: ${volumes}\n`;

/** A compose file with variables, in the block of a compose. */
const withVariables = (env: Tree, image = 'postgres:${PG}') => ({
  source: {
    type: 'raw',
    composeFile: composeFile('{ data: { name: "${VOL}" } }', '"data:/var/lib/postgresql/data"', image),
  },
  env: typeof env === 'string' ? env : { ...env },
});

const variables = { PG: '17', VOL: 'notes' };

/** An environment with a variable that an expression of the platform puts into a compose file. */
const ofEnvironment = (all: Tree): void => {
  all.env = { PGX: '17' };
  all.compose.shop = withVariables({ PG: '${{environment.PGX}}', VOL: 'notes' });
};

/** PostgreSQL as an application, with a volume for its data. */
const postgresApplication = (env: Tree, at = '/var/lib/postgresql/data') => ({
  source: { type: 'docker', image: 'postgres:16' },
  env: { ...env },
  mounts: { [at]: { type: 'volume', volumeName: 'pg' } },
});

const original = composeFile('{ data: {} }', '"data:/var/lib/postgresql/data"');

/** A compose file that keeps data in a folder of the host. */
const ofFolder = (folder: string, image = 'postgres:15') =>
  composeFile('{}', `"${folder}:/var/lib/postgresql/data"`, image);

const raw = (text: string) => ({ type: 'raw', composeFile: text });

/** A compose file with a mount in the long form. */
const ofLongMount = (mount: string) => composeFile('{ data: {} }', `{ ${mount}, target: /var/lib/postgresql/data }`);
const ofSubpath = (subpath: string, more = '') =>
  ofLongMount(`type: volume, source: data, volume: { subpath: ${subpath}${more} }`);

/** A compose whose database has a line more. */
const passingOn = (line: string, env: Tree) => ({
  source: raw(original.replace('    image:', `    ${line}\n    image:`)),
  env: { ...env },
});

/** A compose file with two databases, and where they keep their data. */
const twoDatabases = (first: string, second: string, volumes = '{ one: {}, two: {} }') =>
  `services:\n${[first, second].map((source, index) => `  db${index}: { image: "postgres:15", volumes: ["${source}:/var/lib/postgresql/data"] }\n`).join('')}volumes: ${volumes}\n`;

/** A compose whose database takes variables from files that stand beside it, by their paths. */
const takingFrom = (files: Readonly<Record<string, string>>, line = 'env_file: ../files/db.env') => ({
  ...passingOn(line, {}),
  files: Object.fromEntries(Object.entries(files).map(([path, content]) => [path, { content }])),
});

const inA = 'PGDATA=/var/lib/postgresql/data/a\n';
const inB = 'PGDATA=/var/lib/postgresql/data/b\n';

const ofData = '"data:/var/lib/postgresql/data"';

/** A compose file with a database, and a tool that mounts its volume too. */
const withTool = (name: string, toolMounts: string, image = 'postgres:15') =>
  `services:\n  tool: { image: alpine, volumes: [${toolMounts}] }\n  ${name}: { image: "${image}", volumes: ["data:/var/lib/postgresql/data"] }\nvolumes: { data: {}, dumps: {} }\n`;

/** A compose file with a volume that a merge key brings. */
const merged = (volume: string) =>
  `x-v: &v { volumes: ["${volume}:/db"] }\nservices: { db: { <<: *v, image: a } }\nvolumes: { ${volume}: {} }\n`;

/** The manifest before the edit. */
export function beforeSlips(): Tree {
  const database = { databaseName: 'shop', databaseUser: 'shop', databasePassword: 'correct-horse-1' };
  const backup = { schedule: '0 3 * * *', prefix: 'ledger/', destinationId: 'dst_1', keepLatestCount: 14 };
  const copy = {
    volumeName: 'scans',
    cronExpression: '30 3 * * *',
    prefix: 'scans/',
    destinationId: 'dst_1',
    keepLatestCount: 7,
  };
  return {
    trueup: 1,
    platform: 'emulator',
    project: 'prj_1',
    environments: {
      production: {
        postgres: {
          main: {
            ...database,
            dockerImage: 'postgres:15.4',
            mounts: { '/extra': { type: 'volume', volumeName: 'extra' } },
            backups: { nightly: { ...backup, prefix: 'main/' } },
          },
          ledger: {
            ...database,
            dockerImage: 'registry.example.com:5000/pgvector:pg15',
            protect: true,
            backups: { nightly: backup, all: { ...backup, prefix: 'all/', keepLatestCount: null } },
            volumeBackups: { scans: copy },
          },
        },
        mariadb: { stock: { ...database, databaseRootPassword: 'correct-horse-2', dockerImage: 'mariadb:10.11' } },
        redis: { cache: { databasePassword: 'correct-horse-1', dockerImage: 'redis:8.2-alpine', serverId: 'srv_1' } },
        application: {
          web: {
            serverId: 'srv_1',
            source: { type: 'docker', image: 'nginx:1.27' },
            mounts: {
              '/uploads': { type: 'volume', volumeName: 'uploads' },
              '/srv': { type: 'bind', hostPath: '/srv/web' },
            },
          },
          plain: { source: { type: 'docker', image: 'nginx:1.27' } },
        },
        compose: {
          shop: { source: { type: 'raw', composeFile: original } },
          tools: { serverId: 'srv_1', source: { type: 'raw', composeFile: 'services: { web: { image: nginx } }' } },
          old: { deleteVolumes: true, source: { type: 'raw', composeFile: 'services: { web: { image: nginx } }' } },
        },
      },
      staging: { redis: { cache: { databasePassword: 'correct-horse-1', dockerImage: 'redis:8' } } },
    },
  };
}

/** Gives a key of a map another name. */
function rename(map: Tree, from: string, to: string): void {
  map[to] = map[from];
  delete map[from];
}

/** Edits that lose data. */
export const slips: readonly Slip[] = [
  {
    does: 'the block of a stack is removed, and its id belongs to another one now',
    by: 'another object',
    meanwhile: ({ compose }) => {
      const tools = Object.values<Tree>(compose).find(({ name }) => name === 'tools');
      Object.assign(tools, { name: 'billing', serverId: null, composeFile: 'services: { b: { image: b } }' });
    },
    edit: (all) => delete all.compose.tools,
  },
  // Databases
  { does: 'the block of a PostgreSQL database is removed', by: 'data', edit: (all) => delete all.postgres.main },
  { does: 'the block of a MariaDB database is removed', by: 'data', edit: (all) => delete all.mariadb },
  { does: 'the block of a Redis database is removed', by: 'data', edit: (all) => delete all.redis.cache },
  {
    does: 'the key of a database is renamed without `moved:`',
    by: 'data',
    edit: (all) => rename(all.postgres, 'main', 'primary'),
  },
  {
    does: 'an environment with a database is removed',
    by: 'data',
    edit: (_, { environments }) => delete environments.staging,
  },
  {
    does: 'an environment is renamed without `moved:`',
    by: 'data',
    edit: (_, { environments }) => rename(environments, 'staging', 'preview'),
  },
  {
    does: '`databaseName:` of a PostgreSQL database is corrected',
    by: 'data',
    edit: (all) => (all.postgres.main.databaseName = 'store'),
  },
  {
    does: '`databaseUser:` of a MariaDB database is corrected',
    by: 'data',
    edit: (all) => (all.mariadb.stock.databaseUser = 'store'),
  },
  { does: 'a database gets another `serverId:`', by: 'data', edit: (all) => (all.redis.cache.serverId = 'srv_2') },
  // Versions
  {
    does: 'the image of a database goes from `postgres:15.4` to `postgres:16`',
    by: 'version',
    edit: (all) => (all.postgres.main.dockerImage = 'postgres:16'),
  },
  {
    does: 'the image goes back to `postgres:14-alpine`',
    by: 'version',
    edit: (all) => (all.postgres.main.dockerImage = 'postgres:14-alpine'),
  },
  {
    does: 'the image goes back to `postgres:15.2`',
    by: 'version',
    edit: (all) => (all.postgres.main.dockerImage = 'postgres:15.2'),
  },
  {
    does: 'the image loses its tag: `postgres`',
    by: 'version',
    edit: (all) => (all.postgres.main.dockerImage = 'postgres'),
  },
  {
    does: 'the image becomes `postgres:latest`',
    by: 'version',
    edit: (all) => (all.postgres.main.dockerImage = 'postgres:latest'),
  },
  {
    does: 'the image is pinned by a digest only',
    by: 'version',
    edit: (all) => (all.postgres.main.dockerImage = `postgres@sha256:${'a'.repeat(64)}`),
  },
  {
    does: 'the image becomes that of another database, `mysql:15.4`',
    by: 'version',
    edit: (all) => (all.postgres.main.dockerImage = 'mysql:15.4'),
  },
  {
    does: 'an image of a registry with a port goes from `pgvector:pg15` to `pgvector:pg16`',
    by: 'version',
    edit: (all) => (all.postgres.ledger.dockerImage = 'registry.example.com:5000/pgvector:pg16'),
  },
  {
    does: 'an image goes from `mariadb:10.11` to `mariadb:11.4`',
    by: 'version',
    edit: (all) => (all.mariadb.stock.dockerImage = 'mariadb:11.4'),
  },
  {
    does: 'an image goes from `redis:8.2-alpine` to `redis:7.4-alpine`',
    by: 'version',
    edit: (all) => (all.redis.cache.dockerImage = 'redis:7.4-alpine'),
  },
  {
    does: 'a database in a compose file goes from `postgres:15` to `postgres:16`',
    by: 'version',
    edit: (all) =>
      (all.compose.shop.source.composeFile = composeFile(
        '{ data: {} }',
        '"data:/var/lib/postgresql/data"',
        'postgres:16',
      )),
  },
  {
    does: 'a database that runs as an application goes from `mongo:6.0` to `mongo:7.0`',
    by: 'version',
    after: (all) => (all.application.web.source.image = 'mongo:6.0'),
    edit: (all) => (all.application.web.source.image = 'mongo:7.0'),
  },
  {
    does: 'a program with a folder of the host goes from `elasticsearch:8.19.3` to `elasticsearch:9.1.0`',
    by: 'version',
    after: (all) => (all.application.web.source.image = 'elasticsearch:8.19.3'),
    edit: (all) => (all.application.web.source.image = 'elasticsearch:9.1.0'),
  },
  {
    does: 'an image of PostgreSQL 17 becomes one of timescaledb-ha, which keeps its data elsewhere',
    by: 'volume',
    after: (all) => (all.postgres.main.dockerImage = 'postgres:17'),
    edit: (all) => (all.postgres.main.dockerImage = 'timescale/timescaledb-ha:pg17'),
  },
  {
    does: 'the image of a database becomes one of bitnami, which keeps its data elsewhere',
    by: 'volume',
    edit: (all) => (all.mariadb.stock.dockerImage = 'bitnamilegacy/mariadb:10.11'),
  },
  {
    does: '`PGDATA` of a database names another folder of its volume',
    by: 'volume',
    edit: (all) => (all.postgres.main.env = { PGDATA: '/var/lib/postgresql/data/pgdata' }),
  },
  {
    does: '`args:` of a database name another folder: `--datadir`',
    by: 'volume',
    edit: (all) => (all.mariadb.stock.args = ['--datadir=/var/lib/mysql/10']),
  },
  {
    does: 'the variable of a program that names its folder changes',
    by: 'volume',
    after: (all) => Object.assign(all.application.web, { env: { APP_DATA_DIR: '/uploads/app' } }),
    edit: (all) => (all.application.web.env = { APP_DATA_DIR: '/srv/app' }),
  },
  // Volumes
  {
    does: 'a folder of the host is mounted over the folder of a database that runs as an application',
    by: 'volume',
    after: (all) => (all.application.db = postgresApplication({}, '/var/lib/postgresql')),
    edit: (all) => (all.application.db.mounts['/var/lib/postgresql/data'] = { type: 'bind', hostPath: '/srv/pg' }),
  },
  {
    does: 'a volume is mounted over the folder that `PGDATA` of a database names',
    by: 'volume',
    after: (all) => (all.postgres.main.env = { PGDATA: '/var/lib/postgresql/data/pg' }),
    edit: (all) => (all.postgres.main.mounts['/var/lib/postgresql/data/pg'] = { type: 'volume', volumeName: 'pg' }),
  },
  {
    does: 'a folder of the host is mounted in place of another',
    by: 'volume',
    edit: (all) => (all.application.web.mounts['/srv'].hostPath = '/srv/web2'),
  },
  {
    does: 'a volume is mounted in place of a folder of the host',
    by: 'volume',
    edit: (all) => (all.application.web.mounts['/srv'] = { type: 'volume', volumeName: 'srv' }),
  },
  { does: 'an application with a volume is removed', by: 'volume', edit: (all) => delete all.application.web },
  {
    does: 'the key of an application with a volume is renamed without `moved:`',
    by: 'volume',
    edit: (all) => rename(all.application, 'web', 'site'),
  },
  {
    does: 'an application with a volume gets another `serverId:`',
    by: 'volume',
    edit: (all) => (all.application.web.serverId = 'srv_2'),
  },
  {
    does: 'the mount of a volume is removed',
    by: 'volume',
    edit: (all) => delete all.application.web.mounts['/uploads'],
  },
  { does: '`mounts:` of an application is removed', by: 'volume', edit: (all) => delete all.application.web.mounts },
  {
    does: '`volumeName:` is corrected',
    by: 'volume',
    edit: (all) => (all.application.web.mounts['/uploads'].volumeName = 'upload'),
  },
  {
    does: 'a volume is mounted at another path',
    by: 'volume',
    edit: (all) => rename(all.application.web.mounts, '/uploads', '/app/uploads'),
  },
  {
    does: 'a volume is mounted at another path, with `moved:`',
    by: 'volume',
    edit: (all, manifest) => {
      const { mounts } = all.application.web;
      rename(mounts, '/uploads', '/app/uploads');
      const at = (path: string) => `production.application.web.mounts["${path}"]`;
      manifest.moved = [{ from: at('/uploads'), to: at('/app/uploads') }];
    },
  },
  {
    does: 'a volume becomes a folder of the host',
    by: 'volume',
    edit: (all) => (all.application.web.mounts['/uploads'] = { type: 'bind', hostPath: '/srv/uploads' }),
  },
  {
    does: 'a second volume of a database is removed',
    by: 'volume',
    edit: (all) => delete all.postgres.main.mounts,
  },
  {
    does: 'a second volume of a database is swapped',
    by: 'volume',
    edit: (all) => (all.postgres.main.mounts['/extra'].volumeName = 'other'),
  },
  // Compose
  { does: 'a compose with `deleteVolumes: true` is removed', by: 'data', edit: (all) => delete all.compose.old },
  { does: 'a compose with a named volume is removed', by: 'volume', edit: (all) => delete all.compose.shop },
  {
    does: '`composeType:` of a compose changes',
    by: 'data',
    edit: (all) => (all.compose.shop.composeType = 'stack'),
    after: (all) => (all.compose.shop.composeType = 'docker-compose'),
  },
  { does: 'a compose gets another `serverId:`', by: 'data', edit: (all) => (all.compose.tools.serverId = 'srv_2') },
  {
    does: 'a volume of a compose file is removed',
    by: 'volume',
    edit: (all) => (all.compose.shop.source.composeFile = composeFile('{}', '')),
  },
  {
    does: 'a volume of a compose file is renamed',
    by: 'volume',
    edit: (all) => (all.compose.shop.source.composeFile = composeFile('{ db: {} }', '"db:/var/lib/postgresql/data"')),
  },
  {
    does: 'a volume of a compose file gets a `name:`',
    by: 'volume',
    edit: (all) =>
      (all.compose.shop.source.composeFile = composeFile(
        '{ data: { name: shop-data } }',
        '"data:/var/lib/postgresql/data"',
      )),
  },
  {
    does: 'a volume of a compose file becomes `external:`',
    by: 'volume',
    edit: (all) =>
      (all.compose.shop.source.composeFile = composeFile(
        '{ data: { external: true } }',
        '"data:/var/lib/postgresql/data"',
      )),
  },
  {
    does: 'a volume of a compose file is mounted at another path',
    by: 'volume',
    edit: (all) => (all.compose.shop.source.composeFile = composeFile('{ data: {} }', '"data:/var/lib/postgresql"')),
  },
  {
    does: 'a compose file with a volume comes from a repository',
    by: 'volume',
    edit: (all) => (all.compose.shop.source = { type: 'git', url: 'https://git.example.com/shop.git', branch: 'main' }),
  },
  {
    does: 'the volumes of a compose get a suffix: `randomize: true`',
    by: 'volume',
    edit: (all) => Object.assign(all.compose.shop, { randomize: true, suffix: 'a1' }),
  },
  {
    does: 'the suffix of the volumes changes',
    by: 'volume',
    after: (all) => Object.assign(all.compose.shop, { randomize: true, suffix: 'a1' }),
    edit: (all) => (all.compose.shop.suffix = 'b2'),
  },
  {
    does: 'the volumes of a compose are isolated',
    by: 'volume',
    edit: (all) => Object.assign(all.compose.shop, { isolatedDeployment: true, isolatedDeploymentsVolume: true }),
  },
  {
    does: '`command:` of a compose names another project: `compose -p shop2 up -d`',
    by: 'volume',
    edit: (all) => (all.compose.shop.command = 'compose -p shop2 up -d'),
  },
  {
    does: '`command:` of a stack names another one',
    by: 'volume',
    after: (all) => (all.compose.swarm = { composeType: 'stack', source: raw(original) }),
    edit: (all) => (all.compose.swarm.command = 'stack deploy -c docker-compose.yml shop2'),
  },
  {
    does: 'a variable of a compose names another project for its `command:`',
    by: 'volume',
    after: (all) => (all.compose.shop.command = 'compose up -d'),
    edit: (all) => (all.compose.shop.env = { COMPOSE_PROJECT_NAME: 'shop2' }),
  },
  {
    does: '`createEnvFile: false` takes the name of the project from the `command:` of a compose',
    by: 'volume',
    after: (all) => (all.compose.shop.command = 'compose up -d'),
    edit: (all) => (all.compose.shop.createEnvFile = false),
  },
  {
    does: 'a variable in the image of a compose file goes from 17 to 16',
    by: 'version',
    after: (all) => (all.compose.shop = withVariables(variables)),
    edit: (all) => (all.compose.shop.env.PG = '16'),
  },
  {
    does: 'the variables of a compose become text, with another version',
    by: 'version',
    after: (all) => (all.compose.shop = withVariables('PG=17\nVOL=notes\n')),
    edit: (all) => (all.compose.shop.env = 'PG=16\nVOL=notes\n'),
  },
  {
    does: 'a variable in the image of a compose file is removed',
    by: 'version',
    after: (all) => (all.compose.shop = withVariables(variables, 'postgres:${PG:-16}')),
    edit: (all) => delete all.compose.shop.env.PG,
  },
  {
    does: 'a variable in the image of a compose file becomes a value that is not known yet',
    by: 'version',
    after: (all) => (all.compose.shop = withVariables(variables)),
    edit: (all) => {
      all.redis.next = { databasePassword: 'correct-horse-1', dockerImage: 'redis:8' };
      all.compose.shop.env.PG = '${ref:production.redis.next.host}';
    },
  },
  {
    does: 'the default of a variable in a compose file changes',
    by: 'version',
    after: (all) => (all.compose.shop = withVariables({ VOL: 'notes' }, 'postgres:${PG:-17}')),
    edit: (all) => (all.compose.shop = withVariables({ VOL: 'notes' }, 'postgres:${PG:-16}')),
  },
  {
    does: 'a variable of the environment that a compose file uses goes from 17 to 16',
    by: 'version',
    after: ofEnvironment,
    edit: (all) => (all.env.PGX = '16'),
  },
  {
    does: 'a compose moves to an environment that has 16 in a variable of its compose file',
    by: 'version',
    after: (all, { environments }) => {
      ofEnvironment(all);
      environments.staging.env = { PGX: '16' };
    },
    edit: (all, manifest) => {
      manifest.environments.staging.compose = { shop: all.compose.shop };
      delete all.compose.shop;
      manifest.moved = [{ from: 'production.compose.shop', to: 'staging.compose.shop' }];
    },
  },
  {
    does: 'a variable that another one of a compose takes in goes from 17 to 16: `${{PG}}-alpine`',
    by: 'version',
    after: (all) => (all.compose.shop = withVariables({ ...variables, TAG: '${{PG}}-alpine' }, 'postgres:${TAG}')),
    edit: (all) => (all.compose.shop.env.PG = '16'),
  },
  {
    does: 'a variable that the name of a volume takes in changes: `${{SITE}}-data`',
    by: 'volume',
    after: (all) => (all.compose.shop = withVariables({ PG: '17', SITE: 'a', VOL: '${{SITE}}-data' })),
    edit: (all) => (all.compose.shop.env.SITE = 'b'),
  },
  {
    does: '`PGDATA` of an application names another folder, by a variable of its environment',
    by: 'volume',
    after: (all) => {
      all.env = { FOLDER: 'a' };
      all.application.db = postgresApplication({ PGDATA: '/var/lib/postgresql/data/${{environment.FOLDER}}' });
    },
    edit: (all) => (all.env.FOLDER = 'b'),
  },
  {
    does: '`PGDATA` of an application names another folder, by another variable',
    by: 'volume',
    after: (all) =>
      (all.application.db = postgresApplication({ FOLDER: '/var/lib/postgresql/data/a', PGDATA: '${{FOLDER}}' })),
    edit: (all) => (all.application.db.env.FOLDER = '/var/lib/postgresql/data/b'),
  },
  {
    does: '`PGDATA` of a database names another folder, by a variable of its environment',
    by: 'volume',
    after: (all) => {
      all.env = { FOLDER: '/var/lib/postgresql/data' };
      all.postgres.main.env = { PGDATA: '${{environment.FOLDER}}' };
    },
    edit: (all) => (all.env.FOLDER = '/var/lib/postgresql/data/16'),
  },
  {
    does: 'a variable in the name of a volume of a compose file changes',
    by: 'volume',
    after: (all) => (all.compose.shop = withVariables(variables)),
    edit: (all) => (all.compose.shop.env.VOL = 'paper'),
  },
  {
    does: 'a folder of a compose file moves: `../files/pg` becomes `../files/pg2`',
    by: 'volume',
    after: (all) => (all.compose.shop.source.composeFile = ofFolder('../files/pg')),
    edit: (all) => (all.compose.shop.source.composeFile = ofFolder('../files/pg2')),
  },
  {
    does: 'a folder that deployments remove becomes one that stays',
    by: 'volume',
    after: (all) => (all.compose.shop.source.composeFile = ofFolder('./pg')),
    edit: (all) => (all.compose.shop.source.composeFile = ofFolder('../files/pg')),
  },
  {
    does: 'a folder of a compose file becomes a volume',
    by: 'volume',
    after: (all) => (all.compose.shop.source.composeFile = ofFolder('/srv/pg')),
    edit: (all) => (all.compose.shop.source.composeFile = original),
  },
  {
    does: 'a variable in a folder of a compose file changes',
    by: 'volume',
    after: (all) => (all.compose.shop = { ...all.compose.shop, source: raw(ofFolder('${D}/pg')), env: { D: '/srv' } }),
    edit: (all) => (all.compose.shop.env.D = '/mnt'),
  },
  {
    does: '`PGDATA` in a compose file names another folder of its volume',
    by: 'volume',
    edit: (all) =>
      (all.compose.shop.source.composeFile = original.replace(
        '    image:',
        '    environment: [PGDATA=/var/lib/postgresql/data/16]\n    image:',
      )),
  },
  {
    does: 'another folder of a volume is mounted: `subpath:`',
    by: 'volume',
    after: (all) => (all.compose.shop.source.composeFile = ofSubpath('a')),
    edit: (all) => (all.compose.shop.source.composeFile = ofSubpath('b')),
  },
  {
    does: '`PGDATA` that a compose file passes on by its name changes',
    by: 'volume',
    after: (all) => (all.compose.shop = passingOn('environment: [PGDATA]', { PGDATA: '/var/lib/postgresql/data/a' })),
    edit: (all) => (all.compose.shop.env.PGDATA = '/var/lib/postgresql/data/b'),
  },
  {
    does: '`PGDATA` that reaches a service by `env_file: .env` changes',
    by: 'volume',
    after: (all) =>
      (all.compose.shop = passingOn('env_file: [{ path: ./.env, required: false }]', {
        PGDATA: '/var/lib/postgresql/data/a',
      })),
    edit: (all) => (all.compose.shop.env.PGDATA = '/var/lib/postgresql/data/b'),
  },
  {
    does: '`PGDATA` changes in a block under `files:` that `env_file:` names',
    by: 'volume',
    after: (all) => (all.compose.shop = takingFrom({ 'db.env': inA })),
    edit: (all) => (all.compose.shop.files['db.env'].content = inB),
  },
  {
    does: '`PGDATA` comes into a block under `files:` that one of several under `env_file:` names',
    by: 'volume',
    after: (all) =>
      (all.compose.shop = takingFrom(
        { 'env/db.env': 'LOG=debug\n' },
        'env_file: [{ path: .env, required: false }, { path: ../files/env/db.env, format: raw }]',
      )),
    edit: (all) => (all.compose.shop.files['env/db.env'].content = inB),
  },
  {
    does: '`PGDATA` that takes in a variable of the compose changes in a block under `files:`',
    by: 'volume',
    after: (all) => {
      all.compose.shop = takingFrom({ 'db.env': 'PGDATA="/var/lib/postgresql/data/$A"\n' });
      all.compose.shop.env = { A: 'a', B: 'b' };
    },
    edit: (all) => (all.compose.shop.files['db.env'].content = 'PGDATA="/var/lib/postgresql/data/${B}"\n'),
  },
  {
    does: 'a block under `files:` with another `PGDATA` comes, and `env_file:` names it',
    by: 'volume',
    edit: (all) => (all.compose.shop = takingFrom({ 'db.env': inA })),
  },
  {
    does: '`env_file:` names another block under `files:`, with another `PGDATA`',
    by: 'volume',
    after: (all) => (all.compose.shop = takingFrom({ 'db.env': inA, 'other.env': inB })),
    edit: (all) =>
      (all.compose.shop = takingFrom(
        { 'db.env': inA, 'other.env': inB },
        'env_file: [../files/db.env, ../files/other.env]',
      )),
  },
  {
    does: 'a block under `files:` with `PGDATA` is removed, which `env_file:` does not need',
    by: 'volume',
    after: (all) =>
      (all.compose.shop = takingFrom({ 'db.env': inA }, 'env_file: [{ path: ../files/db.env, required: false }]')),
    edit: (all) => delete all.compose.shop.files,
  },
  {
    does: '`env_file:` names a file of the host, which may have any `PGDATA`',
    by: 'volume',
    edit: (all) => (all.compose.shop = passingOn('env_file: [{ path: /srv/db.env, required: false }]', {})),
  },
  {
    does: '`command:` of a PostgreSQL in a compose file names another folder: `-c data_directory=`',
    by: 'volume',
    edit: (all) => (all.compose.shop = passingOn('command: postgres -c data_directory=/var/lib/postgresql/data/b', {})),
  },
  {
    does: '`command:` of a compose removes its volumes: `compose down -v && docker compose up -d`',
    by: 'volume',
    edit: (all) => (all.compose.shop.command = 'compose down -v && docker compose up -d'),
  },
  {
    does: '`command:` of a compose removes volumes of the server: `volume prune --all --force`',
    by: 'volume',
    edit: (all) => (all.compose.shop.command = 'volume prune --all --force && docker compose up -d'),
  },
  {
    does: 'a protected compose is deployed whose `command:` removes its volumes',
    by: 'data',
    after: (all) =>
      Object.assign(all.compose.shop, { protect: true, command: 'compose down --volumes && docker compose up -d' }),
    edit: (all) => (all.compose.shop.env = { LOG: 'debug' }),
  },
  {
    does: '`name:` of a compose file becomes that of the project, where `command:` and `.env` name none',
    by: 'volume',
    after: (all) => Object.assign(all.compose.shop, { command: 'compose up -d', createEnvFile: false }),
    edit: (all) => (all.compose.shop.source.composeFile = `name: shop2\n${original}`),
  },
  {
    does: '`composePath:` of a raw compose takes its variables, and one names a volume',
    by: 'volume',
    after: (all) =>
      (all.compose.shop = {
        source: raw(composeFile('{ data: { name: "${VOL:-other}" } }', '"data:/var/lib/postgresql/data"')),
        env: { VOL: 'notes' },
      }),
    edit: (all) => (all.compose.shop.composePath = './deploy/docker-compose.yml'),
  },
  {
    does: 'a database in a compose file is renamed, and goes from `postgres:15` to `postgres:16` on its volume',
    by: 'version',
    edit: (all) =>
      (all.compose.shop.source.composeFile = original
        .replace('  db:', '  database:')
        .replace('postgres:15', 'postgres:16')),
  },
  {
    does: 'a database in a compose file is renamed, and `PGDATA` names another folder of its volume',
    by: 'volume',
    edit: (all) =>
      (all.compose.shop.source.composeFile = original.replace(
        '  db:',
        '  database:\n    environment: [PGDATA=/var/lib/postgresql/data/16]',
      )),
  },
  {
    does: 'the volumes of two databases in a compose file are swapped',
    by: 'volume',
    after: (all) => (all.compose.shop.source.composeFile = twoDatabases('one', 'two')),
    edit: (all) => (all.compose.shop.source.composeFile = twoDatabases('two', 'one')),
  },
  {
    does: 'the folders of two databases in a compose file are swapped',
    by: 'volume',
    after: (all) => (all.compose.shop.source.composeFile = twoDatabases('../files/one', '../files/two')),
    edit: (all) => (all.compose.shop.source.composeFile = twoDatabases('../files/two', '../files/one')),
  },
  {
    does: 'memory covers a volume of a compose file: `tmpfs:`',
    by: 'volume',
    edit: (all) =>
      (all.compose.shop.source.composeFile = original.replace(
        '    image:',
        '    tmpfs: /var/lib/postgresql/data\n    image:',
      )),
  },
  {
    does: 'a volume that comes by `<<` is renamed',
    by: 'volume',
    after: (all) => (all.compose.shop.source.composeFile = merged('data')),
    edit: (all) => (all.compose.shop.source.composeFile = merged('other')),
  },
  {
    does: 'a service with a folder of the host in a compose file goes from `influxdb:2.7` to `influxdb:3-core`',
    by: 'version',
    after: (all) => (all.compose.shop.source.composeFile = ofFolder('../files/i', 'influxdb:2.7')),
    edit: (all) => (all.compose.shop.source.composeFile = ofFolder('../files/i', 'influxdb:3-core')),
  },
  {
    does: 'a protected compose is deployed that keeps data in `./pg`, which each deployment removes',
    by: 'data',
    after: (all) => Object.assign(all.compose.shop, { protect: true, source: raw(ofFolder('./pg')) }),
    edit: (all) => (all.compose.shop.env = { LOG: 'debug' }),
  },
  {
    does: 'a protected compose is deployed that keeps data in `pg`, which is `./pg` in a long mount',
    by: 'data',
    after: (all) =>
      Object.assign(all.compose.shop, { protect: true, source: raw(ofLongMount('type: bind, source: pg')) }),
    edit: (all) => (all.compose.shop.env = { LOG: 'debug' }),
  },
  {
    does: 'a compose with a folder below `../files` is removed: the platform deletes it',
    by: 'data',
    after: (all) => (all.compose.shop.source.composeFile = ofFolder('../files/pg')),
    edit: (all) => delete all.compose.shop,
  },
  {
    does: 'a compose with a folder below `../files` by a variable of its environment is removed',
    by: 'data',
    after: (all) => {
      all.env = { FOLDER: '../files/pg' };
      all.compose.shop = { source: raw(ofFolder('${D}')), env: { D: '${{environment.FOLDER}}' } };
    },
    edit: (all) => delete all.compose.shop,
  },
  // Backups
  {
    does: 'a backup of a protected database keeps 1 instead of 14',
    by: 'backups',
    edit: (all) => (all.postgres.ledger.backups.nightly.keepLatestCount = 1),
  },
  {
    does: 'a backup that keeps all gets a `keepLatestCount:`',
    by: 'backups',
    edit: (all) => (all.postgres.ledger.backups.all.keepLatestCount = 30),
  },
  {
    does: 'a backup runs once a week instead of once a day',
    by: 'backups',
    edit: (all) => (all.postgres.ledger.backups.nightly.schedule = '0 3 * * 0'),
  },
  {
    does: 'a backup is disabled',
    by: 'backups',
    edit: (all) => (all.postgres.ledger.backups.nightly.enabled = false),
  },
  { does: 'a backup is removed', by: 'backups', edit: (all) => delete all.postgres.ledger.backups.nightly },
  { does: '`backups:` is removed', by: 'backups', edit: (all) => delete all.postgres.ledger.backups },
  {
    does: 'a backup dumps another database',
    by: 'backups',
    edit: (all) => (all.postgres.ledger.backups.nightly.database = 'store'),
  },
  {
    does: 'a backup of a volume is removed',
    by: 'backups',
    edit: (all) => delete all.postgres.ledger.volumeBackups,
  },
  {
    does: 'a backup of a volume keeps 2 instead of 7',
    by: 'backups',
    edit: (all) => (all.postgres.ledger.volumeBackups.scans.keepLatestCount = 2),
  },
  {
    does: 'a backup of a volume is disabled',
    by: 'backups',
    edit: (all) => (all.postgres.ledger.volumeBackups.scans.enabled = false),
  },
  {
    does: 'a backup copies another volume',
    by: 'backups',
    edit: (all) => (all.postgres.ledger.volumeBackups.scans.volumeName = 'scan'),
  },
  {
    does: 'a backup shrinks in the edit that lifts the protection of its database',
    by: 'backups',
    edit: (all) => {
      all.postgres.ledger.protect = false;
      all.postgres.ledger.backups.nightly.keepLatestCount = 1;
    },
  },
  // Protection
  { does: 'the block of a protected database is removed', by: 'protected', edit: (all) => delete all.postgres.ledger },
  {
    does: 'the line `protect: true` is removed, and the block in the next edit',
    by: 'protected',
    after: (all) => delete all.postgres.ledger.protect,
    edit: (all) => delete all.postgres.ledger,
  },
  {
    does: 'the line is removed, and `databaseName:` corrected in the next edit',
    by: 'protected',
    after: (all) => delete all.postgres.ledger.protect,
    edit: (all) => (all.postgres.ledger.databaseName = 'books'),
  },
  {
    does: 'a protection is lifted in the edit that replaces the database',
    by: 'protected',
    edit: (all) => Object.assign(all.postgres.ledger, { protect: false, databaseName: 'books' }),
  },
  {
    does: 'a protection is lifted under another key, without `moved:`',
    by: 'protected',
    edit: (all) => {
      rename(all.postgres, 'ledger', 'books');
      all.postgres.books.protect = false;
    },
  },
  {
    does: 'a protection is lifted under another key with `moved:`, and the database replaced',
    by: 'protected',
    edit: (all, manifest) => {
      rename(all.postgres, 'ledger', 'books');
      Object.assign(all.postgres.books, { protect: false, databaseName: 'books' });
      manifest.moved = [{ from: 'production.postgres.ledger', to: 'production.postgres.books' }];
    },
  },
  {
    does: '`protect: false` and the correction of `databaseName:` come in one edit, of a database that was not protected',
    by: 'data',
    edit: (all) => Object.assign(all.postgres.main, { protect: false, databaseName: 'store' }),
  },
  // Many at once
  {
    does: 'everything is removed',
    by: 'everything',
    edit: (_, manifest) => delete manifest.environments,
    after: (all) => (all.postgres.ledger.protect = false),
  },
];

/** Edits that lose nothing: they need no permission. */
export const harmless: readonly Edit[] = [
  { does: 'a database gets a newer minor version', edit: (all) => (all.postgres.main.dockerImage = 'postgres:15.6') },
  { does: 'a tag loses its minor version', edit: (all) => (all.postgres.main.dockerImage = 'postgres:15') },
  {
    does: 'an image gets a variant and a digest',
    edit: (all) => (all.postgres.main.dockerImage = `postgres:15.4-bookworm@sha256:${'b'.repeat(64)}`),
  },
  {
    does: 'an image comes from a mirror',
    edit: (all) => (all.redis.cache.dockerImage = 'mirror.example.com:5000/library/redis:8.2-alpine'),
  },
  {
    does: 'a database gets an extension of the same version',
    edit: (all) => (all.postgres.main.dockerImage = 'postgis/postgis:15.4-3.4'),
  },
  { does: 'a MariaDB gets a patch', edit: (all) => (all.mariadb.stock.dockerImage = 'mariadb:10.11.9') },
  {
    does: '`PGDATA` of a database is written as the image has it',
    edit: (all) => (all.postgres.main.env = { PGDATA: '/var/lib/postgresql/data/' }),
  },
  {
    does: 'the folder of a database is written in another form',
    after: (all) => Object.assign(all.mariadb.stock, { args: ['--datadir=/var/lib/mysql'] }),
    edit: (all) => (all.mariadb.stock.args = ['--datadir', '/var/lib/mysql']),
  },
  {
    does: 'other arguments of a database change',
    edit: (all) => (all.postgres.main.args = ['-c', 'max_connections=200']),
  },
  {
    does: 'a file of settings of the host is mounted in place of another',
    after: (all) => (all.application.web.mounts['/etc/app.conf'] = { type: 'bind', hostPath: '/srv/app.conf' }),
    edit: (all) => (all.application.web.mounts['/etc/app.conf'].hostPath = '/srv/app2.conf'),
  },
  {
    does: 'an application without mounts gets another major version',
    after: (all) => (all.application.plain.source.image = 'mongo:6.0'),
    edit: (all) => (all.application.plain.source.image = 'mongo:7.0'),
  },
  {
    does: 'a folder for data that is not mounted moves',
    after: (all) => (all.application.web.env = { APP_DATA_DIR: '/var/app' }),
    edit: (all) => (all.application.web.env = { APP_DATA_DIR: '/var/app2' }),
  },
  { does: 'a description changes', edit: (all) => (all.postgres.ledger.description = 'The books.') },
  { does: 'a protection is added', edit: (all) => (all.postgres.main.protect = true) },
  { does: 'a protection is lifted, and nothing else', edit: (all) => (all.postgres.ledger.protect = false) },
  { does: '`deleteVolumes:` is added', edit: (all) => (all.compose.shop.deleteVolumes = true) },
  { does: '`deleteVolumes:` is left out again', edit: (all) => delete all.compose.old.deleteVolumes },
  { does: '`deploy: never` is added', edit: (all) => (all.application.plain.deploy = 'never') },
  { does: 'an application without a volume is removed', edit: (all) => delete all.application.plain },
  { does: 'a compose without a named volume is removed', edit: (all) => delete all.compose.tools },
  {
    does: 'a compose with a folder of the host by a variable of its environment is removed',
    after: (all) => {
      all.env = { FOLDER: '/srv/pg' };
      all.compose.tools = { source: raw(ofFolder('${D}')), env: { D: '${{environment.FOLDER}}' } };
    },
    edit: (all) => delete all.compose.tools,
  },
  {
    does: 'a compose without a named volume gets a suffix',
    edit: (all) => Object.assign(all.compose.tools, { randomize: true, suffix: 'a1' }),
  },
  {
    does: '`command:` of a compose names no project',
    edit: (all) => (all.compose.shop.command = 'compose up -d --build'),
  },
  {
    does: '`command:` of a compose names the project that it has',
    after: (all) => (all.compose.shop.command = 'compose -p shop2 up -d'),
    edit: (all) => (all.compose.shop.command = 'compose --project-name=shop2 up -d'),
  },
  {
    does: '`command:` names another project of a compose whose volume has a name',
    after: (all) => (all.compose.shop = withVariables(variables)),
    edit: (all) => (all.compose.shop.command = 'compose -p shop2 up -d'),
  },
  {
    does: 'a variable names a project, and the platform gives another one to its own command',
    edit: (all) => (all.compose.shop.env = { COMPOSE_PROJECT_NAME: 'shop2' }),
  },
  { does: 'a suffix that is not used changes', edit: (all) => (all.compose.shop.suffix = 'b2') },
  {
    does: 'the image of an application changes',
    edit: (all) => (all.application.web.source.image = 'nginx:1.28'),
  },
  {
    does: 'a database in a compose file gets a minor version',
    edit: (all) =>
      (all.compose.shop.source.composeFile = composeFile(
        '{ data: {} }',
        '"data:/var/lib/postgresql/data"',
        'postgres:15.6',
      )),
  },
  {
    does: 'the version in a compose file becomes a variable with that default',
    edit: (all) => (all.compose.shop.source.composeFile = original.replace('postgres:15', 'postgres:${PG:-15}')),
  },
  {
    does: 'the version in a compose file becomes a variable with that value',
    edit: (all) => {
      all.compose.shop.source.composeFile = original.replace('postgres:15', 'postgres:$PG');
      all.compose.shop.env = { PG: '15' };
    },
  },
  {
    does: 'a variable of a compose becomes one of the environment, with the same value',
    after: (all) => (all.compose.shop = withVariables(variables)),
    edit: ofEnvironment,
  },
  {
    does: 'another variable of a compose, and one of its environment, change',
    after: ofEnvironment,
    edit: (all) => {
      all.env.REGION = 'eu';
      all.compose.shop.env.LOG = 'debug';
    },
  },
  {
    does: 'a version moves into a variable that another one takes in',
    after: (all) => (all.compose.shop = withVariables({ PG: '17-alpine', VOL: 'notes' })),
    edit: (all) => {
      all.env = { VARIANT: 'alpine' };
      all.compose.shop.env = { PG: '${{MAJOR}}-${{environment.VARIANT}}', MAJOR: '17', VOL: 'notes' };
    },
  },
  {
    does: '`PGDATA` of an application is written by a variable of its environment',
    after: (all) => (all.application.db = postgresApplication({})),
    edit: (all) => {
      all.env = { FOLDER: '/var/lib/postgresql' };
      all.application.db.env = { PGDATA: '${{environment.FOLDER}}/${{BELOW}}', BELOW: 'data' };
    },
  },
  {
    does: 'a variable in the image of a compose file gets a minor version',
    after: (all) => (all.compose.shop = withVariables(variables)),
    edit: (all) => (all.compose.shop.env.PG = '17.2'),
  },
  {
    does: 'the mount of a volume gets another key, and its path as a field',
    edit: (all) => {
      const { mounts } = all.application.web;
      delete mounts['/uploads'];
      mounts.up = { type: 'volume', volumeName: 'uploads', mountPath: '/uploads' };
    },
  },
  {
    does: 'more is mounted beside and above the data of a database that runs as an application',
    after: (all) => (all.application.db = postgresApplication({})),
    edit: (all) => {
      const { mounts } = all.application.db;
      mounts['/var/lib/postgresql'] = { type: 'volume', volumeName: 'other' };
      mounts['/var/lib/postgresql/data/pg_wal'] = { type: 'bind', hostPath: '/srv/wal' };
    },
  },
  { does: 'a mount of a folder is removed', edit: (all) => delete all.application.web.mounts['/srv'] },
  {
    does: 'a volume is added to a compose file, and its service renamed',
    edit: (all) =>
      (all.compose.shop.source.composeFile = [
        'services:',
        '  database:',
        '    image: postgres:15.4',
        '    volumes:',
        '      - { type: volume, source: data, target: /var/lib/postgresql/data/ }',
        '      - logs:/var/log/postgresql',
        'volumes: { logs: {}, data: {} }\n',
      ].join('\n')),
  },
  {
    does: 'the volumes of two databases in a compose file get other keys, and keep their names',
    after: (all) =>
      (all.compose.shop.source.composeFile = twoDatabases('one', 'two', '{ one: { name: a }, two: { name: b } }')),
    edit: (all) =>
      (all.compose.shop.source.composeFile = twoDatabases('two', 'one', '{ one: { name: b }, two: { name: a } }')),
  },
  {
    does: 'a tool beside a database in a compose file no longer mounts the volume of both',
    after: (all) => (all.compose.shop.source.composeFile = withTool('db', `"dumps:/dumps", ${ofData}`)),
    edit: (all) => (all.compose.shop.source.composeFile = withTool('db', '"dumps:/dumps"')),
  },
  {
    does: 'a database in a compose file is renamed, and a tool begins to mount its volume too',
    after: (all) => (all.compose.shop.source.composeFile = withTool('db', '"dumps:/dumps"')),
    edit: (all) => (all.compose.shop.source.composeFile = withTool('database', `"dumps:/dumps", ${ofData}`)),
  },
  {
    does: 'a database in a compose file is renamed, and a tool mounts its volume as before',
    after: (all) => (all.compose.shop.source.composeFile = withTool('db', ofData)),
    edit: (all) => (all.compose.shop.source.composeFile = withTool('database', ofData, 'postgres:15.6')),
  },
  {
    does: 'a variable that a compose file passes on by its name is written in the file',
    after: (all) => (all.compose.shop = passingOn('environment: [PGDATA]', { PGDATA: '/var/lib/postgresql/data/a' })),
    edit: (all) => (all.compose.shop = passingOn('environment: [PGDATA=/var/lib/postgresql/data/a]', {})),
  },
  {
    does: 'a variable that `env_file: .env` brings changes, and the file has another value for it',
    after: (all) =>
      (all.compose.shop = passingOn('env_file: .env\n    environment: { PGDATA: /var/lib/postgresql/data }', {
        PGDATA: '/a',
      })),
    edit: (all) => (all.compose.shop.env.PGDATA = '/b'),
  },
  {
    does: 'another variable changes in a block under `files:` that `env_file:` names',
    after: (all) => (all.compose.shop = takingFrom({ 'db.env': inA })),
    edit: (all) => (all.compose.shop.files['db.env'].content = `${inA}LOG=debug\n`),
  },
  {
    does: '`PGDATA` changes in a block under `files:`, and a later file and the service have another value for it',
    after: (all) =>
      (all.compose.shop = takingFrom(
        { 'db.env': inA, 'last.env': inA },
        'env_file: [../files/db.env, ../files/last.env]',
      )),
    edit: (all) => (all.compose.shop.files['db.env'].content = inB),
  },
  {
    does: '`PGDATA` moves from the compose file into a block under `files:`',
    after: (all) => (all.compose.shop = passingOn('environment: [PGDATA=/var/lib/postgresql/data/a]', {})),
    edit: (all) => (all.compose.shop = takingFrom({ 'db.env': inA })),
  },
  {
    does: 'a file of the host comes under `env_file:`, and the service names its folder itself',
    after: (all) => (all.compose.shop = passingOn('environment: { PGDATA: /var/lib/postgresql/data }', {})),
    edit: (all) =>
      (all.compose.shop = passingOn(
        'env_file: [{ path: /srv/db.env, required: false }]\n    environment: { PGDATA: /var/lib/postgresql/data }',
        {},
      )),
  },
  {
    does: 'a file of the host stays under `env_file:`, and the image gets a minor version',
    after: (all) => (all.compose.shop = passingOn('env_file: [{ path: /srv/db.env, required: false }]', {})),
    edit: (all) =>
      (all.compose.shop.source.composeFile = all.compose.shop.source.composeFile.replace(
        'postgres:15',
        'postgres:15.6',
      )),
  },
  {
    does: '`command:` of a compose stops it before: `compose down && docker compose up -d`',
    edit: (all) => (all.compose.shop.command = 'compose down --remove-orphans && docker compose up -d'),
  },
  {
    does: 'a file of settings in a compose file is mounted from elsewhere',
    after: (all) => (all.compose.tools.source.composeFile = ofFolder('../files/my.conf', 'nginx')),
    edit: (all) => (all.compose.tools.source.composeFile = ofFolder('../files/your.conf', 'nginx')),
  },
  {
    does: 'a compose is deployed again that keeps data in `./pg`, with a warning',
    after: (all) => (all.compose.tools.source = raw(ofFolder('./pg'))),
    edit: (all) => (all.compose.tools.env = { LOG: 'debug' }),
  },
  {
    does: 'a protected compose with a folder that stays is deployed again',
    after: (all) => Object.assign(all.compose.tools, { protect: true, source: raw(ofFolder('../files/pg')) }),
    edit: (all) => (all.compose.tools.env = { LOG: 'debug' }),
  },
  {
    does: 'a folder in a compose file is mounted read-only from elsewhere',
    after: (all) =>
      (all.compose.tools.source.composeFile = ofFolder('../files/a', 'nginx').replace('data"', 'data:ro"')),
    edit: (all) =>
      (all.compose.tools.source.composeFile = ofFolder('../files/b', 'nginx').replace('data"', 'data:ro"')),
  },
  {
    does: 'a folder of a compose file is not mounted any more',
    after: (all) => (all.compose.tools.source.composeFile = ofFolder('../files/pg')),
    edit: (all) => (all.compose.tools.source.composeFile = composeFile('{}', '')),
  },
  {
    does: 'another option of a mount of a volume changes',
    after: (all) => (all.compose.shop.source.composeFile = ofSubpath('a')),
    edit: (all) => (all.compose.shop.source.composeFile = ofSubpath('a', ', nocopy: true')),
  },
  {
    does: 'a folder that deployments remove is written without `./` in a long mount',
    after: (all) => (all.compose.tools.source = raw(ofFolder('./pg'))),
    edit: (all) => (all.compose.tools.source = raw(ofLongMount('type: bind, source: pg'))),
  },
  {
    does: 'a folder of a compose file is written in the long form',
    after: (all) => (all.compose.tools.source.composeFile = ofFolder('../files/pg')),
    edit: (all) =>
      (all.compose.tools.source.composeFile = composeFile(
        '{}',
        '{ type: bind, source: ../files/pg, target: /var/lib/postgresql/data/ }',
      )),
  },
  {
    does: '`PGDATA` in a compose file is written as the image has it',
    edit: (all) =>
      (all.compose.shop.source.composeFile = original.replace(
        '    image:',
        '    environment: { PGDATA: /var/lib/postgresql/data }\n    image:',
      )),
  },
  {
    does: 'memory is mounted beside a volume of a compose file',
    edit: (all) =>
      (all.compose.shop.source.composeFile = original.replace('    image:', '    tmpfs: [/tmp]\n    image:')),
  },
  {
    does: 'a protected database keeps more backups',
    edit: (all) => (all.postgres.ledger.backups.nightly.keepLatestCount = 30),
  },
  {
    does: 'it is backed up at another hour, and more often',
    edit: (all) => {
      all.postgres.ledger.backups.nightly.schedule = '@daily';
      all.postgres.ledger.volumeBackups.scans.cronExpression = '30 */6 * * *';
    },
  },
  {
    does: 'it keeps all of them',
    edit: (all) => (all.postgres.ledger.volumeBackups.scans.keepLatestCount = null),
  },
  {
    does: 'its backups go to another destination, with a warning',
    edit: (all) => (all.postgres.ledger.backups.nightly.destinationId = 'dst_2'),
  },
  {
    does: 'an unprotected database keeps fewer backups',
    edit: (all) => (all.postgres.main.backups.nightly.keepLatestCount = 7),
  },
  { does: 'a backup of an unprotected database is removed', edit: (all) => delete all.postgres.main.backups },
];
