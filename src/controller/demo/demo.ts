import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { givenDatabaseUrl } from '../environment.ts';
import { openPool, schemas } from '../pool.ts';
import { loadBoss } from '../queue.ts';
import { recordsIn } from '../records/all.ts';
import { type ServeOptions, serve } from '../serve.ts';
import { newKey } from '../work.ts';
import { fill } from './fill.ts';
import { freePort, startPostgres } from './postgres.ts';

/** How a demonstration runs. */
export interface DemoOptions extends Omit<ServeOptions, 'settings' | 'host' | 'worker' | 'onReady' | 'migrates'> {
  /** The command of its worker, which takes the folder of its checkouts as the last word. */
  readonly worker: readonly string[];
  /** Says what was done. */
  readonly report: (line: string) => void;
  /** Called once there is something to approve, with the link that signs in. */
  readonly onReady: (link: string) => void;
}

/**
 * Serves a page with a worker over ten emulated platforms, until the signal. All that it makes is removed at the end.
 *
 * @throws {Stop} where it cannot begin
 */
export async function demo({ onReady, report, worker, ...options }: DemoOptions): Promise<void> {
  await loadBoss();
  const database = await databaseFor(options.env);
  const folder = await mkdtemp(join(tmpdir(), 'trueup-demo-'));
  report('PostgreSQL is ready');
  const ends = new AbortController();
  const signal = AbortSignal.any([options.signal, ends.signal]);
  try {
    const port = options.port === 0 ? await freePort() : options.port;
    const settings = join(folder, 'controller.yaml');
    await writeFile(settings, `trueupController: 1\naddress: http://127.0.0.1:${port}\n`);
    const own = { TRUEUP_CONTROLLER_URL: database.url, TRUEUP_STATE_KEY: newKey() };
    // A file that the user named would be a second value.
    const env = { ...options.env, ...own, TRUEUP_CONTROLLER_URL_FILE: '', TRUEUP_STATE_KEY_FILE: '' };
    const about = { ...options, env, settings, port, host: '127.0.0.1', migrates: true, signal };
    let served: Promise<void> = Promise.resolve();
    const page = new Promise<string>((resolve) => {
      const onServing = (_listens: string, link = ''): void => resolve(link);
      served = serve({ ...about, worker: [...worker, join(folder, 'checkouts')], onReady: onServing }).finally(() =>
        ends.abort(),
      );
    });
    const shown = Promise.race([page, served]).then(async (link) => {
      if (link === undefined) return;
      const close = await fillFor(database.url, { folder, report, signal });
      onReady(link);
      if (!signal.aborted) await once(signal, 'abort');
      await close();
    });
    // What failed first says why; the other one was ended by it.
    const failures = (await Promise.allSettled([served, shown.finally(() => ends.abort())])).flatMap((end) =>
      end.status === 'rejected' ? [end.reason as unknown] : [],
    );
    if (failures.length > 0 && !options.signal.aborted) throw failures[0];
  } finally {
    await database.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fills the tables with a connection of its own. Gives what ends the platforms. */
async function fillFor(url: string, about: Omit<Parameters<typeof fill>[0], 'records'>): Promise<() => Promise<void>> {
  const pool = await openPool(url, 2);
  try {
    return await fill({ ...about, records: recordsIn(pool, schemas.controller) });
  } finally {
    await pool.end();
  }
}

interface Database {
  readonly url: string;
  readonly end: () => Promise<void>;
}

/** A new database of the server that TRUEUP_CONTROLLER_URL names, or a PostgreSQL of its own. */
async function databaseFor(env: ServeOptions['env']): Promise<Database> {
  const given = await givenDatabaseUrl(env);
  if (given === undefined) {
    const { url, stop } = await startPostgres();
    return { url, end: stop };
  }
  const name = `trueup_demo_${randomBytes(6).toString('hex')}`;
  const send = async (statement: string): Promise<void> => {
    const pool = await openPool(given, 1);
    try {
      await pool.query(statement);
    } finally {
      await pool.end();
    }
  };
  await send(`create database ${name}`);
  const url = new URL(given);
  url.pathname = `/${name}`;
  return { url: url.href, end: () => send(`drop database ${name} with (force)`) };
}
