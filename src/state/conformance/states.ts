import { AssertionError } from 'node:assert';
import { Stop } from '../../diagnostics/diagnostic.ts';
import { newState } from '../new-state.ts';
import type { StateRecord } from '../record.ts';
import type { State, StateStore } from '../state.ts';

/** A record of a resource. */
export function recordOf(id: string | null, more: object = {}): StateRecord {
  return {
    kind: 'redis',
    id,
    parent: 'production',
    dependsOn: ['production'],
    pairs: {
      name: { wanted: { value: 'a\n"é\u0000' }, answered: { value: 'A' } },
      env: { wanted: { digest: 'x' }, answered: { digest: 'y' }, ignored: 1 },
    },
    options: { protect: true },
    ...more,
  };
}

/** A state with some resources. */
export function stateWith(resources: State['resources'], serial = 1): State {
  return { ...newState('org_1', 'prj_1'), lineage: 'line', serial, resources };
}

/** The state of a store that has one. */
export async function readOf(store: StateStore): Promise<State> {
  const state = await store.read();
  if (state === undefined) throw new Error('nothing was read');
  return state;
}

/** The Stop that something is refused with. */
export async function stopOf(refused: Promise<unknown> | (() => unknown)): Promise<Stop> {
  const outcome = typeof refused === 'function' ? Promise.resolve().then(refused) : refused;
  const error = await outcome.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Stop) return error;
  throw Object.assign(new AssertionError({ message: 'it was not stopped' }), { cause: error });
}
