import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../formats/json.ts';
import type { KindCommand } from '../kind/kind-command.ts';
import type { Kind } from '../kind/kind.ts';
import { commandFor } from '../kind/command-call.ts';
import { takes } from '../kind/row-values.ts';
import { type Outputs, noOutputs } from '../manifest/wanted.ts';
import { deploymentsIn, statusIn } from '../observe/listed-deployments.ts';
import { type Action, type Member, type Step, createsObject, isEffective, isLeftOut } from './action.ts';
import { targetBeside } from './action-target.ts';
import { actionsByAddress } from './relations.ts';
import { questionsFor } from './questions.ts';
import { stalenessOf } from './staleness.ts';
import {
  type ServiceActions,
  ignoredInputs,
  inputsDigest,
  reachesContainers,
  rowAfterWrites,
  servicesIn,
} from './deploy-inputs.ts';
import { failedBefore, withKeyOfToday } from './failed-change.ts';
import { afterwards } from './deployment-record.ts';
import type { Planning } from './input.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { literal, stepOf } from './steps.ts';

/**
 * Adds the deployment of each service that needs one: a single one, after everything below the service, and after
 * those of the services that it refers to. Services whose deployment is left to others are reported.
 */
export function withDeployments(input: Planning, planned: readonly Action[]): Action[] {
  const actions = new Map(actionsByAddress(planned));
  const resources = new Map(input.resources.map((resource) => [resource.address, resource]));
  const rowAt = (address: string) => input.observed.objects.get(address)?.row;
  const stalenessFor = stalenessOf(input);
  const deployments: { readonly service: ServiceActions; readonly action: Action }[] = [];
  for (const service of servicesIn(planned, actions)) {
    const { root, leafs } = service;
    const row = rowAt(root.address);
    const future = futureRow(root, row);
    const hasCode = isFetched(root.kind, future);
    const before = withKeyOfToday(input, service, input.state.deployments[root.address]);
    const isFollowed = input.narrowing.followsOnly === true && before?.pending !== undefined;
    // Who follows a deployment says how it ended, also where the platform shows that already.
    const known = isFollowed ? before : afterwards(root.kind, before, row);
    const staleness = stalenessFor(service, hasCode);
    const isFirst = createsObject(root) || (known === undefined && wasNeverDeployed(root, row));
    const isNew =
      isFirst || (known?.inputs === undefined && known?.pending === undefined && wasNeverDeployed(root, row));
    const isNeeded = isFollowed || isFirst || staleness !== undefined || known?.stale !== undefined;
    const isNewCode = (known?.stale?.code ?? staleness?.code) === true;
    const command = isNeeded ? deployCommand(root.kind, future, isNewCode) : undefined;
    const isReported = isFollowed || !isLeftOut(root) || staleness !== undefined;
    const isRefused = failedBefore(input, service) !== undefined;
    // One that was started goes on, whatever may start.
    const isAllowed = isFollowed || (input.deploys && root.options.deploy !== 'never' && !isRefused);
    const notes =
      !isFollowed && isAllowed && command !== undefined && isReported ? withheld(service, command, input.outputs) : [];
    // One that a narrowed plan leaves out is deployed for what is below it only.
    const isChosen =
      isFollowed || !isLeftOut(root) || leafs.some(({ address }) => staleness?.through.includes(address));
    const isDeployed = isNeeded && isAllowed && isChosen && notes.length === 0;

    actions.set(root.address, {
      ...root,
      service: {
        known: isFirst && known === undefined ? { stale: hasCode ? { code: true } : {} } : known,
        inputs: (outputs, like) => inputsDigest(service, { outputs, digests: input.digests, like }),
        staleness,
        isLeft: isNeeded && !isDeployed && isReported,
      },
      notes: [...root.notes, ...notes],
    });
    const steps = isFollowed ? [] : stepsToDeploy(root, command);
    if (!isDeployed || steps === undefined) continue;
    const isUnderWay = known?.pending !== undefined && staleness === undefined;
    const start = isNew
      ? ({ start: 'first' } as const)
      : isUnderWay
        ? ({ start: 'under way' } as const)
        : ({ start: 'again', because: staleness?.because ?? [] } as const);
    const questions = input.asks ? questionsFor(leafs, resources, rowAt) : { asks: [], notes: [] };
    const through = [...(staleness?.through ?? []), ...questions.asks.map(({ block }) => block)];
    deployments.push({
      service,
      action: { ...deployment(service, steps, through), after: [], ...questions, ...start },
    });
  }
  const deployed = new Map(deployments.map(({ action }) => [action.block, action.address]));
  return [
    ...planned.map((action) => actions.get(action.address) ?? action),
    ...deployments.map(({ service, action }) => {
      const after = resources.get(action.block)?.after?.flatMap(({ address }) => deployed.get(address) ?? []) ?? [];
      const before = [...deploymentsBefore(service, deployed, actions), ...after];
      return { ...action, after, dependsOn: [...new Set([...action.dependsOn, ...before])] };
    }),
  ];
}

