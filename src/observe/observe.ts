import { position } from '../manifest/tree.ts';
import { keptIn } from '../api/once.ts';
import { isOfKey, lacksRight, PlatformError } from '../api/platform-error.ts';
import { type Diagnostic, type Stop, diagnostic, stop } from '../diagnostics/diagnostic.ts';
import { groupBy } from '../kind/group.ts';
import type { Row } from '../formats/json.ts';
import { type Kind, kindsIn, root } from '../kind/kind.ts';
import { topAddress, topOf } from '../kind/top.ts';
import { nameIn, observedValue, outputValue, valueAt } from '../kind/row-values.ts';
import type { Resource } from '../manifest/resource.ts';
import { asWritten, knownValue } from '../manifest/wanted.ts';
import { maskValue } from '../secrets/looks-secret.ts';
import { pendingCreate } from '../state/pending-operation.ts';
import { callerOf, rowsIn } from './checked-answers.ts';
import { type Expected, type IdentifyInput, type ObserveInput, positionOf } from './expected.ts';
import { identify } from './identify.ts';
import { searchIn } from './match.ts';
import { bindNames, hasSecretName, namedKinds } from './bound-names.ts';
import type { Listed, Observed, ObservedObject, Parent } from './observed.ts';
import { isOfProject } from './ownership.ts';
import { type TopList, readTop } from './project-id.ts';
import { type Lists, unownedIn } from './unowned.ts';

