import { attempts } from '../../api/attempts.ts';
import type { Clock } from '../clock.ts';
import { unusable } from '../unusable.ts';
import {
  type Connection,
  type Connections,
  type Pool,
  borrowed,
  codeOf,
  isAnswer,
  ownConnections,
} from './connections.ts';
import type { Pace } from './pace.ts';

export type { Pool } from './connections.ts';

/** A state in a database, and how it is reached. */
export type PostgresLocation = (
  | {
      /** `postgres://user:password@host/database`; never shown. */
      readonly url: string;
    }
  | { readonly pool: Pool }
) & {
  /** Lower case letters, digits and `_`. */
  readonly schema: string;
  /** Distinguishes the states of a schema. */
  readonly name: string;
  /** Replaces the secrets of the run in a text of the server. */
  readonly redact?: (text: string) => string;
};

/** A database; it connects on demand, and again after a lost connection. */
export interface Database {
  /** Where it is, without user and password. */
  readonly location: string;
  /** Replaces the secrets of the run in a text that others wrote. */
  readonly redact: (text: string) => string;
  /**
   * Runs a statement, and again when the connection is lost: for 4 s, or with `check` until that throws, which is asked before
   * each attempt, and for 10 minutes at most. A missing table has no rows.
   */
  readonly query: (text: string, values: readonly unknown[], check?: () => void) => Promise<readonly Row[]>;
  /** Runs statements unless all of some tables exist. */
  readonly prepare: (statements: string, names: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

type Row = Readonly<Record<string, unknown>>;

/** Between attempts, while the server does not answer. Milliseconds. */
const pauses = [200, 1_000, 3_000] as const;

/** A database in use. */
interface Open {
  readonly connections: Connections;
  readonly location: string;
  readonly redact: Database['redact'];
  readonly clock: Clock;
}

/** Opens the database of a state. The schema and the name of the state are for messages. Sends nothing yet. */
export function openDatabase(where: PostgresLocation, clock: Clock, pace?: Pace): Database {
  const { schema, name, redact = (text) => text } = where;
  const connections = 'pool' in where ? borrowed(where.pool, pace) : ownConnections(where.url, pace);
  const location = `${connections.location}, ${schema}.state of ${name}`;
  const open: Open = { connections, location, redact, clock };
  return {
    location,
    redact,
    query: async (text, values, check) => {
      try {
        return await run(
          open,
          async (connection) => (await connection.query({ text, values: [...values] })).rows,
          check,
        );
      } catch (error) {
        if (isMissing(error)) return [];
        throw explained(open, error, rightsToUse(schema));
      }
    },
    prepare: async (statements, names) => {
      try {
        await run(open, async (connection) => {
          const { rows } = await connection.query({
            text: 'select bool_or(to_regclass(name) is null) as missing from unnest($1::text[]) as name',
            values: [names],
          });
          if (rows[0]?.['missing'] === true) await connection.query({ text: statements });
        });
      } catch (error) {
        throw explained(open, error, rightsToPrepare(schema));
      }
    },
    close: () => connections.close(),
  };
}

/** Does some work on a connection; again on a new one, after a pause, when the connection is lost. */
async function run<T>(open: Open, work: (connection: Connection) => Promise<T>, check?: () => void): Promise<T> {
  const { connections, location, redact, clock } = open;
  const began = clock.monotonic();
  for (let attempt = 0; ; attempt++) {
    check?.();
    try {
      return await connections.use(work);
    } catch (error) {
      if (isAnswer(error)) throw error;
      const unfit = connections.whyUnusable(error);
      if (unfit !== undefined) throw unusable(location, unfit.what, { remedy: unfit.remedy ?? remedy, cause: error });
      // The holder of a lock waits as long as the lock lasts: its records say what it wrote. A large write may fail for ever while
      // the lock is renewed.
      const mayWait = check !== undefined && clock.monotonic() - began < attempts.pause.limitMs;
      const pause = pauses[attempt] ?? (mayWait ? pauses[2] : undefined);
      if (pause === undefined)
        throw unusable(location, `cannot be reached (${redact(wordsOf(error))})`, { remedy, cause: error });
      await clock.sleep(pause);
    }
  }
}

/** No such table, no such schema. */
function isMissing(error: unknown): boolean {
  return ['42P01', '3F000'].includes(codeOf(error));
}

function explained({ location, redact }: Open, error: unknown, remedyForRights: string): unknown {
  if (!(error instanceof Error) || !('severity' in error)) return error;
  const remedies: Readonly<Record<string, string>> = { '42501': remedyForRights, '22P05': remedyForEncoding };
  return unusable(location, `cannot be used (${redact(wordsOf(error))})`, {
    remedy: remedies[codeOf(error)] ?? remedy,
    cause: error,
  });
}

const remedyForEncoding =
  "Use a database that has every character: create database NAME encoding 'UTF8' template template0; Nothing was overwritten.";

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
