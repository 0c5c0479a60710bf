import { someOf } from '../diagnostics/some-of.ts';
import type { PlatformError } from '../api/errors.ts';
import { rightTo } from '../api/rights.ts';
import { type Diagnostic, diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { groupBy } from '../kind/group.ts';
import type { Kind } from '../kind/kind.ts';
import { type Expected, type IdentifyInput, canBeLost, parentIdOf } from './expected.ts';
import type { ObservedObject } from './observed.ts';
import { parentIn } from './read-object.ts';

/**
 * Stops when a list lacks objects that are there, and a block is searched in it: a hidden object would be created again.
 * Objects of the state that no list shows were read by their ids before this.
 *
 * @throws {Stop} naming the objects that a list should have shown.
 */
export function refuseHidden(input: IdentifyInput, found: ReadonlyMap<string, ObservedObject>): void {
  const { kind, items, rows, caller } = input;
  if (!canBeLost(kind)) return;
  const groups = groupBy(items.map((item) => [parentIdOf(input, item), item]));
  const problems = [...groups].flatMap(([parentId, siblings]) => {
    // Below an object that does not exist there is no list.
    if (parentId === undefined) return [];
    const known = siblings.filter(({ record }) => typeof record?.id === 'string');
    const isSearched = siblings.some(
      ({ record, resource }) =>
        typeof record?.id !== 'string' && resource !== undefined && resource.pinned === undefined,
    );
    const present = known.filter(({ address, record }) => {
      const row = rows.has(record?.id ?? '') ? undefined : found.get(address)?.row;
      return row !== undefined && (parentIn(kind, row)?.id ?? parentId) === parentId;
    });
    // To an owner, an object that is missing alone may be one that no list shows, such as an emptied git provider.
    const isIncomplete = present.length > 0 && isSearched && (caller.role === 'member' || known.length > 1);
    return isIncomplete ? [incomplete(kind, present)] : [];
  });
  if (problems.length > 0) throw new Stop('platform', problems);
}

/** Says that objects of the state are hidden from the key, or gone, and that the platform does not tell which. */
export function refused({ kind, caller }: IdentifyInput, items: readonly Expected[], because: PlatformError): Stop {
  const { operation, status, code, serverMessage } = because;
  const said = serverMessage === '' ? '' : `: "${serverMessage}"`;
  const right = rightTo(operation);
  const message =
    `no list shows ${someOf(items.map(addressOf))} (${kind.kind}), and ${operation} was answered with ` +
    `${status} ${code}${said}: hidden from this API key (role ${caller.role}), or gone`;
  const remedy =
    'Nothing was planned: what is hidden would be created twice. Use the key of an owner or admin, which ' +
    `tells what is gone${right === undefined ? '' : `; a member needs ${right}`}.`;
  return new Stop('authentication', [diagnostic('hidden', message, { remedy })]);
}

/** Says that a list lacks objects that are there. */
export function incomplete(kind: Kind, present: readonly Expected[]): Diagnostic {
  const read = kind.operations.read;
  const message = `no list shows ${someOf(present.map(addressOf))} (${kind.kind}), and ${read} does: the list is not complete`;
  const remedy =
    'Nothing was planned: what is hidden would be created twice. Run it again; if it stays so, look what the ' +
    'API key may see, and use that of an owner or admin.';
  return diagnostic('hidden', message, { remedy });
}

function addressOf({ address }: Expected): string {
  return address;
}
