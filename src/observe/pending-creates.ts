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
 * Objects that may be the one of a pending create: all that bear the key it sent, below the parent it was sent to.
 * `pending create`: the create made it; `key`: somebody else did.
 */
export type Candidates = ReadonlyMap<Expected, readonly ObservedObject[]>;

/** Reads the candidates of all pending creates. */
export async function readCandidates(
  input: SearchInput,
  claimed: ReadonlyMap<string, Expected>,
  found: ReadonlyMap<string, ObservedObject>,
): Promise<Candidates> {
  const open = input.items.filter(
    ({ address, resource, record }) => record?.id === null && resource?.pinned === undefined && !found.has(address),
  );
  const entries = open.map(async (item): Promise<[Expected, ObservedObject[]]> => {
    const { kind, resource, record } = item;
    const parent = resource?.parent ?? record?.parent ?? undefined;
    // The block may have been moved since the create was sent.
    const below = pendingCreate(record)?.below ?? (parent === undefined ? '' : input.idOf(parent));
    const key = keySent(item) ?? (resource === undefined ? undefined : naturalKey(resource, input.outputs));
    if (record === undefined || below === undefined || key === undefined) return [item, []];
    const ids = (input.indexes.get(below)?.find(item, key) ?? []).filter((id) => !isKept(claimed.get(id)));
    const read = await Promise.all(ids.map((id) => readObject(input, item, id, 'pending create')));
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

/** The ids of the candidates that the pending create made. */
export function createdAmong(objects: readonly ObservedObject[] | undefined): string[] {
  return (objects ?? []).flatMap(({ id, foundBy }) => (foundBy === 'pending create' ? [id] : []));
}

/** Matches the pending creates whose blocks are gone. An object that only bears the key is reported, and left alone. */
export function matchUndeclared(candidates: Candidates, taken: ReadonlySet<string>): Match[] {
  return [...candidates].flatMap(([item, objects]) => {
    if (item.resource !== undefined) return [];
    const free = objects.filter(({ id }) => !taken.has(id));
    const ours = free.filter(({ foundBy }) => foundBy === 'pending create');
    const [only] = ours.length === 0 ? free : ours;
    return only === undefined || ours.length > 1 ? [] : [{ item, id: only.id }];
  });
}

/** The key that the create sent; the block may have been edited since. */
function keySent({ kind, record }: Expected): NaturalKey | undefined {
  if (record?.id === null && record.pending?.key !== undefined) return record.pending.key;
  const name = kind.identity.keyField ?? '';
  const sent = record?.id === null && kind.identity.listedOnce !== undefined ? record.pairs[name]?.wanted : undefined;
  return sent !== undefined && 'value' in sent ? { [name]: sent.value } : undefined;
}
