import { once } from 'node:events';
import { stop } from '../diagnostics/diagnostic.ts';
import { newStateKey } from '../secrets/state-key.ts';
import type { Environment } from '../project/folder.ts';
import { type Redactor, createRedactor } from '../secrets/redactor.ts';
import type { CheckoutsOptions } from './checkouts.ts';
import { checkoutsFolder, databaseUrl, stateKey } from './environment.ts';
import { createLog, logForm } from './log.ts';
import { openPool, schemas } from './pool.ts';
import { createQueue, loadBoss } from './queue.ts';
import { readSettings } from './read-settings.ts';
import type { Records } from './records/all.ts';
import { migrate } from './schema.ts';
import type { Labels } from './settings.ts';
import { onlyOptions, onlyText } from './site.ts';
import { startWorker } from './worker.ts';

/** How a process of the controller runs. */
export interface ProcessOptions {
  readonly env: Environment;
  /** false: refuses older tables. */
  readonly migrates: boolean;
  /** How long what runs may take to end. Milliseconds. */
  readonly graceMs: number;
  /** text or json. */
  readonly log: string;
  /** Prints a line of the log. */
  readonly write: (line: string) => void;
  /** Aborted: the process is to end. */
  readonly signal: AbortSignal;
}

/** How a worker runs. */
interface WorkOptions extends ProcessOptions {
  /** Runs at a time. */
  readonly concurrency: number;
  /** The labels of the platforms that it works for; `{}`: those that are bound to none. */
  readonly only: Labels;
  /** The folder of the checkouts; undefined: the usual one. */
  readonly folder: string | undefined;
  readonly git: CheckoutsOptions;
  /** The file of the settings, absolute; undefined: the waves of another worker, and the page as that or the page says. */
  readonly settings: string | undefined;
  /** Called once it works. */
  readonly onReady: () => void;
}

/** Works until the signal. @throws {Stop} where it cannot begin */
export async function work(options: WorkOptions): Promise<void> {
  const { env, concurrency, only, folder = checkoutsFolder(env), signal, graceMs } = options;
  const form = logForm(options.log);
  const [url, key] = [await databaseUrl(env), await stateKey(env)];
  await loadBoss();
  const settings = options.settings === undefined ? undefined : await readSettings(options.settings, env);
  const { redact } = redactorFor(url, key);
  const log = createLog({ write: options.write, form, redact, now: Date.now });
  const pool = await openPool(url, concurrency + 4);
  try {
    const worker = await explained(
      startWorker({
        url,
        pool,
        schema: schemas.controller,
        states: { schema: schemas.states, key },
        folder,
        git: options.git,
        concurrency,
        only,
        migrates: options.migrates,
        waves: settings?.waves,
        address: settings?.address,
        notify: settings?.notify,
        onError: (error, job) => log.problem(error, { ...job }),
        onDone: (job, ms) => log.say('done', { ...job, ms }),
      }),
    );
    log.say('started', { concurrency, folder, ...(onlyText(only) === '' ? {} : { only: onlyText(only) }) });
    if (!(await isNeeded(worker.records, only)))
      log.say(`no platform is enrolled with ${onlyOptions(only)}: this worker has nothing to do until one is`);
    options.onReady();
    if (!signal.aborted) await once(signal, 'abort');
    log.say('stopping', { graceSeconds: graceMs / 1_000 });
    await worker.stop(graceMs);
    log.say('stopped');
  } finally {
    await pool.end();
  }
}

/** Whether there are platforms that a worker with these labels reaches. Any is needed without labels: it polls the sources. */
async function isNeeded(records: Records, only: Labels): Promise<boolean> {
  return onlyText(only) === '' || (await records.sites()).some((site) => onlyText(site.only) === onlyText(only));
}

/** Makes the tables of the controller and of its queue, or brings them up to date. Gives the names of the migrations that ran. */
export async function migrateTables(env: Environment): Promise<readonly string[]> {
  const url = await databaseUrl(env);
  const queue = await createQueue({ url, schema: schemas.queue, onError: () => undefined });
  const pool = await openPool(url, 1);
  try {
    const ran = await explained(migrate(pool, schemas.controller));
    await explained(queue.start());
    await queue.stop(0);
    return ran;
  } finally {
    await pool.end();
  }
}

/** A new key for the states of a controller. */
export function newKey(): string {
  return newStateKey().text();
}

/** Makes a redactor for secrets of a process. */
export function redactorFor(...secrets: readonly string[]): Redactor {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
}

/** Turns a refusal of the database into a sentence. */
export async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Error && 'severity' in error)) throw error;
    const remedy = 'trueup controller doctor says what the database lacks.';
    throw stop('refused', 'usage', `the database refuses: ${error.message}`, { remedy, cause: error });
  }
}
