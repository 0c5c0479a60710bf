import { withoutSlash } from '../api/slash.ts';
import type { Row } from '../formats/json.ts';
import type { WebAddress } from '../kind/service.ts';
import type { Resource } from '../manifest/resource.ts';
import { type Outputs, noOutputs, resolve } from '../manifest/wanted.ts';
import type { Action, Question } from './action.ts';
import { type ServiceActions, isThere } from './deploy-inputs.ts';

/** What apply asks for after the deployment of a service: the probes of the blocks below it. */
export function questionsFor(
  leafs: ServiceActions['leafs'],
  resources: ReadonlyMap<string, Resource>,
  rowOf: (address: string) => Row | undefined,
): readonly Question[] {
  return leafs.flatMap((leaf): Question[] => {
    const { probe } = resources.get(leaf.address) ?? {};
    if (probe === undefined || !isThere(leaf)) return [];
    const { isConcealed, ...expected } = probe;
    const at = (outputs: Outputs) => addressOf(leaf, rowOf(leaf.address), outputs, probe.path);
    const known = at(noOutputs);
    const wanted = leaf.attributes.flatMap((one) => one.wanted ?? []);
    // One that is switched off leads nowhere.
    if (known === undefined && wanted.every(({ references }) => references.length === 0)) return [];
    const isOpen = !isConcealed && !wanted.some(({ isSecret }) => isSecret);
    return [{ block: leaf.address, shown: isOpen ? known?.url : undefined, at, probe: expected }];
  });
}

/** Where an object is reached: as its block says, else as the platform has it. */
function addressOf({ kind, attributes }: Action, row: Row = {}, outputs: Outputs, path = ''): WebAddress | undefined {
  const declared = attributes.flatMap(({ attribute: { field, key }, wanted }) => {
    const resolved = wanted === undefined || key !== undefined ? undefined : resolve(wanted, outputs);
    return resolved?.is === 'known' ? [[field, resolved.value] as const] : [];
  });
  const found = kind.reachedAt?.({ ...row, ...Object.fromEntries(declared) });
  return found && { ...found, url: path === '' ? found.url : withoutSlash(found.url) + path };
}
