import { attempts } from '../api/attempts.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { resourcePosition } from '../manifest/resource.ts';
import type { Expected, IdentifyInput } from './expected.ts';
import { idAtTop, incomplete, lacksRight, refused, someOf } from './hidden.ts';
import type { ObservedObject } from './observed.ts';
import { isInWholeRow, parentIn, readById } from './read-object.ts';

/** An address and the id of the object that one look did not show. */
export interface Unseen {
  readonly item: Expected;
  readonly id: string;
  readonly foundBy: ObservedObject['foundBy'];
}

/**
 * Proves that objects are gone, or finds them: what Trueup knows is created again, replaced or removed from the state
 * only when two reads agree that are independent of one another and some seconds apart.
 *
 * @throws {Stop} when a list and an object go on to contradict each other, or when the key may not read an object.
 */
export async function lookAgain(input: IdentifyInput, unseen: readonly Unseen[]): Promise<Map<string, ObservedObject>> {
  const found = new Map<string, ObservedObject>();
  if (unseen.length === 0) return found;
  await waitForSecondLook(input, unseen);
  const objects = await eachAllowed(input, unseen, ({ item, id, foundBy }) => readById(input, item, id, foundBy));
  const unlisted: Expected[] = [];
  const problems = await Promise.all(
    unseen.map(async (one, at) => {
      const object = objects[at];
      const wasListed = input.rows.has(one.id);
      if (object === undefined) return wasListed && (await isListed(input, one)) !== false ? [notReadable(one)] : [];
      // What stands in its parent's row and was led elsewhere is gone from here.
      if (!wasListed && isInWholeRow(one.item.kind)) {
        if (!isHere(input, one, object)) return [];
        if ((await isListed(input, one, object)) !== true) unlisted.push(one.item);
      }
      found.set(one.item.address, object);
      return [];
    }),
  );
  const [first] = unlisted;
  const all = [...problems.flat(), ...(first === undefined ? [] : [incomplete(first.kind, unlisted)])];
  if (all.length > 0) throw new Stop('platform', all);
  return found;
}

/**
 * Waits until a replica of the platform that lags has what the others have.
 *
 * @throws {Stop} when the run is interrupted meanwhile: one look alone proves nothing.
 */
export async function waitForSecondLook(
  { clock, signal }: Pick<IdentifyInput, 'clock' | 'signal'>,
  unseen: readonly { readonly item: Expected }[],
): Promise<void> {
  await clock.sleep(attempts.reading.secondLookMs, signal);
  if (signal?.aborted !== true) return;
  const addresses = someOf(unseen.map(({ item }) => item.address));
  const message = `the run was interrupted before Trueup could look for ${addresses} a second time`;
  throw new Stop('platform', [diagnostic('hidden', message, { remedy: 'Nothing was planned. Run it again.' })]);
}

/**
 * Reads objects one by one.
 *
 * @throws {Stop} when the key may not read one that no list shows: it is hidden or gone, and the platform does not tell.
 */
export async function eachAllowed(
  { caller, rows }: IdentifyInput,
  all: readonly Unseen[],
  read: (one: Unseen) => Promise<ObservedObject | undefined>,
): Promise<readonly (ObservedObject | undefined)[]> {
  const results = await Promise.allSettled(all.map(read));
  const failures = results.flatMap((result, at) =>
    result.status === 'rejected' ? [{ reason: result.reason as unknown, ...all[at] }] : [],
  );
  const other = failures.find(({ reason, id = '' }) => !lacksRight(reason) || rows.has(id));
  if (other !== undefined) throw other.reason;
  const [first] = failures;
  if (first?.item !== undefined && lacksRight(first.reason)) {
    const addresses = failures.flatMap(({ item }) => item?.address ?? []);
    throw refused(first.item.kind, addresses, caller, first.reason);
  }
  return results.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
}

/**
 * Whether a list shows an object now: the one that showed it, or that of the parent which its row names. Undefined: the
 * platform answers that the parent does not exist, which contradicts what it answered a moment ago.
 */
async function isListed(
  { rows, kinds, reader, caller }: IdentifyInput,
  { item: { kind }, id }: Unseen,
  object?: ObservedObject,
): Promise<boolean | undefined> {
  const entry = rows.get(id);
  const named = parentIn(kind, object?.row ?? {});
  const above = kinds.find(({ kind: name }) =>
    entry === undefined ? name === named?.above : kind.parents[name] === entry.link,
  );
  const parentId = entry?.parentId ?? named?.id;
  const parent = above === undefined || parentId === undefined ? undefined : { kind: above, id: parentId };
  return (await reader.rows(kind, { place: caller, parent }))?.has(id);
}

/** Whether an object is below the parent that the state knows, as far as its row says. */
function isHere({ caller, idOf }: IdentifyInput, { item: { kind, record } }: Unseen, { row }: ObservedObject): boolean {
  const parent = record?.parent ?? undefined;
  const expected = parent === undefined ? idAtTop(kind, caller) : idOf(parent);
  const named = parentIn(kind, row);
  return named === undefined || named.id === expected;
}

function notReadable({ item: { address, kind, resource }, id }: Unseen): Diagnostic {
  const message = `a list of the platform shows ${address} (${id}), and ${kind.operations.read} answers that it does not exist`;
  return diagnostic('hidden', message, {
    address,
    position: resource === undefined ? undefined : resourcePosition(resource),
    remedy:
      'Nothing was planned. Run it again; if the message stays, check the proxy and the replicas of the platform.',
  });
}
