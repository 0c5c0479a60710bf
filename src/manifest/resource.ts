import type { Json } from '../formats/json.ts';
import { type Attribute, attributeName, fieldAttribute } from '../kind/attribute.ts';
import type { ParentLink } from '../kind/parent.ts';
import type { Kind } from '../kind/kind.ts';
import type { Probe } from '../kind/written-keys.ts';
import { fieldPath } from '../kind/row-values.ts';
import type { Entry, MapNode, Place } from './tree.ts';
import type { Wanted } from './wanted.ts';

/** One resource as the user wants it. Fields have the API's names; unions are flattened. */
export interface Resource {
  readonly address: string;
  readonly kind: Kind;
  /** The YAML key. */
  readonly key: string;
  /** The address of the parent; undefined at the top. */
  readonly parent: string | undefined;
  readonly link: ParentLink;
  readonly at: Place;
  readonly fields: Readonly<Record<string, Wanted>>;
  /** Fields written as a map, key by key. */
  readonly maps: Readonly<Record<string, ReadonlyMap<string, Wanted>>>;
  /** `own`: keys that are not declared go; `merge`: they stay. */
  readonly mapMode: 'own' | 'merge';
  readonly options: Readonly<Record<string, Json>>;
  /** The reasons for what the block allows, by code. */
  readonly allows?: ReadonlyMap<string, string> | undefined;
  /** Keys and fields that the user calls private. */
  readonly privateKeys?: ReadonlySet<string> | undefined;
  /** What a `!reset` took out of the block, by the paths of keys, each with its place. */
  readonly resets?: ReadonlyMap<string, Place> | undefined;
  /** The services that are deployed before it, each with the place of its line. */
  readonly after?: readonly AfterEntry[] | undefined;
  /** What apply asks its address for after a deployment. `isConcealed`: a part of it must not show. */
  readonly probe?: (Probe & { readonly isConcealed: boolean }) | undefined;
  /** The names of attributes, and of whole maps, that others set once the object is there. */
  readonly createOnly?: ReadonlySet<string> | undefined;
  /** The id that the user pinned. */
  readonly pinned: string | undefined;
}

/** An entry of `after:`: the address of a service. */
export interface AfterEntry {
  readonly address: string;
  readonly at: Place;
}

/** The block of YAML that declares one resource, before its fields are read. */
export interface Block {
  readonly address: string;
  readonly kind: Kind;
  readonly key: string;
  readonly parent: string | undefined;
  readonly link: ParentLink;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly resets?: MapNode['resets'];
  readonly at: Place;
}

/** Whether others set an attribute once the object is there: Trueup only writes it when it creates the object. */
export function isCreateOnly({ createOnly }: Pick<Resource, 'createOnly'>, attribute: Attribute): boolean {
  return createOnly?.has(attribute.field) === true || createOnly?.has(attributeName(attribute)) === true;
}

/** The attributes that a resource declares. */
export function wantedAttributes({ fields, maps }: Resource): { attribute: Attribute; wanted: Wanted }[] {
  const all: { attribute: Attribute; wanted: Wanted }[] = [];
  // Without Object.entries, which makes a list for each: a large plan has a million attributes.
  for (const field of Object.keys(fields)) {
    const wanted = fields[field];
    if (wanted !== undefined) all.push({ attribute: fieldAttribute(field), wanted });
  }
  for (const field of Object.keys(maps)) {
    maps[field]?.forEach((wanted, key) => all.push({ attribute: { field, key }, wanted }));
  }
  return all;
}

/** The paths of those fields of a natural key that a block can say: the others come from its place. */
export function keyPaths({ kind, link }: Pick<Resource, 'kind' | 'link'>, names: readonly string[]): readonly string[] {
  const isSaid = (name: string) => link.set[name] === undefined && link.lacks?.includes(name) !== true;
  return names.filter(isSaid).map((name) => fieldPath(kind, name));
}
