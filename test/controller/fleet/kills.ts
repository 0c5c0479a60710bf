import { setTimeout as sleep } from 'node:timers/promises';
import { type Fleet, type WorkerProcess, createFleet, idOf, until } from './fleet.ts';

/** Two workers, of which one is killed again and again while a commit reaches all stacks. */

/** Applies commits, one after the other, without any trouble; gives the number of requests that may write. */
export async function undisturbed(stacks: number, services: number, commits = 1): Promise<number> {
  const fleet = await createFleet({ stacks, services });
  try {
    await fleet.start();
    for (let at = 1; at <= commits; at++) {
      const commit = await fleet.push(imageOf(at));
      await until(async () => (await fleet.inStep(commit)) === stacks, 3_600_000);
    }
    return fleet.posts();
  } finally {
    await fleet.close();
  }
}

/** Each commit has another; another major version would need an approval. */
const imageOf = (commit: number): string => `redis:7.${commit}`;

interface Kills {
  readonly stacks: number;
  readonly services: number;
  /** Kills of a worker that applies. */
  readonly kills: number;
  readonly latencyMs: number;
  /** Each worker has processes and a host name of its own: from there it cannot be seen whether another lives. */
  readonly isElsewhere: boolean;
}

/** A run that lost its worker. */
interface Lost {
  readonly stack: string;
  readonly kind: string;
  /** Milliseconds until its job began again. */
  readonly began: Promise<number>;
  /** Milliseconds until its platform got another request that may write; none, where nothing was left to write. */
  readonly wrote: Promise<number | undefined>;
}

/**
 * Brings commits to all stacks, and kills one of two workers at random moments of their applies. Gives the requests that may write,
 * and for each run that lost its worker the seconds until its stack runs, and writes, again.
 */
export async function killed({ stacks, services, kills, latencyMs, isElsewhere }: Kills) {
  const fleet = await createFleet({ stacks, services, latencyMs });
  try {
    const workers = [await fleet.start({ isElsewhere }), await fleet.start({ isElsewhere })];
    const lost: Lost[] = [];
    let done = 0;
    let commits = 0;
    let commit = '';
    while (done < kills) {
      commit = await fleet.push(imageOf(++commits));
      const isAll = async () => (await fleet.inStep(commit)) === stacks;
      while (done < kills && !(await isAll())) {
        const [victim] = workers;
        if (victim === undefined) break;
        await until(async () => (await applies(fleet, victim)).length > 0 || (await isAll()), 600_000);
        await sleep(Math.random() * 3_000);
        if ((await applies(fleet, victim)).length === 0) continue;
        const again = await kill(fleet, victim);
        if (again.some(({ kind }) => kind === 'apply')) done++;
        workers.splice(0, 1);
        workers.push(await fleet.start({ isElsewhere }));
        await Promise.all(again.map(({ began }) => began));
        lost.push(...again);
      }
      await until(isAll, 3_600_000);
    }
    const rows = fleet.emulators.map(({ world }) => Object.keys(world.tables.redis).length);
    const began = await Promise.all(lost.map((run) => run.began));
    const wrote = await Promise.all(lost.filter(isLast).map((run) => run.wrote));
    return {
      kills: done,
      commits,
      inStep: await fleet.inStep(commit),
      posts: fleet.posts(),
      duplicates: rows.filter((count) => count !== services).length,
      interrupted: lost.filter(({ kind }) => kind === 'apply').length,
      beginsAgainS: seconds(began),
      writesAgainS: seconds(wrote.filter((ms) => ms !== undefined)),
    };
  } finally {
    await fleet.close();
  }
}

const seconds = (ms: readonly number[]): readonly number[] =>
  ms.map((value) => Math.round(value / 100) / 10).toSorted((a, b) => a - b);

/** A stack whose worker was killed once more before does not say how long it takes. */
const isLast = ({ stack, kind }: Lost, at: number, all: readonly Lost[]): boolean =>
  kind === 'apply' && all.findLastIndex((other) => other.stack === stack) === at;

/** Runs of a worker that apply. */
async function applies({ pool }: Fleet, { name }: WorkerProcess): Promise<readonly { readonly id: string }[]> {
  const text = `select id from trueup_controller.run where ended_at is null and kind = 'apply' and worker = $1`;
  return (await pool.query<{ id: string }>(text, [name])).rows;
}

/** Kills a worker; what it ran is watched until it runs again. */
async function kill(fleet: Fleet, victim: WorkerProcess): Promise<readonly Lost[]> {
  await victim.kill();
  const at = performance.now();
  const { rows } = await fleet.pool.query<Pick<Lost, 'stack' | 'kind'> & { readonly now: Date }>(
    'select stack, kind, now() from trueup_controller.run where ended_at is null and worker = $1',
    [victim.name],
  );
  return rows.map(({ stack, kind, now }) => {
    const emulator = fleet.emulators.find((_, index) => idOf(index) === stack);
    const posts = () => emulator?.log.filter(({ method }) => method === 'POST').length ?? 0;
    const before = posts();
    const isOver = () => has(fleet, `trueup_controller.stack where id = $1 and applied = wanted`, [stack]);
    // Its job is taken by another worker; one that is done is not there any more.
    const job = `trueup_controller_queue.job where name = 'stack' and singleton_key = $1 and started_on > $2`;
    const isTaken = () => has(fleet, job, [stack, now]);
    return {
      stack,
      kind,
      began: until(async () => (await isTaken()) || isOver(), 900_000).then(() => performance.now() - at),
      wrote: until(async () => posts() > before || isOver(), 900_000).then(() =>
        posts() > before ? performance.now() - at : undefined,
      ),
    };
  });
}

async function has({ pool }: Fleet, from: string, values: readonly unknown[]): Promise<boolean> {
  return (await pool.query(`select from ${from}`, [...values])).rowCount !== 0;
}
