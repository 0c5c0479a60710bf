import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { groupBy } from '../kind/group.ts';
import { type Row, same } from '../formats/json.ts';
import { fieldPath } from '../kind/row-values.ts';
import { knownValue, noOutputs } from '../manifest/wanted.ts';
import type { Observed } from '../observe/observed.ts';
import type { State } from '../state/state.ts';
import { type Action, isCreation, isDeletion, isDeposed, leavesState } from './action.ts';
import { immovable } from './decide.ts';
import { movedEntry } from './moved-addresses.ts';
import { compare } from './row-verdict.ts';

/**
 * A plan that deletes and creates one kind may mean a rename without an entry in `moved:`. Of several new objects, the note
 * names the one that declares most of what the old one has: another would overwrite it. Takes time in proportion to the actions.
 */
export function possibleRenames(
  actions: readonly Action[],
  {
    resources,
    objects,
    isExplained = () => false,
  }: {
    readonly resources: State['resources'];
    readonly objects: Observed['objects'];
    /** Whether another note names the reason of a new address. */
    readonly isExplained?: (from: string, to: string) => boolean;
  },
): Diagnostic[] {
  const created = groupBy(
    actions.flatMap((action) => (isCreation(action) ? [[action.kind.kind, action] as const] : [])),
  );
  const seen = new Set<string>();
  const found = actions.flatMap((action): Rename[] => {
    const { address, kind } = action;
    const isGone = isDeletion(action);
    const isReleased =
      leavesState(action) && !isGone && action.id !== undefined && kind.operations.delete === undefined;
    if (!isReleased && (!isGone || isDeposed(action) || action.teardown.length === 0)) return [];
    const others = seen.has(kind.kind) ? [] : (created.get(kind.kind) ?? []);
    // Without an operation that moves it, the remedy would be refused.
    const possible = others.filter(({ parent }) => parent === action.parent || kind.operations.move !== undefined);
    const other = likeliest(possible, action, objects.get(address)?.row);
    if (other === undefined) return [];
    seen.add(kind.kind);
    if (isExplained(address, other.address)) return [];
    return [{ action, other, isReleased }];
  });
  const groups = groupBy(found.map((one) => [placesOf(one.action, one.other), one] as const));
  return [...groups].flatMap(([, all]) => {
    const [first, ...rest] = all;
    if (first === undefined) return [];
    return rest.length > 0 && first.action.parent !== first.other.parent
      ? [renamedTogether(all)]
      : all.map((one) => renamed(one, resources));
  });
}

/** A deletion and the creation that may be its new name. */
interface Rename {
  readonly action: Action;
  readonly other: Action;
  /** The object stays on the platform. */
  readonly isReleased: boolean;
}

/** The parents before and after. */
function placesOf({ parent = '' }: Action, { parent: next = '' }: Action): string {
  return JSON.stringify([parent, next]);
}

function renamed({ action: { address }, other, isReleased }: Rename, resources: State['resources']): Diagnostic {
  const entry = movedEntry(address, other.address);
  return diagnostic(
    'renamed',
    `${address} is ${isReleased ? 'no longer managed' : 'deleted'} and ${other.address} is created`,
    {
      remedy: `If that is one object under a new name, write ${entry}${keepingName(other, resources[address]?.pairs)}.`,
      address,
    },
  );
}

/** One note about what goes in one place and comes in another, such as a renamed environment: an entry of each kind. */
function renamedTogether(all: readonly Rename[]): Diagnostic {
  const [first] = all;
  const { parent: from = 'the organization' } = first?.action ?? {};
  const { parent: to = 'the organization' } = first?.other ?? {};
  const entries = all.map(({ action, other }) =>
    movedEntry(action.address, other.address).slice('moved: ['.length, -1),
  );
  const message = `resources of ${from} are deleted, and resources of the same kinds are created in ${to}`;
  const remedy = `If they are the same objects, write an entry for each: moved: [${entries.join(', ')}].`;
  return diagnostic('renamed', message, { remedy, address: first?.action.address });
}

/** The creation that declares most of what a row has; of several, one below the parent of the deletion. */
function likeliest(creations: readonly Action[], { parent }: Action, row: Row | undefined): Action | undefined {
  const ranked = creations.map((action) => {
    const equal = row === undefined ? [] : compare(action, row, noOutputs);
    const count = equal.filter(({ verdict }) => verdict === 'as wanted').length;
    return { action, rank: 2 * count + (action.parent === parent ? 1 : 0) };
  });
  return ranked.toSorted((a, b) => b.rank - a.rank)[0]?.action;
}

/** The rest of the remedy, where an object of the kind cannot get the name that the new block gives it. */
function keepingName({ kind, address, attributes }: Action, pairs: State['resources'][string]['pairs'] = {}): string {
  const { keyField } = kind.identity;
  const field = keyField === undefined ? undefined : kind.fields[keyField];
  if (keyField === undefined || field === undefined || immovable({ field }) === undefined) return '';
  const stored = pairs[keyField]?.wanted;
  const before = stored !== undefined && 'value' in stored ? stored.value : undefined;
  const wanted = attributes.find(({ attribute }) => attribute.field === keyField)?.wanted;
  const after = knownValue(wanted);
  if (before !== undefined && after !== undefined && same(before, after)) return '';
  const path = fieldPath(kind, keyField);
  const line = before === undefined ? `the ${path}: of before` : `${path}: ${JSON.stringify(before)}`;
  const why = field.onChange === 'replace' ? 'needs a new object' : 'is refused';
  return `, and ${line} in the block ${address}: another ${path} ${why}`;
}
