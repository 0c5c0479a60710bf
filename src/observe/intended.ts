import { pendingCreate } from '../state/pending.ts';
import type { Expected, Match, SearchInput } from './expected.ts';
import { isKept } from './expected.ts';
import { isCreated } from './lost-create.ts';
import type { NaturalKey } from './match.ts';
import { naturalKey } from './match.ts';
import type { ObservedObject } from './observed.ts';
import { observedObject } from './observed.ts';
import { readObject } from './read-object.ts';

/**
 * What was read for the addresses whose create got no answer: everything that bears the key which that had, and stands
 * where it was sent. `intent`: it is what the create made; `key`: it is somebody else's.
 */
export type Intended = ReadonlyMap<Expected, readonly ObservedObject[]>;

/** Reads what may be what such a create made. */
export async function readIntended(
  input: SearchInput,
  claimed: ReadonlyMap<string, Expected>,
  found: ReadonlyMap<string, ObservedObject>,
): Promise<Intended> {
  const open = input.items.filter(
    ({ address, resource, record }) => record?.id === null && resource?.pinned === undefined && !found.has(address),
  );
  const entries = open.map(async (item): Promise<[Expected, ObservedObject[]]> => {
    const { kind, resource, record } = item;
    const parent = resource?.parent ?? record?.parent ?? undefined;
    // A block that is moved was sent where it was then.
    const below = pendingCreate(record)?.below ?? (parent === undefined ? '' : input.idOf(parent));
    const key = intendedKey(item) ?? (resource === undefined ? undefined : naturalKey(resource, input.outputs));
    if (record === undefined || below === undefined || key === undefined) return [item, []];
    const ids = (input.indexes.get(below)?.find(item, key) ?? []).filter((id) => !isKept(claimed.get(id)));
    const read = await Promise.all(ids.map((id) => readObject(input, item, id, 'intent')));
    const objects = read.flatMap((object) => {
      if (object === undefined) return [];
      const { row } = object;
      const isOurs = isCreated(kind, row, record, input.digest);
      return isOurs ? [object] : [observedObject({ ...object, row, foundBy: 'key' })];
    });
    return [item, objects];
  });
  return new Map(await Promise.all(entries));
}

/** The ids of what was read for an address that its create made. */
export function oursAmong(objects: readonly ObservedObject[] | undefined): string[] {
  return (objects ?? []).flatMap(({ id, foundBy }) => (foundBy === 'intent' ? [id] : []));
}

/**
 * What an earlier run was about to make, and nobody declares any more: nobody else would take it away. What only bears
 * its key is told, and left.
 */
export function matchLeft(intended: Intended, taken: ReadonlySet<string>): Match[] {
  return [...intended].flatMap(([item, objects]) => {
    if (item.resource !== undefined) return [];
    const free = objects.filter(({ id }) => !taken.has(id));
    const ours = free.filter(({ foundBy }) => foundBy === 'intent');
    const [only] = ours.length === 0 ? free : ours;
    return only === undefined || ours.length > 1 ? [] : [{ item, id: only.id }];
  });
}

/** The key under which an object was about to be made; the block may have been edited since. */
function intendedKey({ kind, record }: Expected): NaturalKey | undefined {
  if (record?.id === null && record.pending?.key !== undefined) return record.pending.key;
  const name = kind.identity.keyField ?? '';
  const sent = record?.id === null && kind.identity.listedOnce !== undefined ? record.pairs[name]?.wanted : undefined;
  return sent !== undefined && 'value' in sent ? { [name]: sent.value } : undefined;
}
