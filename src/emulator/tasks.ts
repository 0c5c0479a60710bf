import type { Context } from './context.ts';
import { textOf, type Json, type Row } from './json-rows.ts';
import type { ServiceOrder } from './service-orders.ts';
import type { Store } from './table-store.ts';
import { containerLife, livesOf, timeToRollback, timeToRun, type Life } from './task-life.ts';

/** How many tasks of a slot Swarm remembers. */
const historyLength = 5;

/** Copies of one service that get tasks: a machine would run out of memory, the emulator leaves the rest out. */
const maxSlots = 1_000;

/** A task or a container with what docker calls it. */
export interface Task extends Life {
  readonly order: ServiceOrder;
  /** `shop.1` of Swarm, `shop-web-1` of compose. */
  readonly name: string;
  /** '': no node has it yet. */
  readonly node: string;
  readonly isHere: boolean;
}

/** Makes the tasks of the services of a row, which replace those before. */
export function deployTasks(context: Context, appName: string, orders: readonly ServiceOrder[]): void {
  const { store } = context;
  const now = Date.parse(context.now());
  const rows = rowsBy(store, appName);
  const slots = orders.flatMap((order) =>
    Array.from({ length: Math.min(order.replicas, maxSlots) }, (_, at) => ({ order, slot: at + 1 })),
  );
  const kept = new Set(slots.map(({ order, slot }) => `${order.name} ${slot}`));
  for (const row of rows) {
    const isPlanned = Number(row['createdAt']) > now;
    if (isPlanned || !kept.has(slotOf(row))) store.remove('task', row['taskId']);
  }
  for (const { order, slot } of slots) deploySlot(context, { appName, order, slot, now });
}

/** Ends what runs: Swarm forgets its tasks, docker keeps the containers. */
export function stopTasks({ store, now }: Context, appName: string): void {
  for (const row of rowsBy(store, appName)) {
    if (orderIn(row).isSwarm) store.remove('task', row['taskId']);
    else store.update('task', row['taskId'], { endedAt: Date.parse(now()) });
  }
}

/** The tasks of the docker services of a row, by service and slot, newest first. */
export function tasksOf({ store, now }: Pick<Context, 'store' | 'now'>, appName: string): Task[] {
  const at = Date.parse(now());
  const rows = rowsBy(store, appName);
  const serverId = store.find('container', appName)?.['serverId'];
  const manager = serverId === null ? 'manager' : String(store.find('server', serverId)?.['name'] ?? 'manager');
  return [...new Set(rows.map(slotOf))].flatMap((slot) => {
    const begun = rows.filter((row) => slotOf(row) === slot && Number(row['createdAt']) <= at);
    const newestFirst = begun.toSorted(
      (a, b) => Number(b['createdAt']) - Number(a['createdAt']) || numberOf(b) - numberOf(a),
    );
    return newestFirst.flatMap((row) => tasksIn(row, at, manager)).slice(0, historyLength);
  });
}

function slotOf(row: Row): string {
  return `${textOf(row, 'name')} ${Number(row['slot'])}`;
}

/** The place of a row among those of its service. */
function numberOf(row: Row): number {
  return Number(textOf(row, 'taskId').split('#')[1]);
}

function tasksIn(row: Row, now: number, manager: string): Task[] {
  const order = orderIn(row);
  const { isElsewhere } = order.behaviour;
  const to = typeof row['endedAt'] === 'number' ? row['endedAt'] : Infinity;
  const span = { id: textOf(row, 'taskId'), from: Number(row['createdAt']), to, now };
  const lives = order.isSwarm ? livesOf(order, span) : [containerLife(order, span)];
  const name = order.isNamed ? order.name : `${order.name}${order.isSwarm ? '.' : '-'}${Number(row['slot'])}`;
  const node = isElsewhere ? 'worker-1' : manager;
  return lives.map((life) => ({
    ...life,
    order,
    name,
    node: life.state === 'pending' ? '' : node,
    isHere: !isElsewhere && life.containerId !== undefined,
  }));
}

interface Slot {
  readonly appName: string;
  readonly order: ServiceOrder;
  readonly slot: number;
  readonly now: number;
}

function deploySlot({ store }: Context, { appName, order, slot, now }: Slot): void {
  const ofSlot = rowsBy(store, appName).filter((row) => row['name'] === order.name && row['slot'] === slot);
  const current = ofSlot.find((row) => typeof row['endedAt'] !== 'number' || row['endedAt'] > now);
  const isSame = current !== undefined && order.definition !== '' && orderIn(current).definition === order.definition;
  // Compose starts a container again that has ended.
  const isUp = current !== undefined && (order.isSwarm || isRunning(current, now));
  if (isSame && isUp) return;
  const create = (from: number, order: ServiceOrder, to: number): void => {
    const number = Number(store.find('container', appName)?.['tasks']) + 1;
    store.update('container', appName, { tasks: number });
    const taskId = `${appName}#${number}`;
    const endedAt = to === Infinity ? null : to;
    const row = { taskId, appName, name: order.name, slot, createdAt: from, endedAt };
    store.insert('task', { ...row, order: order as unknown as Json }); // plain data
  };
  if (!order.isSwarm) {
    for (const row of ofSlot) store.remove('task', row['taskId']);
    create(now, order, Infinity);
    return;
  }
  const fails = current === undefined ? Infinity : timeToRollback(order);
  create(now, order, now + fails);
  if (current === undefined) return;
  // Start-first keeps the old task until the new one runs.
  const handover = order.update.isStartFirst ? timeToRun(order) : 0;
  store.update('task', current['taskId'], { endedAt: handover === Infinity ? null : now + handover });
  if (fails !== Infinity && handover !== Infinity) create(now + fails, orderIn(current), Infinity);
  for (const row of ofSlot.toReversed().slice(historyLength)) store.remove('task', row['taskId']);
}

function isRunning(row: Row, now: number): boolean {
  return tasksIn(row, now, '').some(({ state }) => state === 'running');
}

function rowsBy(store: Store, appName: string): Row[] {
  return store.children('task', 'appName', appName);
}

function orderIn(row: Row): ServiceOrder {
  return row['order'] as unknown as ServiceOrder; // written by deploySlot
}
