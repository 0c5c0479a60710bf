import type { Client } from '../api/client.ts';
import { PlatformError } from '../api/errors.ts';
import { rightTo } from '../api/rights.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import { valueAt } from '../kind/wire.ts';
import type { Resource } from '../manifest/resource.ts';
import type { StateRecord } from '../state/record.ts';
import type { Observed, ObservedObject } from './observed.ts';
import { fromContext } from './observed.ts';
import { readRow } from './read-row.ts';

/** Who asks, and where. */
export type Caller = Pick<Observed, 'organizationId' | 'projectId' | 'userId' | 'role'>;

/** An address with the id that the state has for it. */
interface Known {
  readonly address: string;
  readonly id: string;
}

/** What the state knows of one kind below one parent. */
interface Group {
  readonly kind: Kind;
  /** The id of the parent; at the top, that of the project or the organization. */
  readonly parentId: string;
  readonly known: readonly Known[];
  /** What no list showed. */
  readonly missing: readonly Known[];
  /** A block whose object is looked for in the list, and made when it is not in it. */
  readonly isRelied: boolean;
}

/** What telling hidden objects from those that are gone needs. */
export interface HiddenInput {
  readonly client: Client;
  readonly caller: Caller;
  /** Of one kind. */
  readonly items: readonly {
    readonly address: string;
    readonly kind: Kind;
    readonly resource: Resource | undefined;
    readonly record: StateRecord | undefined;
  }[];
  readonly isListed: (id: string) => boolean;
  readonly idOf: (address: string) => string | undefined;
  /** What was read by its id already, because no list showed it. */
  readonly found: ReadonlyMap<string, ObservedObject>;
}

/**
 * Stops when a list does not show what is there: what is hidden would be made a second time, or forgotten. It is looked
 * at more closely only when a list lacks everything that the state knows in it, or anything for a member, whom the
 * platform shows a part: by one GET, for a member by one for each. A 404 proves that an object is gone, nothing else does.
 */
export async function refuseHidden(input: HiddenInput): Promise<void> {
  const isMember = input.caller.role === 'member';
  const suspects = groupsOf(input).filter(
    ({ known, missing }) => missing.length > 0 && (isMember || missing.length === known.length),
  );
  const problems = await Promise.all(suspects.map((group) => problemWith(input, group, isMember)));
  const told = problems.flatMap((problem) => problem ?? []);
  if (told.length > 0) throw new Stop('platform', told);
}

/** Whether a request failed because of a right that the key lacks; a key that is not good gets no code. */
export function lacksRight(error: unknown): error is PlatformError {
  return error instanceof PlatformError && [401, 403].includes(error.status ?? 0) && error.code !== undefined;
}

/** Says that objects of the state are hidden from the key, or gone, and that the platform does not tell which. */
export function refused(kind: Kind, addresses: readonly string[], { role }: Caller, because: PlatformError): Stop {
  const said = because.serverMessage === '' ? '' : `: "${because.serverMessage}"`;
  const right = rightTo(because.operation);
  return new Stop('authentication', [
    diagnostic(
      'hidden',
      `no list shows ${someOf(addresses)} (${kind.kind}), and ${because.operation} was answered with ` +
        `${because.status} ${because.code}${said}: hidden from this API key (role ${role}), or gone`,
      {
        remedy:
          'Nothing was planned: what is hidden would be made a second time. Use the key of an owner or admin, which ' +
          `tells what is gone${right === undefined ? '' : `; a member needs ${right}`}.`,
      },
    ),
  ]);
}

function groupsOf({ items, isListed, idOf, caller }: HiddenInput): Group[] {
  const groups = new Map<string, { -readonly [K in keyof Group]: Group[K] } & { known: Known[]; missing: Known[] }>();
  for (const { address, kind, resource, record } of items) {
    // What can neither be made nor deleted is not made twice, and lost to nobody.
    if (kind.operations.create === undefined && kind.operations.delete === undefined) continue;
    const parent = record === undefined ? resource?.parent : (record.parent ?? undefined);
    const parentId = parent === undefined ? idAtTop(kind, caller) : idOf(parent);
    // Below what is not there, there is no list.
    if (parentId === undefined) continue;
    const group = groups.get(parentId) ?? { kind, parentId, known: [], missing: [], isRelied: false };
    groups.set(parentId, group);
    const id = record?.id ?? undefined;
    if (id === undefined) group.isRelied ||= resource !== undefined && resource.pinned === undefined;
    else {
      group.known.push({ address, id });
      if (!isListed(id)) group.missing.push({ address, id });
    }
  }
  return [...groups.values()];
}

function idAtTop(kind: Kind, caller: Caller): string | undefined {
  const link = kind.parents[root];
  return link === undefined ? undefined : (fromContext(link.set[link.idAt], caller) ?? caller.organizationId);
}

/** What is the matter with a list; undefined when what it lacks is gone, or was found without it. */
async function problemWith(input: HiddenInput, group: Group, isMember: boolean): Promise<Diagnostic | undefined> {
  const { found, client, caller } = input;
  const { kind, known, missing, isRelied } = group;
  const present = missing.filter(({ address }) => isIn(group, found.get(address)?.row));
  // What is found by its id needs no list; what has none does. One alone may be one of those that no list shows.
  if (present.length > 0) return isRelied && (isMember || known.length > 1) ? incomplete(kind, present) : undefined;
  if (!Object.values(kind.parents).every(({ rows }) => rows === 'whole')) return undefined;
  const unread = isMember ? missing : missing.slice(0, 1);
  const rows = await Promise.all(
    unread.map(async (item) => {
      try {
        return { item, row: await readRow(client, kind, item.id) };
      } catch (error) {
        throw lacksRight(error) ? refused(kind, addressesOf(missing), caller, error) : error;
      }
    }),
  );
  const shown = rows.flatMap(({ item, row }) => (isIn(group, row) ? [item] : []));
  return shown.length === 0 ? undefined : incomplete(kind, shown);
}

/** Whether a row is that of an object below the parent of a group, as far as it tells. */
function isIn({ kind, parentId }: Group, row: Row | undefined): boolean {
  if (row === undefined) return false;
  const parents = Object.values(kind.parents).flatMap(({ idAt }) => valueAt(row, idAt) ?? []);
  return parents.length === 0 || parents.includes(parentId);
}

function incomplete(kind: Kind, present: readonly Known[]): Diagnostic {
  return diagnostic(
    'hidden',
    `no list shows ${someOf(addressesOf(present))} (${kind.kind}), and ${kind.operations.read} does: the list is not complete`,
    {
      remedy:
        'Nothing was planned: what is hidden would be made a second time. Run it again; if it stays so, look what the ' +
        'API key may see, and use that of an owner or admin.',
    },
  );
}

function addressesOf(items: readonly Known[]): string[] {
  return items.map(({ address }) => address);
}

function someOf(addresses: readonly string[]): string {
  const more = addresses.length - 10;
  return `${addresses.slice(0, 10).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
