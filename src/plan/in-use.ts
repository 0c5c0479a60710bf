import { groupBy } from '../kind/group.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath, isInCase, observedValue } from '../kind/wire.ts';
import type { ObservedObject } from '../observe/observed.ts';
import type { Action } from './action.ts';
import { createsFirst, deletesObject, isDeletion, isRequested } from './action.ts';

/**
 * Adds to each deletion of something that others name what still uses it: the platform would take it from them without
 * a word. Trueup cannot see what is not in this manifest, and says so.
 */
export function withUsersOfDeleted(
  kinds: readonly Kind[],
  actions: readonly Action[],
  objects: ReadonlyMap<string, ObservedObject>,
): readonly Action[] {
  const named = namedKinds(kinds);
  const isGoing = (one: Action) => isDeletion(one) && named.has(one.kind.kind);
  if (!actions.some(isGoing)) return actions;
  const users = usersById(actions, objects, 'that stay');
  return actions.map((action) => {
    if (!isGoing(action)) return action;
    const { address } = action;
    const using = users.get(action.id ?? '') ?? [];
    const note =
      using.length > 0
        ? diagnostic('cannot-change', `${address} is still used: ${using.map(inWords).join(', ')}`, {
            address,
            remedy: 'Lead these to something else first, or put the block back.',
          })
        : diagnostic('goes-along', `what uses ${address} and is not in this manifest loses it`, { address });
    return { ...action, notes: [...action.notes, note] };
  });
}

/**
 * Refuses each replacement on purpose that deletes first while anything uses the object: what the platform takes from its
 * users then looks like a change by a person.
 */
export function withUsersOfReplaced(
  kinds: readonly Kind[],
  actions: readonly Action[],
  objects: ReadonlyMap<string, ObservedObject>,
): readonly Action[] {
  const named = namedKinds(kinds);
  const isDeletedFirst = (one: Action) => isRequested(one) && !createsFirst(one) && named.has(one.kind.kind);
  if (!actions.some(isDeletedFirst)) return actions;
  const users = usersById(actions, objects, 'all');
  return actions.map((action) => {
    if (!isDeletedFirst(action)) return action;
    const { address } = action;
    const fields = users.get(action.id ?? '') ?? [];
    const others = waitingFor(action, actions).filter((one) => !fields.some((field) => field.address === one));
    if (fields.length + others.length === 0) return action;
    const message = `${address} cannot be replaced while it is used: ${[...fields.map(inWords), ...others].join(', ')}`;
    const remedy =
      'The platform deletes the old one first, and takes it from these. Lead them to something else, apply, and replace it then.';
    return { ...action, notes: [...action.notes, diagnostic('cannot-change', message, { address, remedy })] };
  });
}

/** The kinds that fields of others refer to. */
function namedKinds(kinds: readonly Kind[]): ReadonlySet<string> {
  return new Set(kinds.flatMap(({ fields }) => Object.values(fields).flatMap(({ refersTo }) => refersTo ?? [])));
}

/** The addresses that refer to an object whose new one has no id before a person connects it. */
function waitingFor({ address, kind }: Action, actions: readonly Action[]): string[] {
  if (kind.identity.listedOnce === undefined) return [];
  return actions.filter(({ dependsOn }) => dependsOn.includes(address)).map((one) => one.address);
}

/** A field that holds the id of an object. */
interface User {
  readonly path: string;
  readonly address: string;
}

function inWords({ path, address }: User): string {
  return `${path} of ${address}`;
}

/** The fields of what stays that hold each id; those `that stay` are not about to change. */
function usersById(
  actions: readonly Action[],
  objects: ReadonlyMap<string, ObservedObject>,
  which: 'that stay' | 'all',
): ReadonlyMap<string, readonly User[]> {
  const uses: [id: string, by: User][] = [];
  for (const action of actions) {
    const { address, kind, changes } = action;
    const row = objects.get(address)?.row;
    if (row === undefined || deletesObject(action)) continue;
    for (const [name, { refersTo, growsByItself }] of Object.entries(kind.fields)) {
      // What the platform adds by itself, it takes out by itself.
      const ids = refersTo === undefined || growsByItself === true ? [] : [observedValue(kind, name, row) ?? []].flat();
      const path = fieldPath(kind, name);
      // What another case of a union left behind leads nowhere; a case that is about to change leaves it behind.
      const isChanging = (tag: string) => changes.some((change) => change.path === fieldPath(kind, tag));
      if (!isInCase(kind, name, (tag) => (isChanging(tag) ? undefined : observedValue(kind, tag, row)))) continue;
      if (which === 'that stay' && changes.some((change) => change.path === path)) continue;
      for (const id of ids) if (typeof id === 'string') uses.push([id, { path, address }]);
    }
  }
  return groupBy(uses);
}
