import type { Context, Group } from './context.ts';
import { rowsOf, valuesToSet } from './crud.ts';
import { serviceTitles, type DatabaseTable } from './service-tables.ts';
import { ApiError, invalid, failed } from './error-answers.ts';
import { pullProblem, pullTime } from './images.ts';
import { textOf, textOr, type Row, pick } from './json-rows.ts';
import { startContainer, checkPort, portColumns, runContainer, stopContainer } from './machine.ts';
import { derive } from './made-up-names.ts';
import { createService, moveService, saveEnvironment, setStatus, stale, startAndStop } from './services.ts';
import { withPorts } from './host-ports.ts';
import { portsOfEndpoint } from './published-ports.ts';
import { searchServices } from './search.ts';
import { orderOfRow, type ServiceOrder } from './service-orders.ts';
import { variableLines } from './service-variables.ts';
import { serviceView } from './views.ts';
import { forgetVolumes, initialiseVolume } from './docker-volumes.ts';
import { linesFor, requireContainer } from './container-log.ts';

/** What a kind of databases does in its own way. */
export interface DatabaseKind {
  readonly table: DatabaseTable;
  /** The passwords that the platform makes up when they are given as the empty string or not at all. */
  readonly passwords: readonly string[];
  /** Where the automatic data volume is mounted. */
  readonly dataPath: (dockerImage: string) => string;
  readonly updateFailure: string;
  /** What its server writes when it starts. */
  readonly logLines: readonly string[];
}

/** The operations that the kinds of databases have in common. */
export function databaseGroup(kind: DatabaseKind): Group {
  const { table } = kind;
  const key = `${table}Id`;
  const { find } = rowsOf(table, serviceTitles[table]);

  const deploy = async (context: Context, id: string): Promise<void> => {
    const begun = context.store.update(table, id, { applicationStatus: 'running' });
    // The request lasts as long as the pull of the image.
    const lasts = context.deployDelayMs + pullTime(textOr(begun, 'dockerImage'));
    if (lasts > 0) await context.requests.stay(lasts);
    const row = context.store.find(table, id);
    if (row === undefined) return;
    try {
      const problem = pullProblem(textOf(row, 'dockerImage'));
      if (problem !== undefined) throw failed(problem);
      runContainer(context, row, [databaseOrder(context, table, row)]);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setStatus(context, table, row, 'error');
      throw failed(`Error on deploy ${table}Error: ${cause.message}`);
    }
    initialiseVolume(context, table, row);
    setStatus(context, table, row, 'done');
  };

  return {
    [`${table}.create`](context, input) {
      const missing = kind.passwords.filter((column) => (input[column] ?? '') === '');
      const more = (id: string) => Object.fromEntries(missing.map((column) => [column, derive(id, column, 16)]));
      const row = createService(context, table, { input, more });
      context.store.insert('mount', {
        mountId: context.newId(),
        type: 'volume',
        volumeName: `${textOf(row, 'appName')}-data`,
        mountPath: kind.dataPath(textOf(row, 'dockerImage')),
        serviceType: table,
        ...pick(row, [key]),
      });
      return row;
    },

    [`${table}.one`]: (context, input) => serviceView(context.store, table, find(context, input)),

    [`${table}.update`]({ store }, input) {
      const values = valuesToSet(input, [key, 'appName']);
      if (store.update(table, input[key], values) === undefined) throw new ApiError('BAD_REQUEST', kind.updateFailure);
      return true;
    },

    [`${table}.saveEnvironment`]: saveEnvironment(table),

    [`${table}.saveExternalPort`]: stale(table, async (context, row, input) => {
      const port = typeof input['externalPort'] === 'number' ? input['externalPort'] : null;
      checkPort(context.store, row, port);
      context.store.update(table, row[key], { externalPort: port });
      await deploy(context, textOf(row, key));
    }),

    // Of a port that is left out nothing changes.
    [`${table}.saveExternalPorts`]: stale(table, async (context, row, input) => {
      const ports = Object.entries(valuesToSet(input, [key]));
      if (ports.length === portColumns.length && ports.every(([, port]) => port === null))
        throw invalid('externalPort', 'Either externalPort, externalGRPCPort or externalAdminPort must be provided.');
      for (const [column, port] of ports)
        if (typeof port === 'number' && port !== row[column]) checkPort(context.store, row, port);
      context.store.update(table, row[key], Object.fromEntries(ports));
      await deploy(context, textOf(row, key));
    }),

    // The password of a running server, and the row.
    [`${table}.changePassword`](context, input) {
      const row = find(context, input);
      if (row['applicationStatus'] !== 'done')
        throw new ApiError('BAD_REQUEST', `No running container found for ${textOf(row, 'appName')}`);
      const isRoot = input['type'] === 'root';
      const values = { [isRoot ? 'databaseRootPassword' : 'databasePassword']: textOf(input, 'password') };
      const volumeName = `${textOf(row, 'appName')}-data`;
      const user = isRoot ? 'root' : textOr(row, 'databaseUser');
      const volume = context.store.find('volume', volumeName);
      requireSuccess(table, row, { volume, user, password: textOf(input, 'password') });
      context.store.update(table, row[key], values);
      context.store.update('volume', volumeName, values);
      return true;
    },

    [`${table}.search`]: searchServices(table),

    // What its server writes, or why its last deployment failed.
    [`${table}.readLogs`]({ store }, input) {
      const row = find({ store }, input);
      const failure = failureLog(row);
      if (failure === undefined) requireContainer(store, textOf(row, 'appName'));
      return linesFor(input, failure ?? kind.logLines);
    },

    [`${table}.changeStatus`]: stale(table, (context, row, input) => {
      setStatus(context, table, row, textOf(input, 'applicationStatus'));
    }),

    [`${table}.deploy`]: stale(table, (context, row) => deploy(context, textOf(row, key))),

    ...startAndStop(table),

    // The appName in the body is required and ignored.
    [`${table}.reload`](context, input) {
      const row = find(context, input);
      stopContainer(context, row);
      setStatus(context, table, row, 'idle');
      startContainer(context, row);
      setStatus(context, table, row, 'done');
      return true;
    },

    async [`${table}.rebuild`](context, input) {
      const row = context.store.find(table, input[key]);
      if (row === undefined) throw failed('Database not found');
      forgetVolumes(context.store, context.store.children('mount', key, row[key]));
      await deploy(context, textOf(row, key));
      return true;
    },

    [`${table}.move`]: moveService(table),

    // The volumes stay on the machine.
    [`${table}.remove`]: stale(table, ({ store }, row) => {
      store.remove('container', row['appName']);
      store.remove(table, row[key]);
    }),
  };
}

