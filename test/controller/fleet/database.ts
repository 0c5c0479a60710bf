import { setTimeout as sleep } from 'node:timers/promises';
import { createFleet, until } from './fleet.ts';

/** Two workers whose database goes away five times: it crashes and starts again, or nothing reaches it for 30 s. */
export async function withoutDatabase(
  how: 'crash' | 'cut',
  { stacks, services }: { readonly stacks: number; readonly services: number },
) {
  const fleet = await createFleet({ stacks, services, latencyMs: 100 });
  const { server, proxy } = fleet;
  try {
    await fleet.start();
    await fleet.start();
    const commits = ['redis:7', 'redis:7.2', 'redis:7.4'];
    let away = 0;
    let commit = '';
    for (const image of commits) {
      commit = await fleet.push(image);
      for (; away < 5 && (await fleet.inStep(commit)) < stacks; away++) {
        const before = fleet.posts();
        await until(async () => fleet.posts() > before + 3 || (await fleet.inStep(commit)) === stacks, 300_000);
        if (how === 'crash') {
          server.crash();
          await sleep(1_000);
          server.start();
        } else {
          proxy.fault = () => 'cut';
          await sleep(30_000);
          proxy.fault = undefined;
        }
      }
      await until(async () => (await fleet.inStep(commit)) === stacks, 900_000);
    }
    const rows = fleet.emulators.flatMap(({ world }) => Object.values(world.tables.redis));
    const operations = (name: string) =>
      fleet.emulators.reduce((sum, { log }) => sum + log.filter(({ operation }) => operation === name).length, 0);
    return {
      away,
      inStep: await fleet.inStep(commit),
      services: rows.length,
      creates: operations('redis.create'),
      wrong: rows.filter(({ dockerImage }) => dockerImage !== commits.at(-1)).length,
    };
  } finally {
    await fleet.close();
  }
}
