import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { flags, safeguards } from '../diagnostics/safeguards.ts';
import type { ObservedObject } from '../observe/observed.ts';
import type { StateRecord } from '../state/record.ts';
import type { State } from '../state/state.ts';
import { type Action, isCreation, isBeside, isDeferred, isLeftOut, leavesState } from './action.ts';
import { wasThere } from '../state/pending-operation.ts';
import { inProject, manyOfOneKind } from './mass-deletion.ts';
import { someOf } from '../diagnostics/some-of.ts';

/**
 * The warning that much of what the state knows is gone from the platform at once, and would be created again: all of it,
 * or all in the project, unless that is a single object with what is below it, or as much of one kind as needs a permission to be deleted. What
 * each project has, such as its default environment, counts for nothing, and neither does what is gone and stays so. A note
 * names each other object that is gone.
 */
export function vanished(
  actions: readonly Action[],
  { resources }: State,
  objects: ReadonlyMap<string, ObservedObject>,
): Diagnostic[] {
  const known = actions.filter((action) => {
    const { address } = action;
    const isKept = !leavesState(action) && !isBeside(action);
    const record = resources[address];
    const staysGone = isDeferred(action) && !isLeftOut(action) && !objects.has(address);
    if (!isKept || staysGone || !wasThere(record)) return false;
    return !wentAlong(record, resources) && objects.get(address)?.isProvided !== true;
  });
  const gone = known.filter(
    (action) => !isLeftOut(action) && objects.get(action.address)?.id !== resources[action.address]?.id,
  );
  const addresses = new Set(gone.map(({ address }) => address));
  const alone = gone.filter(({ parent = '' }) => !addresses.has(parent));
  const remedy =
    'Check the address of the platform: another server may answer there, or one that was restored from an older backup. ' +
    `If the objects are really gone, apply needs ${flags.massRecreation}.`;
  const judged = inProject(known, ({ kind }) => kind);
  if (judged.every(({ address }) => addresses.has(address)) && alone.length > 1) {
    const those =
      gone.length === known.length
        ? `the ${gone.length} objects of the state`
        : `the ${judged.length} objects that the state has in the project`;
    const message =
      `the platform has none of ${those} any more, and this plan creates them again: ` +
      someOf([...addresses].toSorted());
    return [diagnostic(safeguards.vanished.code, message, { remedy })];
  }
  const byKind = (all: readonly Action[]) => all.map(({ kind, address }) => [kind.kind, address] as const);
  const many = manyOfOneKind(byKind(gone), byKind(known));
  const warnings = many.map(({ those, addresses: some }) => {
    const message = `the platform lacks ${those} that the state knows, and this plan creates them again: ${someOf(some)}`;
    return diagnostic(safeguards.vanished.code, message, { remedy });
  });
  const reported = new Set(many.flatMap((one) => one.addresses));
  const others = alone.filter((one) => isCreation(one) && !reported.has(one.address));
  return [...warnings, ...others.flatMap((action) => createdAgain(action, resources[action.address]))];
}

/** The note that an object is gone which no warning names: its new block and one that was deleted look the same. */
function createdAgain({ address, position }: Action, record: StateRecord | undefined): Diagnostic[] {
  // A deletion that Trueup itself sent is no news.
  if (typeof record?.id !== 'string' || record.pending !== undefined) return [];
  const message = `${address} (${record.id}) is gone from the platform, and this plan creates a new one`;
  return [diagnostic('gone', message, { removal: 'If it is gone on purpose, remove its block.', address, position })];
}

/** Whether an object went with the one above it: a run deleted that to replace it, and ended before it created the new one. */
function wentAlong({ parent }: StateRecord, resources: State['resources']): boolean {
  return parent !== null && typeof resources[parent]?.id !== 'string';
}
