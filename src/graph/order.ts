import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { type Resource, wantedAttributes } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import { append } from '../kind/group.ts';
import { onceFor } from '../api/once.ts';

/** The addresses that have to be there before a resource: its parent, and what it refers to. */
export const dependencies = onceFor((resource: Resource): readonly string[] => {
  const found = new Set<string>(resource.parent === undefined ? [] : [resource.parent]);
  for (const { wanted } of wantedAttributes(resource)) for (const { address } of wanted.references) found.add(address);
  return [...found];
});

/** Sorts resources so that each stands after what it depends on. Reports circles with their members. */
export function inOrder(resources: readonly Resource[]): { order: Resource[]; diagnostics: Diagnostic[] } {
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]));
  const needs = (address: string): readonly string[] => {
    const resource = byAddress.get(address);
    return resource === undefined ? [] : dependencies(resource);
  };
  const order = topological([...byAddress.keys()], needs);
  const sorted = order.sorted.flatMap((address) => byAddress.get(address) ?? []);
  const waiting = waitingInCircle(byAddress);
  if (order.circle === undefined) return { order: sorted, diagnostics: waiting };
  const circle = order.circle;
  const first = byAddress.get(circle[0] ?? '');
  return {
    order: sorted,
    diagnostics: [
      diagnostic('bad-reference', `these refer to each other in a circle: ${[...circle, circle[0]].join(' -> ')}`, {
        remedy: 'Write one of the values by hand, or leave one reference out.',
        address: circle[0],
        position: first === undefined ? undefined : position(first.at),
      }),
      ...waiting,
    ],
  };
}

/** The error of services whose deployments wait for each other by `after:`. */
function waitingInCircle(byAddress: ReadonlyMap<string, Resource>): Diagnostic[] {
  const waiting = [...byAddress.values()].filter(({ after }) => after !== undefined);
  if (waiting.length === 0) return [];
  const afterOf = (address: string) => byAddress.get(address)?.after ?? [];
  const { circle } = topological(
    waiting.map(({ address }) => address),
    (address) => afterOf(address).map((entry) => entry.address),
  );
  const [first = '', next = first] = circle ?? [];
  if (circle === undefined) return [];
  const at = afterOf(first).find(({ address }) => address === next)?.at;
  const message = `after: each of these waits for the deployment of the next: ${[...circle, first].join(' -> ')}`;
  const about = { address: first, remedy: `Remove ${next} from after: of ${first}.` };
  return [diagnostic('bad-reference', message, { ...about, position: at && position(at) })];
}

/** Kahn's algorithm, in linear time and in the order given; what is left over when it stops holds a circle. */
export function topological(
  addresses: readonly string[],
  needs: (address: string) => readonly string[],
): { sorted: string[]; circle: string[] | undefined } {
  const waitingFor = new Map(addresses.map((address) => [address, 0]));
  const dependents = new Map<string, string[]>();
  for (const address of addresses) {
    for (const need of needs(address)) {
      if (!waitingFor.has(need)) continue;
      append(dependents, need, address);
      waitingFor.set(address, (waitingFor.get(address) ?? 0) + 1);
    }
  }
  const sorted = addresses.filter((address) => waitingFor.get(address) === 0);
  for (let next = 0; next < sorted.length; next++) {
    for (const dependent of dependents.get(sorted[next] ?? '') ?? []) {
      const left = (waitingFor.get(dependent) ?? 0) - 1;
      waitingFor.set(dependent, left);
      if (left === 0) sorted.push(dependent);
    }
  }
  if (sorted.length === addresses.length) return { sorted, circle: undefined };
  const rest = new Set(addresses.filter((address) => (waitingFor.get(address) ?? 0) > 0));
  return { sorted, circle: findCircle(rest, needs) };
}

function findCircle(rest: ReadonlySet<string>, needs: (address: string) => readonly string[]): string[] {
  const path: string[] = [];
  const seen = new Set<string>();
  let current = [...rest][0] ?? '';
  while (!seen.has(current)) {
    seen.add(current);
    path.push(current);
    // Everything left over waits for something left over, so this always finds one.
    current = needs(current).find((need) => rest.has(need)) ?? current;
  }
  return path.slice(path.indexOf(current));
}
