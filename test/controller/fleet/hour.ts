import { setTimeout as sleep } from 'node:timers/promises';
import { type Fleet, type WorkerProcess, createFleet, idOf, until } from './fleet.ts';

/**
 * Many stacks, while for a long time commits are pushed, services are changed and deleted by hand, plans are approved and refused,
 * workers are killed, and the database and the platforms start again. In the end each platform has what git says, or a plan says
 * what differs.
 */

/** What the manifest of a stack says: the image of each service, by its name. */
type Wanted = ReadonlyMap<string, string>;

interface Hour {
  readonly stacks: number;
  readonly minutes: number;
}

/** What is under way: the fleet, its workers, and what git says of each stack. */
interface Scene {
  readonly fleet: Fleet;
  readonly workers: WorkerProcess[];
  readonly wanted: Wanted[];
}

/** Of these stacks no plan is approved: what waits there has to say what differs. */
const isLeft = (stack: number): boolean => stack % 5 === 0;

const some = (below: number): number => Math.floor(Math.random() * below);

/** Each service has a number of its own in its name. */
const kindOf = (name: string) => (name.startsWith('web') ? 'application' : 'redis');

const imageOf = (name: string): string => `${kindOf(name) === 'application' ? 'nginx:1' : 'redis:7'}.${some(1_000)}`;

function manifestOf(wanted: Wanted): string {
  const blocks = (kind: string) => {
    const lines = [...wanted]
      .filter(([name]) => kindOf(name) === kind)
      .map(([name, image]) => {
        const block =
          kind === 'redis'
            ? `dockerImage: "${image}", databasePassword: a`
            : `source: { type: docker, image: "${image}" }`;
        return `      ${name}: { ${block} }\n`;
      });
    return lines.length === 0 ? '' : `    ${kind === 'redis' ? 'redis' : 'application'}:\n${lines.join('')}`;
  };
  return `trueup: 1\nproject: prj_1\nenvironments:\n  production:\n${blocks('application')}${blocks('redis')}`;
}

const firstWanted = (): Wanted =>
  new Map(['web-0', 'web-1', 'web-2', 'cache-0', 'cache-1'].map((name) => [name, imageOf(name)]));

