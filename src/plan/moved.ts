import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { normalAddress, replacedAddress } from '../kind/address.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Settings } from '../manifest/settings.ts';
import { position } from '../manifest/tree.ts';
import { readdress } from '../state/edit.ts';
import type { StateRecord } from '../state/record.ts';
import type { State } from '../state/state.ts';

/**
 * Gives what `moved:` names its new address, with everything below it. An entry whose move was made already is no news,
 * so entries may stay in the file: a chain of them leads to the last address.
 */
export function applyMoves(
  state: State,
  moved: Settings['moved'],
  resources: readonly Resource[],
): { state: State; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  const entries = moved.map((entry) => ({
    ...entry,
    from: normalAddress(entry.from) ?? entry.from,
    to: normalAddress(entry.to) ?? entry.to,
  }));
  const next = new Map(entries.map((entry) => [entry.from, entry.to]));
  let records = withoutUnbegun(state.resources);
  for (const { from, to: first, at } of entries) {
    const to = lastOf(next, first);
    const target = declared.get(to);
    const problem = (message: string, remedy: string, code: 'bad-move' | 'stale-move' = 'bad-move') =>
      diagnostics.push(diagnostic(code, `moved from ${from} to ${to}: ${message}`, { remedy, position: position(at) }));
    if (target === undefined) {
      problem(`nothing is declared at ${to}`, 'Correct to:, or remove the entry.');
    } else if (declared.has(from)) {
      problem(`${from} is still declared`, 'Remove its block: one object cannot have two addresses.');
    } else if (records[from] === undefined) {
      const remedy = 'Correct from:, as `trueup state list` prints it; or remove the entry.';
      if (records[to] === undefined) problem('the state knows neither', remedy, 'stale-move');
    } else if (records[from].kind !== target.kind.kind) {
      problem(`a ${records[from].kind} cannot become a ${target.kind.kind}`, 'Remove the entry.');
    } else {
      const renamed = readdress(records, from, to, target.parent ?? null);
      if (typeof renamed === 'string')
        problem(`there is another object at ${renamed} already`, 'Remove the entry, or the other object.');
      else records = renamed;
    }
  }
  return { state: records === state.resources ? state : { ...state, resources: records }, diagnostics };
}

/** The records without those of replacements that did not come to their create: the old object is still the one. */
function withoutUnbegun(records: State['resources']): State['resources'] {
  const isUnbegun = ([address, { id }]: [string, StateRecord]) =>
    id !== null && records[replacedAddress(address) ?? '']?.id === id;
  const entries = Object.entries(records);
  return entries.some(isUnbegun) ? Object.fromEntries(entries.filter((entry) => !isUnbegun(entry))) : records;
}

function lastOf(next: ReadonlyMap<string, string>, address: string): string {
  const seen = new Set<string>();
  let last = address;
  for (let to = next.get(last); to !== undefined && !seen.has(to); to = next.get(last)) {
    seen.add(to);
    last = to;
  }
  return last;
}
