import { addressParts } from '../kind/address.ts';
import type { Kind } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import { sectionsOf } from './blocks.ts';

/** The kind whose resources have addresses of this form, whether or not one is declared there. */
export function kindAt(address: string, kinds: readonly Kind[]): Kind | undefined {
  const sections = sectionsOf(kinds);
  const rest = addressParts(address) ?? [];
  let found: Kind | undefined;
  while (rest.length > 0) {
    const below = sections(found?.kind ?? root);
    const [section = '', key] = rest;
    const named = key === undefined ? undefined : below.get(section);
    const keyed = [...below.values()].find((kind) => kind.identity.addressedByKey === true);
    found = named === undefined || named === keyed ? keyed : named;
    if (found === undefined) return undefined;
    rest.splice(0, found === keyed ? 1 : 2);
  }
  return found;
}
