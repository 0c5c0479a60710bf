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
 * Stops when a list does not show what is there: what is hidden would be created again. What the state knows and no list
 * shows was read by its id before this.
 *
 * @throws {Stop} naming the objects that a list should have shown.
 */
export function refuseHidden(input: HiddenInput): void {
  const isMember = input.caller.role === 'member';
  const problems = groupsOf(input).flatMap((group) => problemWith(input, group, isMember) ?? []);
  if (problems.length > 0) throw new Stop('platform', problems);
}

/** Whether a request failed because of a right that the key lacks; a key that is not accepted says nothing of that. */
export function lacksRight(error: unknown): error is PlatformError {
  if (!(error instanceof PlatformError) || error.code === undefined) return false;
  return error.status === 403 || (error.status === 401 && !error.isKeyRefused);
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

/** The id that objects at the top bear as that of their parent. */
export function idAtTop(kind: Kind, caller: Caller): string | undefined {
  const link = kind.parents[root];
  return link === undefined ? undefined : (fromContext(link.set[link.idAt], caller) ?? caller.organizationId);
}

/** Says that a list is not complete; undefined when what it lacks is gone, or nothing is looked for in it. */
function problemWith({ found }: HiddenInput, group: Group, isMember: boolean): Diagnostic | undefined {
  const { kind, known, missing, isRelied } = group;
  const present = missing.filter(({ address }) => isIn(group, found.get(address)?.row));
  // What is found by its id needs no list; what has none does. One alone may be one of those that no list shows.
  const isIncomplete = present.length > 0 && isRelied && (isMember || known.length > 1);
  return isIncomplete ? incomplete(kind, present) : undefined;
}

/** Whether a row is that of an object below the parent of a group, as far as it tells. */
function isIn({ kind, parentId }: Group, row: Row | undefined): boolean {
  if (row === undefined) return false;
  const parents = Object.values(kind.parents).flatMap(({ idAt }) => valueAt(row, idAt) ?? []);
  return parents.length === 0 || parents.includes(parentId);
}

/** Says that a list lacks objects that are there. */
export function incomplete(kind: Kind, present: readonly Pick<Known, 'address'>[]): Diagnostic {
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

function addressesOf(items: readonly Pick<Known, 'address'>[]): string[] {
  return items.map(({ address }) => address);
}

/** Names the first ten addresses, and counts the others. */
export function someOf(addresses: readonly string[]): string {
  const more = addresses.length - 10;
  return `${addresses.slice(0, 10).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
