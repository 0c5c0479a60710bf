import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { deployAddress } from '../kind/address.ts';
import type { Row } from '../kind/json.ts';
import type { KindCommand, PossibleCommand } from '../kind/command.ts';
import { commandFor } from '../kind/command-call.ts';
import { takes } from '../kind/wire.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { resolve } from '../manifest/wanted.ts';
import { deploymentsIn, statusIn } from '../observe/deployments.ts';
import { deploysOf } from '../state/pending.ts';
import type { Action, Member, Step } from './action.ts';
import { isEffective } from './action.ts';
import { actionFor } from './action-for.ts';
import type { Staleness } from './stale.ts';
import { stalenessOf } from './stale.ts';
import type { ServiceActions } from './deploy-inputs.ts';
import { reachesContainers } from './deploy-inputs.ts';
import { afterwards } from './deployed.ts';
import { ignoredInputs } from './ignored.ts';
import type { PlanInput } from './input.ts';
import { someOf } from './mass-deletion.ts';
import { literal, stepOf } from './steps.ts';

/**
 * Adds the deployment of each service that needs one: a single one, after everything below the service, and after
 * those of the services that it refers to. Services whose deployment is left to somebody else are told.
 */
export function withDeployments(input: PlanInput, planned: readonly Action[], outputs: Outputs): Action[] {
  const actions = new Map(planned.map((action) => [action.address, action]));
  const services = servicesIn(planned, actions);
  const rowOf = (root: Action) => input.observed.objects.get(root.address)?.row;
  const stalenessFor = stalenessOf(input, outputs, (root) => hasCode(root, rowOf(root)));
  const deployments: Action[] = [];
  for (const service of services) {
    const { root } = service;
    const row = rowOf(root);
    const known = afterwards(root.kind, deploysOf(input.state.resources[root.address]), row);
    const staleness = stalenessFor(service);
    const isFirst = root.createsObject || (known === undefined && wasNeverDeployed(root, row));
    const isNeeded = isFirst || staleness !== undefined || known?.stale !== undefined;
    const command = isNeeded
      ? deployCommand(root, { row, isCode: (known?.stale?.code ?? staleness?.code) === true })
      : undefined;
    const isLeft = isNeeded && (!input.deploys || root.options.deploy === 'never');
    const notes = isLeft || command === undefined ? [] : withheld(service, command, outputs);
    actions.set(root.address, {
      ...root,
      notes: [...root.notes, ...notes],
      service: {
        known: isFirst && known === undefined ? { stale: hasCode(root, row) ? { code: true } : {} } : known,
        ...(staleness === undefined ? {} : { staleness }),
        ...(isNeeded && (isLeft || notes.length > 0) ? { isLeft: true } : {}),
      },
    });
    if (!isNeeded || isLeft || notes.length > 0 || command === undefined || 'cannot' in command) continue;
    const made = deployment(service, command, staleness);
    const isOrdered = known?.pending !== undefined && staleness === undefined;
    deployments.push({ ...made, ...(isFirst ? { because: undefined } : {}), ...(isOrdered ? { isOrdered } : {}) });
  }
  const ordered = inTheirOrder(deployments, services, actions);
  return [...planned.map((action) => actions.get(action.address) ?? action), ...ordered];
}

/** The services that stay or come, with what stands below each. */
function servicesIn(planned: readonly Action[], actions: ReadonlyMap<string, Action>): ServiceActions[] {
  const leafs = new Map<string, Action[]>();
  for (const action of planned) {
    if (action.scope === action.address) continue;
    const list = leafs.get(action.scope);
    if (list === undefined) leafs.set(action.scope, [action]);
    else list.push(action);
  }
  return planned.flatMap((root) => {
    const isThere = root.action !== 'delete' && root.action !== 'forget' && root.isHeld !== true;
    if (!isThere || root.kind.commands?.deploy === undefined) return [];
    const parent = root.parent === undefined ? undefined : actions.get(root.parent);
    return [{ root, leafs: leafs.get(root.address) ?? [], parent }];
  });
}

/** Whether the platform proves that a service was never deployed by anybody. */
function wasNeverDeployed({ kind }: Action, row: Row | undefined): boolean {
  if (row === undefined) return false;
  const listed = deploymentsIn(kind, row);
  return listed === undefined ? statusIn(kind, row) === 'idle' : listed.length === 0;
}

