import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { unknownServed } from '../manifest/resources-on.ts';
import { groupBy } from '../kind/group.ts';
import type { Kind } from '../kind/kind.ts';
import type { StateRecord } from '../state/record.ts';
import { type Action, goesWithParent, isDeletion } from './action.ts';
import type { PlanInput } from './input.ts';
import { someOf } from '../diagnostics/some-of.ts';

/** The kind of a record that the platform does not serve, when the object went with its parent; then the record goes too. */
export function unservedKind(
  { unserved }: PlanInput,
  record: StateRecord,
  actions: ReadonlyMap<string, Action>,
): Kind | undefined {
  const above = record.parent === null ? undefined : actions.get(record.parent);
  if (above === undefined || !(isDeletion(above) || goesWithParent(above))) return undefined;
  return unserved.find(({ kind }) => kind === record.kind);
}

/** Warnings, one per kind, about the records without an action whose kind the platform does not serve. */
export function unservedRecords(
  { unserved, isServedKnown, state }: PlanInput,
  actions: ReadonlyMap<string, Action>,
): Diagnostic[] {
  const left = Object.entries(state.resources).filter(([address]) => !actions.has(address));
  const byKind = groupBy(left.map(([address, { kind }]) => [kind, address]));
  return unserved.flatMap((kind) => {
    const addresses = byKind.get(kind.kind)?.toSorted() ?? [];
    const [first] = addresses;
    if (first === undefined) return [];
    const there = isServedKnown
      ? `the platform serves no ${kind.section} (${kind.operations.read})`
      : `whether the platform serves ${kind.section} (${kind.operations.read}) is not known`;
    const message = `${there}: Trueup neither reads nor deletes ${someOf(addresses)}; the state keeps ${addresses.length === 1 ? 'it' : 'them'}`;
    // Nobody is to remove a record because a page of a proxy came in the place of the document.
    if (!isServedKnown) return [diagnostic('not-served', message, { remedy: unknownServed })];
    const removal = `If the platform has ${addresses.length === 1 ? 'it' : 'one'} no longer, run trueup state rm '${first}'.`;
    return [diagnostic('not-served', message, { removal })];
  });
}
