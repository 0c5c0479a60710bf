import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../manifest/resource.ts';
import { resourcePosition } from '../manifest/resource.ts';
import type { Expected, IdentifyInput, Match, SearchInput } from './expected.ts';
import { isKept } from './expected.ts';
import { lacksRight, refused, refuseHidden } from './hidden.ts';
import type { Intended } from './intended.ts';
import { oursAmong, matchLeft, readIntended } from './intended.ts';
import { ambiguous, contested, indexByParent, naturalKey } from './match.ts';
import type { ObservedObject } from './observed.ts';
import { readObject } from './read-object.ts';
import { reportTwins } from './twins.ts';

/** Finds which object each address is: by id, else by its natural key within the parent. Never a guess. */
export async function identify(about: IdentifyInput): Promise<Map<string, ObservedObject>> {
  const input: SearchInput = { ...about, indexes: indexByParent(about.rows) };
  const found = new Map<string, ObservedObject>();
  const claimed = claimIds(input);
  const read = async (item: Expected, id: string, foundBy: ObservedObject['foundBy']) => {
    const object = await readObject(input, item, id, foundBy);
    if (object !== undefined) found.set(item.address, object);
  };
  const listed = [...claimed].filter(([id, item]) => input.rows.has(id) || item.record?.id !== id);
  await Promise.all(listed.map(([id, item]) => read(item, id, item.record?.id === id ? 'id' : 'pin')));
  // What is in no list is asked for once more before it is said to be gone: a list need not show everything.
  const lost = [...claimed].filter(([id, item]) => !input.rows.has(id) && item.record?.id === id);
  await readLost(input, lost, read);
  await refuseHidden({ ...input, isListed: (id) => input.rows.has(id), found });
  const intended = await readIntended(input, claimed, found);
  const declared = matchByKey(input, claimed, { found, intended });
  const taken = new Set([...claimed.keys(), ...declared.map(({ id }) => id)]);
  const matched = [...declared, ...matchLeft(intended, taken)].map(async ({ item, id }) => {
    const object = intended.get(item)?.find((one) => one.id === id);
    if (object === undefined) await read(item, id, 'key');
    else found.set(item.address, object);
  });
  await Promise.all(matched);
  reportTwins(input, claimed);
  return found;
}

/** Reads what no list shows; what may not be read may be hidden as well as gone. */
async function readLost(
  { caller }: IdentifyInput,
  lost: readonly (readonly [string, Expected])[],
  read: (item: Expected, id: string, foundBy: ObservedObject['foundBy']) => Promise<void>,
): Promise<void> {
  const results = await Promise.allSettled(lost.map(([id, item]) => read(item, id, 'id')));
  const failures = results.flatMap((result, at) =>
    result.status === 'rejected' ? [{ reason: result.reason as unknown, item: lost[at]?.[1] }] : [],
  );
  const other = failures.find(({ reason }) => !lacksRight(reason));
  if (other !== undefined) throw other.reason;
  const [first] = failures;
  if (first?.item === undefined || !lacksRight(first.reason)) return;
  const addresses = failures.flatMap(({ item }) => item?.address ?? []);
  throw refused(first.item.kind, addresses, caller, first.reason);
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
  { found, intended }: { readonly found: ReadonlyMap<string, ObservedObject>; readonly intended: Intended },
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
    const ours = oursAmong(intended.get(item));
    const candidates = ours.length > 0 ? ours : wanted();
    const [only] = candidates;
    if (candidates.length > 1) diagnostics.push(ambiguous(resource, candidates));
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
