import type { State } from '../state/state.ts';
import type { StateRecord } from '../state/record.ts';
import type { Digests } from '../secrets/digest.ts';
import { type Action, type Plan, createsObject, isDeployment, outputsOf } from './action.ts';
import { actionsByAddress } from './relations.ts';
import { settle } from './settle.ts';

/**
 * The state in which a plan's objects at some addresses are managed as the platform has them: every declared value is
 * settled, and no service waits for a deployment. Only for actions that send nothing.
 */
export function adoptedState(plan: Plan, addresses: ReadonlySet<string>, digests: Digests): State {
  const { base, observed } = plan;
  const outputs = outputsOf(actionsByAddress(plan.actions), observed.objects);
  const adopted = plan.actions.filter(
    (action) => action.id !== undefined && !isDeployment(action) && addresses.has(action.address),
  );
  const records = adopted.flatMap((action): [string, StateRecord][] => {
    const { address, kind, id, parent, dependsOn, options } = action;
    if (id === undefined) return [];
    const after = observed.objects.get(address)?.row;
    const settled = settle({ action, after, made: undefined, wasSent: false, outputs, digests });
    return [[address, { kind: kind.kind, id, parent: parent ?? null, dependsOn, pairs: settled.pairs(), options }]];
  });
  // A service that was never deployed stays so until a person deploys it or changes it.
  const services = adopted.flatMap(({ address, kind }) =>
    kind.commands?.deploy === undefined ? [] : [[address, {}] as const],
  );
  return {
    ...base,
    serial: base.serial + 1,
    resources: { ...base.resources, ...Object.fromEntries(records) },
    deployments: { ...base.deployments, ...Object.fromEntries(services) },
  };
}

/** The attributes of an action that a plan would write, replace or cannot bring to what is declared. */
export function differing({ attributes }: Action): readonly string[] {
  return attributes
    .filter(({ decision }) => decision.do !== 'nothing' && decision.do !== 'wait')
    .map(({ attribute }) => attribute.field);
}

/** Whether an action changes its object, or cannot be carried out. */
export function changesObject(action: Action): boolean {
  const isRefused = action.notes.some(({ severity }) => severity === 'error');
  const isChanged = action.steps.length > 0 || createsObject(action) || differing(action).length > 0;
  return !isDeployment(action) && (isRefused || isChanged);
}
