import type { State } from '../state/state.ts';
import type { StateRecord } from '../state/record.ts';
import type { Digests } from '../secrets/digest.ts';
import type { Action, Plan } from './action.ts';
import { outputsOf } from './action.ts';
import { settle } from './settle.ts';

/**
 * The state in which a plan's objects at some addresses are managed as the platform has them: every declared value is
 * settled, and no service waits for a deployment. Only for actions that send nothing.
 */
export function adoptedState(plan: Plan, addresses: ReadonlySet<string>, digests: Digests): State {
  const { base, observed } = plan;
  const actions = new Map(plan.actions.map((action) => [action.address, action]));
  const outputs = outputsOf(actions, observed.objects);
  const records = plan.actions.flatMap((action): [string, StateRecord][] => {
    const { address, kind, id, parent, dependsOn, options } = action;
    if (id === undefined || action.action === 'deploy' || !addresses.has(address)) return [];
    const after = observed.objects.get(address)?.row;
    const settled = settle({ action, after, made: undefined, wasSent: false, outputs, digests });
    // A service that was never deployed stays so until a person deploys it or changes it.
    const deployed = kind.commands?.deploy === undefined ? {} : { deployed: {} };
    return [
      [
        address,
        { kind: kind.kind, id, parent: parent ?? null, dependsOn, pairs: settled.pairs(), options, ...deployed },
      ],
    ];
  });
  return { ...base, serial: base.serial + 1, resources: { ...base.resources, ...Object.fromEntries(records) } };
}

/** The attributes of an action that a plan would write, replace or cannot bring to what is declared. */
export function differing({ attributes }: Action): readonly string[] {
  return attributes
    .filter(({ decision }) => decision.do !== 'nothing' && decision.do !== 'wait')
    .map(({ attribute }) => attribute.field);
}
