import { groupBy } from '../graph/group.ts';
import type { ActionName } from '../plan/action.ts';

/** A block of a manifest, or of a plan, with what it depends on. */
export interface GraphNode {
  readonly address: string;
  readonly kind: string;
  readonly parent?: string | undefined;
  /** Addresses, also those of its parent and of blocks that are not there. */
  readonly dependsOn: readonly string[];
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
  return nodes.flatMap(({ address, parent, dependsOn }) => {
    const needs = new Set([...(parent === undefined ? [] : [parent]), ...dependsOn]);
    return [...needs].filter((to) => to !== address && known.has(to)).map((to) => ({ from: address, to }));
  });
}

/** The environment of each block: its outermost ancestor. Blocks without an ancestor and without children have none. */
function environmentsOf(nodes: readonly GraphNode[]): ReadonlyMap<string, string | undefined> {
  const byAddress = new Map(nodes.map((node) => [node.address, node]));
  const parents = new Set(nodes.map(({ parent }) => parent));
  const found = new Map<string, string | undefined>();
  for (const { address } of nodes) {
    const chain = ancestors(address, byAddress);
    const root = chain.at(-1) ?? address;
    found.set(address, chain.length > 1 || parents.has(root) ? root : undefined);
  }
  return found;
}

/** A block and its ancestors, from the inside; a parent that is not there ends the chain as its last. */
function ancestors(address: string, byAddress: ReadonlyMap<string, GraphNode>): string[] {
  const chain = new Set<string>();
  for (let at: string | undefined = address; at !== undefined && !chain.has(at); at = byAddress.get(at)?.parent)
    chain.add(at);
  return [...chain];
}

/** The blocks by environment. An environment is the frame around its blocks and no node. */
export function groupGraph(nodes: readonly GraphNode[]): GraphGroup[] {
  const environments = environmentsOf(nodes);
  const inside = nodes.filter(({ address }) => environments.get(address) !== address);
  const groups = groupBy(inside.map((node) => [environments.get(node.address), node] as const));
  const edges = groupBy(edgesOf(nodes).map((edge) => [environments.get(edge.from), edge] as const));
  return [...groups].map(([environment, some]) => {
    const members = new Set(some.map(({ address }) => address));
    const within = (edges.get(environment) ?? []).filter(({ from, to }) => members.has(from) && members.has(to));
    return { environment, nodes: some, edges: within };
  });
}

/** The dependencies between blocks of different environments, without those on an environment itself. */
export function edgesAcross(nodes: readonly GraphNode[]): GraphEdge[] {
  const environments = environmentsOf(nodes);
  return edgesOf(nodes).filter(
    ({ from, to }) => environments.get(from) !== environments.get(to) && environments.get(to) !== to,
  );
}
