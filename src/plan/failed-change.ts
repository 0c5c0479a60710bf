import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { defined } from '../formats/json.ts';
import { restoresOnFailure } from '../kind/written-keys.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Deploys, FailedDeploy } from '../state/record.ts';
import { isoTime } from '../state/clock.ts';
import { type Action, type AttributeChange, createsObject, isUpdate } from './action.ts';
import { writesOrRemoves } from './decide.ts';
import { type ServiceActions, deployedAttributes, inputsDigest, servicesIn } from './deploy-inputs.ts';
import { afterwards } from './deployment-record.ts';
import type { Planning } from './input.ts';
import { actionsByAddress } from './relations.ts';
import { updateSteps } from './steps.ts';

/** The deployment that failed before and that a service would repeat; undefined where a plan may deploy the service. */
export function failedBefore(input: Planning, service: ServiceActions): FailedDeploy | undefined {
  const { root } = service;
  const { failed, pending } = input.state.deployments[root.address] ?? {};
  const isAsked = input.narrowing.retriesFailed === true || input.destroys;
  if (failed === undefined || isAsked || createsObject(root) || !restoresOnFailure(root.options)) return undefined;
  // An apply that was asked to repeat it started it, and ended first: the next one follows that.
  if (pending !== undefined && isWanted(input, service, pending) && failed.isRestoring !== true) return undefined;
  return isWanted(input, service, failed) ? failed : undefined;
}

/** Deployments with digests of the key of today, where they are of what is wanted: the state may have got another key since. */
export function withKeyOfToday(
  input: Planning,
  service: ServiceActions,
  known: Deploys | undefined,
): Deploys | undefined {
  const { pending, failed, stale } = known ?? {};
  // Apply compares these with digests that it makes, and each other.
  if (pending === undefined && failed === undefined) return known;
  const inputs = inputsDigest(service, input);
  const today = <T extends Digested>(one: T | undefined): T | undefined =>
    one !== undefined && inputs !== undefined && isWanted(input, service, one) ? { ...one, inputs } : one;
  const saved = today(stale?.saved);
  return {
    ...known,
    ...defined({ pending: today(pending), failed: today(failed), stale: stale && { ...stale, ...defined({ saved }) } }),
  };
}

/** A change with the digest of everything that it is made from. */
type Digested = Pick<FailedDeploy, 'inputs'>;

/** Whether a change is the one that the manifest says. */
function isWanted({ outputs, digests }: Planning, service: ServiceActions, { inputs }: Digested): boolean {
  return inputsDigest(service, { outputs, digests, like: inputs }) === inputs;
}

/** Leaves the changes that failed before as the platform has them: the plan shows them and sends nothing of them. */
export function withoutFailedChanges(input: Planning, actions: readonly Action[]): readonly Action[] {
  if (Object.values(input.state.deployments).every(({ failed }) => failed === undefined)) return actions;
  const left = new Map<string, Action>();
  const resources = new Map(input.resources.map((resource) => [resource.address, resource]));
  for (const service of servicesIn(actions, actionsByAddress(actions))) {
    const failed = failedBefore(input, service);
    if (failed === undefined) continue;
    const { root, leafs } = service;
    for (const one of [root, ...leafs]) left.set(one.address, withoutRequests(one, resources.get(one.address), input));
    const differing = [root, ...leafs].flatMap((one) => pathsWritten(root, one));
    const row = input.observed.objects.get(root.address)?.row;
    const now = afterwards(root.kind, input.state.deployments[root.address], row)?.failed ?? failed;
    const held = left.get(root.address) ?? root;
    left.set(root.address, { ...held, notes: [...held.notes, failedNote(root, now, differing)] });
  }
  return actions.map((one) => left.get(one.address) ?? one);
}

/** Whether an action is of a service whose change failed before: apply reports that as a failure. */
export function failedNoteOf({ notes }: Pick<Action, 'notes'>): Diagnostic | undefined {
  return notes.find(({ code }) => code === 'failed-before');
}

/** Whether a deployment would put a change of an attribute into effect. */
export function isWrittenForDeployment({ field, decision }: AttributeChange): boolean {
  return field.appliesAt === 'deploy' && writesOrRemoves(decision);
}

/** The paths of what an action writes for the deployment of its service, as paths below that. */
export function pathsWritten(root: Action, one: Action): string[] {
  return deployedAttributes(one, root, ({ decision }) => writesOrRemoves(decision)).map(({ path }) => path);
}

function withoutRequests(one: Action, resource: Resource | undefined, { observed }: Planning): Action {
  const row = observed.objects.get(one.address)?.row;
  if (!isUpdate(one) || !one.attributes.some(isWrittenForDeployment)) return one;
  if (resource === undefined || row === undefined) return one;
  const attributes = one.attributes.map((item): AttributeChange =>
    isWrittenForDeployment(item)
      ? { ...item, decision: { do: 'leave', sentence: 'its deployment failed before' } }
      : item,
  );
  const { steps } = updateSteps({ resource, attributes }, row, undefined);
  return { ...one, attributes, steps, dataAtRisk: undefined };
}

function failedNote({ address, position }: Action, failed: FailedDeploy, differing: readonly string[]): Diagnostic {
  const change = `${address}: this change failed when it was deployed on ${isoTime(failed.at)}`;
  const retry = 'trueup apply --retry-failed repeats it.';
  const about = { address, position };
  if (failed.isRestoring !== true) {
    const message = `${change}, and the former version was deployed again; apply does not repeat it`;
    return diagnostic('failed-before', message, { ...about, remedy: `Fix the change in the manifest. ${retry}` });
  }
  const has =
    differing.length === 0
      ? 'the platform has the values of the manifest'
      : `the platform has other values than the manifest in ${someOf(differing)}`;
  const message = `${change}, and the restore of the former version did not finish: ${has}; which version runs is not known`;
  const remedy = `See what runs with trueup status ${address}. Undo the change, or fix it, and apply. ${retry}`;
  return diagnostic('failed-before', message, { ...about, remedy });
}
