import { sectionAlias } from '../kind/aliases.ts';
import { groupBy } from '../kind/group.ts';
import { blockAddress } from '../kind/address.ts';
import type { Kind } from '../kind/kind.ts';
import { inNameOrder, keyText, objectName } from '../kind/object-name.ts';
import { createNames, keyFor } from './free-names.ts';
import type { Surveyed } from './survey.ts';

/** An object with the block that an export gives it. */
export interface Placed {
  readonly object: Surveyed;
  readonly key: string;
  readonly address: string;
  readonly parent: Placed | undefined;
  /** Nothing but its id tells it from another object beside it. */
  readonly isPinned: boolean;
  readonly children: readonly Placed[];
}

/** What the manifest has already: addresses by id, and all addresses that are taken. */
export interface Present {
  readonly addresses: ReadonlyMap<string, string>;
  readonly taken: ReadonlySet<string>;
  /** The block of the project, where the manifest has one; no export writes it. */
  readonly project?: { readonly id: string; readonly address: string } | undefined;
}

/** The keys of addresses, by what stands before them. */
function keysOf(taken: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  return groupBy(
    [...taken].map((address) => {
      const { around, key } = splitAddress(address);
      return [around, key] as const;
    }),
  );
}

/** Gives new blocks their keys, from the names of their objects in the order of `inNameOrder`; `taken`: addresses that are there. */
export function createKeys(
  kinds: readonly Kind[],
  taken: Iterable<string>,
): (kind: Kind, parent: string | undefined, name: string) => string {
  const keys = keysOf(taken);
  const sections = kinds.flatMap(({ section }) => [section, sectionAlias(section) ?? section]);
  const namesAt = new Map<string, ReturnType<typeof createNames>>();
  return (kind, parent, name) => {
    const isAtTop = kind.identity.addressedByKey === true;
    const section = isAtTop || kind.isSingle === true ? undefined : kind.section;
    const around = [parent, section].filter((part) => part !== undefined).join('.');
    const place = `${kind.kind}\0${around}`;
    const names = namesAt.get(place) ?? createNames([...(isAtTop ? sections : []), ...(keys.get(around) ?? []), '<<']);
    namesAt.set(place, names);
    return names.take(keyFor(name));
  };
}

/** Gives every object its key and address, in an order that does not depend on that of the platform. */
export function place(
  objects: readonly Surveyed[],
  about: {
    readonly kinds: readonly Kind[];
    readonly present: Present;
    /** Keys by id, where another tool has named the objects; by default their own names are the keys. */
    readonly named?: ReadonlyMap<string, string> | undefined;
  },
): readonly Placed[] {
  return placeBelow(objects, { ...about, keyOf: createKeys(about.kinds, about.present.taken) }, undefined);
}

function placeBelow(
  objects: readonly Surveyed[],
  about: Parameters<typeof place>[1] & { readonly keyOf: ReturnType<typeof createKeys> },
  parent: Placed | undefined,
): readonly Placed[] {
  const { kinds, present, keyOf, named } = about;
  const groups = groupBy(objects.map((object) => [object.kind, object] as const));
  return kinds.flatMap((kind) => {
    const siblings = inNameOrder(groups.get(kind) ?? []);
    const twins = groupBy(siblings.map((object) => [keyText(object), object] as const));
    const isTwin = (object: Surveyed) => (twins.get(keyText(object))?.length ?? 0) > 1;
    return siblings.map((object): Placed => {
      const known = present.addresses.get(object.id);
      const own = named?.get(object.id) ?? objectName(object) ?? kind.kind;
      const key = known === undefined ? keyOf(kind, parent?.address, own) : splitAddress(known).key;
      const children: Placed[] = [];
      const placed = {
        object,
        key,
        address: known ?? blockAddress(parent?.address, kind, key),
        parent,
        isPinned: isTwin(object),
        children,
      };
      children.push(...placeBelow(object.children, about, placed));
      return placed;
    });
  });
}

/** An address without its last part, and the key that this part is: `production.compose.shop` gives `production.compose`, `shop`. */
function splitAddress(address: string): { readonly around: string; readonly key: string } {
  const quoted = /\["(?:[^"\\]|\\.)*"\]$/.exec(address);
  if (quoted !== null)
    return { around: address.slice(0, quoted.index), key: JSON.parse(quoted[0].slice(1, -1)) as string };
  const at = address.lastIndexOf('.');
  return { around: address.slice(0, Math.max(at, 0)), key: address.slice(at + 1) };
}
