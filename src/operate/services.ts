import type { Client } from '../api/client.ts';
import type { Row } from '../kind/json.ts';
import { isRow } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import { knowingInput } from '../secrets/call-secrets.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { StateRecord } from '../state/record.ts';
import type { State } from '../state/state.ts';
import { rowId } from '../observe/answers.ts';
import type { Deployment } from '../observe/deployments.ts';
import { deploymentsIn, statusIn } from '../observe/deployments.ts';
import { createReader } from '../observe/reader.ts';

/** A service in the state. */
export interface Service {
  readonly address: string;
  readonly kind: Kind;
  /** null: the create of it is not confirmed. */
  readonly id: string | null;
}

/** A service with its status at the platform. */
export interface ServiceState extends Service {
  /** Whether the platform has it. */
  readonly found: boolean;
  readonly status: string | undefined;
  readonly deployment: Deployment | undefined;
}

/** The platform and the state that services are read from. */
export interface ServicesInput {
  readonly client: Client;
  readonly kinds: readonly Kind[];
  readonly state: State;
  /** Learns the secrets of each row: the texts of deployments may quote them. */
  readonly redactor: Redactor;
}

/** The services of a state, in the order of their addresses. */
export function servicesOf({ resources }: State, kinds: readonly Kind[]): readonly Service[] {
  return Object.entries(resources)
    .flatMap(([address, { kind: name, id }]) => {
      const kind = kinds.find((item) => item.kind === name && item.service !== undefined);
      return kind === undefined ? [] : [{ address, kind, id }];
    })
    .toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

/**
 * Reads the status of services with as few GETs as possible: one for each that has deployments, because only its own
 * row lists them, and one list for all others together.
 *
 * @throws {PlatformError} when the platform does not answer, or refuses.
 */
export async function observeServices(services: readonly Service[], input: ServicesInput): Promise<ServiceState[]> {
  const lists = new Map<string, Promise<readonly Row[]>>();
  const states = await Promise.all(
    services.map(async (service) => {
      const { kind, id } = service;
      if (id === null) return { ...service, found: false, status: undefined, deployment: undefined };
      // A service in no list may have been moved: ask for it by its id before calling it missing.
      const row = (await listedRow(service, input, lists)) ?? (await wholeRow(kind, id, input));
      return {
        ...service,
        found: row !== undefined,
        status: row === undefined ? undefined : statusIn(kind, row),
        deployment: row === undefined ? undefined : deploymentsIn(kind, row)?.at(-1),
      };
    }),
  );
  return states.map((state) => redacted(state, input.redactor));
}

/** Titles and errors are texts of commits and builds, which may quote a secret of the row. */
function redacted(service: ServiceState, { redact }: Redactor): ServiceState {
  const { deployment } = service;
  if (deployment === undefined) return service;
  const clean = (text: string | undefined) => (text === undefined ? undefined : redact(text));
  return {
    ...service,
    deployment: { ...deployment, title: clean(deployment.title), errorMessage: clean(deployment.errorMessage) },
  };
}

async function wholeRow(kind: Kind, id: string, { client, redactor }: ServicesInput): Promise<Row | undefined> {
  const row = await createReader(client).row(kind, id);
  if (row !== undefined) knowingInput(redactor, row);
  return row;
}

/** The row of a service in a list of its environment; undefined when it is in none, or the list does not say enough. */
async function listedRow(
  { address, kind, id }: Service,
  input: ServicesInput,
  lists: Map<string, Promise<readonly Row[]>>,
): Promise<Row | undefined> {
  if (kind.service?.deployments !== undefined) return undefined;
  const { client, kinds, state } = input;
  const above = recordAbove(state, address);
  const parent = kinds.find((item) => item.kind === above?.kind);
  const at = parent === undefined ? undefined : kind.parents[parent.kind]?.listed;
  if (parent?.parents[root] === undefined || at === undefined || !('at' in at)) return undefined;
  const rows =
    lists.get(parent.kind) ??
    createReader(client)
      .rows(parent, { place: state })
      .then((listed) => [...(listed?.values() ?? [])]);
  lists.set(parent.kind, rows);
  return (await rows)
    .flatMap((row): unknown[] => (Array.isArray(row[at.at]) ? (row[at.at] as unknown[]) : []))
    .find((row): row is Row => isRow(row) && rowId(kind, row) === id);
}

function recordAbove({ resources }: State, address: string): StateRecord | undefined {
  const parent = resources[address]?.parent ?? undefined;
  return parent === undefined ? undefined : resources[parent];
}
