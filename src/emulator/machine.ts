import type { Context } from './context.ts';
import { ApiError, failed } from './error-answers.ts';
import { textOf, textOr, type Json, type Row } from './json-rows.ts';
import { networksJoined } from './networks-joined.ts';
import type { ServiceOrder } from './service-orders.ts';
import type { Store } from './table-store.ts';
import { deployTasks, stopTasks } from './tasks.ts';

/** What docker would do: services that exist, run and publish ports. */

/** Creates or renews the docker services of a row that was just deployed. `services`: those of its compose file, if that is known. */
export function runContainer(
  context: Context,
  row: Row,
  orders: readonly ServiceOrder[],
  services?: readonly string[],
): void {
  const { store } = context;
  const appName = textOf(row, 'appName');
  const ports = Object.entries(published).map(([port, column]) => [column, publishedOn(row, row[port])]);
  const values = {
    running: true,
    serverId: row['serverId'] ?? null,
    isCompose: row['composeId'] !== undefined,
    networks: networksJoined(store, row, services),
    orders: orders as unknown as Json, // plain data
    ...Object.fromEntries(ports),
  };
  if (store.update('container', appName, values) === undefined) store.insert('container', { appName, ...values });
  deployTasks(context, appName, orders);
}

/** What docker was told to run of a container, by `runContainer`. Those that an earlier version saved have none. */
export function ordersIn(container: Row): readonly ServiceOrder[] {
  return (container['orders'] ?? []) as unknown as ServiceOrder[];
}

/** Scales a docker service to one; without a service that fails. */
export function startContainer(context: Context, row: Row): void {
  const container = context.store.update('container', row['appName'], { running: true });
  if (container === undefined) throw failed(`Command execution failed: no such service: ${textOf(row, 'appName')}`);
  deployTasks(context, textOf(row, 'appName'), ordersIn(container));
}

/** Scales a docker service to zero; errors are swallowed. */
export function stopContainer(context: Context, row: Row): void {
  context.store.update('container', row['appName'], { running: false });
  stopTasks(context, textOf(row, 'appName'));
}

/** Whether docker has a service for a row. */
export function hasContainer(store: Store, row: Row): boolean {
  return store.find('container', row['appName']) !== undefined;
}

/** Checks that a port is free before it is saved. A port that the service itself publishes counts as taken. */
export function checkPort(store: Store, row: Row, port: number | null): void {
  const wanted = publishedOn(row, port);
  if (wanted === null) return;
  const [holder] = Object.values(published).flatMap((column) => store.children('container', column, wanted));
  if (holder === undefined) return;
  throw new ApiError('CONFLICT', `Port ${port} is already in use by ${textOf(holder, 'appName')}`);
}

/** By the column with a port: the column of a container with the place where it is published. */
const published = {
  externalPort: 'publishedOn',
  externalGRPCPort: 'publishedGRPCOn',
  externalAdminPort: 'publishedAdminOn',
};

/** The ports that a service can publish. */
export const portColumns: readonly string[] = Object.keys(published);

function publishedOn(row: Row, port: Json | undefined): string | null {
  return typeof port === 'number' && port !== 0 ? `${textOr(row, 'serverId')}:${port}` : null;
}
