import type { Client } from '../api/client.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { Kind, ParentLink } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import { outputValue, takes } from '../kind/wire.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { StateRecord } from '../state/state.ts';
import { asRow, asRows, rowId } from './answers.ts';
import type { Expected, Listed } from './identify.ts';
import { identify } from './identify.ts';
import type { Observed, ObservedObject } from './observed.ts';

/** What observing starts from. */
export interface ObserveInput {
  readonly client: Client;
  readonly kinds: readonly Kind[];
  readonly resources: readonly Resource[];
  readonly records: Readonly<Record<string, StateRecord>>;
  readonly projectId: string;
}

/**
 * Reads what the platform has, with GETs only: who we are, the top lists, then one read per declared service and
 * per environment whose variables matter. Objects below a service come with it, however many there are.
 */
export async function observe(input: ObserveInput): Promise<{ observed: Observed; diagnostics: Diagnostic[] }> {
  const { client, kinds, projectId } = input;
  const diagnostics: Diagnostic[] = [];
  const objects = new Map<string, ObservedObject>();
  const lists = emptyLists(kinds);
  const top = kinds.flatMap((kind) => {
    const link = kind.parents[root];
    return link === undefined ? [] : [{ kind, link }];
  });
  const [caller] = await Promise.all([
    client.invoke('user.get', {}),
    ...top.map(({ kind, link }) => listTop(client, projectId, lists, kind, link)),
  ]);
  const { organizationId, role } = asRow(caller, 'user.get');
  if (typeof organizationId !== 'string') {
    throw new Stop('platform', [diagnostic('platform-answer', 'the answer to user.get names no organization')]);
  }
  const expected = expectations(input);
  const outputs = outputsOf(input.resources, objects);
  const findKind = async (kind: Kind): Promise<void> => {
    const rows = lists.get(kind.kind) ?? new Map<string, Listed>();
    const items = expected.get(kind.kind) ?? [];
    const idOf = (address: string) => objects.get(address)?.id;
    const found = await identify({ client, items, rows, idOf, outputs, diagnostics });
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
  return { observed: { organizationId, projectId, role: String(role), objects }, diagnostics };
}

/** Every row that was seen, by kind and id. */
type Lists = ReadonlyMap<string, Map<string, Listed>>;

function emptyLists(kinds: readonly Kind[]): Lists {
  return new Map(kinds.map((kind) => [kind.kind, new Map<string, Listed>()]));
}

async function listTop(client: Client, projectId: string, lists: Lists, kind: Kind, link: ParentLink): Promise<void> {
  if (!('call' in link.listed)) return;
  const { call, whenEmpty } = link.listed;
  const rows = asRows(await client.invoke(call, takes(call, 'projectId') ? { projectId } : {}), call, kind);
  if (rows.length === 0 && whenEmpty !== undefined) {
    throw new Stop('platform', [
      diagnostic('platform-answer', `project ${projectId} lists no ${kind.section}: ${whenEmpty}`, {
        remedy: 'Check project: in the manifest, and the rights of the API key.',
      }),
    ]);
  }
  for (const row of rows) remember(lists, kind, { row, parentRow: undefined, parentId: projectId, link });
}

function remember(lists: Lists, kind: Kind, listed: Listed): void {
  const id = rowId(kind, listed.row);
  if (id !== undefined) lists.get(kind.kind)?.set(id, listed);
}

/** Takes the children that a row holds; `isWhole` says that they have to be in it. */
function descend(kinds: readonly Kind[], lists: Lists, parent: Kind, row: Row, isWhole: boolean): void {
  for (const kind of kinds) {
    const link = kind.parents[parent.kind];
    if (link === undefined || !('at' in link.listed)) continue;
    const children = row[link.listed.at];
    if (!isWhole && !Array.isArray(children)) continue;
    for (const child of asRows(children, parent.calls.read, kind)) {
      remember(lists, kind, { row: child, parentRow: row, parentId: rowId(parent, row), link });
    }
  }
}

function expectations({ kinds, resources, records }: ObserveInput): Map<string, Expected[]> {
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