/** The deployments of the services that a service refers to; apply finds those behind services that stay as they are. */
function deploymentsBefore(
  { root, leafs }: ServiceActions,
  deployed: ReadonlyMap<string, string>,
  actions: ReadonlyMap<string, Action>,
): string[] {
  const referred = [root, ...leafs].flatMap(({ dependsOn }) => dependsOn);
  const services = referred.map((need) => actions.get(need)?.scope ?? need);
  return services.flatMap((service) => (service === root.address ? [] : (deployed.get(service) ?? [])));
}

/** Whether the platform proves that a service was never deployed. */
function wasNeverDeployed({ kind }: Action, row: Row | undefined): boolean {
  if (row === undefined) return false;
  const listed = deploymentsIn(kind, row);
  return listed === undefined ? statusIn(kind, row) === 'idle' : listed.length === 0;
}

/** Whether a service is made from code that has to be fetched. */
function isFetched({ unions = [] }: Kind, row: Row): boolean {
  return unions.some(({ tag, local }) => local !== undefined && row[tag] !== local);
}

/** How a service is deployed; what only rebuilds serves when there is nothing new to fetch. */
function deployCommand(kind: Kind, row: Row, isNewCode: boolean): KindCommand | undefined {
  const command = commandFor(kind, 'deploy', row);
  if (command === undefined || !('cannot' in command) || isNewCode) return command;
  const rebuild = commandFor(kind, 'redeploy', row);
  return rebuild !== undefined && !('cannot' in rebuild) ? rebuild : command;
}

/** The row as it will be after the writes, as far as the choice of a command needs it. */
function futureRow(root: Action, row: Row | undefined): Row {
  const none = root.kind.service?.deployments;
  const before = createsObject(root) || row === undefined ? (none === undefined ? {} : { [none]: [] }) : row;
  return rowAfterWrites(root, before, noOutputs);
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

function deployment({ root, leafs }: ServiceActions, steps: readonly Step[], through: readonly string[]) {
  // Half of it is not deployed, also of a service that is new.
  const changing = leafs
    .filter((leaf) => reachesContainers(leaf, root) && isEffective(leaf))
    .map((leaf) => leaf.address);
  return {
    ...targetBeside(root, 'deployment', [root.address, ...changing, ...through]),
    action: 'deploy' as const,
    restores: undefined,
    teardown: [] as const,
    steps,
  };
}

/** The requests of a deployment; undefined where none starts it. */
function stepsToDeploy(root: Action, command: KindCommand | undefined): Step[] | undefined {
  if (command === undefined || 'cannot' in command) return undefined;
  const members: Record<string, Member> = {};
  if (takes(command.call, 'title')) members.title = literal('Trueup');
  if (takes(command.call, 'description')) members.description = { is: 'mark' };
  return [...resetSteps(root), stepOf(root, 'deploy', command.call, members, [])];
}

/** The request that makes the status tell nothing of what was before, where only the status tells of a deployment. */
function resetSteps(root: Action): Step[] {
  const { setStatus, status } = root.kind.service ?? {};
  if (setStatus === undefined || status === undefined) return [];
  return [stepOf(root, 'reset', setStatus, { [status]: literal('idle') }, [])];
}
