import { type Fleet, type WorkerProcess, createFleet, idOf, until } from './fleet.ts';

/** What looks for drift, pushes and a second worker cost. */

const looks = async ({ pool }: Fleet): Promise<number> => {
  const { rows } = await pool.query<{ count: string }>(
    `select count(*) from trueup_controller.run where kind = 'drift' and ending = 'in step'`,
  );
  return Number(rows[0]?.count);
};

/** Has all stacks looked at, and gives the CPU that a look took, in milliseconds, and the memory of the worker, in MB. */
async function sweep(fleet: Fleet, worker: WorkerProcess, stacks: number) {
  const [before, { cpuMs }] = [await looks(fleet), worker.usage()];
  await fleet.pool.query('update trueup_controller.stack set look_at = now()');
  const ms = await until(async () => (await looks(fleet)) >= before + stacks, 3_600_000);
  const usage = worker.usage();
  for (const { log } of fleet.emulators) (log as unknown[]).length = 0;
  return { cpuMs: (usage.cpuMs - cpuMs) / stacks, rssMb: usage.rssMb, ms };
}

/** Sweeps stacks that are in step. */
export async function sweeps(count: number, about: { readonly stacks: number; readonly services: number }) {
  const fleet = await createFleet(about);
  try {
    const worker = await fleet.start();
    const commit = await fleet.push('redis:7');
    await until(async () => (await fleet.inStep(commit)) === about.stacks, 3_600_000);
    const posts = fleet.posts();
    const taken: Awaited<ReturnType<typeof sweep>>[] = [];
    for (let at = 0; at < count; at++) taken.push(await sweep(fleet, worker, about.stacks));
    const rounded = (values: readonly number[]) => values.map((value) => Math.round(value));
    return {
      ...about,
      cpuMsPerStack: rounded(taken.map(({ cpuMs }) => cpuMs)),
      rssMb: rounded(taken.map(({ rssMb }) => rssMb)),
      sent: fleet.posts() - (count === 0 ? posts : 0),
    };
  } finally {
    await fleet.close();
  }
}

/** Pushes 100 commits while a stack runs; gives the number of applies that follow. */
export async function pushes() {
  const fleet = await createFleet({ stacks: 1, services: 10, latencyMs: 1_000 });
  try {
    await fleet.start();
    await fleet.push('redis:7');
    await until(() => fleet.posts() > 0, 120_000);
    for (let at = 1; at < 100; at++) await fleet.push(`redis:7.${at}`);
    const during = (await fleet.records.runs(idOf(0))).filter(({ kind }) => kind === 'apply');
    // Another major version would need an approval.
    const commit = await fleet.push('redis:7.100');
    await until(async () => (await fleet.inStep(commit)) === 1, 600_000);
    const runs = (await fleet.records.runs(idOf(0))).filter(({ kind }) => kind === 'apply');
    return {
      whilePushing: during.length,
      endedWhilePushing: during.filter(({ ending }) => ending !== null).length,
      applies: runs.length,
    };
  } finally {
    await fleet.close();
  }
}

/** Seconds that workers take for a commit where the platforms answer in 200 ms. */
export async function speed(
  workers: number,
  about: { readonly stacks: number; readonly services: number },
): Promise<number> {
  const fleet = await createFleet({ ...about, latencyMs: 200 });
  try {
    await Promise.all(Array.from({ length: workers }, () => fleet.start()));
    const commit = await fleet.push('redis:7');
    const began = performance.now();
    await until(async () => (await fleet.inStep(commit)) === about.stacks, 3_600_000);
    return Math.round((performance.now() - began) / 100) / 10;
  } finally {
    await fleet.close();
  }
}

/** The heap of a worker that works at 20 stacks, and with so many stacks in the queue, in MB after a collection. */
export async function queued(stacks: number) {
  const few = 20;
  const fleet = await createFleet({ stacks, services: 1, platforms: few, latencyMs: 200 });
  try {
    const worker = await fleet.start();
    const isApplied = async (commit: string) => (await fleet.inStep(commit)) === few;
    // A worker that did nothing yet has half of its code not compiled.
    for (const image of ['redis:7', 'redis:7.1']) {
      const commit = await fleet.push(image, few);
      await until(() => isApplied(commit), 300_000);
    }
    const commit = await fleet.push('redis:7.2', few);
    const aloneMb = await heapUntil(worker, () => isApplied(commit));
    await fleet.push('redis:7.3', stacks);
    const waits = async () => {
      const text = `select count(*)::int as count from trueup_controller.stack where applied is distinct from wanted`;
      return (await fleet.pool.query<{ count: number }>(text)).rows[0]?.count ?? 0;
    };
    await until(async () => (await waits()) > stacks * 0.9, 600_000);
    const most = await waits();
    const queuedMb = await heapUntil(worker, async () => (await waits()) < most - 100);
    return { stacks, most, aloneMb, queuedMb };
  } finally {
    await fleet.close();
  }
}

/** The smallest heap of all that were measured until then: what runs comes and goes. */
async function heapUntil(worker: WorkerProcess, isOver: () => Promise<boolean>): Promise<number> {
  let least = Infinity;
  await until(async () => {
    least = Math.min(least, await worker.heapMb());
    return isOver();
  }, 1_200_000);
  return Math.round(least * 10) / 10;
}
