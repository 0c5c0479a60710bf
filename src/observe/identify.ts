import type { Client } from '../api/client.ts';
import { PlatformError } from '../api/errors.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import { same } from '../kind/json.ts';
import type { Kind, ParentLink } from '../kind/kind.ts';
import { idMember, valueAt } from '../kind/wire.ts';
import type { Resource } from '../manifest/resource.ts';
import { resourcePosition } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { StateRecord } from '../state/state.ts';
import { asRow, rowId } from './answers.ts';
import type { Caller } from './hidden.ts';
import { lacksRight, refused, refuseHidden } from './hidden.ts';
import type { KeyIndex, NaturalKey } from './match.ts';
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
  const declared = matchByKey(input, claimed, found);
  const taken = new Set([...claimed.keys(), ...declared.map(({ id }) => id)]);
  const matched = [...declared, ...matchLeft(input, taken)];
  await Promise.all(matched.map(({ item, id, isIntended }) => read(item, id, isIntended ? 'intent' : 'key')));
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

/** An object that is what an address wants. `isIntended`: it is what an earlier run was about to make. */
interface Match {
  readonly item: Expected;
  readonly id: string;
  readonly isIntended: boolean;
}

/** Looks for declared resources that were not found by id among the rows of their parent. */
function matchByKey(
  { items, rows, idOf, outputs, diagnostics }: IdentifyInput,
  claimed: ReadonlyMap<string, Expected>,
  found: ReadonlyMap<string, ObservedObject>,
): Match[] {
  const indexes = indexByParent(rows);
  const matches = new Map<string, (Omit<Match, 'id'> & { resource: Resource })[]>();
  for (const item of items) {
    const { resource } = item;
    if (resource === undefined || found.has(item.address) || resource.pinned !== undefined) continue;
    const parent = resource.parent === undefined ? undefined : idOf(resource.parent);
    if (resource.parent !== undefined && parent === undefined) continue;
    const find = (key: NaturalKey | undefined): string[] =>
      key === undefined
        ? []
        : (indexes.get(parent ?? '')?.find(resource, key) ?? []).filter((id) => !isKept(claimed.get(id)));
    // What we were about to make bears the key that it had then; a block may have been edited since.
    const intended = intendedKey(item);
    const ours = find(intended);
    const wanted = naturalKey(resource, outputs);
    const candidates = ours.length > 0 ? ours : find(wanted);
    const isSame = intended === undefined || same(intended, wanted);
    const isIntended = isOurs(item) && (ours.length > 0 || isSame);
    const [only] = candidates;
    if (candidates.length > 1) diagnostics.push(ambiguous(resource, candidates));
    else if (only !== undefined) {
      const list = matches.get(only);
      if (list === undefined) matches.set(only, [{ item, resource, isIntended }]);
      else list.push({ item, resource, isIntended });
    }
  }
  return [...matches].flatMap(([id, [first, ...others]]) => {
    if (first === undefined) return [];
    if (others.length === 0) return [{ item: first.item, id, isIntended: first.isIntended }];
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

/** Looks for what an earlier run was about to make, and nobody declares any more: nobody else would take it away. */
function matchLeft({ items, rows, idOf }: IdentifyInput, taken: ReadonlySet<string>): Match[] {
  const left = items.filter(({ resource, record }) => resource === undefined && record?.intent?.key !== undefined);
  const indexes = left.length === 0 ? new Map<string, KeyIndex>() : indexByParent(rows);
  return left.flatMap((item) => {
    const key = intendedKey(item);
    const parent = item.record?.parent ?? undefined;
    const below = parent === undefined ? '' : idOf(parent);
    if (key === undefined || below === undefined) return [];
    const ids = (indexes.get(below)?.find(item, key) ?? []).filter((id) => !taken.has(id));
    return ids.length === 1 ? ids.map((id) => ({ item, id, isIntended: true })) : [];
  });
}

/** Tells of what bears the key of an object whose create was sent twice: both may have landed. It is never deleted. */
function reportTwins(
  { items, rows, outputs, diagnostics }: IdentifyInput,
  claimed: ReadonlyMap<string, Expected>,
): void {
  const repeated = items.filter(({ record }) => record?.repeated === true);
  const indexes = repeated.length === 0 ? new Map<string, KeyIndex>() : indexByParent(rows);
  for (const { address, resource, record } of repeated) {
    const own = record?.id ?? undefined;
    const listed = own === undefined ? undefined : rows.get(own);
    const key = resource === undefined ? undefined : naturalKey(resource, outputs);
    if (resource === undefined || listed === undefined || key === undefined) continue;
    const parent = listed.parentRow === undefined ? '' : (listed.parentId ?? '');
    const twins = (indexes.get(parent)?.find(resource, key) ?? []).filter((id) => !claimed.has(id));
    if (twins.length === 0) continue;
    const message = `${address} (${own}) may have a twin: ${twins.join(', ')} bears the same key, and its create was sent twice`;
    const remedy = 'Look at both on the platform, and delete the one that nobody needs.';
    diagnostics.push(diagnostic('twin', message, { address, position: resourcePosition(resource), remedy }));
  }
}

/** Whether an object is that of an address. What is let go of in this run, because it cannot be deleted, may be taken over. */
function isKept(owner: Expected | undefined): boolean {
  return owner !== undefined && (owner.resource !== undefined || owner.kind.calls.delete !== undefined);
}

/** Whether an object that is found by its key is the one that we were about to make, or did. */
function isOurs({ kind, record }: Expected): boolean {
  if (record?.id !== null) return false;
  // What is listed long after it was made may be anybody's, unless its create was answered.
  return kind.listedOnce === undefined || Object.keys(record.pairs).length > 0;
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
