import { envWorks, fieldsCount } from './env-checks.ts';
import type { Operation } from '../../api/contract.ts';
import { databasePassword } from '../../api/member-types.ts';
import type { Json, Row } from '../../formats/json.ts';
import type { Checks } from '../../kind/checks.ts';
import type { Field } from '../../kind/field.ts';
import { type Kind, defineKind } from '../../kind/kind.ts';
import type { Lifecycle } from '../../kind/lifecycle.ts';
import type { ParentLink } from '../../kind/parent.ts';
import { fieldOf } from '../../kind/row-values.ts';
import { because, versionRisk } from './image-version.ts';
import type { Mounted } from './data-folder.ts';
import { dataIsKept, movesData } from './mounted-volumes.ts';
import { sharedByContainer } from './names-of-others.ts';
import { readImage, statefulImage, statefulImages } from './stateful-images.ts';
import { commandWorks } from './database-commands.ts';
import { isUserReadByShell, localRoot, storedForUser, userReadByShell } from './database-users.ts';
import { publishedBySwarm, swarmWorks } from './swarm-settings.ts';
import { imageRepeats } from './fixed-images.ts';
import { emptyCopies, oldLogins } from './backups.ts';
import { tasksOfService } from './container-lists.ts';
import {
  databaseServiceFields,
  description,
  generatedAppName,
  serverId,
  serviceIn,
  serviceName,
  serviceOutputs,
} from './service-fields.ts';
import { imageBelow } from './short-forms.ts';

/** Databases that run as services. Each is a kind, a section and a group of operations of that name. */
const engines = ['postgres', 'mariadb', 'redis', 'mysql', 'mongo', 'libsql'] as const;
type Engine = (typeof engines)[number];

/** The links of a kind to each database that it can stand below. */
export function belowDatabases(below: (engine: Engine) => ParentLink): Kind['parents'] {
  return Object.fromEntries(engines.map((engine) => [engine, below(engine)]));
}

/** What one of them says by itself. */
interface Database extends Pick<Kind, 'alsoCalled' | 'summary' | 'without' | 'examples'> {
  /** Its image and its credentials. */
  readonly fields: Kind['fields'];
  readonly hints?: NonNullable<Checks['hints']>;
}

/** Declares the kind of a database. */
export function defineDatabase(engine: Engine, { fields, hints = {}, ...own }: Database): Kind {
  return defineKind({
    kind: engine,
    section: engine,
    ...own,
    identity: { id: `${engine}Id`, key: ['name'], keyField: 'name' },
    short: imageBelow((image) => ({ dockerImage: image })),
    parents: { environment: serviceIn(engine) },
    fields: {
      name: serviceName,
      appName: generatedAppName,
      description,
      ...withCredentials(fields),
      serverId,
      ...databaseServiceFields,
    },
    outputs: serviceOutputs,
    operations: {
      create: `${engine}.create`,
      read: `${engine}.one`,
      update: `${engine}.update`,
      delete: `${engine}.remove`,
      move: { call: `${engine}.move`, as: 'targetEnvironmentId' },
    },
    lifecycle: databaseData(engine),
    commands: {
      start: { call: `${engine}.start` },
      stop: { call: `${engine}.stop` },
      reload: {
        call: `${engine}.reload`,
        // The operation requires the internal name beside the id.
        with: { appName: 'appName' },
        interrupts: 'it stops and starts again, and its clients are disconnected',
      },
      // The answer comes when the image is there and the container runs.
      deploy: { call: `${engine}.deploy`, answers: 'late' },
      // The container and its volumes are removed, and a new one is started on empty ones.
      rebuild: {
        call: `${engine}.rebuild`,
        dataAtRisk: 'the volumes of this database with all its data',
        answers: 'late',
      },
    },
    service: {
      status: 'applicationStatus',
      setStatus: `${engine}.changeStatus`,
      logs: `${engine}.readLogs`,
      containers: tasksOfService,
    },
    checks: { ...databaseChecks(engine), hints },
  });
}

function databaseChecks(engine: Engine): Checks {
  return {
    publishes: (self, at) => publishedBySwarm(self) ?? externalPorts('externalPort')(self, at),
    repeats: imageRepeats,
    inPreview: sharedByContainer,
    each: (self, children) => [
      ...envWorks(self),
      ...swarmWorks(self),
      ...dataIsKept(self, children, [providedMount(engine, String(self.values['dockerImage']))]),
      ...emptyCopies(self, children),
      ...commandWorks(self),
      ...fieldsCount(self, variables[engine] ?? {}),
      ...userReadByShell(self),
    ],
  };
}

/** Fields that servers read, by the variables that the platform writes of them. */
const variables: Readonly<Partial<Record<Engine, Readonly<Record<string, string>>>>> = {
  postgres: { POSTGRES_DB: 'databaseName', POSTGRES_USER: 'databaseUser', POSTGRES_PASSWORD: 'databasePassword' },
  mariadb: sqlVariables('MARIADB'),
  mysql: sqlVariables('MYSQL'),
  mongo: { MONGO_INITDB_ROOT_USERNAME: 'databaseUser', MONGO_INITDB_ROOT_PASSWORD: 'databasePassword' },
};

