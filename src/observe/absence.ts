import { attempts } from '../api/attempts.ts';
import { type PlatformError, lacksRight } from '../api/platform-error.ts';
import { rightTo } from '../api/needed-rights.ts';
import { type Diagnostic, diagnostic, Stop, stop } from '../diagnostics/diagnostic.ts';
import { groupBy } from '../kind/group.ts';
import type { Kind } from '../kind/kind.ts';
import { type Claim, type Expected, type IdentifyInput, canBeLost, parentIdOf, positionOf } from './expected.ts';
import { someOf } from '../diagnostics/some-of.ts';
import type { ObservedObject, Parent } from './observed.ts';
import { isInWholeRow, parentIn, readById, readObject } from './read-object.ts';

/** Objects that were found, by address. */
export type Found = ReadonlyMap<string, ObservedObject>;

/**
 * Finds the objects of claims. One look that does not show an object proves nothing: what Trueup knows is created again,
 * replaced or removed from the state only when two reads agree that are independent of one another and some seconds apart.
 *
 * @throws {Stop} when a list and an object go on to contradict each other, or when the key may not read an object.
 */
export async function findClaimed(input: IdentifyInput, claims: readonly Claim[]): Promise<Found> {
  const found = await readAll(input, claims, readObject);
  const unseen = claims.filter((claim) => !found.has(claim.item.address) && needsProof(input, claim));
  return new Map([...found, ...(await lookAgain(input, unseen))]);
}

/**
 * Waits until a replica of the platform that lags has what the others have.
 *
 * @throws {Stop} when the run is interrupted meanwhile: one look alone proves nothing.
 */
export async function waitForSecondLook(
  { clock, signal }: Pick<IdentifyInput, 'clock' | 'signal'>,
  unseen: readonly Expected[],
): Promise<void> {
  await clock.sleep(attempts.reading.secondLookMs, signal);
  if (signal?.aborted !== true) return;
  const message = `the run was interrupted before Trueup could look for ${addressesOf(unseen)} a second time`;
  throw stop('platform', 'hidden', message, { remedy: 'Nothing was planned. Run it again.' });
}

/** Whether it matters that an object is gone. An id that a user wrote proves nothing; what is below a lost object went with it. */
function needsProof({ idOf }: IdentifyInput, { foundBy, item: { kind, record } }: Claim): boolean {
  if (foundBy !== 'id') return foundBy !== 'pin';
  return canBeLost(kind) && (typeof record?.parent !== 'string' || idOf(record.parent) !== undefined);
}

async function lookAgain(input: IdentifyInput, unseen: readonly Claim[]): Promise<Found> {
  if (unseen.length === 0) return new Map();
  await waitForSecondLook(
    input,
    unseen.map(({ item }) => item),
  );
  const alone = { ...input, reader: input.reader.alone };
  const found = await readAll(alone, unseen, readById);
  const judge = async (claim: Claim) =>
    [await judgeTwoLooks(alone, claim, found.get(claim.item.address)), claim] as const;
  const judged = groupBy(await Promise.all(unseen.map(judge)));
  const unlisted = (judged.get('not listed') ?? []).map(({ item }) => item);
  const unreadable = (judged.get('not readable') ?? []).map(notReadable);
  const problems = unlisted.length === 0 ? unreadable : [...unreadable, incomplete(input.kind, unlisted)];
  if (problems.length > 0) throw new Stop('platform', problems);
  for (const { item } of judged.get('gone') ?? []) found.delete(item.address);
  return found;
}

/** Judges an object by its lists, which are read again where they decide, and by the answer to its second read. */
async function judgeTwoLooks(
  input: IdentifyInput,
  { item, id }: Claim,
  object: ObservedObject | undefined,
): Promise<'here' | 'gone' | 'not readable' | 'not listed'> {
  const { kind } = item;
  const entry = input.rows.get(id);
  const isListed = async (parent: Omit<Parent, 'row'> | undefined) =>
    (await input.reader.rows(kind, { place: input.caller, parent }))?.has(id);
  if (object === undefined) {
    // Where the read answers so whatever fails, the list has to be without the object once more.
    const isUnsure = entry === undefined && kind.operations.failsWith !== undefined;
    const parent = isUnsure ? input.parentWith(parentIdOf(input, item) ?? '') : entry?.parent;
    if (entry === undefined && parent === undefined) return 'gone';
    // A parent that does not exist, although it listed the object a moment ago, contradicts itself as well.
    return (await isListed(parent)) === false ? 'gone' : 'not readable';
  }
  if (entry !== undefined || !isInWholeRow(kind)) return 'here';
  const named = parentIn(kind, object.row);
  // An object that stands in its parent's row and was moved to another parent is gone from here. One outside the project
  // is not: its id never was the one of this address.
  if (named !== undefined && named.id !== parentIdOf(input, item)) {
    return input.isInside(named.above, named.id) ? 'gone' : 'here';
  }
  const above = input.kinds.find((one) => one.kind === named?.above);
  const parent = above === undefined || named === undefined ? undefined : { kind: above, id: named.id };
  return (await isListed(parent)) === true ? 'here' : 'not listed';
}

