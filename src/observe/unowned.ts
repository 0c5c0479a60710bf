import { type Kind, root } from '../kind/kind.ts';
import { inNameOrder, objectName } from '../kind/object-name.ts';
import type { ObserveInput } from './expected.ts';
import type { Listed, Observed, UnmanagedObject } from './observed.ts';
import { isOfProject } from './ownership.ts';

/** Every row that was seen, by kind and id. */
export type Lists = ReadonlyMap<string, Map<string, Listed>>;

/**
 * The objects of the project that no address has. One row may be listed for several kinds. A name that holds a secret of the
 * run is none. Those of a kind come in the order in which an export names them. Where the manifest has one environment, each other one is that of another manifest, with all that is in it.
 */
export function unownedIn(
  kinds: readonly Kind[],
  lists: Lists,
  about: Pick<ObserveInput, 'ownsOneEnvironment'> & {
    readonly known: ReadonlySet<string>;
    readonly isClear: (name: string) => boolean;
  },
): Pick<Observed, 'unmanaged' | 'ofOthers'> {
  const { known, isClear, ownsOneEnvironment } = about;
  const unmanaged = new Map<string, UnmanagedObject>();
  const ofOthers = new Map<string, UnmanagedObject>();
  const isOfOther = (kind: Kind, { row, parent }: Listed): boolean => {
    if (known.has(String(row[kind.identity.id]))) return false;
    if (kind.identity.addressedByKey === true) return true;
    const above = parent && lists.get(parent.kind.kind)?.get(parent.id);
    return parent !== undefined && above !== undefined && isOfOther(parent.kind, above);
  };
  for (const kind of kinds.filter(isOfProject)) {
    const unknown = [...(lists.get(kind.kind) ?? [])].filter(([id]) => !known.has(id) && !unmanaged.has(id));
    const by = kind.lifecycle?.provided;
    const objects = unknown.map(([id, { row, parent }]) => {
      const isProvided = by?.is(row, parent?.row ?? {}) === true;
      return { kind, id, row, parent, link: kind.parents[parent?.kind.kind ?? root], isProvided };
    });
    for (const object of inNameOrder(objects)) {
      const { id, isProvided, parent } = object;
      if (isProvided && by?.allows !== 'update') continue;
      const isElsewhere = ownsOneEnvironment && isOfOther(kind, object);
      if (isElsewhere && kind.identity.addressedByKey !== true) continue;
      const given = objectName(object);
      const name = given !== undefined && isClear(given) ? given : undefined;
      const found = isProvided || isElsewhere ? ofOthers : unmanaged;
      found.set(id, { kind: kind.kind, id, name, parentId: parent?.id });
    }
  }
  return { unmanaged: [...unmanaged.values()], ofOthers: [...ofOthers.values()] };
}
