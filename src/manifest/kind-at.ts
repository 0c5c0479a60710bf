import { addressParts, blockAddress } from '../kind/address.ts';
import { type Kind, root } from '../kind/kind.ts';
import { topAddress, topOf } from '../kind/top.ts';
import { sectionsOf } from './blocks.ts';

/**
 * The kind whose resources have addresses of this form, whether or not one is declared there, with the address of the parent;
 * no parent at the top.
 */
export function kindAt(
  address: string,
  kinds: readonly Kind[],
): { readonly kind: Kind; readonly parent: string | undefined } | undefined {
  const top = topOf(kinds);
  if (top !== undefined && address === topAddress(top)) return { kind: top, parent: undefined };
  const sections = sectionsOf(kinds);
  const rest = addressParts(address) ?? [];
  let found: Kind | undefined;
  let [own, parent]: (string | undefined)[] = [];
  while (rest.length > 0) {
    const below = sections(found?.kind ?? root);
    const [section = '', key] = rest;
    const meant = below.get(section);
    const named = key === undefined && meant?.isSingle !== true ? undefined : meant;
    const keyed = [...below.values()].find((kind) => kind.identity.addressedByKey === true);
    found = named === undefined || named === keyed ? keyed : named;
    if (found === undefined) return undefined;
    parent = own;
    const isOnePart = found === keyed || found.isSingle === true;
    own = blockAddress(own, found, isOnePart ? section : (key ?? ''));
    rest.splice(0, isOnePart ? 1 : 2);
  }
  return found === undefined ? undefined : { kind: found, parent };
}
