import { groupBy } from '../kind/group.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath, isInCase, observedValue } from '../kind/wire.ts';
import type { ObservedObject } from '../observe/observed.ts';
import type { Action } from './action.ts';

/**
 * Adds to each deletion of something that others name what still uses it: the platform would take it from them without
 * a word. What is not in this manifest cannot be seen, which is said. A replacement on purpose that deletes first is refused
 * while anything uses the object: what the platform takes from its users then looks like a change by a person.
 */
export function stillUsed(
  kinds: readonly Kind[],
  actions: readonly Action[],
  objects: ReadonlyMap<string, ObservedObject>,
): Action[] {
  const named = new Set(kinds.flatMap(({ fields }) => Object.values(fields).flatMap(({ refersTo }) => refersTo ?? [])));
  const isGoing = (action: Action) => action.action === 'delete' && named.has(action.kind.kind);
  const isAnew = (action: Action) =>
    action.action === 'replace' &&
    action.isAsked === true &&
    !action.createsBeforeDestroy &&
    named.has(action.kind.kind);
  const users = actions.some(isGoing) ? usersById(actions, objects, 'that stay') : undefined;
  const all = actions.some(isAnew) ? usersById(actions, objects, 'all') : undefined;
  if (users === undefined && all === undefined) return [...actions];
  return actions.map((action) => {
    const { address } = action;
    if (isAnew(action)) {
      const fields = all?.get(action.id ?? '') ?? [];
      const others = waitingFor(action, actions).filter((one) => !fields.some((field) => field.endsWith(` of ${one}`)));
      const using = [...fields, ...others];
      if (using.length === 0) return action;
      const refused = diagnostic(
        'cannot-change',
        `${address} cannot be replaced while it is used: ${using.join(', ')}`,
        {
          address,
          remedy:
            'The platform deletes the old one first, and takes it from these. Lead them to something else, apply, and replace it then.',
        },
      );
      return { ...action, notes: [...action.notes, refused] };
    }
    if (!isGoing(action)) return action;
    const using = users?.get(action.id ?? '') ?? [];
    const note =
      using.length > 0
        ? diagnostic('cannot-change', `${address} is still used: ${using.join(', ')}`, {
            address,
            remedy: 'Lead these to something else first, or put the block back.',
          })
        : diagnostic('goes-along', `what uses ${address} and is not in this manifest loses it`, { address });
    return { ...action, notes: [...action.notes, note] };
  });
}

/** What refers to an object whose new one has no id before a person connects it. */
function waitingFor({ address, kind }: Action, actions: readonly Action[]): string[] {
  if (kind.identity.listedOnce === undefined) return [];
  return actions.filter(({ dependsOn }) => dependsOn.includes(address)).map((one) => one.address);
}

/** Which fields of what stays hold each id; those `that stay` are not about to change. */
function usersById(
  actions: readonly Action[],
  objects: ReadonlyMap<string, ObservedObject>,
  which: 'that stay' | 'all',
): Map<string, string[]> {
  const uses: [id: string, by: string][] = [];
  for (const { address, action, kind, changes } of actions) {
    const row = objects.get(address)?.row;
    if (row === undefined || action === 'delete' || action === 'replace') continue;
    for (const [name, { refersTo, growsByItself }] of Object.entries(kind.fields)) {
      // What the platform adds by itself, it takes out by itself.
      const ids = refersTo === undefined || growsByItself === true ? [] : [observedValue(kind, name, row) ?? []].flat();
      const path = fieldPath(kind, name);
      // What another case of a union left behind leads nowhere; a case that is about to change leaves it behind.
      const isChanging = (tag: string) => changes.some((change) => change.path === fieldPath(kind, tag));
      if (!isInCase(kind, name, (tag) => (isChanging(tag) ? undefined : observedValue(kind, tag, row)))) continue;
      if (which === 'that stay' && changes.some((change) => change.path === path)) continue;
      for (const id of ids) if (typeof id === 'string') uses.push([id, `${path} of ${address}`]);
    }
  }
  return groupBy(uses);
}
