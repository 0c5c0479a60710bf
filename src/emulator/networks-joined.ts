import { serviceMaps } from './compose-text.ts';
import { platformNetwork, withNetworks } from './compose-routes.ts';
import { type Json, type Row, isMap, namesIn, rowsIn, textOf, textOr } from './json-rows.ts';
import type { Store } from './table-store.ts';

/** The networks of docker, beside those that its file has, that a service joins by their ids. */

/** Their names, after the next deployment. `services`: those of its compose file, as the deployment calls them; undefined: any. */
export function networksJoined(store: Store, row: Row, services?: readonly string[]): string[] {
  if (!('serviceNetworks' in row)) return networksOfService(store, row);
  const entries = rowsIn(row['serviceNetworks']).filter(
    ({ serviceName }) => services === undefined || services.includes(String(serviceName)),
  );
  return namesOf(
    networksWith(
      store,
      entries.flatMap(({ networkIds }) => namesIn(networkIds)),
    ),
  );
}

/**
 * Puts the services of a compose file into the networks of the row. Entries for services that the file does not have are left
 * out without a word; in the file of an isolated compose nothing declares them. Source: applyServiceNetworks of v0.30.2.
 */
export function joinNetworks(store: Store, content: Row | null, row: Row): void {
  if (content === null) return;
  const services = serviceMaps(content);
  for (const { serviceName, networkIds, detachDokployNetwork } of rowsIn(row['serviceNetworks'])) {
    const service = services[String(serviceName)];
    if (service === undefined) continue;
    const names = namesOf(networksWith(store, namesIn(networkIds)));
    if (names.length > 0) service['networks'] = withNetworks(service['networks'], [...names, 'default']);
    if (row['isolatedDeployment'] !== true) declare(content, names);
    if (detachDokployNetwork === true) leave(service);
  }
}

/** Those of a service of the swarm, which leaves out, without a word, what is no network of the swarm. `networkSwarm` replaces all. */
function networksOfService(store: Store, { networkSwarm, networkIds }: Row): string[] {
  return Array.isArray(networkSwarm)
    ? rowsIn(networkSwarm).map((network) => textOr(network, 'Target'))
    : namesOf(networksWith(store, namesIn(networkIds)).filter(({ driver }) => driver === 'overlay'));
}

function networksWith(store: Store, ids: readonly string[]): Row[] {
  return [...new Set(ids)].map((id) => store.find('network', id)).filter((network) => network !== undefined);
}

function namesOf(networks: readonly Row[]): string[] {
  return networks.map((network) => textOf(network, 'name'));
}

function declare(content: Row, names: readonly string[]): void {
  if (names.length === 0) return;
  const external = Object.fromEntries(names.map((name) => [name, { external: true }]));
  content['networks'] = { ...(isMap(content['networks']) ? content['networks'] : {}), ...external };
}

/** Takes a service out of the network of the platform, and out of that of the file. */
function leave(service: Row): void {
  const { networks } = service;
  const isLeft = (name: Json) => name === platformNetwork || name === 'default';
  if (Array.isArray(networks)) service['networks'] = networks.filter((name) => !isLeft(name));
  else if (isMap(networks))
    service['networks'] = Object.fromEntries(Object.entries(networks).filter(([name]) => !isLeft(name)));
}
