import { groupBy } from '../kind/group.ts';
import type { ActionName } from './document-schemas.ts';
import { environmentOf, isEnvironment, serviceOf } from './places.ts';
import { isChange } from './action-words.ts';

/** A block of a manifest, or of a plan, with what it depends on. */
export interface GraphNode {
  readonly address: string;
  readonly kind: string;
  /** Its section is its one block. */
  readonly single?: true | undefined;
  readonly parent: string | undefined;
  /** Addresses, also those of its parent and of blocks that are not there. */
  readonly dependsOn: readonly string[];
  /** Addresses of the services that are deployed before it by `after:`. */
  readonly after?: readonly string[] | undefined;
  /** What a plan does with it; undefined: no plan was made. */
  readonly action?: ActionName | undefined;
}

/** The blocks of an environment, or of the project, and the dependencies between them. */
export interface GraphGroup {
  /** The address of the environment; undefined: blocks that are in none. */
  readonly environment: string | undefined;
  readonly nodes: readonly GraphNode[];
  /** `from` needs `to`. */
  readonly edges: readonly GraphEdge[];
}

/** One block needs another. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
}

/** Every dependency between blocks that are there, once. */
export function edgesOf(nodes: readonly GraphNode[]): GraphEdge[] {
  const known = new Set(nodes.map(({ address }) => address));
  return nodes.flatMap(({ address, parent, dependsOn, after = [] }) => {
    const needs = new Set([...(parent === undefined ? [] : [parent]), ...dependsOn, ...after]);
    return [...needs].filter((to) => to !== address && known.has(to)).map((to) => ({ from: address, to }));
  });
}

/** The environment of each block, and of an environment itself. */
export function environmentsOf(nodes: readonly GraphNode[]): ReadonlyMap<string, string | undefined> {
  return new Map(nodes.map((node) => [node.address, environmentOf(node)]));
}

/** The service of each block; a parent that is not there can be one. */
export function servicesOf(nodes: readonly GraphNode[]): ReadonlyMap<string, string> {
  const parents = new Map(nodes.map(({ address, parent }) => [address, parent]));
  return new Map(nodes.map(({ address }) => [address, serviceOf(address, (one) => parents.get(one))]));
}

/** The blocks by environment. An environment with blocks is the frame around them and no node, and so is the project. */
export function groupGraph(nodes: readonly GraphNode[]): GraphGroup[] {
  const environments = environmentsOf(nodes);
  const frames = framesIn(nodes);
  const inside = nodes.filter(({ address }) => !frames.has(address));
  const frameOf = ({ address }: GraphNode) => {
    const environment = environments.get(address);
    return environment === address ? undefined : environment;
  };
  const groups = groupBy(inside.map((node) => [frameOf(node), node] as const));
  const edges = groupBy(edgesOf(nodes).map((edge) => [environments.get(edge.from), edge] as const));
  return [...groups].map(([environment, some]) => {
    const members = new Set(some.map(({ address }) => address));
    const within = (edges.get(environment) ?? []).filter(({ from, to }) => members.has(from) && members.has(to));
    return { environment, nodes: some, edges: within };
  });
}

/** The dependencies between blocks of different environments, without those on an environment or the project itself. */
export function edgesAcross(nodes: readonly GraphNode[]): GraphEdge[] {
  const environments = environmentsOf(nodes);
  return edgesOf(nodes).filter(({ from, to }) => environments.get(from) !== environments.get(to) && !isEnvironment(to));
}

/** The environments that have blocks, and the project that has environments. */
function framesIn(nodes: readonly GraphNode[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ parent }) => (parent !== undefined && isEnvironment(parent) ? [parent] : [])));
}

/** The graph with each service as one node, which needs whatever a block below it needs. */
export function foldServices(nodes: readonly GraphNode[]): GraphNode[] {
  const services = servicesOf(nodes);
  const byService = groupBy(nodes.map((node) => [services.get(node.address) ?? node.address, node] as const));
  const byAddress = new Map(nodes.map((node) => [node.address, node]));
  return [...byService].flatMap(([address, members]) => {
    const own = byAddress.get(address) ?? members[0];
    if (own === undefined) return [];
    const needs = members.flatMap(({ dependsOn }) => dependsOn.map((one) => services.get(one) ?? one));
    // A service with a change below it has one itself.
    const action =
      !isChange(own) && members.some((one) => one.action !== undefined && isChange(one)) ? 'update' : own.action;
    return [{ ...own, address, action, dependsOn: [...new Set(needs)].filter((one) => one !== address) }];
  });
}

/** The blocks that change, with what they need and what needs them. */
export function aroundChanges(nodes: readonly GraphNode[]): GraphNode[] {
  const changed = new Set(nodes.filter(isChange).map(({ address }) => address));
  const kept = new Set(
    edgesOf(nodes)
      .filter(({ from, to }) => changed.has(from) || changed.has(to))
      .flatMap(({ from, to }) => [from, to])
      .concat([...changed]),
  );
  return nodes.filter(({ address }) => kept.has(address));
}
