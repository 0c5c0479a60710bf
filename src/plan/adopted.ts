import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { State } from '../state/state.ts';
import type { Deploys, StateRecord } from '../state/record.ts';
import type { Digests } from '../secrets/digest.ts';
import { type Action, type Plan, createsObject, isBeside, outputsOf, isAdoption } from './action.ts';
import { actionsByAddress } from './relations.ts';
import { settle } from './settle.ts';

/**
 * The state in which a plan's objects at some addresses are managed as the platform has them: every declared value is
 * settled, and no service waits for a deployment. Only for actions that send nothing.
 */
export function adoptedState(plan: Plan, addresses: ReadonlySet<string>, digests: Digests): State {
  const { base, observed } = plan;
  const outputs = outputsOf(actionsByAddress(plan.actions), observed.objects);
  const resources: [string, StateRecord][] = [];
  const deployments: [string, Deploys][] = [];
  for (const action of plan.actions) {
    const { address, kind, id, parent = null, dependsOn, options } = action;
    if (id === undefined || isBeside(action) || !addresses.has(address)) continue;
    const after = observed.objects.get(address)?.row;
    const settled = settle({ action, after, made: undefined, wasSent: false, outputs, digests });
    resources.push([address, { kind: kind.kind, id, parent, dependsOn, pairs: settled.pairs(), options }]);
    // A service that was never deployed stays so until a person deploys it or changes it.
    if (kind.commands?.deploy !== undefined) deployments.push([address, {}]);
  }
  return {
    ...base,
    serial: base.serial + 1,
    resources: { ...base.resources, ...Object.fromEntries(resources) },
    deployments: { ...base.deployments, ...Object.fromEntries(deployments) },
  };
}

/** The objects that a plan would adopt, as errors: a preview creates everything that it has. */
export function refuseAdoption(actions: readonly Action[]): readonly Diagnostic[] {
  return actions.flatMap((one) => {
    if (!isAdoption(one)) return [];
    const { address, id = '', position } = one;
    const message = `${address} exists on the platform (${id}), and the state of this preview does not have it`;
    const remedy =
      'If it is left from a lost state, delete it on the platform. In pipelines, keep the state in PostgreSQL or S3.';
    return [diagnostic('not-in-previews', message, { address, position, remedy })];
  });
}

/** The attributes of an action that a plan would write, replace or cannot bring to what is declared. */
export function differing({ attributes }: Action): readonly string[] {
  return attributes
    .filter(({ decision }) => !['nothing', 'keep', 'wait'].includes(decision.do))
    .map(({ attribute }) => attribute.field);
}

/** Whether an action changes its object, or cannot be carried out. */
export function changesObject(action: Action): boolean {
  const isRefused = action.notes.some(({ severity }) => severity === 'error');
  const isChanged = action.steps.length > 0 || createsObject(action) || differing(action).length > 0;
  return !isBeside(action) && (isRefused || isChanged);
}
