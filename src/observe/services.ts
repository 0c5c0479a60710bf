import type { Client } from '../api/client.ts';
import type { Row } from '../kind/json.ts';
import { isRow } from '../kind/json.ts';
import type { Kind, ParentLink } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import type { State, StateRecord } from '../state/state.ts';
import { asRows, rowId } from './answers.ts';
import type { Deployment } from './deployments.ts';
import { deploymentsIn, statusIn } from './deployments.ts';
import { readRow } from './read-row.ts';

/** One service that the state remembers. */
export interface Service {
  readonly address: string;
  readonly kind: Kind;
  /** null while its creation is not confirmed. */
  readonly id: string | null;
}

/** How a service is. */
export interface ServiceState extends Service {
  /** Whether the platform has it. */
  readonly found: boolean;
  readonly status: string | undefined;
  readonly deployment: Deployment | undefined;
}

/** What looking at services needs. */
export interface Looking {
  readonly client: Client;
  readonly kinds: readonly Kind[];
  readonly state: State;
  /** Told of each row that was read whole; the texts of its deployments may quote what is secret in it. */
  readonly onRow: (row: Row) => void;
}

/** The services of a state, in the order of their addresses. */
export function servicesOf({ resources }: State, kinds: readonly Kind[]): readonly Service[] {
  return Object.entries(resources)
    .flatMap(([address, { kind: name, id }]) => {
      const kind = kinds.find((item) => item.kind === name && item.status !== undefined);
      return kind === undefined ? [] : [{ address, kind, id }];
    })
    .toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

/**
 * Looks at services, with as few GETs as there can be: one for each that has deployments, because only its own row
 * lists them, and one list for all others together.
 */
export async function observeServices(services: readonly Service[], looking: Looking): Promise<ServiceState[]> {
  const lists = new Map<string, Promise<readonly Row[]>>();
  return Promise.all(
    services.map(async (service) => {
      const { kind, id } = service;
      if (id === null) return { ...service, found: false, status: undefined, deployment: undefined };
      // What is in no list is asked for before it is said to be gone: somebody may have moved it.
      const row = (await listedRow(service, looking, lists)) ?? (await wholeRow(kind, id, looking));
      return {
        ...service,
        found: row !== undefined,
        status: row === undefined ? undefined : statusIn(kind, row),
        deployment: row === undefined ? undefined : deploymentsIn(kind, row)?.at(-1),
      };
    }),
  );
}

async function wholeRow(kind: Kind, id: string, { client, onRow }: Looking): Promise<Row | undefined> {
  const row = await readRow(client, kind, id);
  if (row !== undefined) onRow(row);
  return row;
}

/** The row of a service in a list of those above it; undefined when it is in none, or a list says too little. */
async function listedRow(
  { address, kind, id }: Service,
  looking: Looking,
  lists: Map<string, Promise<readonly Row[]>>,
): Promise<Row | undefined> {
  if (kind.status?.deployments !== undefined) return undefined;
  const { kinds, state } = looking;
  const above = recordAbove(state, address);
  const parent = kinds.find((item) => item.kind === above?.kind);
  const at = parent === undefined ? undefined : kind.parents[parent.kind]?.listed;
  const link = parent?.parents[root];
  if (parent === undefined || at === undefined || !('at' in at) || link === undefined) return undefined;
  const rows = lists.get(parent.kind) ?? listTop(parent, link, looking);
  lists.set(parent.kind, rows);
  return (await rows)
    .flatMap((row): unknown[] => (Array.isArray(row[at.at]) ? (row[at.at] as unknown[]) : []))
    .find((row): row is Row => isRow(row) && rowId(kind, row) === id);
}

function recordAbove({ resources }: State, address: string): StateRecord | undefined {
  const parent = resources[address]?.parent ?? undefined;
  return parent === undefined ? undefined : resources[parent];
}

async function listTop(kind: Kind, { listed }: ParentLink, { client, state }: Looking): Promise<readonly Row[]> {
  if (!('call' in listed)) return [];
  const input: Record<string, string> = {};
  for (const [name, from] of Object.entries(listed.with ?? {})) {
    if ('context' in from && from.context !== 'userId') input[name] = state[from.context];
  }
  return asRows(await client.invoke(listed.call, input), listed.call, kind);
}
