import type { Socket } from 'node:net';
import type { Client } from 'pg';
import { attempts } from '../../api/attempts.ts';
import { type Pace, watchPace } from './pace.ts';
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

/** A statement of 25 MB may take 90 s until its answer: nothing shows how much of it the database has. */
const usualPace: Pace = { answerMs: 15_000, bytes: 4 * 1024 ** 2 };

/**
 * An acknowledged write must survive a crash of the server, which must not go on with what its client gave up and sent once more;
 * and a vanished client must not lock out the others.
 */
const setLimits = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'
  union all select set_config('lock_timeout', '10s', false)
  union all select set_config('idle_in_transaction_session_timeout', '30s', false)`;

/** Connections of a pool that is the caller's, each for one piece of work. They keep the limits that are set on them. */
export function borrowed(pool: Pool, pace = usualPace): Connections {
  const limited = new WeakSet<Connection>();
  return {
    location: 'PostgreSQL',
    use: async (work) => {
      const connection = await take(pool);
      const { stream } = (connection as { connection?: { stream?: Socket } }).connection ?? {};
      const patient: Connection = {
        // A statement of pg, which takes its own time limit in the place of that of the pool.
        query: (statement) =>
          paced({ statement, stream, pace }, (query_timeout) =>
            connection.query({ ...statement, query_timeout } as Statement),
          ),
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

/** A statement, the stream below its connection, and how fast the database has to be. */
interface Sending {
  readonly statement: Statement;
  /** Without it, nothing shows that an answer comes. */
  readonly stream: Socket | undefined;
  readonly pace: Pace;
}

/**
 * Sends a statement, and ends its connection when the database is too slow. `send` gets the longest time that it may take:
 * that of the largest answer.
 */
async function paced<T>({ statement, stream, pace }: Sending, send: (limitMs: number) => Promise<T>): Promise<T> {
  const { bytes } = pace;
  const sent = (statement.values ?? []).reduce<number>((sum, value) => sum + String(value).length, 0);
  const answerMs = pace.answerMs * (1 + Math.floor(sent / bytes));
  if (stream === undefined) return send(answerMs);
  const { signal, received, end } = watchPace({ answerMs, bytes });
  const hear = ({ length }: Buffer): void => received(length);
  signal.addEventListener('abort', () => stream.destroy(signal.reason as Error));
  stream.on('data', hear);
  try {
    return await send(answerMs * (1 + attempts.state.maxAnswerBytes / bytes));
  } finally {
    end();
    stream.off('data', hear);
  }
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

/**
 * Two connections of its own, each made for its first work, and again once it is lost. The second one is for what comes while
 * the first one is busy: a lease is renewed beside a large state that passes slowly.
 */
export function ownConnections(url: string, pace = usualPace): Connections {
  const address = readPostgresAddress(url);
  const first: Line = { opening: undefined, works: 0 };
  const second: Line = { opening: undefined, works: 0 };
  return {
    location: address.location,
    use: async (work) => {
      const line = first.works === 0 ? first : second;
      line.works++;
      const mine = (line.opening ??= connect(url, address, pace));
      try {
        const { client, received } = await mine;
        Object.assign(received, { bytes: 0, rows: 0 });
        const { stream } = connectionOf(client);
        const query: Connection['query'] = (statement) =>
          paced({ statement, stream, pace }, () => client.query(statement.text, statement.values));
        return await work({ query });
      } catch (error) {
        if (!isAnswer(error)) {
          if (line.opening === mine) line.opening = undefined;
          void mine.then(({ client }) => client.end()).catch(() => undefined);
        }
        throw error;
      } finally {
        line.works--;
      }
    },
    whyUnusable: (error) => whyUnusable(error, address),
    close: async () => {
      await Promise.all([first, second].map(closeLine));
    },
  };
}

/** One connection, and how much work it has. */
interface Line {
  opening: Promise<Opened> | undefined;
  works: number;
}

async function closeLine(line: Line): Promise<void> {
  const opened = await line.opening?.catch(() => undefined);
  line.opening = undefined;
  await opened?.client.end().catch(() => undefined);
}

/** A connection that was made, and what came over it since the last statement was sent. */
interface Opened {
  readonly client: Client;
  readonly received: Received;
}

async function connect(url: string, address: PostgresAddress, pace: Pace): Promise<Opened> {
  // Loaded at the first statement: most runs need no database.
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    // Only where the address does not say it: PGSSLMODE does not count.
    ssl: address.hasTls,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    application_name: 'trueup',
  });
  client.on('error', ignore);
  if (!address.takesPassword) refuseCleartext(client);
  const received = limitAnswers(client);
  try {
    await client.connect();
    const { stream } = connectionOf(client);
    await paced({ statement: { text: setLimits }, stream, pace }, () => client.query(setLimits));
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
