import { means, plain } from '../kind/codecs.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { observedValue } from '../kind/wire.ts';
import type { Intent, StateRecord } from '../state/state.ts';
import { matchesStored } from '../state/stored.ts';
import type { Expected, Match, SearchInput } from './expected.ts';
import { isKept } from './expected.ts';
import type { NaturalKey } from './match.ts';
import { naturalKey } from './match.ts';
import type { ObservedObject } from './observed.ts';
import { observedObject } from './observed.ts';
import { readObject } from './read-object.ts';

/** How far the clocks of two machines may be apart: one that nobody sets is off by less. Milliseconds. */
const clocksApartMs = 600_000;

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
    const below = record?.intent?.below ?? (parent === undefined ? '' : input.idOf(parent));
    const key = intendedKey(item) ?? (resource === undefined ? undefined : naturalKey(resource, input.outputs));
    if (record === undefined || below === undefined || key === undefined) return [item, []];
    const ids = (input.indexes.get(below)?.find(item, key) ?? []).filter((id) => !isKept(claimed.get(id)));
    const read = await Promise.all(ids.map((id) => readObject(input, item, id, 'intent')));
    const objects = read.flatMap((object) => {
      if (object === undefined) return [];
      const { row } = object;
      const isOurs = isWhatWasSent(kind, row, record, input.digest);
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
  if (record?.id === null && record.intent?.key !== undefined) return record.intent.key;
  const name = kind.keyField ?? '';
  const sent = record?.id === null && kind.listedOnce !== undefined ? record.pairs[name]?.wanted : undefined;
  return sent !== undefined && 'value' in sent ? { [name]: sent.value } : undefined;
}

/**
 * Whether an object that bears the key of a create which got no answer is what that made: it was made when the create
 * could land, as far as its row says when, it is what the create said, and nobody gave it variables since. Its key alone
 * may be that of anybody.
 */
export function isWhatWasSent(
  kind: Kind,
  row: Row,
  { intent, pairs }: StateRecord,
  digest: (text: string) => string,
): boolean {
  // What is listed long after it was made may be anybody's, unless its create was answered.
  if (kind.listedOnce !== undefined) return Object.keys(pairs).length > 0;
  if (intent === undefined) return false;
  const made = typeof row.createdAt === 'string' ? Date.parse(row.createdAt) : Number.NaN;
  if (made < intent.at - clocksApartMs || made > intent.at + (intent.fenceMs ?? 0) + clocksApartMs) return false;
  const sent = Object.entries(intent.sent ?? {});
  return (
    sent.length > 0 &&
    !hasVariables(kind, row, intent.sent) &&
    sent.every(([name, stored]) => {
      const field = kind.fields[name];
      const observed = observedValue(kind, name, row) ?? null;
      if (field === undefined) return false;
      if ('digest' in stored) return matchesStored({ field, digest }, stored, observed);
      return means(field.codec ?? plain, stored.value, observed);
    })
  );
}

/** Whether an object has variables that its create did not say: the platform gives none to a new one by itself. */
function hasVariables(kind: Kind, row: Row, sent: Intent['sent']): boolean {
  return Object.entries(kind.fields).some(([name, field]) => {
    const text = field.map === undefined || sent?.[name] !== undefined ? null : observedValue(kind, name, row);
    return typeof text === 'string' && text.trim() !== '';
  });
}
