import { withArticle } from '../diagnostics/article.ts';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { isWithin, normalAddress } from '../kind/address.ts';
import { resolveAddress } from '../kind/aliases.ts';
import type { Kind } from '../kind/kind.ts';
import { kindAt } from '../manifest/kind-at.ts';
import { addressesWithin, readdress, without } from '../state/readdress.ts';
import type { StateRecord } from '../state/record.ts';
import type { State } from '../state/state.ts';
import { notInState } from './addressed.ts';

/** A state with a change that a person asked for. The serial is still the one before it. */
export interface EditedState {
  readonly state: State;
  readonly moved: readonly { readonly from: string; readonly to: string; readonly record: StateRecord }[];
  readonly removed: readonly { readonly address: string; readonly record: StateRecord }[];
}

/**
 * Gives a resource of a state another address, with everything below it. Pure.
 *
 * @throws {Stop} `refused`, when the state does not have it, has one there already, or the kinds differ.
 */
export function moveInState(
  state: State,
  { from: written, to: target }: { readonly from: string; readonly to: string },
  kinds: readonly Kind[],
): EditedState {
  const from = addressIn(state, written);
  const to = resolveAddress(target);
  const kind = state.resources[from]?.kind ?? '';
  const place = kindAt(to, kinds);
  if (place === undefined)
    throw refused(`${to} is no address of a resource`, 'Write it as trueup state list prints it.');
  if (place.kind.kind !== kind) {
    throw refused(
      `${from} is ${withArticle(kind)}, and ${to} is the address of ${withArticle(place.kind.kind)}`,
      'Correct one of the two.',
    );
  }
  if (normalAddress(from) === undefined) {
    throw refused(`${from} is an old object, which goes with the next apply`, 'Move the address of its block.');
  }
  if (isWithin(to, from)) throw refused(`${to} is ${from} itself, or below it`, 'Name another address.');
  const held = readdress(state, from, to, place.parent ?? null);
  if (typeof held === 'string') {
    throw refused(`the state has a resource ${held} already`, 'Move that one, or remove it with trueup state rm.');
  }
  const moved = addressesWithin(state, from).flatMap((address) => {
    const record = state.resources[address];
    return record === undefined ? [] : [{ from: address, to: to + address.slice(from.length), record }];
  });
  return { state: { ...state, ...held }, moved, removed: [] };
}

/**
 * Removes resources from a state, each with everything below it. Pure.
 *
 * @throws {Stop} `refused`, when the state does not have one of them.
 */
export function removeFromState(state: State, written: readonly string[]): EditedState {
  const addresses = written.map((word) => addressIn(state, word));
  const all = [...new Set(addresses.flatMap((address) => addressesWithin(state, address)))].toSorted();
  const removed = all.flatMap((address) => {
    const record = state.resources[address];
    return record === undefined ? [] : [{ address, record }];
  });
  return { state: { ...state, ...without(state, all) }, moved: [], removed };
}

function addressIn({ resources }: State, written: string): string {
  const address = resolveAddress(written);
  if (Object.hasOwn(resources, address)) return address;
  const { message, remedy } = notInState(address, Object.keys(resources));
  throw refused(message, remedy);
}

function refused(message: string, remedy: string): Stop {
  return stop('refused', 'bad-reference', `${message}; nothing was written`, { remedy });
}
