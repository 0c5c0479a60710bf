import type { State } from '../state/state.ts';
import type { Action } from '../plan/action.ts';
import { noteDebts } from './debts.ts';
import type { Run } from './run.ts';
import { recordNow, recordOf, save } from './run.ts';

/**
 * Writes down, before the first request of an action, that it is about to be sent: what it changes, and which services
 * owe a deployment then. Creates write down more than that, by themselves.
 */
export async function noteIntent(run: Run, action: Action): Promise<void> {
  const { address } = action;
  const noting = [noteDebts(run, address)];
  const id = run.ids.get(address);
  if (id !== undefined) {
    const deployed = run.deployed.get(address);
    const known = recordNow(run, address) ?? recordOf(run, action, id, {});
    const intent = { at: run.clock.wall() };
    noting.push(save(run, address, { ...known, ...(deployed === undefined ? {} : { deployed }), intent }));
  }
  await Promise.all(noting);
}

/** Until when requests of earlier runs may still land, in milliseconds since 1970; undefined: none was left open. */
export function openUntil(state: State | undefined, fenceMs: number): number | undefined {
  const times = Object.values(state?.resources ?? {}).flatMap(({ intent }) => intent?.at ?? []);
  return times.length === 0 ? undefined : Math.max(...times) + fenceMs;
}
