import { append } from '../kind/group.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { fieldPath, isInCase, observedValue } from '../kind/row-values.ts';
import { knownValue } from '../manifest/wanted.ts';
import type { ObservedObject } from '../observe/observed.ts';
import { type Action, createsFirst, deletesObject, isDeletion, isRequested } from './action.ts';
import type { PlanInput } from './input.ts';

/**
 * Notes what still uses an object of a kind that others name: at its deletion, and at its replacement on purpose that deletes
 * first. The platform takes it from them without a word, which then looks like a change by a person. Trueup cannot see what
 * is not in this manifest, and says so.
 */
export function withUsers({ kinds, observed: { objects } }: PlanInput, actions: readonly Action[]): readonly Action[] {
  const named = new Set(kinds.flatMap(({ fields }) => Object.values(fields).flatMap(({ refersTo }) => refersTo ?? [])));
  const isTaken = (one: Action) =>
    named.has(one.kind.kind) && (isDeletion(one) || (isRequested(one) && !createsFirst(one)));
  if (!actions.some(isTaken)) return actions;
  const users = usersById(actions, objects);
  return actions.map((action) => {
    if (!isTaken(action)) return action;
    const using = users.get(action.id ?? '') ?? [];
    const notes = isDeletion(action) ? [ofDeleted(action, using)] : ofReplaced(action, using, actions);
    return notes.length === 0 ? action : { ...action, notes: [...action.notes, ...notes] };
  });
}

function ofDeleted({ address }: Action, users: readonly User[]): Diagnostic {
  const using = users.filter(({ isLeaving }) => !isLeaving);
  if (using.length === 0)
    return diagnostic('goes-along', `what uses ${address} and is not in this manifest loses it`, { address });
  const remedy = 'Lead these to something else first, or put the block back.';
  return diagnostic('cannot-change', `${address} is still used: ${using.map(inWords).join(', ')}`, { address, remedy });
}

function ofReplaced(action: Action, users: readonly User[], actions: readonly Action[]): Diagnostic[] {
  const { address } = action;
  const others = waitingFor(action, actions).filter((one) => !users.some((user) => user.address === one));
  if (users.length + others.length === 0) return [];
  const message = `${address} cannot be replaced while it is used: ${[...users.map(inWords), ...others].join(', ')}`;
  const remedy =
    'The platform deletes the old one first, and takes it from these. Lead them to something else, apply, and replace it then.';
  return [diagnostic('cannot-change', message, { address, remedy })];
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
  /** The plan takes the id out of it. */
  readonly isLeaving: boolean;
}

function inWords({ path, address }: User): string {
  return `${path} of ${address}`;
}

/** The fields of what stays, by the ids that they hold. */
function usersById(
  actions: readonly Action[],
  objects: ReadonlyMap<string, ObservedObject>,
): ReadonlyMap<string, readonly User[]> {
  const users = new Map<string, User[]>();
  for (const action of actions) {
    const { address, kind, attributes, changes } = action;
    const row = objects.get(address)?.row;
    if (row === undefined || deletesObject(action)) continue;
    for (const [name, { refersTo, growsByItself }] of Object.entries(kind.fields)) {
      // What the platform adds by itself, it takes out by itself.
      if (refersTo === undefined || growsByItself === true) continue;
      const path = fieldPath(kind, name);
      // What another case of a union left behind leads nowhere; a case that is about to change leaves it behind.
      const isChanging = (tag: string) => changes.some((change) => change.path === fieldPath(kind, tag));
      if (!isInCase(kind, name, (tag) => (isChanging(tag) ? undefined : observedValue(kind, tag, row)))) continue;
      const isChanged = changes.some((change) => change.path === path);
      // A list that loses another entry keeps this one.
      const kept = [knownValue(attributes.find(({ attribute }) => attribute.field === name)?.wanted)].flat();
      for (const id of [observedValue(kind, name, row)].flat())
        if (typeof id === 'string') append(users, id, { path, address, isLeaving: isChanged && !kept.includes(id) });
    }
  }
  return users;
}
