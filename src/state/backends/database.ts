import type { Socket } from 'node:net';
import type { Client } from 'pg';
import { attempts } from '../../api/attempts.ts';
import type { Clock } from '../clock.ts';
import { unusable } from '../unusable.ts';
import { type PostgresAddress, readPostgresAddress } from './postgres-address.ts';

/** The location of a state in a database. */
export interface PostgresLocation {
  /** `postgres://user:password@host/database`; never shown. */
  readonly url: string;
  /** Lower case letters, digits and `_`. */
  readonly schema: string;
  /** Distinguishes the states of a schema. */
  readonly name: string;
  /** Replaces the secrets of the run in a text of the server. */
  readonly redact?: (text: string) => string;
}

/** A database; it connects on demand, and again after a lost connection. */
export interface Database {
  /** Where it is, without user and password. */
  readonly location: string;
  /** Replaces the secrets of the run in a text that others wrote. */
  readonly redact: (text: string) => string;
  /** Runs a statement, twice when the connection is lost; asks `check` before each. A missing table has no rows. */
  readonly query: (text: string, values: readonly unknown[], check?: () => void) => Promise<readonly Row[]>;
  /** Runs statements unless all of some tables exist. */
  readonly prepare: (statements: string, names: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

type Row = Readonly<Record<string, unknown>>;

const connectMs = 10_000;
const answerMs = 15_000;

/** Between attempts, while the server does not answer. Milliseconds. */
const pauses = [200, 1_000, 3_000];

/** A database in use. */
interface Open {
  readonly url: string;
  readonly address: PostgresAddress;
  readonly location: string;
  readonly redact: Database['redact'];
  readonly clock: Clock;
  /** The connection, while there is one. */
  opening: Promise<Client> | undefined;
  received: Received;
}

/** Opens the database of a state. The schema and the name of the state are for messages. Sends nothing yet. */
export function openDatabase({ url, schema, name, redact = (text) => text }: PostgresLocation, clock: Clock): Database {
  const address = readPostgresAddress(url);
  const location = `${address.location}, ${schema}.state of ${name}`;
  const open: Open = { url, address, location, redact, clock, opening: undefined, received: { bytes: 0, rows: 0 } };
  return {
    location,
    redact,
    query: async (text, values, check) => {
      try {
        return await run(open, async (client) => (await client.query<Row>(text, [...values])).rows, check);
      } catch (error) {
        if (isMissing(error)) return [];
        throw explained(open, error, rightsToUse(schema));
      }
    },
    prepare: async (statements, names) => {
      try {
        await run(open, async (client) => {
          const { rows } = await client.query<Row>(
            'select bool_or(to_regclass(name) is null) as missing from unnest($1::text[]) as name',
            [names],
          );
          if (rows[0]?.missing === true) await client.query(statements);
        });
      } catch (error) {
        throw explained(open, error, rightsToPrepare(schema));
      }
    },
    close: async () => {
      const client = await open.opening?.catch(() => undefined);
      open.opening = undefined;
      await client?.end().catch(() => undefined);
    },
  };
}

/** Does some work on a connection; again on a new one, after a pause, when the connection is lost. */
async function run<T>(open: Open, work: (client: Client) => Promise<T>, check?: () => void): Promise<T> {
  const { address, location, redact, clock } = open;
  for (let attempt = 0; ; attempt++) {
    check?.();
    const connection = (open.opening ??= connect(open));
    try {
      const client = await connection;
      Object.assign(open.received, { bytes: 0, rows: 0 });
      return await work(client);
    } catch (error) {
      if (isAnswer(error)) throw error;
      if (open.opening === connection) open.opening = undefined;
      void connection.then((client) => client.end()).catch(() => undefined);
      const unfit = whyUnusable(error, address);
      if (unfit !== undefined) throw unusable(location, unfit.what, { remedy: unfit.remedy, cause: error });
      const pause = pauses[attempt];
      if (pause === undefined)
        throw unusable(location, `cannot be reached (${redact(wordsOf(error))})`, { remedy, cause: error });
      await clock.sleep(pause);
    }
  }
}

async function connect(open: Open): Promise<Client> {
  const { url, address } = open;
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
  client.on('error', () => undefined); // the next statement fails, and connects again
  if (!address.takesPassword) refuseCleartext(client);
  open.received = limitAnswers(client);
  try {
    await client.connect();
    // An acknowledged write must survive a crash of the server, and a vanished client must not lock out the others.
    await client.query(
      `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'
      union all select set_config('lock_timeout', '10s', false)
      union all select set_config('idle_in_transaction_session_timeout', '30s', false)`,
    );
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
  return client;
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
function whyUnusable(
  error: unknown,
  { hasTls, isLocal }: PostgresAddress,
): { what: string; remedy: string } | undefined {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  if (code === tooMuch) return { what: `cannot be used: ${message}`, remedy };
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
function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && !/^(08|57P|53300|40)/.test(codeOf(error));
}

/** No such table, no such schema. */
function isMissing(error: unknown): boolean {
  return ['42P01', '3F000'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function explained({ location, redact }: Open, error: unknown, remedyForRights: string): unknown {
  if (!(error instanceof Error) || !('severity' in error)) return error;
  const lacksRights = codeOf(error) === '42501';
  return unusable(location, `cannot be used (${redact(wordsOf(error))})`, {
    remedy: lacksRights ? remedyForRights : remedy,
    cause: error,
  });
}

function rightsToUse(schema: string): string {
  const tables = `grant select, insert, update, delete on all tables in schema ${schema} to USER;`;
  return (
    `As the owner of the tables, with the user of TRUEUP_STATE_URL as USER, run: grant usage on schema ${schema} to USER; ${tables} ` +
    'A user who only plans needs select. Then run this again. Nothing was overwritten.'
  );
}

function rightsToPrepare(schema: string): string {
  return (
    `A table or the schema is missing, and this user may not create it. As the owner of the schema, with the user of ` +
    `TRUEUP_STATE_URL as USER, run: grant usage, create on schema ${schema} to USER; without a schema ${schema}, as the owner ` +
    'of the database: grant create on database DATABASE to USER; Then run this again. Nothing was overwritten.'
  );
}

/** Describes an error in the words of the server. */
function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return [codeOf(error), message].filter((word) => word !== '').join(': ') || 'no reason was given';
}

const remedy = 'Look at TRUEUP_STATE_URL and at the database. Nothing was overwritten.';
