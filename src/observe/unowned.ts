import type { Kind } from '../kind/kind.ts';
import { nameIn } from '../kind/row-values.ts';
import type { ObserveInput } from './expected.ts';
import type { Listed, Observed, UnmanagedObject } from './observed.ts';
import { isOfProject } from './ownership.ts';

/** Every row that was seen, by kind and id. */
export type Lists = ReadonlyMap<string, Map<string, Listed>>;

/**
 * The objects of the project that no address has. One row may be listed for several kinds. A name that holds a secret of the
 * run is none. Where the manifest has one environment, each other one is that of another manifest, with all that is in it.
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
    for (const [id, listed] of lists.get(kind.kind) ?? []) {
      const { row, parent } = listed;
      if (known.has(id) || unmanaged.has(id)) continue;
      const by = kind.lifecycle?.provided;
      const isProvided = by?.is(row, parent?.row ?? {}) === true;
      if (isProvided && by.allows !== 'update') continue;
      const isElsewhere = ownsOneEnvironment && isOfOther(kind, listed);
      if (isElsewhere && kind.identity.addressedByKey !== true) continue;
      const given = nameIn(kind, row);
      const name = given !== undefined && isClear(given) ? given : undefined;
      const found = isProvided || isElsewhere ? ofOthers : unmanaged;
      found.set(id, { kind: kind.kind, id, name, parentId: parent?.id });
    }
  }
  return { unmanaged: [...unmanaged.values()], ofOthers: [...ofOthers.values()] };
}
