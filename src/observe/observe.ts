import type { Client } from '../api/client.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { ParentLink } from '../kind/parent.ts';
import type { Kind } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import { outputValue, valueAt } from '../kind/wire.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { Clock } from '../state/clock.ts';
import { pendingCreate } from '../state/pending.ts';
import type { StateRecord } from '../state/record.ts';
import { rowId, rowsIn } from './answers.ts';
import { lacksRight } from './hidden.ts';
import type { Expected, Listed } from './expected.ts';
import { identify } from './identify.ts';
import { bindNames, namedKinds } from './names.ts';
import type { Observed, ObservedObject } from './observed.ts';
import { fromContext } from './observed.ts';
import type { Reader } from './reader.ts';
import { createReader } from './reader.ts';

/** What observing starts from. */
export interface ObserveInput {
  readonly client: Client;
  readonly kinds: readonly Kind[];
  readonly resources: readonly Resource[];
  readonly records: Readonly<Record<string, StateRecord>>;
  readonly projectId: string;
  readonly clock: Clock;
  /** Ends the pause before a second look, which then ends the run. */
  readonly signal?: AbortSignal | undefined;
  /** Makes the digest of a text with the state's key. */
  readonly digest: (text: string) => string;
}

/** What the platform has, and the resources with the ids of what they refer to by name. */
export interface Seen {
  readonly observed: Observed;
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads what the platform has, with GETs only: who we are, the top lists that matter, then one read per declared
 * service and per environment whose variables matter. Objects below a service come with it, however many there are.
 */
export async function observe(input: ObserveInput): Promise<Seen> {
  const { kinds, records } = input;
  const reader = createReader(input.client);
  const diagnostics: Diagnostic[] = [];
  const objects = new Map<string, ObservedObject>();
  const lists = emptyLists(kinds);
  const { needed, declared } = neededKinds(input);
  const top = kinds.flatMap((kind) => {
    const link = kind.parents[root];
    return link === undefined || !needed.has(kind.kind) ? [] : [{ kind, link }];
  });
  const [caller, ...listed] = await Promise.all([
    reader.caller(),
    ...top.map(async ({ kind, link }) => ({ kind, link, rows: await listIfAllowed(input, reader, kind, declared) })),
  ]);
  const context = { ...callerOf(caller), projectId: input.projectId };
  for (const { kind, link, rows } of listed) {
    const given = fromContext(link.set[link.idAt], context);
    for (const [id, row] of rows ?? []) {
      const inRow = valueAt(row, link.idAt);
      const parentId = given ?? (typeof inRow === 'string' ? inRow : undefined);
      lists.get(kind.kind)?.set(id, { row, parentRow: undefined, parentId, link });
    }
  }
  const resources = bindNames({
    kinds,
    resources: input.resources,
    records,
    rowsOf: (kind) =>
      listed.some((list) => list.kind.kind === kind && list.rows === undefined)
        ? undefined
        : [...(lists.get(kind)?.values() ?? [])].map(({ row }) => row),
    diagnostics,
  });
  const expected = expectations(kinds, resources, records);
  const outputs = outputsOf(resources, objects);
  const findKind = async (kind: Kind): Promise<void> => {
    const rows = lists.get(kind.kind) ?? new Map<string, Listed>();
    const items = expected.get(kind.kind) ?? [];
    const idOf = (address: string) => objects.get(address)?.id;
    await listBelow(input, reader, { lists, kind, items, objects });
    const found = await identify({ ...input, reader, caller: context, items, rows, idOf, outputs, diagnostics });
    const taken = new Set([...found.values()].map((object) => object.id));
    for (const [id, { row }] of rows) if (!taken.has(id)) descend(kinds, lists, kind, row, false);
    for (const [address, object] of found) {
      objects.set(address, object);
      descend(kinds, lists, kind, object.row, true);
    }
  };
  for (let level = top.map(({ kind }) => kind); level.length > 0; level = nextLevel(kinds, level)) {
    await Promise.all(level.map(findKind));
  }
  const ids = new Set([...lists.values()].flatMap((rows) => [...rows.keys()]));
  return { observed: { ...context, objects, listed: ids }, resources, diagnostics };
}

/** Every row that was seen, by kind and id. */
type Lists = ReadonlyMap<string, Map<string, Listed>>;

function emptyLists(kinds: readonly Kind[]): Lists {
  return new Map(kinds.map((kind) => [kind.kind, new Map<string, Listed>()]));
}

function callerOf({ organizationId, userId, role }: Row): Pick<Observed, 'organizationId' | 'userId' | 'role'> {
  if (typeof organizationId === 'string' && typeof userId === 'string') {
    return { organizationId, userId, role: String(role) };
  }
  throw new Stop('platform', [
    diagnostic('platform-answer', 'the answer to user.get names no organization or no user'),
  ]);
}

/** The kinds whose list at the top is worth a request: declared, remembered, never empty; and those only named. */
function neededKinds({ kinds, resources, records }: ObserveInput) {
  const always = kinds.filter(({ parents: { [root]: link } }) => link !== undefined && 'whenEmpty' in link.listed);
  const declared: ReadonlySet<string> = new Set([
    ...always.map(({ kind }) => kind),
    ...resources.map(({ kind }) => kind.kind),
    ...Object.values(records).map(({ kind }) => kind),
  ]);
  return { declared, needed: new Set([...declared, ...resources.flatMap(namedKinds)]) };
}

/** The list of a kind; undefined when it is read for names only and the key has no right to it. */
async function listIfAllowed(input: ObserveInput, reader: Reader, kind: Kind, declared: ReadonlySet<string>) {
  try {
    return await listTop(input, reader, kind);
  } catch (error) {
    if (lacksRight(error) && !declared.has(kind.kind)) return undefined;
    throw error;
  }
}

async function listTop(
  { projectId }: ObserveInput,
  reader: Reader,
  kind: Kind,
): Promise<ReadonlyMap<string, Row> | undefined> {
  const listed = kind.parents[root]?.listed;
  if (listed === undefined || !('call' in listed)) return undefined;
  const rows = await reader.rows(kind, { place: { projectId } });
  if (rows?.size !== 0 || listed.whenEmpty === undefined) return rows;
  throw new Stop('platform', [
    diagnostic('platform-answer', `project ${projectId} lists no ${kind.section}: ${listed.whenEmpty}`, {
      remedy: 'Check project: in the manifest, and the rights of the API key.',
    }),
  ]);
}

/** Lists objects that no parent's row holds, for the parents that are to have some. */
async function listBelow(
  { records, kinds, projectId }: ObserveInput,
  reader: Reader,
  {
    lists,
    kind,
    items,
    objects,
  }: {
    readonly lists: Lists;
    readonly kind: Kind;
    readonly items: readonly Expected[];
    readonly objects: ReadonlyMap<string, ObservedObject>;
  },
): Promise<void> {
  const parents = new Map<string, ParentLink>();
  for (const { resource, record } of items) {
    if (resource?.parent !== undefined) parents.set(resource.parent, resource.link);
    const former = record?.parent ?? undefined;
    const link = former === undefined ? undefined : kind.parents[records[former]?.kind ?? ''];
    if (former !== undefined && link !== undefined) parents.set(former, link);
  }
  const sentTo = new Set(items.flatMap(({ record }) => sentBelow(record)));
  for (const [address, { id }] of sentTo.size === 0 ? [] : objects) {
    const link = kind.parents[records[address]?.kind ?? ''];
    if (link !== undefined && sentTo.has(id)) parents.set(address, link);
  }
  await Promise.all(
    [...parents].map(async ([address, link]) => {
      const parent = objects.get(address);
      const parentKind = kinds.find((one) => kind.parents[one.kind] === link);
      if (parent === undefined || parentKind === undefined || !('call' in link.listed)) return;
      const list = { place: { projectId }, parent: { kind: parentKind, id: parent.id } };
      for (const [id, row] of (await reader.rows(kind, list)) ?? []) {
        lists.get(kind.kind)?.set(id, { row, parentRow: parent.row, parentId: parent.id, link });
      }
    }),
  );
}

/** The ids of the parents below which a pending create or a duplicate may be, wherever their blocks are now. */
function sentBelow(record: StateRecord | undefined): string[] {
  const places = [pendingCreate(record), ...(record?.duplicates ?? [])];
  return places.flatMap((place) => place?.below ?? []);
}

/** Takes the children that a row holds; `isWhole` says that they have to be in it. */
function descend(kinds: readonly Kind[], lists: Lists, parent: Kind, row: Row, isWhole: boolean): void {
  for (const kind of kinds) {
    const link = kind.parents[parent.kind];
    if (link === undefined || !('at' in link.listed)) continue;
    if (!isWhole && !Array.isArray(row[link.listed.at])) continue;
    for (const [id, child] of rowsIn(kind, parent, row) ?? []) {
      lists.get(kind.kind)?.set(id, { row: child, parentRow: row, parentId: rowId(parent, row), link });
    }
  }
}

function expectations(
  kinds: readonly Kind[],
  resources: readonly Resource[],
  records: ObserveInput['records'],
): Map<string, Expected[]> {
  const byKind = new Map<string, Expected[]>(kinds.map((kind) => [kind.kind, []]));
  const kindsByName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const declared = new Set<string>();
  for (const resource of resources) {
    declared.add(resource.address);
    const record = records[resource.address];
    byKind.get(resource.kind.kind)?.push({ address: resource.address, kind: resource.kind, resource, record });
  }
  for (const [address, record] of Object.entries(records)) {
    const kind = kindsByName.get(record.kind);
    if (kind !== undefined && !declared.has(address)) {
      byKind.get(kind.kind)?.push({ address, kind, resource: undefined, record });
    }
  }
  return byKind;
}

/** The outputs of what was found so far; parents and services come before what is below them. */
function outputsOf(resources: readonly Resource[], objects: ReadonlyMap<string, ObservedObject>): Outputs {
  const kindOf = new Map(resources.map((resource) => [resource.address, resource.kind]));
  return ({ address, output }) => {
    const object = objects.get(address);
    const kind = kindOf.get(address);
    return object === undefined || kind === undefined ? undefined : outputValue(kind, output, object.id, object.row);
  };
}

function nextLevel(kinds: readonly Kind[], level: readonly Kind[]): Kind[] {
  return kinds.filter((kind) => level.some((parent) => kind.parents[parent.kind] !== undefined));
}