/**
 * Refuses a change of a password where the server has another password than the row of the user that the platform logs in as, or
 * no user of that name: the answer quotes the command with its passwords. Source: changePassword of the routers of v0.30.2.
 */
function requireSuccess(table: DatabaseTable, row: Row, { volume, user, password }: PasswordChange): void {
  const program = programs[table];
  if (program === undefined || volume === undefined) return;
  const { login, command, noUser } = program;
  const stored = login === undefined ? '' : textOr(row, login.column);
  const fail = (why: string) =>
    failed(`Command execution failed: Command failed: docker exec 3f2a ${command(user, stored, password)}\n${why}\n`);
  const there = login === undefined ? null : (volume[login.column] ?? null);
  if (login !== undefined && there !== null && there !== row[login.column]) throw fail(login.refusal);
  // The row says which user it is; the server knows the one of its first start, and root where it has a password of its own.
  const first = volume['databaseUser'] ?? row['databaseUser'] ?? '';
  if (user !== first && (user !== 'root' || login?.column !== 'databaseRootPassword')) throw fail(noUser(user));
}

interface PasswordChange {
  readonly volume: Row | undefined;
  /** The user whose password changes. */
  readonly user: string;
  readonly password: string;
}

/** The programs that change a password. A PostgreSQL trusts its own container. */
const programs: Readonly<Partial<Record<DatabaseTable, PasswordProgram>>> = {
  mariadb: sqlProgram('mariadb'),
  mysql: sqlProgram('mysql'),
  mongo: {
    login: { column: 'databasePassword', refusal: 'MongoServerError: Authentication failed.' },
    command: (user, stored, password) =>
      `mongosh -u '${user}' -p '${stored}' --authenticationDatabase admin --eval "db.getSiblingDB('admin').changeUserPassword('${user}', '${password}')"`,
    noUser: () => 'MongoServerError: Authentication failed.',
  },
  postgres: {
    command: (user, _, password) =>
      `psql -U ${user} -d postgres -c "ALTER USER \\"${user}\\" WITH PASSWORD '${password}';"`,
    noUser: (user) =>
      `psql: error: connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: FATAL:  role "${user}" does not exist`,
  },
};

interface PasswordProgram {
  /** The column of the password with which the platform logs in; undefined: the server takes commands without one. */
  readonly login?: { readonly column: string; readonly refusal: string };
  readonly command: (user: string, stored: string, password: string) => string;
  readonly noUser: (user: string) => string;
}

function sqlProgram(program: string): PasswordProgram {
  return {
    login: {
      column: 'databaseRootPassword',
      refusal: "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)",
    },
    command: (user, stored, password) =>
      `${program} -u root -p'${stored}' -e "ALTER USER '${user}'@'%' IDENTIFIED BY '${password}'; FLUSH PRIVILEGES;"`,
    noUser: (user) => `ERROR 1396 (HY000) at line 1: Operation ALTER USER failed for '${user}'@'%'`,
  };
}

/** The docker service of a database, which publishes ports of its host. */
function databaseOrder(context: Context, table: DatabaseTable, row: Row): ServiceOrder {
  const { store } = context;
  const key = `${table}Id`;
  // A libSQL is started without it.
  const [ingress, host] = (['ingress', 'host'] as const).map((mode) =>
    table === 'libsql' ? undefined : portsOfEndpoint(row, mode),
  );
  const columns = portColumns.flatMap((column) => (typeof row[column] === 'number' ? [`:${row[column]}/tcp`] : []));
  const order = orderOfRow(row, {
    image: textOf(row, 'dockerImage'),
    isDatabase: true,
    env: variableLines(context, row),
    ports: [],
    mounts: store.children('mount', key, row[key]).map((mount) => textOr(mount, 'mountPath')),
  });
  return withPorts(context, row, order, { ingress: ingress ?? [], host: host ?? columns });
}

/** What docker tells of a deployment that failed; undefined for a database whose deployment did not. */
function failureLog(row: Row): string[] | undefined {
  const image = textOf(row, 'dockerImage');
  const problem = row['applicationStatus'] === 'error' ? pullProblem(image) : undefined;
  if (problem === undefined) return undefined;
  return [`Pulling ${image}`, `Error: ${problem} ${image}`, 'The container was not started'];
}