/** Whether a service, as it will be, is made from code that has to be fetched. */
function hasCode(root: Action, row: Row | undefined): boolean {
  const future = futureRow(root, row);
  return (root.kind.unions ?? []).some(({ tag, local }) => local !== undefined && future[tag] !== local);
}

/** The command that deploys a service as it will be. `redeploy` serves where `deploy` cannot and no new code is needed. */
function deployCommand(
  root: Action,
  { row, isCode }: { row: Row | undefined; isCode: boolean },
): KindCommand | undefined {
  const future = futureRow(root, row);
  const command = commandFor(root.kind, 'deploy', future);
  if (command === undefined || !('cannot' in command) || isCode) return command;
  const rebuild = commandFor(root.kind, 'redeploy', future);
  return rebuild !== undefined && !('cannot' in rebuild) ? rebuild : command;
}

/** The row as it will be after the writes, as far as the choice of a command needs it. */
function futureRow(root: Action, row: Row | undefined): Row {
  const declared = root.attributes.flatMap(({ attribute, wanted }) => {
    const resolved = wanted === undefined || attribute.key !== undefined ? undefined : resolve(wanted, () => undefined);
    return resolved?.is === 'known' ? [[attribute.field, resolved.value] as const] : [];
  });
  const none = root.kind.service?.deployments;
  const before = root.createsObject || row === undefined ? (none === undefined ? {} : { [none]: [] }) : row;
  return { ...before, ...Object.fromEntries(declared) };
}

/** Why a service that needs a deployment gets none; empty when it gets one. */
function withheld(service: ServiceActions, command: KindCommand, outputs: Outputs): Diagnostic[] {
  const { address, position } = service.root;
  const ignored = ignoredInputs(service, outputs);
  if (ignored.length > 0) {
    const message = `${address} is not deployed, because the platform ignored ${someOf(ignored)}`;
    const remedy = 'Change the value, or leave the line out.';
    return [diagnostic('not-deployed', message, { address, position, remedy })];
  }
  if (!('cannot' in command)) return [];
  const message = `${address} is saved and cannot be deployed from here: ${command.cannot}`;
  return [diagnostic('not-deployed', message, { address, position, remedy: command.remedy })];
}

function deployment(
  { root, leafs }: ServiceActions,
  command: PossibleCommand,
  staleness: Staleness | undefined,
): Action {
  const { address, kind } = root;
  const members: Record<string, Member> = {};
  if (takes(command.call, 'title')) members.title = literal('Trueup');
  if (takes(command.call, 'description')) members.description = { is: 'mark' };
  // Half of it is not deployed, also of a service that is new.
  const changing = leafs
    .filter((leaf) => reachesContainers(leaf, root) && isEffective(leaf))
    .map((leaf) => leaf.address);
  const dependsOn = [...new Set([address, ...changing, ...(staleness?.through ?? [])])];
  return {
    ...actionFor({ address: deployAddress(address), kind, parent: address, options: {}, dependsOn }, undefined),
    action: 'deploy',
    id: root.id,
    steps: [...resetSteps(root), stepOf(root, 'deploy', command.call, members, [])],
    position: root.position,
    because: staleness?.because ?? [],
  };
}

/** The request that makes the status tell nothing of what was before, where only the status tells of a deployment. */
function resetSteps(root: Action): Step[] {
  const { setStatus, status } = root.kind.service ?? {};
  if (setStatus === undefined || status === undefined) return [];
  return [stepOf(root, 'reset', setStatus, { [status]: literal('idle') }, [])];
}

/** Makes each deployment wait for those of the services that its own refers to; apply finds those behind others. */
function inTheirOrder(
  deployments: readonly Action[],
  services: readonly ServiceActions[],
  actions: ReadonlyMap<string, Action>,
): Action[] {
  const deployed = new Set(deployments.map(({ address }) => address));
  const byAddress = new Map(services.map((service) => [service.root.address, service]));
  return deployments.map((action) => {
    const service = byAddress.get(action.parent ?? '');
    const referred = [service?.root, ...(service?.leafs ?? [])].flatMap((one) => one?.dependsOn ?? []);
    const before = referred
      .map((need) => deployAddress(actions.get(need)?.scope ?? need))
      .filter((other) => other !== action.address && deployed.has(other));
    return { ...action, dependsOn: [...new Set([...action.dependsOn, ...before])] };
  });
}
