import { usage } from '../diagnostics/usage.ts';
import { isWithin, normalAddress } from '../kind/address.ts';
import { notInState } from './addressed.ts';
import type { Client } from '../api/client.ts';
import { Stop } from '../diagnostics/diagnostic.ts';
import { type Row, isRow } from '../formats/json.ts';
import { kindsThere } from '../kind/kinds-on.ts';
import { type Kind, root } from '../kind/kind.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { projectOf } from '../state/bound.ts';
import { addSecretsOfRow } from '../state/row-secrets.ts';
import type { State } from '../state/state.ts';
import { rowId } from '../observe/checked-answers.ts';
import { type Deployment, deploymentsIn, statusIn } from '../observe/listed-deployments.ts';
import { type ProjectLists, projectLists } from '../observe/ownership.ts';
import { createReader } from '../observe/reader.ts';

/** A service in the state. */
interface Service {
  readonly address: string;
  readonly kind: Kind;
  /** null: the create of it is not confirmed. */
  readonly id: string | null;
}

/** A service with its status at the platform. */
export interface ServiceState extends Service {
  /** Whether the platform has it; false too where it serves no such kind: nothing was read then. */
  readonly found: boolean;
  readonly isServed: boolean;
  readonly status: string | undefined;
  readonly deployment: Deployment | undefined;
}

/** The platform and the state that services are read from. */
interface ServicesInput {
  readonly client: Client;
  readonly kinds: readonly Kind[];
  readonly state: State;
  /** Learns the secrets of each row: the texts of deployments may quote them. */
  readonly addSecret: Redactor['add'];
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
 * row lists them, and the list of the environments for all others and for the proof that each is in the project.
 *
 * @throws {Stop} `refused`, when a service is in another project. @throws {PlatformError} when the platform does not
 *   answer, or refuses.
 */
export async function observeServices(services: readonly Service[], input: ServicesInput): Promise<ServiceState[]> {
  const { client, kinds, state, addSecret } = input;
  const reader = createReader(client, 'in bulk');
  const lists = projectLists({ kinds, reader, projectId: projectOf(state) });
  const there = new Set(kindsThere(kinds, client.contract).map(({ kind }) => kind));
  const states = await Promise.all(
    services.map(async (service) => {
      const { kind, id } = service;
      const isServed = there.has(kind.kind);
      if (id === null || !isServed) return { service, row: undefined, isServed };
      // A service in no list may have been moved: ask for it by its id before calling it missing.
      const row = (await listedRow(kind, id, { kinds, lists })) ?? (await reader.row(kind, id));
      addSecretsOfRow(addSecret, row, { kind, record: state.resources[service.address] });
      return { service, row, isServed };
    }),
  );
  const found = states.flatMap(({ service: { address, kind, id }, row }) =>
    id === null || row === undefined ? [] : [{ address, kind, id, row, foundBy: 'id' as const }],
  );
  const foreign = await lists.foreignAmong(found);
  if (foreign.length > 0) throw new Stop('refused', foreign);
  return states.map(({ service, row, isServed }) => {
    const { kind } = service;
    const shown = { status: row && statusIn(kind, row), deployment: row && deploymentsIn(kind, row)?.at(-1) };
    return redacted({ ...service, found: row !== undefined, isServed, ...shown }, client);
  });
}

/** Texts of deployments are those of commits and builds, which may quote a secret of the row. */
function redacted(service: ServiceState, { redact }: Client): ServiceState {
  const { status, deployment } = service;
  const clean = (text: string | undefined) => (text === undefined ? undefined : redact(text));
  return {
    ...service,
    status: clean(status),
    deployment: deployment && {
      ...deployment,
      status: redact(deployment.status),
      title: clean(deployment.title),
      createdAt: clean(deployment.createdAt),
      finishedAt: clean(deployment.finishedAt),
      errorMessage: clean(deployment.errorMessage),
      description: clean(deployment.description),
      logPath: clean(deployment.logPath),
    },
  };
}

/** The row of a service in a list of its environment; undefined when it is in none, or the list does not say enough. */
async function listedRow(
  kind: Kind,
  id: string,
  { kinds, lists }: { readonly kinds: readonly Kind[]; readonly lists: ProjectLists },
): Promise<Row | undefined> {
  if (kind.service?.deployments !== undefined) return undefined;
  for (const parent of kinds) {
    const listed = kind.parents[parent.kind]?.listed;
    if (parent.parents[root] === undefined || listed === undefined || !('at' in listed)) continue;
    for (const above of (await lists.rows(parent))?.values() ?? []) {
      const row = rowsAt(above, listed.at).find((one) => rowId(kind, one) === id);
      if (row !== undefined) return row;
    }
  }
  return undefined;
}

function rowsAt(above: Row, name: string): Row[] {
  const rows = above[name];
  return Array.isArray(rows) ? rows.filter((row: unknown): row is Row => isRow(row)) : [];
}

/**
 * Chooses the services at and below the addresses; without addresses all. `known` holds every address of the state.
 *
 * @throws {Stop} `usage`, when an address has no service at or below it.
 */
export function chooseServices(
  services: readonly Service[],
  addresses: readonly string[],
  known: readonly string[],
): readonly Service[] {
  if (addresses.length === 0) return services;
  const wanted = addresses.map((word) => normalAddress(word) ?? word);
  for (const address of wanted) {
    if (services.some((service) => isWithin(service.address, address))) continue;
    const above = services.find((service) => isWithin(address, service.address));
    if (known.includes(address))
      throw usage(`${address} is no service and has none below it`, above && `It belongs to ${above.address}.`);
    const { message, remedy } = notInState(address, known);
    throw usage(message, remedy);
  }
  return services.filter((service) => wanted.some((address) => isWithin(service.address, address)));
}
