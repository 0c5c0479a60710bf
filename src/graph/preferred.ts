import { append, groupBy } from '../kind/group.ts';
import { topological } from './order.ts';

/** One node comes before another. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

/**
 * Adds preferred edges to the required ones: the first have priority, and each is added unless it closes a circle.
 *
 * A hub is a node that stands for all nodes before it. When an edge out of a hub closes a circle, edges from the nodes
 * before that hub take its place, so a hub drops exactly the edges that would be dropped without it.
 */
export function withPreferred<E extends Edge>(
  required: readonly E[],
  preferred: readonly E[],
  isHub: (name: string) => boolean,
): E[] {
  const all = [...required, ...preferred];
  const circular = circularPart(all);
  const isInside = ({ from, to }: Edge) => circular.has(from) && circular.has(to);
  const graph = { leaving: new Map<string, E[]>(), entering: new Map<string, E[]>() };
  const intoHubs = circular.size === 0 ? [] : all.filter(({ to }) => isHub(to));
  const before = groupBy(intoHubs.map(({ from, to }) => [to, from]));
  const accepted: E[] = [];
  const accept = (edge: E): void => {
    accepted.push(edge);
    if (!isInside(edge)) return; // no circle leads through it
    append(graph.leaving, edge.from, edge);
    append(graph.entering, edge.to, edge);
  };
  for (const edge of required) accept(edge);
  for (const edge of preferred) {
    const sources = new Set([edge.from]);
    for (const from of sources) {
      const one = from === edge.from ? edge : { ...edge, from };
      if (!isInside(one) || !closesCircle(one, graph)) accept(one);
      else for (const source of before.get(from) ?? []) sources.add(source);
    }
  }
  return accepted;
}

/** The nodes on a circle or between two circles. Every circle lies among them. */
function circularPart(edges: readonly Edge[]): ReadonlySet<string> {
  const before = groupBy(edges.map(({ from, to }) => [to, from]));
  const after = groupBy(edges.map(({ from, to }) => [from, to]));
  const unsorted = (names: readonly string[], needs: ReadonlyMap<string, readonly string[]>): string[] => {
    const sorted = new Set(topological(names, (name) => needs.get(name) ?? []).sorted);
    return names.filter((name) => !sorted.has(name));
  };
  return new Set(unsorted(unsorted([...new Set([...before.keys(), ...after.keys()])], before), after));
}

/** Whether the end of an edge leads to its beginning. Searches from both in turn; the smaller side limits the work. */
function closesCircle(
  { from, to }: Edge,
  graph: {
    readonly leaving: ReadonlyMap<string, readonly Edge[]>;
    readonly entering: ReadonlyMap<string, readonly Edge[]>;
  },
): boolean {
  if (from === to) return true;
  const ahead = reached(to, graph.leaving, 'to');
  const behind = reached(from, graph.entering, 'from');
  for (;;) {
    const next = ahead.next();
    if (next.done === true || next.value === from) return next.done !== true;
    const previous = behind.next();
    if (previous.done === true || previous.value === to) return previous.done !== true;
  }
}

/** Follows edges one by one; gives the node at the end of each. */
function* reached(
  start: string,
  edges: ReadonlyMap<string, readonly Edge[]>,
  end: 'from' | 'to',
): Generator<string, void> {
  const found = new Set([start]);
  for (const name of found) {
    for (const edge of edges.get(name) ?? []) {
      found.add(edge[end]);
      yield edge[end];
    }
  }
}