/** What the platform has, and the resources with the ids of what they refer to by name. */
export interface Seen {
  readonly observed: Observed;
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What was read so far, and what finding the objects of any kind takes from it. */
interface Reading extends ObserveInput, Omit<IdentifyInput, 'kind' | 'items' | 'isRead' | 'rows' | 'search'> {
  /** Whether an address is read. */
  readonly isMeant: (item: { readonly address: string }) => boolean;
  /** The lists at the top. */
  readonly listed: readonly TopList[];
  readonly lists: Lists;
  readonly expected: ReadonlyMap<string, readonly Expected[]>;
  readonly objects: Map<string, ObservedObject>;
  /** The objects that were found, by id. */
  readonly byId: Map<string, Parent>;
  /** The addresses of the state that are not read. */
  readonly unread: Set<string>;
  readonly unlisted: Observed['unlisted'][number][];
}

/**
 * Reads what the platform has, with GETs only: who we are, the top lists that matter, then one read per declared
 * service and per environment whose variables matter. Objects below a service come with it, however many there are.
 */
export async function observe(input: ObserveInput): Promise<Seen> {
  const { kinds, reader, records } = input;
  const { redact } = reader;
  const isMeant: Reading['isMeant'] = ({ address }) => input.only?.has(address) !== false;
  const top = listedKinds(input, isMeant);
  const { who, listed } = await readTops(input, top, isMeant);
  const { projectId } = listed.find((list) => list.projectId !== input.projectId) ?? input;
  const lists: Lists = new Map(kinds.map((kind) => [kind.kind, new Map()]));
  for (const { kind, rows } of listed) remember(lists, kind, rows, undefined);
  const isUnreadable = (name: string) => listed.some(({ kind, rows }) => kind.kind === name && rows === undefined);
  const rowsOf = (kind: string) => (isUnreadable(kind) ? undefined : lists.get(kind));
  const diagnostics: Diagnostic[] = [];
  const binding = { kinds, resources: input.resources, records, binds: isMeant, redact };
  const resources = bindNames({ ...binding, rowsOf, diagnostics });
  const expected = expectations({ kinds, resources, records });
  const every = [...expected.values()].flat();
  const objects = new Map<string, ObservedObject>();
  const byId = new Map<string, Parent>();
  const idOf = (address: string) => objects.get(address)?.id;
  const aboveAll = topOf(kinds);
  const reading: Reading = {
    ...input,
    isMeant,
    caller: { ...callerOf(who), projectId },
    listed,
    lists,
    expected,
    objects,
    byId,
    unread: new Set(every.flatMap((item) => (isMeant(item) ? [] : [item.address]))),
    diagnostics,
    duplicates: [],
    unlisted: [],
    idOf,
    parentWith: (id) => byId.get(id),
    // The list of what the top stands for shows all of the organization; only the one that was found is ours.
    isInside: (name, id) =>
      (name !== aboveAll?.kind && lists.get(name)?.has(id) === true) || byId.get(id)?.kind.kind === name,
    outputs: ({ address, output }) => {
      const object = byId.get(idOf(address) ?? '');
      return object && outputValue(object.kind, output, object.id, object.row);
    },
  };
  for (const level of levelsBelow(kinds, top)) await Promise.all(level.map((kind) => findKind(reading, kind)));
  if (aboveAll !== undefined) refuseOtherName(reading, aboveAll);
  return { observed: observedIn(reading), resources, diagnostics };
}

/** Reads who asks, and the lists at the top. */
async function readTops(
  input: ObserveInput,
  top: readonly Kind[],
  isMeant: Reading['isMeant'],
): Promise<Pick<Reading, 'listed'> & { readonly who: Row }> {
  const asked = input.reader.caller();
  // What is wrong with the address or the key shows in the caller, and explains a list that lacks something. A
  // refusal of the key explains itself, and is reported although the platform takes no requests for now.
  const unlessUnusable = async (error: unknown): Promise<never> => {
    if (!(error instanceof PlatformError && isOfKey(error))) await asked;
    throw error;
  };
  const [who, ...listed] = await Promise.all([
    asked,
    ...top.map((kind) => listTop(input, kind, isMeant).catch(unlessUnusable)),
  ]);
  return { who, listed };
}

/** Finds the objects of a kind: reads the lists below the objects that were found, and matches the rows with addresses. */
async function findKind(reading: Reading, kind: Kind): Promise<void> {
  const { kinds, isMeant, lists, expected, objects, byId, unread } = reading;
  const items = expected.get(kind.kind) ?? [];
  const rows: ReadonlyMap<string, Listed> = lists.get(kind.kind) ?? new Map();
  const above = parentIds(reading, kind, items.filter(isMeant));
  // Nothing is expected and nothing was found: most kinds.
  if (items.length === 0 && rows.size === 0 && above.length === 0) return;
  await readBelow(reading, kind, above);
  const isRead = (item: Expected) => isMeant(item) || isLacking(reading, item, rows);
  for (const item of items) if (isRead(item)) unread.delete(item.address);
  const found = await identify({ ...reading, kind, items, isRead, rows, search: searchIn(kind, rows) });
  const taken = new Set([...found.values()].map(({ id }) => id));
  const inRow = kindsIn(kinds, kind);
  for (const [id, { row }] of rows) if (!taken.has(id)) descend(inRow, lists, { kind, id, row }, false);
  for (const [address, object] of found) {
    const parent = { kind, id: object.id, row: object.row };
    objects.set(address, object);
    byId.set(object.id, parent);
    descend(inRow, lists, parent, true);
  }
}

/** The ids of the objects below which a list of a kind is read, each with the addresses that are expected there. */
function parentIds(
  { byId, idOf, readsEveryList }: Reading,
  kind: Kind,
  items: readonly Expected[],
): (readonly [id: string, items: readonly Expected[]])[] {
  const expected = groupBy(items.flatMap((item) => idsAbove([item], idOf).map((id) => [id, item] as const)));
  if (!readsEveryList || !isOfProject(kind)) return [...expected];
  const others = [...byId.values()].filter(
    ({ id, kind: parent }) => !expected.has(id) && kind.parents[parent.kind] !== undefined && isOfProject(parent),
  );
  return [...expected, ...others.map(({ id }) => [id, []] as const)];
}

/** Reads the lists of a kind below objects. */
async function readBelow(
  { reader, caller, lists, parentWith, unlisted }: Reading,
  kind: Kind,
  above: ReturnType<typeof parentIds>,
): Promise<void> {
  await Promise.all(
    above.map(async ([id, items]) => {
      const parent = parentWith(id);
      const listed = kind.parents[parent?.kind.kind ?? '']?.listed;
      if (listed === undefined || !('call' in listed)) return;
      const rows = await reader.rows(kind, { place: caller, parent }).catch((error: unknown) => {
        if (items.length > 0 || !lacksRight(error)) return refuseUnread(error, items);
        unlisted.push({ kind, parentId: id });
        return undefined;
      });
      if (rows?.size === 0 && listed.whenEmpty !== undefined) throw emptyList(kind, parent, listed.whenEmpty);
      remember(lists, kind, rows, parent);
    }),
  );
}

/** What was read, once all kinds are found. */
function observedIn(reading: Reading): Observed {
  const { kinds, records, reader, caller, since, listed, lists, objects, byId, unread, unlisted, duplicates } = reading;
  const isClear = (name: string) => reader.redact(name) === name;
  const known = new Set([...byId.keys(), ...[...unread].flatMap((address) => records[address]?.id ?? [])]);
  const about = { known, isClear, ownsOneEnvironment: reading.ownsOneEnvironment };
  const aboveAll = topOf(kinds);
  const hidden = idsWithSecretName(reading);
  return {
    ...caller,
    since,
    projectId: aboveAll === undefined ? caller.projectId : (objects.get(topAddress(aboveAll))?.id ?? ''),
    objects,
    unread,
    listed: new Set([...lists.values()].flatMap((rows) => [...rows.keys()])),
    projectName: projectNameIn(kinds, lists),
    nameOf: namesAtTop(listed, (id, name) => hidden.has(id) || !isClear(name)),
    ...unownedIn(kinds, lists, about),
    unlisted,
    duplicates,
  };
}

/** Finds the names of objects in whole lists. Those of two objects, and those that may not show, are no names. */
function namesAtTop(listed: readonly TopList[], isHidden: (id: string, name: string) => boolean): Observed['nameOf'] {
  const lists = new Map(listed.map((list) => [list.kind.kind, list]));
  const made = new Map<string, ReadonlyMap<string, string>>();
  return (name, id) => {
    const { kind, rows } = lists.get(name) ?? {};
    if (kind?.identity.keyField === undefined || rows === undefined) return undefined;
    return keptIn(made, name, () => shownNames(kind, rows, isHidden)).get(id);
  };
}

function shownNames(
  kind: Kind,
  rows: ReadonlyMap<string, Row>,
  isHidden: (id: string, name: string) => boolean,
): ReadonlyMap<string, string> {
  const idsOf = groupBy([...rows].map(([id, row]) => [nameIn(kind, row), id]));
  const names = [...idsOf].flatMap(([name, [id = '', ...others]]) => {
    // A name that is the id of another object would show as that one.
    const isClear = name !== undefined && others.length === 0 && !rows.has(name);
    return isClear && !isHidden(id, name) && maskValue(undefined, name, { isOpen: true }) === name
      ? [[id, name] as const]
      : [];
  });
  return new Map(names);
}

/** The ids of objects with a name that is secret in the manifest, or was when it was settled. */
function idsWithSecretName({ resources, records, kinds, objects }: Reading): ReadonlySet<string> {
  const keyFields = new Map(kinds.map(({ kind, identity }) => [kind, identity.keyField ?? '']));
  const declared = resources.filter(hasSecretName).map(({ address }) => objects.get(address)?.id);
  const settled = Object.values(records).map(({ kind, id, pairs }) => {
    const name = pairs[keyFields.get(kind) ?? '']?.wanted;
    return id !== null && name !== undefined && 'digest' in name ? id : undefined;
  });
  return new Set([...declared, ...settled].filter((id) => id !== undefined));
}

function projectNameIn(kinds: readonly Kind[], lists: Lists): string | undefined {
  for (const { kind, parents } of kinds) {
    const path = parents[root]?.projectNameAt;
    const [first] = path === undefined ? [] : (lists.get(kind)?.values() ?? []);
    const name = first === undefined || path === undefined ? undefined : valueAt(first.row, path);
    if (typeof name === 'string' && name !== '') return name;
  }
  return undefined;
}

function remember(
  lists: Lists,
  kind: Kind,
  rows: ReadonlyMap<string, Row> | undefined,
  parent: Parent | undefined,
): void {
  for (const [id, row] of rows ?? []) lists.get(kind.kind)?.set(id, { row, parent });
}

/** Whether the list of a kind at the top is read by every run. */
export function isAlwaysListed({ parents: { [root]: link } }: Kind): boolean {
  return link !== undefined && 'whenEmpty' in link.listed;
}

/** The kinds at the top that are declared, named, in the state, or never empty: their lists are worth a request. */
function listedKinds({ kinds, resources, records }: ObserveInput, isMeant: Reading['isMeant']): readonly Kind[] {
  const meant = resources.filter(isMeant);
  const worth = new Set([
    ...kinds.filter(isAlwaysListed).map(({ kind }) => kind),
    ...meant.map(({ kind }) => kind.kind),
    ...Object.entries(records).flatMap(([address, { kind }]) => (isMeant({ address }) ? [kind] : [])),
    ...namedKinds({ resources: meant, records }),
  ]);
  return kinds.filter(({ kind, parents }) => parents[root] && worth.has(kind));
}

/** Whether a list that was read should show an object of the state, and does not. */
function isLacking(
  { listed: lists, idOf, parentWith }: Reading,
  { kind, record }: Expected,
  rows: IdentifyInput['rows'],
): boolean {
  if (typeof record?.id !== 'string' || rows.has(record.id)) return false;
  if (record.parent === null) return lists.some((list) => list.kind === kind && list.rows !== undefined);
  const parent = parentWith(idOf(record.parent) ?? '');
  const listed = kind.parents[parent?.kind.kind ?? '']?.listed;
  return listed !== undefined && 'at' in listed;
}

/**
 * Reads the list of a kind at the top; without rows when it is read for names only and the key has no right to it.
 *
 * @throws {PlatformError} when the key has no right to it and blocks or the state need it: with their addresses.
 */
async function listTop(
  { projectId, projectAt, reader, kinds, resources, records }: ObserveInput,
  kind: Kind,
  isMeant: Reading['isMeant'],
): Promise<TopList> {
  return readTop(reader, kind, { named: projectId, at: projectAt }).catch((error: unknown) => {
    // A list that every run reads is about the whole run.
    if (!lacksRight(error) || isAlwaysListed(kind)) throw error;
    const items = (expectations({ kinds, resources, records }).get(kind.kind) ?? []).filter(isMeant);
    if (items.length > 0) return refuseUnread(error, items);
    return { kind, rows: undefined, projectId };
  });
}

/** Refuses a list that the key has no right to: at each address that needs it. @throws {PlatformError} that; and any other error. */
function refuseUnread(error: unknown, items: readonly Expected[]): never {
  throw lacksRight(error) ? error.at(items.map(positionOf)) : error;
}

/** The error for a list that is never empty, below an object that was found. */
function emptyList({ section }: Kind, parent: Parent | undefined, why: string): Stop {
  const message = `${parent?.kind.kind ?? 'project'} ${parent?.id ?? ''} lists no ${section}: ${why}`;
  const remedy = 'Check the rights of the API key: its user needs access to the project and to its environments.';
  return stop('platform', 'platform-answer', message, { remedy });
}

/**
 * Refuses to give what the top stands for the name that another one has: a state with the manifest of another project would
 * make the one like the other.
 */
function refuseOtherName({ reader, expected, objects, lists, diagnostics }: Reading, top: Kind): void {
  const { redact } = reader;
  for (const { address, kind, resource, record } of expected.get(top.kind) ?? []) {
    const { keyField = '' } = kind.identity;
    const wanted = resource?.fields[keyField];
    const name = knownValue(wanted);
    const object = objects.get(address);
    if (record?.id !== object?.id || object === undefined || typeof name !== 'string') continue;
    if (observedValue(kind, keyField, object.row) === name) continue;
    const others = [...(lists.get(kind.kind) ?? [])].filter(
      ([id, { row }]) => id !== object.id && observedValue(kind, keyField, row) === name,
    );
    if (others.length === 0) continue;
    const called =
      wanted?.isSecret === true ? String(asWritten(wanted)) : `${name} (${others.map(([id]) => id).join(', ')})`;
    const message = `the state belongs to ${kind.kind} ${object.id} (${redact(String(observedValue(kind, keyField, object.row)))}), and another one is called ${called}`;
    const remedy = 'Use the manifest of the state, or give this one a state of its own; or choose another name.';
    diagnostics.push(
      diagnostic('ambiguous', message, { address, position: resource && position(resource.at), remedy }),
    );
  }
}

/** The ids below which an object is expected, or may be: its create was sent there, wherever its block is now. */
function idsAbove(items: readonly Expected[], idOf: (address: string) => string | undefined): string[] {
  const ids = new Set<string | undefined>();
  for (const { resource, record } of items) {
    for (const parent of [resource?.parent, record?.parent ?? undefined]) ids.add(parent && idOf(parent));
    ids.add(pendingCreate(record)?.below);
    for (const { below } of record?.duplicates ?? []) ids.add(below);
  }
  return [...ids].filter((id) => id !== undefined);
}

/** Takes the children that a row holds; `isWhole` says that they have to be in it. */
function descend(inRow: ReturnType<typeof kindsIn>, lists: Lists, parent: Parent, isWhole: boolean): void {
  for (const { kind, at } of inRow) {
    if (isWhole || Array.isArray(parent.row[at])) remember(lists, kind, rowsIn(kind, parent.kind, parent.row), parent);
  }
}

/** The addresses of each kind, declared ones first. */
function expectations({ kinds, resources, records }: Pick<ObserveInput, 'kinds' | 'resources' | 'records'>) {
  const kindsByName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const declared = resources.map((resource): Expected => {
    const { address, kind } = resource;
    return { address, kind, resource, record: records[address] };
  });
  const addresses = new Set(declared.map(({ address }) => address));
  const others = Object.entries(records).flatMap(([address, record]): Expected[] => {
    const kind = addresses.has(address) ? undefined : kindsByName.get(record.kind);
    return kind === undefined ? [] : [{ address, kind, resource: undefined, record }];
  });
  return groupBy([...declared, ...others].map((item) => [item.kind.kind, item]));
}

/** Kinds by level, each behind all kinds that its objects can stand below. */
function levelsBelow(kinds: readonly Kind[], top: readonly Kind[]): Kind[][] {
  const levels: (readonly Kind[])[] = [];
  for (let level = top; level.length > 0; level = nextLevel(kinds, level)) levels.push(level);
  return levels.map((level, at) => level.filter((kind) => !levels.slice(at + 1).some((later) => later.includes(kind))));
}

function nextLevel(kinds: readonly Kind[], level: readonly Kind[]): Kind[] {
  return kinds.filter((kind) => level.some((parent) => kind.parents[parent.kind] !== undefined));
}
