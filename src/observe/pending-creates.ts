import type { Kind } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import { pendingCreate } from '../state/pending.ts';
import { waitForSecondLook } from './absence.ts';
import type { Expected, Listed, Match, SearchInput } from './expected.ts';
import { isKept } from './expected.ts';
import { idAtTop } from './hidden.ts';
import { isCreated } from './lost-create.ts';
import type { NaturalKey } from './match.ts';
import { indexByParent, naturalKey } from './match.ts';
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
    const below = parentOf(input, item);
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

/**
 * Reads again, some seconds later, the lists of pending creates that have no candidate: one list that lacks a row once
 * does not prove that the create never took effect.
 */
export async function readCandidatesAgain(
  input: SearchInput,
  claimed: ReadonlyMap<string, Expected>,
  about: { readonly found: ReadonlyMap<string, ObservedObject>; readonly candidates: Candidates },
): Promise<Candidates> {
  const items = [...about.candidates].flatMap(([item, objects]) =>
    objects.length === 0 && pendingCreate(item.record) !== undefined ? [item] : [],
  );
  if (items.length === 0) return about.candidates;
  await waitForSecondLook(
    input,
    items.map((item) => ({ item })),
  );
  const places = new Map(items.map((item) => [parentOf(input, item), item]));
  const lists = await Promise.all([...places].map(([below, item]) => readList(input, item, below)));
  const rows = new Map([...input.rows, ...lists.flat()]);
  const again = await readCandidates({ ...input, items, rows, indexes: indexByParent(rows) }, claimed, about.found);
  return new Map([...about.candidates, ...again]);
}

/** The rows of an address's kind below the object with an id; '': at the top. Empty when the platform does not have that object. */
async function readList(
  { reader, kinds, caller }: SearchInput,
  { kind, resource }: Expected,
  below: string | undefined,
): Promise<readonly (readonly [string, Listed])[]> {
  if (below === undefined) return [];
  // Without its block, the kind of the parent is not known.
  const isAbove = ({ kind: name }: Kind): boolean =>
    resource === undefined ? kind.parents[name] !== undefined : kind.parents[name] === resource.link;
  const above = below === '' ? [undefined] : kinds.filter(isAbove);
  for (const parent of above) {
    const link = kind.parents[parent?.kind ?? root];
    const list = { place: caller, parent: parent === undefined ? undefined : { kind: parent, id: below } };
    const rows = link === undefined ? undefined : await reader.rows(kind, list);
    if (link === undefined || rows === undefined) continue;
    const about =
      parent === undefined
        ? { parentRow: undefined, parentId: idAtTop(kind, caller), link }
        : { parentRow: {}, parentId: below, link };
    return [...rows].map(([id, row]) => [id, { row, ...about }]);
  }
  return [];
}

/** The id of the parent that a pending create was sent to; '': at the top. The block may have been moved since. */
function parentOf({ idOf }: SearchInput, { resource, record }: Expected): string | undefined {
  const parent = resource?.parent ?? record?.parent ?? undefined;
  return pendingCreate(record)?.below ?? (parent === undefined ? '' : idOf(parent));
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
