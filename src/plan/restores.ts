import { diagnostic } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { isCipher } from '../kind/cipher.ts';
import { mayHoldSecrets } from '../kind/field.ts';
import type { CheckedResource } from '../kind/checks.ts';
import type { Json, Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { showing } from '../secrets/looks-secret.ts';
import { redacted } from '../secrets/secret.ts';
import { fieldPath, observedValue, takesNull, valueAt } from '../kind/row-values.ts';
import { restoresOnFailure } from '../kind/written-keys.ts';
import { type Action, type Member, type Restoring, type Step, isDeployment, isUpdate } from './action.ts';
import { isWrittenForDeployment } from './failed-change.ts';
import type { Planning } from './input.ts';
import { actionsByAddress } from './relations.ts';
import { literal } from './steps.ts';

/**
 * Adds to the deployments of services with `deploy: { onFailure: restore }` what writes the former values back. A note says
 * why a deployment has none.
 */
export function withRestores(input: Planning, actions: readonly Action[]): readonly Action[] {
  const all = actionsByAddress(actions);
  return actions.map((action) => {
    const root = isDeployment(action) ? all.get(action.block) : undefined;
    if (root === undefined || !isDeployment(action) || !restoresOnFailure(root.options)) return action;
    const writing = (root.service?.staleness?.through ?? []).flatMap((address) => all.get(address) ?? []);
    const found = restoresFor(input, { root, deployment: action, writing });
    if (typeof found !== 'string') return { ...action, restores: found };
    const { address, position } = root;
    const message = `${address}: if this deployment fails, apply does not restore the former version: ${found}`;
    return { ...action, notes: [...action.notes, diagnostic('no-restore', message, { address, position })] };
  });
}

/** A service that is deployed, with the actions that make it stale. */
interface Deploying {
  readonly root: Action;
  readonly deployment: Action;
  readonly writing: readonly Action[];
}

/** What writes the former values of a service back; a text says why nothing can. */
function restoresFor(input: Planning, { root, deployment, writing }: Deploying): readonly Restoring[] | string {
  const { known } = root.service ?? {};
  if (isDeployment(deployment) && deployment.start === 'first') return 'nothing ran before';
  // What runs is what Trueup deployed last, and the row says how that was made.
  if (known?.inputs === undefined || known.stale !== undefined || known.pending !== undefined)
    return 'no former version is known that was deployed with success';
  const beyond = writing.filter((one) => !isUpdate(one) || one.scope !== root.scope);
  if (beyond.length > 0) return `the plan also changes ${someOf(beyond.map(({ address }) => address))}`;
  if ([root, deployment, ...writing].some(({ dataAtRisk }) => dataAtRisk !== undefined)) return 'data is at risk';
  const drifted = writing.find(({ attributes }) => attributes.some(isDrifted));
  if (drifted !== undefined) return `${drifted.address} was changed on the platform since the last deployment`;
  const row = input.observed.objects.get(root.address)?.row ?? {};
  const other = differingFormer(root, row);
  if (other !== undefined) return `of the former version, ${other}`;
  const restores: Restoring[] = [];
  for (const one of writing) {
    const steps = formerSteps(one, input.observed.objects.get(one.address)?.row ?? {});
    if (typeof steps === 'string') return `${one.address}: ${steps}`;
    restores.push({ address: one.address, steps });
  }
  return restores.length === 0 ? 'the plan changes nothing of it' : restores;
}

/** Whether the platform has another value than the one that was deployed last. */
function isDrifted(one: Action['attributes'][number]): boolean {
  const { pair, standing, decision } = one;
  const isOld = pair === undefined ? decision.do !== 'remove' : standing.there === 'as settled';
  return isWrittenForDeployment(one) && !isOld;
}

/** Why a second deployment of what the platform has may run something else; undefined: it does not. */
function differingFormer(root: Action, row: Row): string | undefined {
  const { checks, fields } = root.kind;
  // The platform has the values of secrets in a field that may hold some.
  const found = checks?.repeats?.(formerOf(root, row, () => redacted));
  if (found === undefined) return undefined;
  const field = fields[found.field ?? ''];
  const isOpen = field !== undefined && !mayHoldSecrets(field);
  return (isOpen ? checks?.repeats?.(formerOf(root, row, showing())) : undefined)?.message ?? found.message;
}

/** A service as the platform has it, for the checks of its kind. */
function formerOf({ address, kind, parent }: Action, row: Row, shown: CheckedResource['shown']): CheckedResource {
  const values: Record<string, Json> = {};
  for (const name of Object.keys(kind.fields)) {
    const value = observedValue(kind, name, row);
    if (value !== undefined && value !== null) values[name] = value;
  }
  const written = (name: string) => values[name];
  return { address, kind: kind.kind, key: address, parent, values, written, maps: {}, shown };
}

/** The updates of an action with the former values of what a deployment takes in; or why there are none. */
function formerSteps({ kind, steps, attributes }: Action, row: Row): readonly Step[] | string {
  const deployed = new Set(attributes.filter(isWrittenForDeployment).map(({ attribute }) => attribute.field));
  const former: Step[] = [];
  for (const step of steps) {
    const unnamed = step.changed.find((name) => kind.fields[name] === undefined || step.members[name] === undefined);
    if (unnamed !== undefined) return `${step.operation} changes more than Trueup can write back`;
    const changed = step.changed.filter((name) => deployed.has(name));
    if (changed.length === 0) continue;
    const members: Record<string, Member> = { ...step.members };
    for (const name of changed) {
      const member = formerMember(kind, name, step, row);
      if (member === undefined) return `the platform does not return ${fieldPath(kind, name)}`;
      if (member.is === 'value' && kind.fields[name]?.needsNewObject?.(member.value.reveal()) === true)
        return `only a new object can have the former value of ${fieldPath(kind, name)}`;
      members[name] = member;
    }
    former.push({ ...step, members, changed });
  }
  return former;
}

/** The value that a field had, as its operation takes it; undefined where the platform does not return it. */
function formerMember(kind: Kind, name: string, { operation }: Step, row: Row): Member | undefined {
  const field = kind.fields[name];
  const value = valueAt(row, field?.readAt ?? name);
  if (value === undefined || isCipher(value)) return undefined;
  if (value !== null || takesNull(operation, name)) return literal(value);
  const { onNull, map } = field ?? {};
  if (map !== undefined) return literal('');
  return onNull !== undefined && 'value' in onNull ? literal(onNull.value) : undefined;
}