/** Sends a request as a person in the dashboard does. */
async function byHand({ fleet }: Scene, stack: number, operation: string, body: object): Promise<void> {
  await fetch(`${fleet.urls[stack]}/api/${operation}`, {
    method: 'POST',
    headers: { 'x-api-key': 'a-key', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const rowsOf = ({ fleet }: Scene, stack: number, kind: 'application' | 'redis') =>
  Object.values(fleet.emulators[stack]?.world.tables[kind] ?? {});

/** Changes a few stacks in one commit: other images, a service more or less. */
function push({ fleet, wanted }: Scene): void {
  const manifests = new Map<number, string>();
  for (let left = 1 + some(8); left > 0; left--) {
    const stack = some(wanted.length);
    const next = new Map(wanted[stack]);
    const name = [...next.keys()][some(next.size)] ?? 'web-0';
    const what = Math.random();
    if (what < 0.7) next.set(name, imageOf(name));
    else if (what < 0.85 && next.size > 2) next.delete(name);
    else next.set(`web-${3 + some(3)}`, imageOf('web'));
    wanted[stack] = next;
    manifests.set(stack, manifestOf(next));
  }
  fleet.commit(manifests);
}

/** Changes or deletes a service of a stack by hand. */
async function fixByHand(scene: Scene): Promise<void> {
  const stack = some(scene.wanted.length);
  const kind = Math.random() < 0.6 ? 'application' : 'redis';
  const row = rowsOf(scene, stack, kind).find(({ name }) => name !== 'foreign' && Math.random() < 0.5);
  if (row === undefined) return;
  const id = { [`${kind}Id`]: row[`${kind}Id`] };
  if (Math.random() < 0.2) await byHand(scene, stack, kind === 'redis' ? 'redis.remove' : 'application.delete', id);
  else await byHand(scene, stack, `${kind}.update`, { ...id, dockerImage: imageOf(String(row['name'])) });
}

/** Approves most plans that wait, and refuses some. */
async function judge(scene: Scene, refuses: number): Promise<void> {
  const { records } = scene.fleet;
  for (const [stack] of scene.wanted.entries()) {
    if (isLeft(stack)) continue;
    const plan = await records.waitingPlan(idOf(stack));
    if (plan === undefined || plan.isApproved !== undefined) continue;
    const approves = Math.random() >= refuses;
    const verdict = { who: 'a', role: 'approver', because: 'a', approves, allowsDataLoss: approves };
    await records.judge(plan.digest, verdict).catch(() => false);
  }
}

async function killWorker({ fleet, workers }: Scene): Promise<void> {
  await workers.shift()?.kill();
  await sleep(some(5_000));
  workers.push(await fleet.start({ isElsewhere: Math.random() < 0.3 }));
}

async function crashDatabase({ fleet: { server } }: Scene): Promise<void> {
  server.crash();
  await sleep(some(10_000));
  server.start();
}

async function cutDatabase({ fleet: { proxy } }: Scene): Promise<void> {
  proxy.fault = () => 'cut';
  await sleep(some(20_000));
  proxy.fault = undefined;
}

function restartPlatform({ fleet }: Scene): void {
  fleet.emulators[some(fleet.emulators.length)]?.restart();
}

/** What may happen, and of how many things each is one. */
const happenings: readonly (readonly [number, string, (scene: Scene) => Promise<void> | void])[] = [
  [40, 'pushes', push],
  [30, 'changes by hand', fixByHand],
  [12, 'verdicts', (scene) => judge(scene, 0.2)],
  [8, 'kills', killWorker],
  [6, 'restarts of a platform', restartPlatform],
  [2, 'crashes of the database', crashDatabase],
  [2, 'cuts', cutDatabase],
];

async function disturb(scene: Scene, minutes: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const end = performance.now() + minutes * 60_000;
  while (performance.now() < end) {
    let at = Math.random() * 100;
    const [, name, happens] = happenings.find(([weight]) => (at -= weight) < 0) ?? happenings[0]!;
    // The database may be away while a person judges.
    await Promise.resolve(happens(scene)).catch((error: unknown) => {
      process.stderr.write(`${name}: ${String(error)}\n`);
    });
    counts[name] = (counts[name] ?? 0) + 1;
    await sleep(some(3_000));
  }
  return counts;
}

/** What a platform has otherwise than git: names of services. */
function differences(scene: Scene, stack: number): readonly string[] {
  const wanted = scene.wanted[stack] ?? new Map<string, string>();
  const rows = (['application', 'redis'] as const).flatMap((kind) => rowsOf(scene, stack, kind));
  const has = rows.filter(({ name }) => name !== 'foreign');
  const names = new Set([...wanted.keys(), ...has.map(({ name }) => String(name))]);
  return [...names].filter((name) => {
    const found = has.filter((row) => row['name'] === name).map(({ dockerImage }) => dockerImage);
    return found.length !== (wanted.has(name) ? 1 : 0) || (wanted.has(name) && found[0] !== wanted.get(name));
  });
}

/** What differs, and no plan that waits says it. */
async function unexplained(scene: Scene): Promise<readonly string[]> {
  const all = scene.wanted.map(async (_, stack) => {
    const different = differences(scene, stack);
    if (different.length === 0) return [];
    const plan = await scene.fleet.records.waitingPlan(idOf(stack));
    const actions = plan?.document.actions.filter(({ action }) => action !== 'no-op') ?? [];
    const isSaid = (name: string) => isLeft(stack) && actions.some(({ address }) => address.endsWith(`.${name}`));
    return different.filter((name) => !isSaid(name)).map((name) => `${idOf(stack)} ${name}`);
  });
  return (await Promise.all(all)).flat();
}

const services = (scene: Scene, stack: number): readonly string[] =>
  (['application', 'redis'] as const).flatMap((kind) => rowsOf(scene, stack, kind).map(({ name }) => String(name)));

/** Gives what happened, and what each platform has in the end. */
export async function hour({ stacks, minutes }: Hour) {
  const fleet = await createFleet({ stacks, services: 0, latencyMs: 50, pollSeconds: 5, lookSeconds: 10 });
  const scene: Scene = { fleet, workers: [], wanted: Array.from({ length: stacks }, firstWanted) };
  try {
    scene.workers.push(await fleet.start(), await fleet.start());
    fleet.commit(new Map(scene.wanted.map(manifestOf).entries()));
    await fleet.enrol();
    for (const stack of scene.wanted.keys()) {
      const environmentId = Object.keys(fleet.emulators[stack]?.world.tables.environment ?? {})[0];
      await byHand(scene, stack, 'application.create', { name: 'foreign', environmentId });
    }
    await until(async () => (await unexplained(scene)).length === 0, 600_000);
    const happened = await disturb(scene, minutes);
    // A refusal holds until the next commit.
    for (const [stack, wanted] of scene.wanted.entries()) {
      const name = [...wanted.keys()][0] ?? 'web-0';
      scene.wanted[stack] = new Map(wanted).set(name, imageOf(name));
    }
    const commit = fleet.commit(new Map(scene.wanted.map(manifestOf).entries()));
    const began = performance.now();
    const isQuiet = async (): Promise<boolean> => {
      await judge(scene, 0);
      return (await unexplained(scene)).length === 0;
    };
    await until(isQuiet, 900_000).catch(() => undefined);
    const settledS = Math.round((performance.now() - began) / 1_000);
    // What is so stays so.
    await sleep(60_000);
    const twice = [...scene.wanted.keys()].filter(
      (stack) => new Set(services(scene, stack)).size !== services(scene, stack).length,
    );
    return {
      stacks,
      minutes,
      happened,
      settledS,
      commit,
      inStep: await fleet.inStep(commit),
      differing: [...scene.wanted.keys()].filter((stack) => differences(scene, stack).length > 0).length,
      unexplained: await unexplained(scene),
      twice,
      foreign: [...scene.wanted.keys()].filter((stack) => !services(scene, stack).includes('foreign')),
      posts: fleet.posts(),
    };
  } finally {
    await fleet.close();
  }
}
