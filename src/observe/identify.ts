import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { groupBy } from '../kind/group.ts';
import { keyPaths } from '../manifest/resource.ts';
import { type Found, findClaimed, refuseHidden } from './absence.ts';
import { reportDuplicates } from './duplicates.ts';
import { type Claim, type Expected, type IdentifyInput, positionOf } from './expected.ts';
import { naturalKey } from './match.ts';
import type { ObservedObject } from './observed.ts';
import { reportForeign } from './ownership.ts';
import { type Candidates, findCandidates } from './pending-creates.ts';

/**
 * Finds which object each address is, never by a guess. The first of these that gives one decides: the id of the state or
 * of `id:`, the object that its pending create made, its natural key within the parent.
 */
export async function identify(input: IdentifyInput): Promise<Found> {
  const claimed = claimIds(input);
  const known = [...claimed.values()].filter(({ item }) => input.isRead(item));
  const read = await findClaimed(input, known);
  reportPins(input, known, read);
  refuseHidden(input, read);
  const tied = known.flatMap(({ item }) => {
    const object = read.get(item.address);
    return object === undefined ? [] : [{ item, object }];
  });
  const foreign = await reportForeign(input, tied);
  const found = new Map([...read].filter(([, object]) => !foreign.has(object)));
  const isFree = (id: string) => !isKept(claimed.get(id)?.item);
  const isOpen = (item: Expected) => item.resource?.pinned === undefined && !read.has(item.address);
  const open = input.items.filter((item) => isOpen(item) && input.isRead(item));
  const candidates = await withoutForeign(
    input,
    await findCandidates(
      input,
      open.filter(({ record }) => record?.id === null),
      isFree,
    ),
  );
  const madeFor = (item: Expected) => madeAmong(candidates.get(item) ?? []).map(({ id }) => id);
  // What the create of one block made is not the object of another one, which has its key by now.
  const made = new Set(open.flatMap((item) => (item.resource === undefined ? [] : madeFor(item))));
  const declared = matchByKey(input, open, (item) => {
    const own = madeFor(item);
    return own.length > 0 ? own : wantedBy(input, item).filter((id) => isFree(id) && !made.has(id));
  });
  const taken = new Set([...claimed.keys(), ...declared.map(({ id }) => id)]);
  const matched = [...declared, ...matchUndeclared(candidates, (id) => taken.has(id))];
  for (const { item, id } of matched) {
    const object = candidates.get(item)?.find((one) => one.id === id);
    if (object !== undefined) found.set(item.address, object);
  }
  const unread = matched.filter(({ item }) => !found.has(item.address));
  for (const [address, object] of await findClaimed(input, unread)) found.set(address, object);
  const owned = new Set([...found.values()].map(({ id }) => id));
  await reportDuplicates(input, found, (id) => claimed.has(id) || owned.has(id));
  return found;
}

/** Whether an object stays that of an address. Another block may adopt one that this run releases. */
function isKept(owner: Expected | undefined): boolean {
  return owner !== undefined && (owner.resource !== undefined || owner.kind.operations.delete !== undefined);
}

/** The candidates inside the project: a record can name any place as the one that its create was sent to. */
async function withoutForeign(input: IdentifyInput, candidates: Candidates): Promise<Candidates> {
  const all = [...candidates];
  const tied = all.flatMap(([item, objects]) => objects.map((object) => ({ item, object })));
  const foreign = await reportForeign(input, tied);
  return new Map(all.map(([item, objects]) => [item, objects.filter((object) => !foreign.has(object))]));
}

/** The objects that a pending create made. */
function madeAmong(objects: readonly ObservedObject[]): readonly ObservedObject[] {
  return objects.filter(({ foundBy }) => foundBy === 'pending create');
}

/** The ids of the objects with the natural key of a block, below its parent. */
function wantedBy({ search, idOf, outputs }: IdentifyInput, { resource }: Expected): readonly string[] {
  const below = resource?.parent === undefined ? '' : idOf(resource.parent);
  return search(naturalKey(resource, outputs), below);
}

