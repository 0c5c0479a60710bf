import { callersOrganization, ownRows } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { ApiError, invalid, notFound } from '../error-answers.ts';
import { namesIn, rowsIn, textOf, type Row } from '../json-rows.ts';
import { newestFirst } from '../newest-first.ts';
import { reachServer } from '../reach.ts';
import type { Store } from '../table-store.ts';

const { add, find: findAny } = rowsOf('network', 'Network');

/** The `network` group: rows, and networks of docker, which has each name once on a machine. */
export const network: Group = {
  // Without a server: those of the machine of the platform.
  'network.all'(context, input) {
    const rows = ownRows(context, 'network').filter((row) => row['serverId'] === (input['serverId'] ?? null));
    return newestFirst(rows);
  },

  'network.one': find,

  // Where docker refuses, no row is left.
  'network.create'(context, input) {
    checkAddresses(input);
    makeInDocker(context.store, input);
    return add(context, input);
  },

  // Makes the network of docker once more; the emulator has each with its row.
  'network.recreate'(context, input) {
    const row = find(context, input);
    makeInDocker(context.store, row);
    return row;
  },

  'network.remove'(context, input) {
    const { store } = context;
    const row = findAny(context, input);
    if (row['organizationId'] !== callersOrganization(context))
      throw new ApiError('UNAUTHORIZED', 'Not authorized to delete this network');
    reachServer(store, row['serverId']);
    const name = textOf(row, 'name');
    const isUsed = Object.values(store.world.tables.container).some(
      (one) => (one['serverId'] ?? null) === row['serverId'] && namesIn(one['networks']).includes(name),
    );
    if (isUsed) throw docker(403, `error while removing network: network ${name} has active endpoints`);
    return store.remove('network', row['networkId']);
  },
};

function find(context: Context, input: Row): Row {
  const row = findAny(context, input);
  if (row['organizationId'] !== callersOrganization(context)) throw notFound('Network');
  return row;
}

/** What docker has of its own. */
const reserved = ['bridge', 'host', 'none', 'ingress', 'docker_gwbridge', 'dokploy-network'];

function makeInDocker(store: Store, row: Row): void {
  const { serverId = null } = row;
  if (serverId !== null && store.find('server', serverId) === undefined) throw notFound('Server');
  reachServer(store, serverId);
  const name = textOf(row, 'name');
  const others = Object.values(store.world.tables.network);
  if (reserved.includes(name) || others.some((one) => one['name'] === name && one['serverId'] === serverId))
    throw docker(409, `network with name ${name} already exists`);
}

function docker(status: number, says: string): ApiError {
  return new ApiError('BAD_REQUEST', `(HTTP code ${status}) unexpected - ${says} `);
}

function checkAddresses({ enableIPv4 = true, enableIPv6 = false, ipam = {} }: Row): void {
  if (enableIPv4 === false && enableIPv6 !== true) throw invalid('enableIPv4', 'IPv4 or IPv6 must be enabled');
  const config = rowsIn((ipam as Row | null)?.['config']);
  if (config.some((one) => !one['subnet'] && (one['gateway'] ?? one['ipRange']) !== undefined))
    throw invalid('ipam', 'Gateway and IP range require a subnet');
}
