import { createHash } from 'node:crypto';
import type { Send } from '../../../src/api/wire.ts';
import type { Emulator } from '../../../src/emulator/emulator.ts';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import type { World } from '../../../src/emulator/world.ts';
import type { Row } from '../../../src/formats/json.ts';
import { testBulk } from '../profile.ts';
import { isDeployOrder } from '../deployments.ts';
import { containersOf } from '../deployment-watch.ts';
import { began } from '../../../src/state/conformance/virtual-time.ts';

/** A platform at one moment, with what runs on it: everything that outlives a process that works on it. */
export interface PlatformImage {
  /** JSON of the emulator's world. */
  readonly world: string;
  /** What each service runs with, by its id. */
  readonly running: Readonly<Record<string, string>>;
  /** How many orders to deploy were carried out. */
  readonly orders: number;
  /** How often each request was carried out that makes something. */
  readonly made: Readonly<Record<string, number>>;
}

/** A platform whose images can be taken. */
export interface ImagedPlatform {
  readonly emulator: Emulator;
  readonly send: Send;
  /** As it is when everything that it does at once is done. */
  readonly image: () => PlatformImage;
  /** Ids of services that do not run with what was written to them, of those that a run can deploy. */
  readonly stale: () => string[];
}

/** An order to deploy of which it is not known yet whether it succeeds. */
interface Order {
  readonly id: string;
  readonly table: 'application' | 'compose';
  readonly containers: string;
  readonly before: ReadonlySet<string>;
}

/** A platform as a person would have set it up, of which nothing but its services runs. */
export function imageOf(world: World): PlatformImage {
  const image = platformFrom({ world: JSON.stringify(world), running: {}, orders: 0, made: {} });
  return { ...image.image(), running: Object.fromEntries(containersOf(image.emulator)) };
}

/** A platform that goes on from an image, and whose clock is that of whoever works on it. */
export function platformFrom(image: PlatformImage, now: () => number = () => began): ImagedPlatform {
  let { orders } = image;
  let request = '';
  const timesMade: Record<string, number> = { ...image.made };
  const running = new Map(Object.entries(image.running));
  let underway: Order[] = [];
  const emulator = createEmulator({
    world: JSON.parse(image.world) as World,
    // The same objects have the same ids, in whatever order they are made: what is derived from them is the same too.
    newId: () => {
      const times = (timesMade[request] ?? 0) + 1;
      timesMade[request] = times;
      return `id-${createHash('sha256').update(request).digest('hex').slice(0, 12)}-${times}`;
    },
    now: () => new Date(now()),
    batches: testBulk,
  });
  const { tables } = emulator.world;

  const carryOut: Send = (sent) => {
    request = `${sent.path} ${sent.body ?? ''}`;
    return emulator.send(sent);
  };

  const send: Send = async (sent) => {
    const operation = sent.path.replace(/^\/api\//, '');
    if (sent.method !== 'POST' || !isDeployOrder(operation)) return carryOut(sent);
    const [table = ''] = operation.split('.');
    const id = String((JSON.parse(sent.body ?? '{}') as Row)[`${table}Id`]);
    const containers = containersOf(emulator).get(id) ?? '';
    const before = new Set(Object.keys(tables.deployment));
    const answer = await carryOut(sent);
    if (answer.status !== 200) return answer;
    orders++;
    // Of a database the answer comes when it runs.
    if (table === 'application' || table === 'compose') underway.push({ id, table, containers, before });
    else running.set(id, containers);
    return answer;
  };

  const settle = (): void => {
    underway = underway.filter(({ id, table, containers, before }) => {
      const rows = Object.values(tables.deployment).filter((row) => row[`${table}Id`] === id);
      const fresh = rows.filter(({ deploymentId }) => !before.has(String(deploymentId)));
      if (fresh.some(({ status }) => status === 'done')) running.set(id, containers);
      return fresh.length === 0;
    });
  };

  return {
    emulator,
    send,
    image: () => {
      settle();
      return {
        world: JSON.stringify(emulator.world),
        running: Object.fromEntries(running),
        orders,
        made: { ...timesMade },
      };
    },
    stale: () => {
      settle();
      const isOrdered = (id: string) => (tables.application[id]?.sourceType ?? 'docker') === 'docker';
      return [...containersOf(emulator)].flatMap(([id, now]) =>
        running.get(id) === now || !isOrdered(id) ? [] : [id],
      );
    },
  };
}
