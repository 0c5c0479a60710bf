import { closest } from '../diagnostics/closest.ts';
import { withArticle } from '../diagnostics/article.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { normalAddress } from '../kind/address.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Settings } from '../manifest/settings.ts';
import { position } from '../manifest/tree.ts';
import { moveAddress, readdress, withoutUnbegun } from '../state/readdress.ts';
import type { State } from '../state/state.ts';
import { type Action, isKept } from './action.ts';

/** The former address of each record that `moved:` gave a new one, by the new one. */
export type Origins = ReadonlyMap<string, string>;

/**
 * Gives what `moved:` names its new address, with everything below it. An entry whose move was made already is no news,
 * so entries may stay in the file: a chain of them leads to the last address. Without a state, only what they lead to is
 * checked.
 */
export function applyMoves<Known extends Pick<State, 'resources' | 'deployments'> | undefined>(
  state: Known,
  moved: Settings['moved'],
  resources: readonly Resource[],
): { state: Known; origins: Origins; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  const entries = moved.map((entry) => ({
    ...entry,
    from: normalAddress(entry.from) ?? entry.from,
    to: normalAddress(entry.to) ?? entry.to,
  }));
  const next = new Map(entries.map((entry) => [entry.from, entry.to]));
  let records = withoutUnbegun(state?.resources ?? {});
  let deployments = state?.deployments ?? {};
  let origins: Origins = new Map();
  for (const { from, to: first, at } of entries) {
    const to = lastOf(next, first);
    const target = declared.get(to);
    const problem = (message: string, remedy: string, code: 'bad-move' | 'stale-move' = 'bad-move') =>
      diagnostics.push(diagnostic(code, `moved from ${from} to ${to}: ${message}`, { remedy, position: position(at) }));
    if (target === undefined) {
      const guess = closest(to, [...declared.keys()]);
      const meant = guess === undefined ? '' : ` Did you mean ${guess}?`;
      problem(`nothing is declared at ${to}`, `Correct to:, or remove the entry.${meant}`);
    } else if (from === to) {
      problem('both are one address', 'Remove the entry.');
    } else if (declared.has(from)) {
      problem(`${from} is still declared`, 'Remove its block: one object cannot have two addresses.');
    } else if (records[from] === undefined) {
      const remedy = 'Correct from:, as `trueup state list` prints it; or remove the entry.';
      if (records[to] === undefined && state !== undefined) problem('the state knows neither', remedy, 'stale-move');
    } else if (records[from].kind !== target.kind.kind) {
      problem(`${withArticle(records[from].kind)} cannot become ${withArticle(target.kind.kind)}`, 'Remove the entry.');
    } else {
      const renamed = readdress({ resources: records, deployments }, from, to, target.parent ?? null);
      if (typeof renamed === 'string')
        problem(`there is another object at ${renamed} already`, 'Remove the entry, or the other object.');
      else {
        origins = originsAfter(Object.keys(records), origins, from, to);
        ({ resources: records, deployments } = renamed);
      }
    }
  }
  const isSame = state === undefined || records === state.resources;
  return { state: isSame ? state : { ...state, resources: records, deployments }, origins, diagnostics };
}

/** The former addresses after one more move of the records with these addresses. */
function originsAfter(addresses: readonly string[], origins: Origins, from: string, to: string): Origins {
  const entries = addresses.map(
    (address) => [moveAddress(address, from, to), origins.get(address) ?? address] as const,
  );
  return new Map(entries.filter(([address, origin]) => origin !== address));
}

/** The setting that says that an object is under another address. */
export function movedEntry(from: string, to: string): string {
  return `moved: [{ from: ${JSON.stringify(from)}, to: ${JSON.stringify(to)} }]`;
}

/** Gives each action the former address of its record. What only gets another address is a move in the state. */
export function withOrigins(actions: readonly Action[], origins: Origins): readonly Action[] {
  if (origins.size === 0) return actions;
  return actions.map((one) => {
    const movedFrom = origins.get(one.address);
    if (movedFrom === undefined) return one;
    return isKept(one) ? { ...one, movedFrom, action: 'move' } : { ...one, movedFrom };
  });
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
