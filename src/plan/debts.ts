import type { Deployed } from '../state/state.ts';
import type { Plan } from './action.ts';

/** What is known of the deployments of each service when a run begins, with what its plan is about to owe. */
export function deployedBefore(plan: Plan): Map<string, Deployed> {
  return new Map(
    plan.actions.flatMap(({ address, service }) => {
      if (service === undefined) return [];
      const { known, debt } = service;
      if (debt === undefined) return known === undefined ? [] : [[address, known] as const];
      const { through: _, ...owes } = debt;
      // What was saved or sent before says nothing of what is written now.
      return [[address, { ...inputsIn(known), owes: { ...known?.owes, ...owes } }] as const];
    }),
  );
}

function inputsIn(known: Deployed | undefined): Deployed {
  return known?.inputs === undefined ? {} : { inputs: known.inputs };
}

/** The services that owe a deployment as soon as something is sent for an address. */
export function debtorsOf(plan: Plan): Map<string, string[]> {
  const debtors = new Map<string, string[]>();
  for (const { address, service } of plan.actions) {
    for (const through of service?.debt?.through ?? []) {
      const list = debtors.get(through);
      if (list === undefined) debtors.set(through, [address]);
      else list.push(address);
    }
  }
  return debtors;
}
