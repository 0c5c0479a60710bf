import { groupBy } from '../kind/group.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath, isInCase, observedValue } from '../kind/wire.ts';
import type { ObservedObject } from '../observe/observed.ts';
import type { Action } from './action.ts';

/**
 * Adds to each deletion of something that others name what still uses it: the platform would take it from them without
 * a word. What is not in this manifest cannot be seen, which is said.
 */
export function stillUsed(
  kinds: readonly Kind[],
  actions: readonly Action[],
  objects: ReadonlyMap<string, ObservedObject>,
): Action[] {
  const named = new Set(kinds.flatMap(({ fields }) => Object.values(fields).flatMap(({ refersTo }) => refersTo ?? [])));
  const isGoing = (action: Action) => action.action === 'delete' && named.has(action.kind.kind);
  if (!actions.some(isGoing)) return [...actions];
  const users = usersById(actions, objects);
  return actions.map((action) => {
    if (!isGoing(action)) return action;
    const { address } = action;
    const using = users.get(action.id ?? '') ?? [];
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

/** Which fields of what stays hold each id and are not about to change. */
function usersById(actions: readonly Action[], objects: ReadonlyMap<string, ObservedObject>): Map<string, string[]> {
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
      if (changes.some((change) => change.path === path)) continue;
      for (const id of ids) if (typeof id === 'string') uses.push([id, `${path} of ${address}`]);
    }
  }
  return groupBy(uses);
}
