import { sectionAlias } from '../kind/aliases.ts';
import { groupBy } from '../kind/group.ts';
import { blockAddress } from '../kind/address.ts';
import { type Json, canonical } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import {
  appendedBelow,
  keyDefault,
  keyNames,
  nameIn,
  normalInKey,
  observedValue,
  withoutAppended,
} from '../kind/row-values.ts';
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
  return placeBelow(objects, { ...about, keys: keysOf(about.present.taken) }, undefined);
}

function placeBelow(
  objects: readonly Surveyed[],
  about: Parameters<typeof place>[1] & { readonly keys: ReturnType<typeof keysOf> },
  parent: Placed | undefined,
): readonly Placed[] {
  const { kinds, present, keys, named } = about;
  const groups = groupBy(objects.map((object) => [object.kind, object] as const));
  return kinds.flatMap((kind) => {
    const siblings = (groups.get(kind) ?? []).toSorted(inOrder);
    const section = kind.identity.addressedByKey === true || kind.isSingle === true ? undefined : kind.section;
    const addressOf = (key: string) => blockAddress(parent?.address, kind, key);
    const sections =
      kind.identity.addressedByKey === true ? kinds.flatMap(({ section: own }) => [own, sectionAlias(own) ?? own]) : [];
    const around = [parent?.address, section].filter((part) => part !== undefined).join('.');
    const names = createNames([...sections, ...(keys.get(around) ?? []), '<<']);
    const twins = groupBy(siblings.map((object) => [keyText(object), object] as const));
    const isTwin = (object: Surveyed) => (twins.get(keyText(object))?.length ?? 0) > 1;
    return siblings.map((object): Placed => {
      const known = present.addresses.get(object.id);
      const own = named?.get(object.id) ?? nameOf(object);
      const key = known === undefined ? names.take(keyFor(own)) : splitAddress(known).key;
      const children: Placed[] = [];
      const placed = { object, key, address: known ?? addressOf(key), parent, isPinned: isTwin(object), children };
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

/** What people call an object, without what the platform appended. */
function nameOf({ kind, row, parent }: Surveyed): string {
  const { keyField } = kind.identity;
  const name = nameIn(kind, row) ?? kind.kind;
  if (keyField === undefined || parent === undefined) return name;
  return withoutAppended(name, appendedBelow(kind, keyField, parent)) as string;
}

/** The natural key of an object, as text: the loader takes two blocks of one text for one object. */
function keyText({ kind, link, row, parent }: Surveyed): string {
  const value = (name: string): Json => {
    const from = link.set[name];
    if (from !== undefined && 'value' in from) return from.value;
    const seen = observedValue(kind, name, row) ?? keyDefault(kind, name);
    return parent === undefined ? seen : withoutAppended(seen, appendedBelow(kind, name, parent));
  };
  return canonical(keyNames(kind, value).map((name) => normalInKey(kind, name, value(name))));
}

/** What the platform made comes first, then by name; ids decide between equals. */
function inOrder(a: Surveyed, b: Surveyed): number {
  if (a.isProvided !== b.isProvided) return a.isProvided ? -1 : 1;
  const [first, second] = [a, b].map((one) => `${nameOf(one)}\0${keyText(one)}\0${one.id}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}
