import { readFile } from 'node:fs/promises';
import * as modules from 'node:module';
import { dirname, join } from 'node:path';
import type * as Boss from 'pg-boss';
import { usage } from '../diagnostics/usage.ts';
import { connectionTo } from './pool.ts';

/**
 * `look`: at a source; `stack`: plan or apply one; `follow`: see its deployments through; `tell`: a notification; `forge`: statuses
 * and pull requests.
 */
export type QueueName = 'look' | 'stack' | 'follow' | 'tell' | 'forge';

/** What waits and runs, by key. A job carries nothing but its key: what there is to do, its handler reads. */
export interface Queue {
  readonly start: () => Promise<void>;
  /**
   * Takes no more, and lets what runs end for so long; then its signal aborts, and it has some seconds to end by itself. What did
   * not end is started again, by this worker or another.
   */
  readonly stop: (graceMs: number) => Promise<void>;
  /**
   * Says that something is to be done for a key. One job waits per key beside one that runs: this one, unless one waits already.
   * Without `afterSeconds`, what waits is due at once, also after a failure.
   */
  readonly send: (name: QueueName, key: string, about?: About) => Promise<void>;
  /**
   * Works jobs. A handler that throws is called again later, with growing pauses; `onError` gets its error, the database does not.
   * Its signal aborts when the worker stops, and when the job was lost: another may have it.
   */
  readonly work: (
    name: QueueName,
    options: WorkOptions,
    handler: (key: string, signal: AbortSignal) => Promise<void>,
  ) => Promise<void>;
  /** Some seconds old. `dead`: failed too often, or lost its worker too often; a later `send` of the key is done all the same. */
  readonly counts: () => Promise<Record<QueueName, Counts>>;
  /** For how many seconds no process looked after what its workers lost; undefined: none ever did. */
  readonly unsupervisedFor: () => Promise<number | undefined>;
  /** Has what is due later than `send` lets anything be due now, and what the queue last did later than now counts as done now. */
  readonly outliveSetBack: () => Promise<void>;
}

interface About {
  /** Such as a platform: few of it run at a time. */
  readonly group?: string;
  /** Only workers of this site take it; 0 unless given. What waits for the key moves to the site of its last `send` without a pause. */
  readonly site?: number;
  readonly afterSeconds?: number;
  /** A client of pg in a transaction: the job is there when that commits. */
  readonly db?: Queries;
}

