import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import type { State, StateStore } from './state.ts';
import { unusable } from './unusable.ts';

/** A state in its new place. `wasThere`: the old place has none: it was carried before, if at all. */
export interface Carried {
  readonly state: State;
  readonly wasThere: boolean;
}

/**
 * Carries a state with its documents from one place to another; the root file `file` has it then. Both places are locked.
 * The new place is complete before the old one loses anything, so a run that is killed leaves one of the two whole, and the
 * next one goes on. `undefined`: both places have none. `choose`: the remedy where both have a state.
 *
 * @throws {Stop} `state`, when the new place has another state, or its key is not that of the state.
 */
export async function carryState(
  from: StateStore,
  to: StateStore,
  { file, choose }: { readonly file: string; readonly choose: string },
): Promise<Carried | undefined> {
  const here = await from.read({ acceptsNone: true });
  const there = await to.read({ acceptsNone: true });
  // The old one may be gone only where it was carried already.
  if (here === undefined && there === undefined) {
    await from.read();
    return undefined;
  }
  if (here === undefined && there?.rootFile !== file)
    throw taken(to, `The former name has no state. trueup state list -f ${shellWord(file)} shows what is there.`);
  if (here !== undefined && there !== undefined && (here.lineage !== there.lineage || there.serial <= here.serial))
    throw taken(to, choose);
  const state = there ?? (here && (await copyState(here, { from, to, file })));
  // Also what a run that was killed left of it.
  await from.remove();
  for (const name of await from.documents.list()) await from.documents.remove(name);
  return state && { state, wasThere: here === undefined };
}

async function copyState(
  state: State,
  { from, to, file }: { readonly from: StateStore; readonly to: StateStore; readonly file: string },
): Promise<State> {
  if ((await from.key()).text() !== (await to.key()).text()) {
    const remedy = `Put the key of ${from.keyName} there: a state keeps its key. Nothing was changed.`;
    throw unusable(to.location, `has another key than the state ${from.location}: ${to.keyName}`, { remedy });
  }
  for (const name of await from.documents.list()) {
    const text = await from.documents.get(name);
    if (text !== undefined) await to.documents.put(name, text);
  }
  const carried = { ...state, rootFile: file, serial: state.serial + 1 };
  await to.write(carried);
  return carried;
}

function taken({ location }: StateStore, remedy: string): Stop {
  return stop('state', 'state-unusable', `there is another state in ${location}; nothing was moved`, { remedy });
}
