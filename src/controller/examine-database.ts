import type { Pool } from 'pg';
import { createRedactor } from '../secrets/redactor.ts';
import { postgresStore } from '../state/backends/postgres.ts';
import { givenKey } from '../state/key-sources.ts';
import { type Finding, asFinding, finding } from './finding.ts';
import { schemas } from './pool.ts';
import { compareTables } from './schema.ts';

/** The oldest version that pg-boss works with, as PostgreSQL numbers them. */
const oldestVersion = 130_000;
/** Connections that a worker may open: its pool, and that of its queue. */
const perWorker = 16;
/** Clocks that are further apart make times on pages wrong, and polls early or late. */
const maxClockMs = 5_000;

interface Facts {
  readonly version: string;
  readonly number: number;
  readonly isReplica: boolean;
  readonly user: string;
  readonly mayCreate: boolean;
  readonly free: number;
  readonly now: number;
}

/** Examines the database: its version, the rights of its user, the tables, connections and the clock. Writes nothing. */
export async function examineDatabase(pool: Pool, now: () => number): Promise<readonly Finding[]> {
  const began = now();
  const { rows } = await pool.query<Facts>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      pg_is_in_recovery() as "isReplica", current_user as user,
      has_database_privilege(current_database(), 'create') as "mayCreate",
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - (select sum(numbackends)::int from pg_stat_database) as free,
      extract(epoch from clock_timestamp())::float * 1000 as now`,
  );
  const [facts] = rows;
  if (facts === undefined) return [];
  const apart = Math.round((facts.now - (began + now()) / 2) / 1_000);
  return [versionOf(facts), rightsOf(facts), ...(await tablesOf(pool)), connectionsOf(facts), clockOf(apart)];
}

function versionOf({ version, number, isReplica }: Facts): Finding {
  if (isReplica)
    return finding('version', 'bad', 'the server is a replica: nothing can be written', 'Name the primary.');
  if (number >= oldestVersion) return finding('version', 'good', `PostgreSQL ${version}`);
  return finding('version', 'bad', `PostgreSQL ${version} is too old`, 'Update it to version 13 or newer.');
}

function rightsOf({ user, mayCreate }: Facts): Finding {
  if (mayCreate) return finding('rights', 'good', `${user} may create schemas`);
  const remedy = `Run as its owner: grant create on database NAME to "${user}";`;
  return finding('rights', 'bad', `${user} may not create schemas in this database`, remedy);
}

async function tablesOf(pool: Pool): Promise<readonly Finding[]> {
  const { due, unknown } = await compareTables(pool, schemas.controller);
  if (unknown.length > 0) {
    const message = `they are of a newer Trueup, which has ${unknown.join(', ')}`;
    return [finding('tables', 'bad', message, 'Start that version, or restore the copy from before the upgrade.')];
  }
  if (due.length === 0) return [finding('tables', 'good', 'up to date')];
  const remedy = 'Run trueup controller migrate, or start a worker without --no-migrate.';
  return [finding('tables', 'warning', `they lack ${due.join(', ')}`, remedy)];
}

function connectionsOf({ free }: Facts): Finding {
  if (free >= perWorker) return finding('connections', 'good', `${free} are free`);
  const remedy = 'Raise max_connections in PostgreSQL, or start fewer workers.';
  return finding('connections', 'warning', `only ${free} are free, and a worker takes up to ${perWorker}`, remedy);
}

function clockOf(seconds: number): Finding {
  if (Math.abs(seconds) * 1_000 <= maxClockMs) return finding('clock', 'good', 'this machine and the database agree');
  const message = `the clock of the database is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of this machine`;
  return finding('clock', 'warning', message, 'Set both clocks, best by NTP.');
}

/** Examines whether a key fits the states, by the state of one stack. Writes nothing. */
export async function examineKey(pool: Pool, key: string): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from ${schemas.controller}.stack where applied is not null order by id limit 1`,
  );
  const [stack] = rows;
  if (stack === undefined) return [finding('state key', 'good', 'it has the form of a key; there is no state yet')];
  const { redact } = createRedactor();
  const keys = givenKey(key, 'TRUEUP_STATE_KEY');
  const store = postgresStore({ pool, schema: schemas.states, name: stack.id, redact }, { keys });
  try {
    await store.read();
    return [finding('state key', 'good', `it fits the state of ${stack.id}`)];
  } catch (error) {
    return asFinding('state key', error);
  } finally {
    await store.close();
  }
}