/** What a client of pg can do. */
export interface Queries {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

interface WorkOptions {
  /** At most so many in this process. */
  readonly concurrency: number;
  /** At most so many of a group, over all processes; two that look in one moment may exceed it. */
  readonly groupConcurrency?: number;
  /** Takes the jobs of this site, and no others; 0 unless given. */
  readonly site?: number;
}

interface Counts {
  readonly waiting: number;
  readonly active: number;
  readonly dead: number;
}

/** What failed: a job, by its queue and key. */
export interface Job {
  readonly queue: QueueName;
  readonly key: string;
}

interface QueueOptions {
  /** The address of the database. */
  readonly url: string;
  readonly schema: string;
  /** Gets what handlers throw, and what the queue cannot do while its database is away: the same error many times. */
  readonly onError: (error: unknown, job?: Job) => void;
  /** Attempts after the first, before a job is dead. */
  readonly retries?: number;
}

/** The version that the conformance tests know. */
export const pgBossVersion = '12.38.0';

const names: readonly QueueName[] = ['look', 'stack', 'follow', 'tell', 'forge'];

const deadOf = (name: QueueName) => `${name}_dead`;

/** Time for what was told to end, in milliseconds: a run that is stopped still says what it did. */
const lastMs = 5_000;

/** A queue in a schema of PostgreSQL; nothing is connected before `start`. @throws {Stop} `usage`, where pg-boss is not installed */
export async function createQueue({ url, schema, onError, retries = 100 }: QueueOptions): Promise<Queue> {
  const boss = await openBoss(url, schema);
  boss.on('error', (error) => onError(asError(error)));
  const stopping = new AbortController();
  return {
    start: async () => {
      await boss.start();
      for (const name of names) await makeQueue(boss, name, retries);
    },
    stop: async (graceMs) => {
      const ends = setTimeout(() => stopping.abort(new Error('the worker stops')), graceMs);
      await boss.stop({ timeout: graceMs + lastMs });
      clearTimeout(ends);
    },
    send: (name, key, about = {}) => send(boss, name, key, about),
    work: async (name, options, handler) => {
      for (let slot = 0; slot < options.concurrency; slot++) {
        await workOn(boss, name, options, async (key, lost) => {
          const signal = AbortSignal.any([lost, stopping.signal]);
          await handler(key, signal)
            .then(() => signal.throwIfAborted())
            .catch(async (error: unknown) => {
              onError(error, { queue: name, key });
              if (await isTriedAgain(boss, name, key)) return;
              throw new Error('the handler failed'); // oxlint-disable-line preserve-caught-error -- it may hold secrets
            });
        });
      }
    },
    counts: async () => {
      const found = await boss.getQueues(names.flatMap((name) => [name, deadOf(name)]));
      const of = (name: string) => found.find((queue) => queue.name === name);
      const counts = (name: QueueName): Counts => ({
        waiting: of(name)?.queuedCount ?? 0,
        active: of(name)?.activeCount ?? 0,
        dead: of(deadOf(name))?.queuedCount ?? 0,
      });
      return {
        look: counts('look'),
        stack: counts('stack'),
        follow: counts('follow'),
        tell: counts('tell'),
        forge: counts('forge'),
      };
    },
    unsupervisedFor: async () => {
      const text = `select extract(epoch from now() - max(monitor_on))::float8 as seconds from ${schema}.queue where name = any($1)`;
      const { rows } = (await boss.getDb().executeSql(text, [names])) as {
        rows: readonly { readonly seconds: number | null }[];
      };
      return rows[0]?.seconds ?? undefined;
    },
    outliveSetBack: async () => {
      for (const text of setBackTexts(schema)) await boss.getDb().executeSql(text);
    },
  };
}

/** Loads the engine of the queue. @throws {Stop} `usage`, where it is not installed */
export async function loadBoss(): Promise<typeof Boss> {
  return import('pg-boss').catch((error: unknown) => {
    if (!String((error as { code?: unknown }).code).endsWith('MODULE_NOT_FOUND')) throw error;
    throw usage(
      'The controller needs the package pg-boss, which is not installed',
      `npm install pg-boss@${pgBossVersion}, with --global where Trueup is installed so.`,
    );
  });
}

/** The version of the engine in the bundle, which scripts/single-file.mjs writes there. */
declare const bundledBoss: string | undefined;

/** The version of the engine that is installed. @throws {Stop} `usage`, where none is */
export async function installedBoss(): Promise<string> {
  if (typeof bundledBoss === 'string') return bundledBoss;
  await loadBoss();
  const entry = modules.createRequire(import.meta.url).resolve('pg-boss');
  const manifest: unknown = JSON.parse(await readFile(join(dirname(entry), '../package.json'), 'utf8'));
  return String((manifest as { readonly version?: unknown }).version);
}

/**
 * What failed as an error: pg-boss gives what its workers meet as an object with a message, whatever its types say. Its worker is
 * left out, so that the same failure of all is one.
 */
function asError(failed: Error): Error {
  if (failed instanceof Error) return failed;
  const { message } = failed as { readonly message: string };
  return new Error(message.replace(/ \(Queue: [^()]*\)$/, ''));
}

async function openBoss(url: string, schema: string): Promise<Boss.PgBoss> {
  const { PgBoss } = await loadBoss();
  // Without a limit a poll waits for ever on a connection that was lost silently, and its worker with it.
  const connection = { ...connectionTo(url), max: 4, keepAlive: true, query_timeout: 15_000 };
  return new PgBoss({
    ...connection,
    schema,
    application_name: 'trueup',
    // A worker that died is seen by the others after its heartbeat and at most two of these.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    maintenanceIntervalSeconds: 3600,
    schedule: false,
    registerInstance: false,
    openTelemetry: { enabled: false },
  });
}

/** What brings back moments of a clock that was ahead; what waits, waits for at most five minutes. */
const setBackTexts = (schema: string): readonly string[] => [
  `update ${schema}.job set start_after = now()
    where state in ('created', 'retry') and start_after > now() + interval '6 minutes'`,
  `update ${schema}.job set heartbeat_on = now() where state = 'active' and heartbeat_on > now() + interval '1 minute'`,
  `update ${schema}.queue set monitor_on = least(monitor_on, now()), monitor_claim_on = least(monitor_claim_on, now()),
      maintain_on = least(maintain_on, now())
    where greatest(monitor_on, monitor_claim_on, maintain_on) > now() + interval '1 minute'`,
  `update ${schema}.version set monitor_backoff_on = null where monitor_backoff_on > now() + interval '1 hour'`,
];

/** Makes a queue and its dead letters; one of a former version gets the settings of this one. */
async function makeQueue(boss: Boss.PgBoss, name: QueueName, retries: number): Promise<void> {
  const settings = {
    deadLetter: deadOf(name),
    retryLimit: retries,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 300,
    heartbeatSeconds: 10,
    expireInSeconds: 12 * 3600, // the heartbeat sees what died; this ends what hangs
    deleteAfterSeconds: 3600, // the controller has records of its own
  };
  await boss.createQueue(deadOf(name));
  await boss.createQueue(name, { policy: 'stately', ...settings });
  await boss.updateQueue(name, settings);
}

async function send(
  boss: Boss.PgBoss,
  name: QueueName,
  key: string,
  { group, site = 0, afterSeconds = 0, db }: About,
): Promise<void> {
  const options = {
    singletonKey: key,
    priority: site, // no job comes before another: a worker takes those of one priority alone
    ...(group === undefined ? {} : { group: { id: group } }),
    ...(db === undefined ? {} : { db: { executeSql: (text: string, values?: unknown[]) => db.query(text, values) } }),
  };
  // What waits for later would swallow a job for now.
  if (afterSeconds > 0) await boss.send(name, { key }, { ...options, startAfter: afterSeconds });
  else await boss.upsert(name, { key }, { ...options, startAfter: 0, match: 'all' });
}

/** One job at a time. */
async function workOn(
  boss: Boss.PgBoss,
  name: QueueName,
  { groupConcurrency = 2, site = 0 }: WorkOptions,
  handler: (key: string, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let id = '';
  const options = { groupConcurrency, pollingIntervalSeconds: 1, minPriority: site, maxPriority: site };
  id = await boss.work<{ key: string }>(name, options, async (jobs) => {
    boss.notifyWorker(id); // after a job it looks for the next one at once
    for (const { data, signal } of jobs) await handler(data.key, signal);
  });
}

/** Whether a former attempt waits for the key: a second would not be taken back, and count as dead. */
async function isTriedAgain(boss: Boss.PgBoss, name: QueueName, key: string): Promise<boolean> {
  const waiting = await boss.findJobs(name, { key, queued: true });
  return waiting.some(({ state }) => state === 'retry');
}
