import type { Pool } from 'pg';
import { stop } from '../diagnostics/diagnostic.ts';
import { readPostgresAddress } from '../state/backends/postgres-address.ts';
import { errorText } from './error-text.ts';

/** The schemas of the controller, of its queue and of the states: beside each other in one database. */
export const schemas = { controller: 'trueup_controller', queue: 'trueup_controller_queue', states: 'trueup' } as const;

/** How pg and pg-boss connect to an address: with TLS to other machines, unless it says otherwise. @throws {Stop} `state` */
export function connectionTo(url: string): { readonly connectionString: string; readonly ssl: boolean } {
  return { connectionString: url, ssl: addressOf(url).hasTls };
}

function addressOf(url: string) {
  return readPostgresAddress(url, { database: 'the database of the controller', variable: 'TRUEUP_CONTROLLER_URL' });
}

/** Opens the database of the controller, and proves that it answers. @throws {Stop} `state`, where it does not */
export async function openPool(url: string, maxConnections: number): Promise<Pool> {
  const { location } = addressOf(url);
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    ...connectionTo(url),
    max: maxConnections,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'trueup',
  });
  // A connection that is lost while it waits; the next statement takes another one.
  pool.on('error', () => undefined);
  try {
    await pool.query('select 1');
    return pool;
  } catch (error) {
    await pool.end();
    const remedy =
      'Check that PostgreSQL runs and that TRUEUP_CONTROLLER_URL has the right user, password and name of the database.';
    const message = `the database of the controller ${location} cannot be reached (${errorText(error)})`;
    throw stop('state', 'state-unusable', message, { remedy, cause: error });
  }
}
