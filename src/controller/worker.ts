import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Pool } from 'pg';
import { turn } from '../api/sleep.ts';
import { type Checkouts, type CheckoutsOptions, checkoutsIn } from './checkouts.ts';
import { followStack } from './follow-stack.ts';
import { sendDueAtForges, workAtForge } from './forge/forge-work.ts';
import { pusherIn } from './forge/push-branch.ts';
import { problemText } from './problem-text.ts';
import { type Job, type Queue, type QueueName, createQueue } from './queue.ts';
import { type DueStack, type Records, type SourceRecord, type StackFiles, recordsIn } from './records/all.ts';
import type { Labels } from './settings.ts';
import { type Ending, type Running, runStack } from './run-stack.ts';
import { migrate, requireTables } from './schema.ts';
import type { WaveSettings } from './waves/steps.ts';
import { type Telling, receiverRecords, tell } from './tell/tell.ts';

/** What a worker is made of. */
export interface WorkerOptions {
  /** The database of the controller and of the states: `postgres://…`. */
  readonly url: string;
  readonly pool: Pool;
  /** The schema of the controller; its queue has one beside it. */
  readonly schema: string;
  readonly states: Running['states'];
  /** false: refuses tables of an older Trueup, instead of bringing them up to date. */
  readonly migrates?: boolean;
  /** The folder of the mirrors of sources. */
  readonly folder: string;
  /** Runs at a time. */
  readonly concurrency: number;
  /**
   * Takes the stacks on platforms that are bound to these labels, and no others; sources, forges and messages are for workers
   * without. `{}` unless given: the stacks on platforms that are bound to none.
   */
  readonly only?: Labels;
  /** How new commits reach stacks: those of no wave at once. Undefined: as another worker said. */
  readonly waves?: readonly WaveSettings[] | undefined;
  /** Where browsers find the page, for links at forges and in messages, without a slash at its end. Undefined: as another process said. */
  readonly address?: string | undefined;
  /** Who gets messages. Undefined: those who another worker named. */
  readonly notify?: Telling['receivers'] | undefined;
  /** How git reads the sources. */
  readonly git?: CheckoutsOptions;
  /** Gets what failed, and the job it was. */
  readonly onError: (error: unknown, job?: Job) => void;
  /** Hears of each job that ended well, with its time in milliseconds. */
  readonly onDone?: (job: Job, ms: number) => void;
  /** Between two looks at what is due. Milliseconds. */
  readonly tickMs?: number;
}

/** A worker that runs. */
export interface Worker {
  readonly records: Records;
  readonly queue: Queue;
  /** Starts nothing new, lets what runs end for so long, and gives the rest to other workers. */
  readonly stop: (graceMs: number) => Promise<void>;
}

const queryLimitMs = 60_000;

/** Stacks whose old rows go at each tick. */
const sweep = 10;

/** Starts a worker: it polls sources, runs stacks and looks for drift, together with all other workers of the database. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { url, pool, schema, concurrency, only = {}, tickMs = 2_000 } = options;
  // A connection that is lost while nothing uses it would end the process; one that is lost silently would wait for ever.
  const hear = (error: Error): void => options.onError(error);
  pool.on('error', hear);
  pool.options.query_timeout ??= queryLimitMs;
  const queue = await createQueue({ url, schema: `${schema}_queue`, onError: options.onError });
  await (options.migrates === false ? requireTables(pool, schema) : migrate(pool, schema));
  const records = recordsIn(pool, schema);
  const checkouts = checkoutsIn(options.folder, options.git);
  const worker = `${hostname()} ${process.pid}`;
  const { states, onError } = options;
  const id = randomUUID();
  const site = await records.site(only);
  const running: Running = { records, checkouts, pool, states, worker, only, site, platforms: new Map(), onError };
  await queue.start();
  await workOnStacks(options, running, queue);
  if (site === 0) await workElsewhere(options, running, queue);
  // While no worker lived the clock of the database may have been set back, too.
  await outliveSetBack({ records, queue });
  await records.workerLives(id, site);
  let isOver = false;
  let ticking: Promise<void> = Promise.resolve();
  const tick = (): void => {
    ticking = records
      .workerLives(id, site)
      .then(({ isSetBack }) => (isSetBack ? outliveSetBack({ records, queue }) : undefined))
      .then(() => sendDue({ records, queue }, { concurrency, site }))
      .catch(options.onError)
      .finally(() => {
        if (!isOver) timer = setTimeout(tick, tickMs);
      });
  };
  let timer: NodeJS.Timeout | undefined;
  tick();
  return {
    records,
    queue,
    stop: async (graceMs) => {
      isOver = true;
      clearTimeout(timer);
      await ticking;
      await Promise.all([records.workerEnds(id).catch(options.onError), queue.stop(graceMs)]);
      pool.off('error', hear);
    },
  };
}

/** Brings back what the clock of the database put hours away before it was set back. */
async function outliveSetBack({ records, queue }: Pick<Worker, 'records' | 'queue'>): Promise<void> {
  await queue.outliveSetBack();
  await records.outliveSetBack();
}

