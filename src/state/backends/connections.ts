import type { Socket } from 'node:net';
import type { Client } from 'pg';
import { attempts } from '../../api/attempts.ts';
import { type PostgresAddress, readPostgresAddress } from './postgres-address.ts';

/** A connection to a database, or one of a pool: what both can do. */
export interface Connection {
  readonly query: (statement: Statement) => Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/** A statement; several without values are one transaction. */
interface Statement {
  readonly text: string;
  readonly values?: unknown[];
}

/** A pool of connections, such as one of the package `pg`. */
export interface Pool {
  readonly connect: () => Promise<PooledConnection>;
}

/** A connection of a pool, until it is released. */
interface PooledConnection extends Connection {
  /** `true`: it is lost, and not used again. */
  readonly release: (isLost: boolean) => void;
  readonly on: (event: 'error', listener: () => void) => unknown;
  readonly off: (event: 'error', listener: () => void) => unknown;
}

/** The connections to a database. */
export interface Connections {
  /** Where they lead, without user and password. */
  readonly location: string;
  /** Does some work on a connection, which is not used again after an error that is no answer of the server. */
  readonly use: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
  /** Why a connection was given up for good; undefined: it failed for another reason. */
  readonly whyUnusable: (error: unknown) => Unusable | undefined;
  readonly close: () => Promise<void>;
}

/** A reason to use a database no more; without a remedy of its own, the usual one. */
interface Unusable {
  readonly what: string;
  readonly remedy?: string;
}

const connectMs = 10_000;
const answerMs = 15_000;

/**
 * An acknowledged write must survive a crash of the server, which must not go on with what its client gave up and sent once more;
 * and a vanished client must not lock out the others.
 */
const setLimits = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'
  union all select set_config('lock_timeout', '10s', false)
  union all select set_config('idle_in_transaction_session_timeout', '30s', false)`;

/** Connections of a pool that is the caller's, each for one piece of work. They keep the limits that are set on them. */
export function borrowed(pool: Pool): Connections {
  const limited = new WeakSet<Connection>();
  return {
    location: 'PostgreSQL',
    use: async (work) => {
      const connection = await take(pool);
      // A statement of pg, which takes its own time limit.
      const patient: Connection = {
        query: (statement) => connection.query({ ...statement, query_timeout: answerMs } as Statement),
      };
      let isLost = true;
      connection.on('error', ignore);
      try {
        if (!limited.has(connection)) await patient.query({ text: setLimits });
        limited.add(connection);
        const result = await work(patient);
        isLost = false;
        return result;
      } catch (error) {
        isLost = !isAnswer(error);
        throw error;
      } finally {
        connection.release(isLost);
        connection.off('error', ignore);
      }
    },
    whyUnusable: () => undefined,
    close: () => Promise.resolve(),
  };
}

/** For a connection that is lost: the statement on it fails, too. */
function ignore(): void {}

/** Takes a connection of a pool; one that comes too late goes back at once. */
function take(pool: Pool): Promise<PooledConnection> {
  const connecting = pool.connect();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`the pool gave no connection for ${connectMs / 1_000} s`));
      void connecting.then((connection) => connection.release(false)).catch(() => undefined);
    }, connectMs);
    const stop = (): void => clearTimeout(timer);
    connecting.then(resolve, reject).finally(stop);
  });
}

/** A connection of its own, made for the first work, and again once it is lost. */
export function ownConnection(url: string): Connections {
  const address = readPostgresAddress(url);
  let opening: Promise<Opened> | undefined;
  return {
    location: address.location,
    use: async (work) => {
      const mine = (opening ??= connect(url, address));
      try {
        const { client, received } = await mine;
        Object.assign(received, { bytes: 0, rows: 0 });
        return await work({ query: ({ text, values }) => client.query(text, values) });
      } catch (error) {
        if (!isAnswer(error)) {
          if (opening === mine) opening = undefined;
          void mine.then(({ client }) => client.end()).catch(() => undefined);
        }
        throw error;
      }
    },
    whyUnusable: (error) => whyUnusable(error, address),
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      opening = undefined;
      await opened?.client.end().catch(() => undefined);
    },
  };
}

/** A connection that was made, and what came over it since the last statement was sent. */
interface Opened {
  readonly client: Client;
  readonly received: Received;
}

async function connect(url: string, address: PostgresAddress): Promise<Opened> {
  // Loaded at the first statement: most runs need no database.
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    // Only where the address does not say it: PGSSLMODE does not count.
    ssl: address.hasTls,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
    application_name: 'trueup',
  });
  client.on('error', ignore);
  if (!address.takesPassword) refuseCleartext(client);
  const received = limitAnswers(client);
  try {
    await client.connect();
    await client.query(setLimits);
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
  return { client, received };
}

/** The event of a server that asks for the password itself, and not for a proof of it. */
const asksForPassword = 'authenticationCleartextPassword';

/** Ends the connection before the client answers a server that asks for the password in clear. */
function refuseCleartext(client: Client): void {
  const connection = connectionOf(client);
  connection.prependListener(asksForPassword, () => {
    connection.stream.destroy(Object.assign(new Error('it asked for the password in clear'), { code: cleartext }));
  });
}

/** The connection below a client, as pg 8 has it. */
function connectionOf(client: Client): NodeJS.EventEmitter & { stream: Socket } {
  return (client as unknown as { connection: NodeJS.EventEmitter & { stream: Socket } }).connection;
}

const cleartext = 'TRUEUP_CLEARTEXT_PASSWORD';

/** What came since the last statement was sent. */
interface Received {
  bytes: number;
  rows: number;
}

/** Ends the connection of a server that answers without end, before the answer fills the memory. */
function limitAnswers(client: Client): Received {
  const received: Received = { bytes: 0, rows: 0 };
  const connection = connectionOf(client);
  const { maxAnswerBytes, maxRows } = attempts.state;
  const giveUp = (what: string) => {
    connection.stream.destroy(Object.assign(new Error(`it answered with more than ${what}`), { code: tooMuch }));
  };
  const watch = () => {
    connection.stream.on('data', (part: Buffer) => {
      received.bytes += part.length;
      if (received.bytes > maxAnswerBytes) giveUp(`${maxAnswerBytes / 1024 ** 2} MiB`);
    });
  };
  connection.on('dataRow', () => {
    received.rows++;
    if (received.rows > maxRows) giveUp(`${maxRows} rows`);
  });
  connection.on('connect', watch);
  connection.on('sslconnect', watch);
  return received;
}

const tooMuch = 'ANSWER_TOO_LONG';

/** Explains a connection that Trueup gave up itself; undefined: it failed for another reason. */
function whyUnusable(error: unknown, { hasTls, isLocal }: PostgresAddress): Unusable | undefined {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  if (code === tooMuch) return { what: `cannot be used: ${message}` };
  const disable = 'Write sslmode=disable in TRUEUP_STATE_URL where only you can read the network.';
  if (code === cleartext) {
    const why = hasTls ? 'its certificate is not checked' : 'the connection has no TLS';
    return {
      what: `cannot be used: ${message}, and ${why}; the password was not sent`,
      remedy: `Let the database use scram-sha-256, or write sslmode=${isLocal ? 'disable' : 'verify-full'} in TRUEUP_STATE_URL.`,
    };
  }
  if (!hasTls) return undefined;
  if (message === 'The server does not support SSL connections') {
    return {
      what: 'cannot be used: the database has no TLS; the password was not sent',
      remedy: `Turn on TLS in the database (ssl = on). ${disable}`,
    };
  }
  if (!certificateCodes.test(code)) return undefined;
  return {
    what: `cannot be used: the certificate of the database is not trusted (${code}); the password was not sent`,
    remedy: `Write sslrootcert=FILE in TRUEUP_STATE_URL, with the certificate of its authority, or correct the host. ${disable}`,
  };
}

/** Codes of Node for a certificate that it does not accept. */
const certificateCodes =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;

/** Tells whether the server answered with a final refusal; a server about to stop has not. */
export function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && !/^(08|57P|53300|40)/.test(codeOf(error));
}

/** The code of an error of the server or of the system; empty without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
