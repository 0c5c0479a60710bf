import type { Client } from '../api/client.ts';
import { PlatformError } from '../api/errors.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { Kind, ParentLink } from '../kind/kind.ts';
import { idMember, valueAt } from '../kind/wire.ts';
import type { Resource } from '../manifest/resource.ts';
import { resourcePosition } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { StateRecord, TwinPlace } from '../state/state.ts';
import { asRow, rowId } from './answers.ts';
import type { Caller } from './hidden.ts';
import { lacksRight, refused, refuseHidden } from './hidden.ts';
import type { KeyIndex, NaturalKey } from './match.ts';
import { isWhatWasSent } from './intended.ts';
import { ambiguous, contested, indexRows, naturalKey } from './match.ts';
import type { ObservedObject } from './observed.ts';
import { observedObject } from './observed.ts';

/** One row as a list gave it. */
export interface Listed {
  readonly row: Row;
  readonly parentRow: Row | undefined;
  readonly parentId: string | undefined;
  readonly link: ParentLink;
}

/** One address that may be on the platform: declared, remembered, or both. */
export interface Expected {
  readonly address: string;
  readonly kind: Kind;
  readonly resource: Resource | undefined;
  readonly record: StateRecord | undefined;
}

/** What finding the objects of one kind needs. */
export interface IdentifyInput {
  readonly client: Client;
  readonly caller: Caller;
  /** Of one kind. */
  readonly items: readonly Expected[];
  readonly rows: ReadonlyMap<string, Listed>;
  /** The id of the object at an address that was found earlier. */
  readonly idOf: (address: string) => string | undefined;
  readonly outputs: Outputs;
  /** Makes the digest of a text with the state's key. */
  readonly digest: (text: string) => string;
  readonly diagnostics: Diagnostic[];
}

