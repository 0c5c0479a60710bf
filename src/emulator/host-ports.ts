import type { Context } from './context.ts';
import { failed } from './error-answers.ts';
import type { Row } from './json-rows.ts';
import { ordersIn } from './machine.ts';
import type { ServiceOrder } from './service-orders.ts';
import type { Store } from './table-store.ts';

/** The ports of hosts: each can be published once. */

/** The ports of the proxy on every server, and of the platform on its own. */
const taken = [':80/tcp', ':443/tcp', ':443/udp'];

/** Why the services of a row cannot publish their ports; undefined: they can. */
function portProblem(store: Store, row: Row, orders: readonly ServiceOrder[]): string | undefined {
  // Most publish none: those look at no other container.
  if (orders.every(({ ports }) => ports.length === 0)) return undefined;
  const holders = Object.values(store.world.tables.container).filter(
    (holder) =>
      holder['running'] === true &&
      holder['appName'] !== row['appName'] &&
      (holder['serverId'] ?? '') === (row['serverId'] ?? ''),
  );
  const others = holders.flatMap((holder) => ordersIn(holder));
  const held = [...taken, ...((row['serverId'] ?? '') === '' ? [':3000/tcp'] : [])].map((port) => ({
    port,
    name: 'the platform',
  }));
  held.push(...others.flatMap(({ name, ports }) => (ports ?? []).map((port) => ({ port, name }))));
  for (const { name, ports, replicas, isSwarm } of orders) {
    // Swarm publishes a port once for all copies; without it the second copy finds it taken.
    for (const port of Array.from({ length: Math.min(replicas, isSwarm ? 1 : 2) }, () => ports).flat()) {
      const holder = held.find((one) => isSame(one.port, port));
      const [address = '', number = ''] = port.split(/:(\d+)\/\w+$/);
      if (holder !== undefined) {
        return isSwarm
          ? `port '${number}' is already in use by service '${holder.name}' as an ingress port`
          : `Bind for ${address === '' ? '0.0.0.0' : address}:${number} failed: port is already allocated`;
      }
      held.push({ port, name });
    }
  }
  return undefined;
}

/** Two are the same unless they are of two addresses. */
function isSame(one: string, other: string): boolean {
  const [[address, port], [otherAddress, otherPort]] = [split(one), split(other)];
  return port === otherPort && (address === '' || otherAddress === '' || address === otherAddress);
}

function split(port: string): [string, string] {
  const at = port.lastIndexOf(':');
  return [port.slice(0, at), port.slice(at + 1)];
}

/**
 * The order of a service of the swarm with the ports that it publishes, on all machines and on its own.
 * @throws {ApiError} where one of `ingress` is taken; with one of `host`, Swarm does not start its task.
 */
export function withPorts(
  context: Context,
  row: Row,
  order: ServiceOrder,
  { ingress, host }: { readonly ingress: readonly string[]; readonly host: readonly string[] },
): ServiceOrder {
  checkHost(context, row, [{ ...order, ports: ingress }]);
  const blocked = blockedByPorts(context, row, { ...order, ports: host });
  return { ...blocked, ports: [...ingress, ...host] };
}

/** The order with what keeps Swarm from starting its task: a port of the host that something else has. */
function blockedByPorts({ store }: Context, row: Row, order: ServiceOrder): ServiceOrder {
  if (portProblem(store, row, [order]) === undefined) return order;
  return { ...order, behaviour: { ...order.behaviour, pending: 'host-mode port already in use on 1 node' } };
}

/** @throws {ApiError} where the services of a row cannot publish their ports, or a name is taken. */
export function checkHost({ store }: Context, row: Row, orders: readonly ServiceOrder[]): void {
  const problem = nameProblem(store, row, orders) ?? portProblem(store, row, orders);
  if (problem !== undefined) throw failed(`Error response from daemon: ${problem}`);
}

function nameProblem(store: Store, row: Row, orders: readonly ServiceOrder[]): string | undefined {
  const named = new Set(orders.filter(({ isNamed }) => isNamed).map(({ name }) => name));
  if (named.size === 0) return undefined;
  const others = Object.values(store.world.tables.container).filter(
    (holder) => holder['appName'] !== row['appName'] && (holder['serverId'] ?? '') === (row['serverId'] ?? ''),
  );
  const names = others.flatMap((holder) => ordersIn(holder).map(({ name }) => name));
  const twice = names.find((name) => named.has(name));
  return twice === undefined ? undefined : `Conflict. The container name "/${twice}" is already in use`;
}
