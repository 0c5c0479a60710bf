import { withoutSlash } from '../api/slash.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../formats/json.ts';
import type { WebAddress } from '../kind/service.ts';
import type { Probe } from '../kind/written-keys.ts';
import type { Resource } from '../manifest/resource.ts';
import { type Outputs, noOutputs } from '../manifest/wanted.ts';
import type { Action, Question } from './action.ts';
import { type ServiceActions, isThere, rowAfterWrites } from './deploy-inputs.ts';

/** What apply asks for after the deployment of a service: the probes of the blocks below it. Notes name those that it cannot ask. */
export function questionsFor(
  leafs: ServiceActions['leafs'],
  resources: ReadonlyMap<string, Resource>,
  rowOf: (address: string) => Row | undefined,
): { readonly asks: readonly Question[]; readonly notes: readonly Diagnostic[] } {
  const asks: Question[] = [];
  const notes: Diagnostic[] = [];
  for (const leaf of leafs) {
    const { probe } = resources.get(leaf.address) ?? {};
    if (probe === undefined || !isThere(leaf)) continue;
    const { isConcealed, ...expected } = probe;
    const at = (outputs: Outputs) => addressOf(leaf, rowOf(leaf.address), outputs, expected);
    const known = at(noOutputs);
    const wanted = leaf.attributes.flatMap((one) => one.wanted ?? []);
    const isSettled = wanted.every(({ references }) => references.length === 0);
    // One that is switched off leads nowhere.
    if (known === undefined && isSettled) continue;
    const isOpen = isSettled && !isConcealed && !wanted.some(({ isSecret }) => isSecret);
    if (known?.isPortKnown === false) notes.push(unknownPort(leaf.address, leaf.position));
    else asks.push({ block: leaf.address, shown: isOpen ? known?.url : undefined, at, probe: expected });
  }
  return { asks, notes };
}

/** Says that apply cannot ask an address, as long as nothing says its port. */
export function unknownPort(address: string, position?: Action['position']): Diagnostic {
  const message = `${address}: apply does not ask whether it answers: nothing says at which port its customEntrypoint is served`;
  const remedy = 'Add that port to its probe, such as port: 8443.';
  return diagnostic('no-probe', message, { address, remedy, position });
}

/** Where an object is reached: as its block says, else as the platform has it. */
function addressOf(leaf: Action, row: Row = {}, outputs: Outputs, { path = '', port }: Probe): WebAddress | undefined {
  const found = leaf.kind.reachedAt?.(rowAfterWrites(leaf, row, outputs), port);
  return found && { ...found, url: path === '' ? found.url : withoutSlash(found.url) + path };
}
