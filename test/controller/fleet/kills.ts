import { setTimeout as sleep } from 'node:timers/promises';
import { type Fleet, type WorkerProcess, createFleet, idOf, until } from './fleet.ts';

/** Two workers, of which one is killed again and again while a commit reaches all stacks. */

/** Applies a commit without any trouble; gives the number of requests that may write. */
export async function undisturbed(stacks: number, services: number): Promise<number> {
  const fleet = await createFleet({ stacks, services });
  try {
    await fleet.start();
    const commit = await fleet.push('redis:7');
    await until(async () => (await fleet.inStep(commit)) === stacks, 3_600_000);
    return fleet.posts();
  } finally {
    await fleet.close();
  }
}

interface Kills {
  readonly stacks: number;
  readonly services: number;
  readonly kills: number;
  readonly latencyMs: number;
  /** The workers are in a namespace of processes of their own: nobody there sees whether they live. */
  readonly isElsewhere: boolean;
}

/** Gives the requests that may write, and for each run of a killed worker the seconds until its stack runs, and writes, again. */
export async function killed({ stacks, services, kills, latencyMs, isElsewhere }: Kills) {
  const fleet = await createFleet({ stacks, services, latencyMs });
  try {
    const workers = [await fleet.start({ isElsewhere }), await fleet.start({ isElsewhere })];
    const commit = await fleet.push('redis:7');
    const times: { readonly runs: number; readonly writes: number | undefined }[] = [];
    let done = 0;
    while (done < kills && (await fleet.inStep(commit)) < stacks) {
      await until(async () => (await applies(fleet)).length > 0 || (await fleet.inStep(commit)) === stacks, 600_000);
      await sleep(Math.random() * 3_000);
      const victim = workers.shift();
      if (victim === undefined) break;
      const again = await kill(fleet, victim);
      done++;
      workers.push(await fleet.start({ isElsewhere }));
      // A stack whose worker is killed again and again does not say how long it takes.
      times.push(...(await Promise.all(again)));
    }
    await until(async () => (await fleet.inStep(commit)) === stacks, 3_600_000);
    const rows = fleet.emulators.map(({ world }) => Object.keys(world.tables.redis).length);
    return {
      kills: done,
      inStep: await fleet.inStep(commit),
      posts: fleet.posts(),
      duplicates: rows.filter((count) => count !== services).length,
      interrupted: times.length,
      runsAgainS: times.map(({ runs }) => Math.round(runs / 100) / 10).toSorted((a, b) => a - b),
      writesAgainS: times
        .flatMap(({ writes }) => (writes === undefined ? [] : [Math.round(writes / 100) / 10]))
        .toSorted((a, b) => a - b),
    };
  } finally {
    await fleet.close();
  }
}

interface Begun {
  readonly id: string;
  readonly stack: string;
  readonly kind: string;
  readonly worker: string;
}

const begun = async ({ pool }: Fleet, where: string): Promise<readonly Begun[]> =>
  (await pool.query<Begun>(`select id, stack, kind, worker from trueup_controller.run where ${where}`)).rows;

const applies = (fleet: Fleet) => begun(fleet, `ended_at is null and kind = 'apply'`);

/** Kills a worker; what it ran is watched until it runs again. */
async function kill(fleet: Fleet, victim: WorkerProcess) {
  await victim.kill();
  const at = performance.now();
  const { rows } = await fleet.pool.query<{ now: Date }>('select now()');
  const killedAt = rows[0]?.now;
  // The other worker goes on with its own runs; of those that stand still, only the killed one is not alive.
  const lost = (await begun(fleet, 'ended_at is null')).filter(({ worker }) => worker.endsWith(` ${victim.pid}`));
  return lost.map(async ({ stack, kind }) => {
    const emulator = fleet.emulators.find((_, index) => idOf(index) === stack);
    const posts = () => emulator?.log.filter(({ method }) => method === 'POST').length ?? 0;
    const before = posts();
    const isOver = async () =>
      (await fleet.pool.query(`select from trueup_controller.stack where id = $1 and applied = wanted`, [stack]))
        .rowCount === 1;
    let writes: number | undefined;
    const writing = until(async () => posts() > before || isOver(), 900_000).then(() => {
      if (posts() > before) writes = performance.now() - at;
    });
    // Its job is taken by another worker; one that is done is not there any more.
    const isTaken = async () =>
      (
        await fleet.pool.query(
          `select from trueup_controller_queue.job where name = 'stack' and singleton_key = $1 and started_on > $2`,
          [stack, killedAt],
        )
      ).rowCount !== 0;
    await until(async () => (await isTaken()) || isOver(), 900_000);
    const runs = performance.now() - at;
    await writing;
    return { runs, writes: kind === 'apply' ? writes : undefined };
  });
}