/** Finds which object each address is: by id, else by its natural key within the parent. Never a guess. */
export async function identify(input: IdentifyInput): Promise<Map<string, ObservedObject>> {
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

/** An object that is what an address wants. */
interface Match {
  readonly item: Expected;
  readonly id: string;
}

/**
 * What was read for the addresses whose create got no answer: everything that bears the key which that had, and stands
 * where it was sent. `intent`: it is what the create made; `key`: it is somebody else's.
 */
type Intended = ReadonlyMap<Expected, readonly ObservedObject[]>;

async function readIntended(
  input: IdentifyInput,
  claimed: ReadonlyMap<string, Expected>,
  found: ReadonlyMap<string, ObservedObject>,
): Promise<Intended> {
  const open = input.items.filter(
    ({ address, resource, record }) => record?.id === null && resource?.pinned === undefined && !found.has(address),
  );
  const indexes = open.length === 0 ? new Map<string, KeyIndex>() : indexByParent(input.rows);
  const entries = open.map(async (item): Promise<[Expected, ObservedObject[]]> => {
    const { kind, resource, record } = item;
    const parent = resource?.parent ?? record?.parent ?? undefined;
    // A block that is moved was sent where it was then.
    const below = record?.intent?.below ?? (parent === undefined ? '' : input.idOf(parent));
    const key = intendedKey(item) ?? (resource === undefined ? undefined : naturalKey(resource, input.outputs));
    if (record === undefined || below === undefined || key === undefined) return [item, []];
    const ids = (indexes.get(below)?.find(item, key) ?? []).filter((id) => !isKept(claimed.get(id)));
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

function areOurs(objects: readonly ObservedObject[] | undefined): string[] {
  return (objects ?? []).flatMap(({ id, foundBy }) => (foundBy === 'intent' ? [id] : []));
}

/** Looks for declared resources that were not found by id among the rows of their parent. */
function matchByKey(
  { items, rows, idOf, outputs, diagnostics }: IdentifyInput,
  claimed: ReadonlyMap<string, Expected>,
  { found, intended }: { readonly found: ReadonlyMap<string, ObservedObject>; readonly intended: Intended },
): Match[] {
  const indexes = indexByParent(rows);
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
    const ours = areOurs(intended.get(item));
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

/**
 * What an earlier run was about to make, and nobody declares any more: nobody else would take it away. What only bears
 * its key is told, and left.
 */
function matchLeft(intended: Intended, taken: ReadonlySet<string>): Match[] {
  return [...intended].flatMap(([item, objects]) => {
    if (item.resource !== undefined) return [];
    const free = objects.filter(({ id }) => !taken.has(id));
    const ours = free.filter(({ foundBy }) => foundBy === 'intent');
    const [only] = ours.length === 0 ? free : ours;
    return only === undefined || ours.length > 1 ? [] : [{ item, id: only.id }];
  });
}

/** Tells of what bears a key with which a create was sent twice: both may have landed. It is never deleted. */
function reportTwins(input: IdentifyInput, claimed: ReadonlyMap<string, Expected>): void {
  const repeated = input.items.filter(({ record }) => record?.repeated !== undefined);
  const indexes = repeated.length === 0 ? new Map<string, KeyIndex>() : indexByParent(input.rows);
  for (const item of repeated) {
    const { address, resource, record } = item;
    const own = record?.id ?? undefined;
    const bearing = twinPlaces(input, item).flatMap(({ key, below = '' }) => indexes.get(below)?.find(item, key) ?? []);
    const twins = [...new Set(bearing)].filter((id) => !claimed.has(id));
    // Without its own object a block is looked for by its key, and finds the twin.
    if (twins.length === 0 || own === undefined || (resource !== undefined && !input.rows.has(own))) continue;
    const message = `${address} (${own}) may have a twin: ${twins.join(', ')}, under the key with which its create was sent again`;
    const remedy = 'Look at them on the platform, and delete what nobody needs.';
    const about = { address, position: resource === undefined ? undefined : resourcePosition(resource), remedy };
    input.diagnostics.push(diagnostic('twin', message, about));
  }
}

/** Where a twin may be: where it was sent, whatever its block says today. */
function twinPlaces({ rows, outputs }: IdentifyInput, { resource, record }: Expected): readonly TwinPlace[] {
  if (record?.repeated !== true) return record?.repeated ?? [];
  const listed = rows.get(record.id ?? '');
  const key = resource === undefined ? undefined : naturalKey(resource, outputs);
  const below = listed?.parentRow === undefined ? undefined : listed.parentId;
  return key === undefined ? [] : [{ key, below }];
}

/** Whether an object is that of an address. What is let go of in this run, because it cannot be deleted, may be taken over. */
function isKept(owner: Expected | undefined): boolean {
  return owner !== undefined && (owner.resource !== undefined || owner.kind.calls.delete !== undefined);
}

/** The key under which an object was about to be made; the block may have been edited since. */
function intendedKey({ kind, record }: Expected): NaturalKey | undefined {
  if (record?.id === null && record.intent?.key !== undefined) return record.intent.key;
  const name = kind.keyField ?? '';
  const sent = record?.id === null && kind.listedOnce !== undefined ? record.pairs[name]?.wanted : undefined;
  return sent !== undefined && 'value' in sent ? { [name]: sent.value } : undefined;
}

/** An index of the rows below each parent; those at the top are below ''. */
function indexByParent(rows: ReadonlyMap<string, Listed>): Map<string, KeyIndex> {
  const groups = new Map<string, [string, Row][]>();
  for (const [id, { row, parentRow, parentId }] of rows) {
    const parent = parentRow === undefined ? '' : (parentId ?? '');
    const siblings = groups.get(parent);
    if (siblings === undefined) groups.set(parent, [[id, row]]);
    else siblings.push([id, row]);
  }
  return new Map([...groups].map(([parent, siblings]) => [parent, indexRows(siblings)]));
}

async function readObject(
  { client, rows, diagnostics }: IdentifyInput,
  item: Expected,
  id: string,
  foundBy: ObservedObject['foundBy'],
): Promise<ObservedObject | undefined> {
  const { kind, resource } = item;
  const entry = rows.get(id);
  const make = (row: Row, parentId: string | undefined): ObservedObject =>
    observedObject({
      id,
      row,
      parentId,
      foundBy,
      isProvided: kind.provided?.is(row, entry?.parentRow ?? {}) === true,
    });
  if (entry !== undefined && !needsRead(entry.link, item)) return make(entry.row, entry.parentId);
  const isLeaf = entry === undefined && Object.values(kind.parents).every((link) => link.rows === 'whole');
  // A leaf that its parent's whole row does not hold is gone.
  if (isLeaf && foundBy === 'id') return undefined;
  try {
    const row = asRow(await client.invoke(kind.calls.read, { [idMember(kind, kind.calls.read)]: id }), kind.calls.read);
    if (rowId(kind, row) !== id) throw new Stop('platform', [wrongObject(kind, id)]);
    const link = entry?.link ?? resource?.link ?? Object.values(kind.parents)[0];
    const parentId = entry?.parentId ?? (link === undefined ? undefined : valueAt(row, link.idAt));
    return make({ ...entry?.row, ...row }, typeof parentId === 'string' ? parentId : undefined);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.failure !== 'not found') throw error;
    if (foundBy === 'pin' && resource !== undefined) {
      diagnostics.push(
        diagnostic('not-found', `the platform has no ${kind.kind} with id ${id}`, {
          remedy: 'Correct id:, or remove the line to have a new one created.',
          address: resource.address,
          position: resourcePosition(resource),
        }),
      );
    }
    return undefined;
  }
}

function needsRead(link: ParentLink, { resource, record }: Expected): boolean {
  if (link.rows === 'whole') return false;
  if (link.rows === 'summary') return true;
  const parts = Object.keys(record?.pairs ?? {});
  return link.rows.without.some(
    (name) =>
      resource?.fields[name] !== undefined ||
      resource?.maps[name] !== undefined ||
      parts.some((part) => part === name || part.startsWith(`${name}[`)),
  );
}

function wrongObject(kind: Kind, id: string): Diagnostic {
  return diagnostic(
    'platform-answer',
    `the answer to ${kind.calls.read} is not the ${kind.kind} ${id} that was asked for`,
  );
}
