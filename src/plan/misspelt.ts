import { closest } from '../diagnostics/closest.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { addressParts, isWithin } from '../kind/address.ts';
import { nameIn } from '../kind/row-values.ts';
import type { Observed } from '../observe/observed.ts';
import { type Action, isCreation, isDeletion, leavesState } from './action.ts';
import { movedEntry } from './moved-addresses.ts';

/** A new block, and the one that it was probably meant to be. */
interface Slip {
  readonly from: string;
  readonly to: string;
}

/**
 * Notes each environment that a plan creates beside one of nearly the same name that has no block, in the state or on the
 * platform: everything below it would be created again. `covers` tells whether such a note explains a new address too.
 */
export function misspeltKeys(
  actions: readonly Action[],
  { objects, unmanaged, ofOthers }: Pick<Observed, 'objects' | 'unmanaged' | 'ofOthers'>,
  redact: (text: string) => string,
): { readonly diagnostics: readonly Diagnostic[]; readonly covers: (from: string, to: string) => boolean } {
  const slips: Slip[] = [];
  const diagnostics = actions.flatMap((action) => {
    const { kind, address, position, parent } = action;
    if (!isCreation(action) || kind.identity.addressedByKey !== true) return [];
    const parentId = parent === undefined ? undefined : objects.get(parent)?.id;
    const going = actions.flatMap((one) => {
      if (one.kind !== kind || !leavesState(one)) return [];
      const name = nameIn(kind, objects.get(one.address)?.row ?? {});
      return name !== undefined && redact(name) === name ? [[name, one] as const] : [];
    });
    const others = [...unmanaged, ...ofOthers].flatMap((one) =>
      one.kind === kind.kind && one.parentId === parentId && one.name !== undefined ? [one.name] : [],
    );
    // The address quotes a key such as `shop.eu`.
    const written = addressParts(address)?.at(-1) ?? address;
    const near = [...going.map(([name]) => name), ...others].filter((name) => !differsInNumber(name, written));
    const meant = closest(written, near);
    if (meant === undefined) return [];
    const old = going.find(([name]) => name === meant)?.[1];
    if (old !== undefined) slips.push({ from: old.address, to: address });
    const isRenamed =
      old !== undefined && isDeletion(old) ? ` If it is its new name, write ${movedEntry(old.address, address)}.` : '';
    const message = `${address} is created, and there is ${meant}, which no block declares`;
    const remedy = `Did you mean ${meant}? Then write that in place of ${address}.${isRenamed}`;
    return [diagnostic('similar-name', message, { remedy, address, position })];
  });
  return {
    diagnostics,
    covers: (from, to) => slips.some((slip) => isWithin(from, slip.from) && isWithin(to, slip.to)),
  };
}

/** `preview1` and `preview2` are two. */
function differsInNumber(one: string, other: string): boolean {
  return one !== other && one.replaceAll(/\d/g, '') === other.replaceAll(/\d/g, '');
}
