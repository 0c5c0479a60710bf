import { ApiError } from './error-answers.ts';
import { textOf, textOr, type Json, type Row } from './json-rows.ts';
import type { Store } from './table-store.ts';

/** What docker would do: services that exist, run and publish ports. */

/** Creates or renews the docker service of a row that was just deployed. */
export function runContainer(store: Store, row: Row): void {
  const appName = textOf(row, 'appName');
  const ports = Object.entries(published).map(([port, column]) => [column, publishedOn(row, row[port])]);
  const values = { running: true, serverId: row['serverId'] ?? null, ...Object.fromEntries(ports) };
  if (store.update('container', appName, values) === undefined) store.insert('container', { appName, ...values });
}

/** Scales a docker service to one; without a service that fails. */
export function startContainer(store: Store, row: Row): void {
  if (store.update('container', row['appName'], { running: true }) === undefined)
    throw new ApiError('INTERNAL_SERVER_ERROR', `Command execution failed: no such service: ${textOf(row, 'appName')}`);
}

/** Scales a docker service to zero; errors are swallowed. */
export function stopContainer(store: Store, row: Row): void {
  store.update('container', row['appName'], { running: false });
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
