import { pendingCreate } from '../state/pending-operation.ts';
import { waitForSecondLook } from './absence.ts';
import type { Expected, IdentifyInput } from './expected.ts';
import { isCreated } from './lost-create.ts';
import { type NaturalKey, naturalKey, searchIn } from './match.ts';
import { type Listed, type ObservedObject, observedObject } from './observed.ts';
import { readObject } from './read-object.ts';

/**
 * Objects that may be the one of a pending create: all that have the key it sent, below the parent it was sent to.
 * `pending create`: the create made it; `key`: another person did.
 */
export type Candidates = ReadonlyMap<Expected, readonly ObservedObject[]>;

/**
 * Reads the candidates of all pending creates. The lists of those that have none are read again, some seconds later: one
 * list that lacks a row once does not prove that the create never took effect.
 */
export async function findCandidates(
  input: IdentifyInput,
  open: readonly Expected[],
  isFree: (id: string) => boolean,
): Promise<Candidates> {
  const candidates = await readCandidates(input, open, isFree);
  const unseen = open.filter((item) => candidates.get(item)?.length === 0 && pendingCreate(item.record) !== undefined);
  if (unseen.length === 0) return candidates;
  await waitForSecondLook(input, unseen);
  const alone = { ...input, reader: input.reader.alone };
  const places = new Set(unseen.map((item) => parentOf(input, item)));
  const lists = await Promise.all([...places].map((below) => listBelow(alone, below)));
  const rows = new Map([...input.rows, ...lists.flat()]);
  const again = await readCandidates({ ...alone, rows, search: searchIn(input.kind, rows) }, unseen, isFree);
  return new Map([...candidates, ...again]);
}

async function readCandidates(
  input: IdentifyInput,
  items: readonly Expected[],
  isFree: (id: string) => boolean,
): Promise<Candidates> {
  const entries = items.map(async (item): Promise<[Expected, ObservedObject[]]> => {
    const { address, kind, resource, record } = item;
    const ids = input.search(keySent(item) ?? naturalKey(resource, input.outputs), parentOf(input, item));
    const claims = ids.filter(isFree).map((id) => ({ item, id, foundBy: 'pending create' }) as const);
    const read = await Promise.all(claims.map((claim) => readObject(input, claim)));
    const objects = read.filter((object) => object !== undefined);
    const isOurs = ({ row }: ObservedObject) =>
      record !== undefined && isCreated(kind, row, record, (name) => input.digests(address, name));
    return [item, objects.map((one) => (isOurs(one) ? one : observedObject({ ...one, row: one.row, foundBy: 'key' })))];
  });
  return new Map(await Promise.all(entries));
}

/** The rows below the object with an id; '': at the top. Empty when the platform does not have that object. */
async function listBelow(
  { kind, kinds, reader, caller, parentWith }: IdentifyInput,
  below: string | undefined,
): Promise<[string, Listed][]> {
  if (below === undefined) return [];
  const known = below === '' ? undefined : parentWith(below);
  // A parent that is neither declared nor in the state may be of any kind.
  const above = kinds.filter((one) => kind.parents[one.kind] !== undefined);
  const parents = above.map((one) => ({ kind: one, id: below, row: {} }));
  for (const parent of below === '' || known !== undefined ? [known] : parents) {
    const rows = await reader.rows(kind, { place: caller, parent });
    if (rows !== undefined && rows.size > 0) return [...rows].map(([id, row]) => [id, { row, parent }]);
  }
  return [];
}

/** The id of the parent that a pending create was sent to; '': at the top. The block may have been moved since. */
function parentOf({ idOf }: IdentifyInput, { resource, record }: Expected): string | undefined {
  const parent = resource?.parent ?? record?.parent ?? undefined;
  return pendingCreate(record)?.below ?? (parent === undefined ? '' : idOf(parent));
}

/** The key that the create sent; the block may have been edited since. */
function keySent({ kind, record }: Expected): NaturalKey | undefined {
  if (record?.id !== null) return undefined;
  if (record.pending?.key !== undefined) return record.pending.key;
  const name = kind.identity.keyField ?? '';
  const sent = kind.identity.listedOnce === undefined ? undefined : record.pairs[name]?.wanted;
  return sent !== undefined && 'value' in sent ? { [name]: sent.value } : undefined;
}