/** Says which jobs ended well, and in which time. */
function heard({ onDone }: WorkerOptions, queue: QueueName, handler: Handler): Handler {
  return async (key, signal) => {
    const began = performance.now();
    await handler(key, signal);
    onDone?.({ queue, key }, Math.round(performance.now() - began));
  };
}

type Handler = (key: string, signal: AbortSignal) => Promise<void>;

/** Works what needs the platforms of its site: the stacks on them. */
async function workOnStacks(options: WorkerOptions, running: Running, queue: Queue): Promise<void> {
  const { concurrency } = options;
  const { records, site } = running;
  const next = async (id: string, ended: Ending): Promise<void> => {
    const stack = ended.is === 'again' ? await records.stack(id) : undefined;
    if (ended.is === 'again' && stack !== undefined)
      await queue.send(ended.as, id, { ...jobOf(stack), afterSeconds: ended.afterSeconds });
  };
  const run = heard(options, 'stack', async (id, signal) => next(id, await runStack(running, id, signal)));
  await queue.work('stack', { concurrency, site }, run);
  // They wait most of their time.
  const follows = { concurrency: concurrency * 2, groupConcurrency: concurrency * 2, site };
  await queue.work('follow', follows, async (id, signal) => next(id, await followStack(running, id, signal)));
}

/** Works what needs no platform: sources, forges and messages. */
async function workElsewhere(options: WorkerOptions, running: Running, queue: Queue): Promise<void> {
  const { concurrency, waves, address, notify: receivers } = options;
  const { records, checkouts } = running;
  if (address !== undefined) await records.setPageAddress(address, { by: 'worker' });
  if (waves !== undefined) await records.setWaves(waves);
  const look = heard(options, 'look', (id, signal) => lookAt({ records, checkouts, queue }, id, signal));
  await queue.work('look', { concurrency }, look);
  const at = { ...running, pusher: pusherIn(options.folder, options.git) };
  await queue.work('forge', { concurrency: 2 }, (key, signal) => workAtForge(at, key, signal));
  if (receivers === undefined) return;
  await records.setReceivers(receiverRecords(receivers));
  const telling = { records, receivers };
  await queue.work('tell', { concurrency: 2 }, (name, signal) => tell(telling, name, signal));
}

/** The group and the site of the job of a stack. */
function jobOf({ platform, site }: Pick<DueStack, 'platform' | 'site'>) {
  return { group: platform, site };
}

/** Sends what is due, no more than what the worker can take soon: the rest is due for another one, or next time. */
async function sendDue(
  { records, queue }: Pick<Worker, 'records' | 'queue'>,
  { concurrency, site }: { readonly concurrency: number; readonly site: number },
): Promise<void> {
  const most = concurrency * 2;
  await records.endLost();
  await records.removeOld(sweep);
  await records.endOverdue();
  await records.dueStacks(most, (stack, db) => queue.send('stack', stack.id, { ...jobOf(stack), db }), site);
  for (const stack of await records.dueInWaves(most)) await queue.send('stack', stack.id, jobOf(stack));
  await records.raiseUnserved();
  if (site !== 0) return;
  await records.dueSources(most, ({ id }, db) => queue.send('look', id, { db }));
  await sendDueAtForges(records, queue, most);
  await records.raiseStoppedPolls();
  for (const { name } of await records.dueReceivers()) await queue.send('tell', name);
}

/** Fetches a source, and sends the stacks that its commit touches. */
async function lookAt(
  {
    records,
    checkouts,
    queue,
  }: {
    readonly records: Records;
    readonly checkouts: Checkouts;
    readonly queue: Queue;
  },
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const source = await records.source(id);
  if (source === undefined) return;
  try {
    const commit = await checkouts.fetch(source, signal);
    const isSeen = commit === source.commit && source.previews !== null;
    const stacks = await (isSeen ? records.sawNothing(source) : sawNew({ records, checkouts }, source, commit));
    for (const stack of stacks) await queue.send('stack', stack.id, jobOf(stack));
    if (source.forge !== 'none') await queue.send('forge', `pulls ${id}`);
  } catch (error) {
    await records.sawProblem(id, problemText(error));
    throw error;
  }
}

async function sawNew(
  { records, checkouts }: Pick<Running, 'records' | 'checkouts'>,
  source: SourceRecord,
  commit: string,
): Promise<readonly DueStack[]> {
  const previews = await checkouts.previewFiles(source, commit);
  const paths = (await checkouts.rootFiles(source, commit)).filter((path) => !previews.includes(path));
  const authors = await checkouts.authors(source, commit);
  const fingerprint = await checkouts.fingerprint(source, commit);
  const kept: StackFiles[] = [];
  for (const [at, stack] of (await records.stackFiles(source.id)).entries()) {
    if (at % 100 === 99) await turn();
    if (fingerprint(stack) === stack.fingerprint) kept.push(stack);
  }
  const waves = await records.waveSettings();
  return records.sawCommit(source, commit, paths, { waves, authors, previews, kept });
}