/**
 * Reads objects one by one.
 *
 * @throws {Stop} when the key may not read one that no list shows: it is hidden or gone, and the platform does not tell.
 */
async function readAll(
  input: IdentifyInput,
  claims: readonly Claim[],
  read: typeof readObject,
): Promise<Map<string, ObservedObject>> {
  const results = await Promise.all(
    claims.map(async (claim) => {
      try {
        return { claim, object: await read(input, claim) };
      } catch (error: unknown) {
        return { claim, error };
      }
    }),
  );
  const failures = results.filter((result) => 'error' in result);
  const other = failures.find(({ claim, error }) => !lacksRight(error) || input.rows.has(claim.id));
  if (other !== undefined) throw other.error;
  const [first] = failures;
  if (first !== undefined && lacksRight(first.error)) {
    const items = failures.map(({ claim }) => claim.item);
    throw refused(input, items, first.error);
  }
  return new Map(results.flatMap(({ claim, object }) => (object === undefined ? [] : [[claim.item.address, object]])));
}

function notReadable({ item, id }: Claim) {
  const { address, kind } = item;
  const message = `a list of the platform shows ${address} (${id}), and ${kind.operations.read} answers that it does not exist`;
  const remedy =
    'Nothing was planned. Run it again; if the message stays, check the proxy and the replicas of the platform.';
  return diagnostic('hidden', message, { ...positionOf(item), remedy });
}

/**
 * Stops when a list lacks objects that are there, and a block is searched in it: a hidden object would be created again.
 * Objects of the state that no list shows were read by their ids before this.
 *
 * @throws {Stop} naming the objects that a list should have shown.
 */
export function refuseHidden(input: IdentifyInput, found: ReadonlyMap<string, ObservedObject>): void {
  const { kind, items, rows, caller } = input;
  if (!canBeLost(kind)) return;
  const groups = groupBy(items.map((item) => [parentIdOf(input, item), item]));
  const problems = [...groups].flatMap(([parentId, siblings]) => {
    // Below an object that does not exist there is no list.
    if (parentId === undefined) return [];
    const known = siblings.filter(({ record }) => typeof record?.id === 'string');
    const isSearched = siblings.some(
      ({ record, resource }) =>
        typeof record?.id !== 'string' && resource !== undefined && resource.pinned === undefined,
    );
    const present = known.filter(({ address, record }) => {
      const row = rows.has(record?.id ?? '') ? undefined : found.get(address)?.row;
      return row !== undefined && (parentIn(kind, row)?.id ?? parentId) === parentId;
    });
    // To an owner, an object that is missing alone may be one that no list shows, such as an emptied git provider.
    const isIncomplete = present.length > 0 && isSearched && (caller.role === 'member' || known.length > 1);
    return isIncomplete ? [incomplete(kind, present)] : [];
  });
  if (problems.length > 0) throw new Stop('platform', problems);
}

/** Says that objects of the state are hidden from the key or gone, and that the platform does not say which. */
function refused({ kind, caller }: IdentifyInput, items: readonly Expected[], because: PlatformError): Stop {
  const { operation, status, code, serverMessage } = because;
  const said = serverMessage === '' ? '' : `: "${serverMessage}"`;
  const right = rightTo(operation);
  const message =
    `no list shows ${addressesOf(items)} (${kind.kind}), and ${operation} was answered with ` +
    `${status} ${code}${said}: hidden from this API key (role ${caller.role}), or gone`;
  const remedy =
    'Nothing was planned: what is hidden would be created twice. Use the key of an owner or admin, which ' +
    `tells what is gone${right === undefined ? '' : `; a member needs ${right}`}.`;
  return stop('authentication', 'hidden', message, { remedy });
}

/** Says that a list lacks objects that are there. */
function incomplete(kind: Kind, present: readonly Expected[]): Diagnostic {
  const read = kind.operations.read;
  const message = `no list shows ${addressesOf(present)} (${kind.kind}), and ${read} does: the list is not complete`;
  const remedy =
    'Nothing was planned: what is hidden would be created twice. Run it again; if it stays so, look what the ' +
    'API key may see, and use that of an owner or admin.';
  return diagnostic('hidden', message, { remedy });
}

/** The first of some addresses, and how many more there are. */
function addressesOf(items: readonly Expected[]): string {
  return someOf(items.map(({ address }) => address));
}