/** Reports the ids that users wrote and the platform does not have. */
function reportPins({ diagnostics }: IdentifyInput, known: readonly Claim[], found: Found): void {
  for (const { item, id, foundBy } of known) {
    if (foundBy !== 'pin' || found.has(item.address)) continue;
    const removal = 'Correct id:, or remove the line to have a new one created.';
    const message = `the platform has no ${item.kind.kind} with id ${id}`;
    diagnostics.push(diagnostic('not-found', message, { ...positionOf(item), removal }));
  }
}

/** The addresses whose id is known, by that id; two for one object, or a pin that contradicts the state, are errors. */
function claimIds({ items, diagnostics }: IdentifyInput): Map<string, Claim> {
  const claimed = new Map<string, Claim>();
  for (const item of items) {
    const { address, record, resource } = item;
    const known = record?.id ?? undefined;
    const pinned = resource?.pinned;
    const id = known ?? pinned;
    if (id === undefined) continue;
    if (pinned !== undefined && pinned !== id) {
      const message = `${address} is pinned to ${pinned}, and the state ties it to ${id}`;
      const remedy = 'Correct id:, or declare the other object under a key of its own.';
      diagnostics.push(diagnostic('ambiguous', message, { ...positionOf(item), remedy }));
    }
    const claim: Claim = { item, id, foundBy: known === undefined ? 'pin' : 'id' };
    const other = claimed.get(id);
    if (other !== undefined) diagnostics.push(twice(other, claim));
    claimed.set(id, claim);
  }
  return claimed;
}

/** Reports one object that two addresses claim. The one that the state ties to it manages it. */
function twice(first: Claim, second: Claim): Diagnostic {
  const [manager, other] = second.foundBy === 'id' ? [second, first] : [first, second];
  const [from, to] = [manager.item.address, other.item.address];
  if (manager.foundBy === other.foundBy) {
    const message = `${first.item.address} and ${second.item.address} have the same id ${first.id}`;
    const remedy = 'One object has one address: remove one of the two, or correct id:.';
    return diagnostic('ambiguous', message, { ...positionOf(second.item), remedy });
  }
  const moves = `trueup state mv '${from}' '${to}' gives it the other address.`;
  const remedy =
    manager.item.resource === undefined ? moves : `One object has one block: remove one of the two. ${moves}`;
  return diagnostic('ambiguous', `${from} manages ${first.id} already`, { ...positionOf(other.item), remedy });
}

/** Matches the blocks that no id leads to: each has to have one object, and the object one block. */
function matchByKey(
  { diagnostics, outputs }: IdentifyInput,
  open: readonly Expected[],
  idsOf: (item: Expected) => readonly string[],
): Claim[] {
  const matches = open.flatMap((item) => {
    const ids = item.resource === undefined ? [] : idsOf(item);
    const [id, ...others] = ids;
    if (id === undefined) return [];
    if (others.length === 0) return [[id, item] as const];
    const message = `${ids.length} objects of the platform match ${item.address}: ${ids.join(', ')}`;
    const remedy = 'Write id: with the one that is meant, or remove the others on the platform.';
    diagnostics.push(diagnostic('ambiguous', message, { ...positionOf(item), remedy }));
    return [];
  });
  return [...groupBy(matches)].flatMap(([id, [item, ...others]]) => {
    if (item === undefined) return [];
    if (others.length === 0) return [{ item, id, foundBy: 'key' } as const];
    const message = `${item.address} and ${others.map(({ address }) => address).join(', ')} all match the object ${id}`;
    const { resource } = item;
    const names = resource === undefined ? [] : keyPaths(resource, Object.keys(naturalKey(resource, outputs) ?? {}));
    const remedy = `Write id: in the one that it is, or another ${names.join(' or ')} in one of them.`;
    diagnostics.push(diagnostic('ambiguous', message, { ...positionOf(item), remedy }));
    return [];
  });
}

/** Matches the pending creates whose blocks are gone. An object that only has the key is reported, and left alone. */
function matchUndeclared(candidates: Candidates, isTaken: (id: string) => boolean): Claim[] {
  return [...candidates].flatMap(([item, objects]) => {
    if (item.resource !== undefined) return [];
    const free = objects.filter(({ id }) => !isTaken(id));
    const made = madeAmong(free);
    const [only] = made.length === 0 ? free : made;
    return only === undefined || made.length > 1 ? [] : [{ item, id: only.id, foundBy: only.foundBy }];
  });
}