function sqlVariables(engine: string): Readonly<Record<string, string>> {
  return {
    [`${engine}_DATABASE`]: 'databaseName',
    [`${engine}_USER`]: 'databaseUser',
    [`${engine}_PASSWORD`]: 'databasePassword',
    [`${engine}_ROOT_PASSWORD`]: 'databaseRootPassword',
  };
}

/** The volume that the platform mounts into a new database, by the name of its image. Source: its postgres.create and others. */
function providedMount(engine: Engine, image: string): Mounted {
  const version = engine === 'postgres' ? Number(/postgres:(\d+)/.exec(image)?.[1]) : NaN;
  const target = version >= 18 ? `/var/lib/postgresql/${version}/docker` : providedFolders[engine];
  return { type: 'volume', source: 'data', target };
}

const providedFolders: Readonly<Record<Engine, string>> = {
  postgres: '/var/lib/postgresql/data',
  mariadb: '/var/lib/mysql',
  redis: '/data',
  mysql: '/var/lib/mysql',
  mongo: '/data/db',
  libsql: '/var/lib/sqld',
};

/** Clients of a database connect with each of its passwords. */
function withCredentials(fields: Kind['fields']): Kind['fields'] {
  const isPassword = ([, { secrecy }]: readonly [string, Field]) => secrecy === 'secret';
  const passwords = Object.entries(fields).filter(isPassword);
  return {
    ...fields,
    ...Object.fromEntries(passwords.map(([name, field]) => [name, { ...field, isCredential: true }])),
  };
}

/** The data of a database: it goes with the database, and an image of another major version may not read it. */
function databaseData(engine: Engine): Lifecycle {
  const what = 'the data of this database';
  return {
    dataAtRisk: () => ({ of: 'data', what }),
    changeAtRisk: {
      version: {
        dockerImage: ({ before, after }) => {
          if (typeof before !== 'string' || before === '') return undefined;
          const family = statefulImage(readImage(before)) ?? statefulImages[engine];
          return because(what, versionRisk(before, String(after), family));
        },
      },
      volume: movesData(what),
    },
  };
}

/**
 * The ports of its server that a database publishes, by the fields that name them. Docker starts no second database of a
 * machine on one port.
 */
export const externalPorts =
  (...fields: readonly string[]): NonNullable<Checks['publishes']> =>
  ({ address, values, unknown }) =>
    unknown?.includes('serverId') === true
      ? []
      : fields.flatMap((field) => {
          const { [field]: port, serverId: server = null } = values;
          return typeof port !== 'number' ? [] : [{ field, port, protocol: 'tcp', server, service: address }];
        });

/** A password that an operation changes in the running database, and in the row. `isOfBackups`: its backups log in with it. */
export function changeablePassword(
  what: string,
  call: Operation,
  { constants = {}, isOfBackups = false }: { constants?: Readonly<Record<string, Json>>; isOfBackups?: boolean } = {},
): Field {
  const [kind = ''] = call.split('.');
  const through = (row: Row) => {
    if (row.applicationStatus !== 'done') return { note: storedForStart };
    // The command for root names no other user.
    const isRoot = constants['type'] === 'root';
    if (!isRoot && isUserReadByShell(kind, row['databaseUser'])) return { note: storedForUser };
    const notes = [isRoot ? localRoot : undefined, isOfBackups ? oldLogins(row) : undefined];
    const note = notes.flatMap((one) => one ?? []).join('; then ');
    return { call, as: 'password', with: constants, note: note === '' ? undefined : note };
  };
  return {
    // The platform quotes the password in a shell command, where a backtick would run a program.
    schema: () =>
      databasePassword
        .min(1, 'may not be empty: the platform would make one up')
        .refine((password) => !password.includes('`'), 'may not hold a backtick: the platform cannot change it later')
        .describe(what),
    secrecy: 'secret',
    onChange: { through },
    examples: ['correct-horse-1', 'battery-staple-2'],
  };
}

const storedForStart =
  'the database does not run, so the password is stored for its first start; if it was started before, its data keep the old password, and it has to be changed there by hand';

/** The kind where the platform lacks that operation. */
export function withFixedPasswords(...names: readonly string[]): (kind: Kind) => Kind {
  return (kind) => {
    const fixed = names.map((name) => [name, { ...fieldOf(kind, name), ...fixedPassword }] as const);
    return { ...kind, fields: { ...kind.fields, ...Object.fromEntries(fixed) } };
  };
}

/** Of a password that no operation changes in the running database. */
const fixedPassword = {
  onChange: {
    refuse:
      'the platform has no operation that changes a password of this database while it runs; change it in the database by hand and set the same one in the platform, then write it here',
  },
  rowOnly: true,
} as const;
