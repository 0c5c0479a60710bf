import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../manifest/resource.ts';
import { resourcePosition } from '../manifest/resource.ts';
import { reportDuplicates } from './duplicates.ts';
import type { Expected, IdentifyInput, Match, SearchInput } from './expected.ts';
import { isKept } from './expected.ts';
import type { Unseen } from './absence.ts';
import { eachAllowed, lookAgain } from './absence.ts';
import { refuseHidden } from './hidden.ts';
import { ambiguous, contested, indexByParent, naturalKey } from './match.ts';
import type { ObservedObject } from './observed.ts';
import type { Candidates } from './pending-creates.ts';
import { createdAmong, matchUndeclared, readCandidates, readCandidatesAgain } from './pending-creates.ts';
import { readObject } from './read-object.ts';

/** Finds which object each address is: by id, else by its natural key within the parent. Never a guess. */
export async function identify(about: IdentifyInput): Promise<Map<string, ObservedObject>> {
  const input: SearchInput = { ...about, indexes: indexByParent(about.rows) };
  const found = new Map<string, ObservedObject>();
  const claimed = claimIds(input);
  const keep = (objects: ReadonlyMap<string, ObservedObject>): void => {
    for (const [address, object] of objects) found.set(address, object);
  };
  const known = [...claimed].map(
    ([id, item]) => ({ item, id, foundBy: item.record?.id === id ? 'id' : 'pin' }) as const,
  );
  keep(await lookAt(input, known));
  reportPins(input, known, found);
  const unseen = known.filter(
    ({ item, foundBy }) => foundBy === 'id' && !found.has(item.address) && isProvable(input, item),
  );
  keep(await lookAgain(input, unseen));
  refuseHidden({ ...input, isListed: (id) => input.rows.has(id), found });
  const first = await readCandidates(input, claimed, found);
  const candidates = await readCandidatesAgain(input, claimed, { found, candidates: first });
  const declared = matchByKey(input, claimed, { found, candidates });
  const taken = new Set([...claimed.keys(), ...declared.map(({ id }) => id)]);
  const matched = [...declared, ...matchUndeclared(candidates, taken)];
  const unread: Unseen[] = [];
  for (const { item, id } of matched) {
    const object = candidates.get(item)?.find((one) => one.id === id);
    if (object === undefined) unread.push({ item, id, foundBy: 'key' });
    else found.set(item.address, object);
  }
  keep(await lookAt(input, unread));
  keep(
    await lookAgain(
      input,
      unread.filter(({ item }) => !found.has(item.address)),
    ),
  );
  reportDuplicates(input, claimed);
  return found;
}

/** Whether it takes a proof that an object is gone: what is below something that is gone went with it. */
function isProvable({ idOf }: IdentifyInput, { kind, record }: Expected): boolean {
  // What can be neither created nor deleted is not created twice, and lost to nobody.
  if (kind.operations.create === undefined && kind.operations.delete === undefined) return false;
  return typeof record?.parent !== 'string' || idOf(record.parent) !== undefined;
}

/** The objects that lists show, or that are read by their ids. */
async function lookAt(input: IdentifyInput, all: readonly Unseen[]): Promise<Map<string, ObservedObject>> {
  const objects = await eachAllowed(input, all, ({ item, id, foundBy }) => readObject(input, item, id, foundBy));
  return new Map(
    all.flatMap(({ item: { address } }, at) => (objects[at] === undefined ? [] : [[address, objects[at]]])),
  );
}

/** Reports the ids that users wrote and the platform does not have. */
function reportPins(
  { diagnostics }: IdentifyInput,
  known: readonly Unseen[],
  found: ReadonlyMap<string, unknown>,
): void {
  for (const { item, id, foundBy } of known) {
    if (foundBy !== 'pin' || item.resource === undefined || found.has(item.address)) continue;
    diagnostics.push(
      diagnostic('not-found', `the platform has no ${item.kind.kind} with id ${id}`, {
        remedy: 'Correct id:, or remove the line to have a new one created.',
        address: item.address,
        position: resourcePosition(item.resource),
      }),
    );
  }
}

/** The addresses whose id is known; two for one object, or a pin that contradicts the state, are errors. */
function claimIds({ items, diagnostics }: IdentifyInput): Map<string, Expected> {
  const claimed = new Map<string, Expected>();
  for (const item of items) {
    const known = item.record?.id ?? undefined;
    const pinned = item.resource?.pinned;
    const id = known ?? pinned;
    if (id === undefined) continue;
    const about = {
      address: item.address,
      position: item.resource === undefined ? undefined : resourcePosition(item.resource),
    };
    if (pinned !== undefined && pinned !== id) {
      diagnostics.push(
        diagnostic('ambiguous', `${item.address} is pinned to ${pinned}, and the state ties it to ${id}`, {
          ...about,
          remedy: 'Correct id:, or declare the other object under a key of its own.',
        }),
      );
    }
    const other = claimed.get(id);
    if (other !== undefined) {
      diagnostics.push(
        diagnostic('ambiguous', `${other.address} and ${item.address} have the same id ${id}`, {
          ...about,
          remedy: 'One object has one address: remove one of the two, or correct id:.',
        }),
      );
    }
    claimed.set(id, item);
  }
  return claimed;
}

/** Looks for declared resources that were not found by id among the rows of their parent. */
function matchByKey(
  { items, indexes, idOf, outputs, diagnostics }: SearchInput,
  claimed: ReadonlyMap<string, Expected>,
  { found, candidates }: { readonly found: ReadonlyMap<string, ObservedObject>; readonly candidates: Candidates },
): Match[] {
  const matches = new Map<string, { item: Expected; resource: Resource }[]>();
  for (const item of items) {
    const { resource } = item;
    if (resource === undefined || found.has(item.address) || resource.pinned !== undefined) continue;
    const wanted = (): string[] => {
      const parent = resource.parent === undefined ? '' : idOf(resource.parent);
      const key = parent === undefined ? undefined : naturalKey(resource, outputs);
      const ids = key === undefined ? [] : (indexes.get(parent ?? '')?.find(resource, key) ?? []);
      return ids.filter((id) => !isKept(claimed.get(id)));
    };
    const ours = createdAmong(candidates.get(item));
    const matching = ours.length > 0 ? ours : wanted();
    const [only] = matching;
    if (matching.length > 1) diagnostics.push(ambiguous(resource, matching));
    else if (only !== undefined) {
      const list = matches.get(only);
      if (list === undefined) matches.set(only, [{ item, resource }]);
      else list.push({ item, resource });
    }
  }
  return [...matches].flatMap(([id, [first, ...others]]) => {
    if (first === undefined) return [];
    if (others.length === 0) return [{ item: first.item, id }];
    diagnostics.push(
      contested(
        first.resource,
        id,
        others.map(({ item }) => item.address),
      ),
    );
    return [];
  });
}
