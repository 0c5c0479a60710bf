import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { deployAddress } from '../kind/address.ts';
import type { Row } from '../kind/json.ts';
import type { Way } from '../kind/verb.ts';
import { wayFor } from '../kind/verb.ts';
import type { Kind, Verb } from '../kind/kind.ts';
import { idMember, takes } from '../kind/wire.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { resolve } from '../manifest/wanted.ts';
import { deploymentsIn, statusIn } from '../observe/deployments.ts';
import { seal } from '../secrets/sealed.ts';
import type { Deployed, Owes } from '../state/state.ts';
import type { Action, Member, PlannedPart, Step } from './action.ts';
import { isEffective, isMade } from './action.ts';
import { matchesStored } from './decide.ts';
import type { ServiceActions } from './deploy-inputs.ts';
import { changedVariables, inputsDigest, mentionsOf, reachesContainers } from './deploy-inputs.ts';
import { pathOf, resolveField } from './diff.ts';
import type { PlanInput } from './input.ts';

/** What a plan does that only a deployment of the service puts into effect. */
interface Debt {
  readonly owes: Owes;
  /** What changes, as paths below the service. */
  readonly because: readonly string[];
  /** The actions that write it. */
  readonly through: readonly string[];
}

/**
 * Adds the deployment of each service that needs one: a single one, after everything below the service, and after
 * those of the services that it refers to. Services whose deployment is left to somebody else are told.
 */
export function withDeployments(input: PlanInput, planned: readonly Action[], outputs: Outputs): Action[] {
  const actions = new Map(planned.map((action) => [action.address, action]));
  const services = servicesIn(planned, actions);
  const deployments: Action[] = [];
  for (const service of services) {
    const { root } = service;
    const row = input.observed.objects.get(root.address)?.row;
    const known = afterwards(root.kind, input.state.resources[root.address]?.deployed, row);
    const debt = debtOf(input, service, outputs);
    const owes = debt ?? (known?.owes === undefined ? undefined : { owes: known.owes, because: [], through: [] });
    const isNeeded = owes !== undefined && isOwed(input, service, { known, debt, outputs });
    const way = isNeeded ? wayOf(service, { ...known?.owes, ...owes.owes }, row) : undefined;
    const isLeft = isNeeded && (!input.deploys || root.options.deploy === 'never');
    const notes = isLeft || way === undefined ? [] : cannot(root, way);
    actions.set(root.address, {
      ...root,
      notes: [...root.notes, ...notes],
      service: {
        known,
        ...(debt === undefined ? {} : { debt: { ...debt.owes, through: debt.through } }),
        ...(isNeeded && (isLeft || notes.length > 0) ? { isLeft: true } : {}),
      },
    });
    if (!isNeeded || isLeft || way === undefined || 'cannot' in way) continue;
    const made = deployment(service, way, debt);
    deployments.push(known?.sent === undefined || debt !== undefined ? made : { ...made, isOrdered: true });
  }
  const ordered = inTheirOrder(deployments, services, actions);
  return [...planned.map((action) => actions.get(action.address) ?? action), ...ordered];
}

/** The services that stay or come, with what stands below each. */
function servicesIn(planned: readonly Action[], actions: ReadonlyMap<string, Action>): ServiceActions[] {
  const leafs = new Map<string, Action[]>();
  for (const action of planned) {
    if (action.lane === action.address) continue;
    const list = leafs.get(action.lane);
    if (list === undefined) leafs.set(action.lane, [action]);
    else list.push(action);
  }
  return planned.flatMap((root) => {
    const isThere = root.action !== 'delete' && root.action !== 'forget' && root.isHeld !== true;
    if (!isThere || root.kind.verbs?.deploy === undefined) return [];
    const parent = root.parent === undefined ? undefined : actions.get(root.parent);
    return [{ root, leafs: leafs.get(root.address) ?? [], parent }];
  });
}

/** What the state knows of the deployments of a service, brought up to date with what the platform lists now. */
export function afterwards(kind: Kind, known: Deployed | undefined, row: Row | undefined): Deployed | undefined {
  if (known === undefined || row === undefined) return known;
  const { sent, saved, ...rest } = known;
  const listed = deploymentsIn(kind, row);
  if (sent !== undefined) {
    const ours = listed?.find(({ description }) => description?.includes(sent.mark) === true);
    // Where no deployments are listed the status was set before, so what it is now came of it.
    const status = listed === undefined ? statusIn(kind, row) : ours?.status;
    if (status === 'done') return { inputs: sent.inputs };
    if (status === 'error' || status === 'cancelled') return { ...rest, ...(saved === undefined ? {} : { saved }) };
    return known;
  }
  if (saved === undefined || listed === undefined) return known;
  const newer = listed.slice(listed.findIndex(({ id }) => id === saved.newest) + 1);
  return newer.some(({ status }) => status === 'done') ? { inputs: saved.inputs } : known;
}

/** Whether a service has to be deployed: not when it comes to what was deployed last, and that is what runs. */
function isOwed(
  input: PlanInput,
  service: ServiceActions,
  { known, debt, outputs }: { known: Deployed | undefined; debt: Debt | undefined; outputs: Outputs },
): boolean {
  if (debt?.owes.unsure === true || known?.owes?.unsure === true) return true;
  const inputs = inputsDigest(service, { outputs, digest: input.digest });
  return inputs === undefined || inputs !== known?.inputs;
}

function debtOf(input: PlanInput, service: ServiceActions, outputs: Outputs): Debt | undefined {
  const { root, leafs, parent } = service;
  if (isMade(root)) {
    const hasCode = root.kind.unions?.some((union) => union.isFetched === true) === true;
    return { owes: { unsure: true, ...(hasCode ? { code: true } : {}) }, because: [], through: [] };
  }
  const because: string[] = [];
  const through = new Set<string>();
  let isUnsure = false;
  let isCode = false;
  const owe = (path: string, by: Action, isSure: boolean): void => {
    because.push(path);
    through.add(by.address);
    isUnsure ||= !isSure;
  };
  for (const planned of root.parts) {
    if (planned.field.appliesAt !== 'deploy' || !isChange(input, planned, outputs)) continue;
    owe(pathOf(root.kind, planned.part), root, isSure(planned));
    isCode ||= isFetched(root.kind, planned.part.field);
  }
  for (const leaf of leafs) {
    if (!reachesContainers(leaf, root) || leaf.isHeld === true) continue;
    const name = leaf.address.slice(root.address.length).replace(/^\./, '');
    const record = input.state.resources[leaf.address];
    if (isMade(leaf) || leaf.action === 'delete') {
      const isLost = leaf.action === 'create' && typeof record?.id === 'string';
      owe(name, leaf, !isLost);
    } else if (leaf.action === 'forget') {
      if (typeof record?.id === 'string') owe(name, leaf, false);
    } else {
      for (const planned of leaf.parts) {
        if (planned.field.appliesAt !== 'deploy' || !isChange(input, planned, outputs)) continue;
        owe(`${name}.${pathOf(leaf.kind, planned.part)}`, leaf, isSure(planned));
      }
    }
  }
  const mentioned = parent === undefined ? new Set<string>() : mentionsOf(root, outputs);
  if (parent !== undefined && mentioned.size > 0) {
    if (root.action === 'move') owe(parent.address, root, true);
    for (const [key, planned] of changedVariables(parent, outputs)) {
      if (mentioned.has(key)) owe(`${parent.address}.${planned.part.field}.${key}`, parent, isSure(planned));
    }
  }
  if (because.length === 0) return undefined;
  const owes = { ...(isCode ? { code: true as const } : {}), ...(isUnsure ? { unsure: true as const } : {}) };
  return { owes, because, through: [...through] };
}

/** Whether a part is about to have another value than it was deployed with, or got one behind our back. */
function isChange({ digest }: PlanInput, planned: PlannedPart, outputs: Outputs): boolean {
  const { decision, wanted, pair, field } = planned;
  if (decision.do === 'write' || decision.do === 'remove' || decision.do === 'replace') return true;
  if (decision.do !== 'nothing' || !decision.settled || pair === undefined || wanted === undefined) return false;
  const resolved = resolveField(field, wanted, outputs);
  return resolved.is === 'known' && !matchesStored({ field, digest }, pair.wanted, resolved.value);
}

/** Whether what the platform had before was what was deployed last. */
function isSure({ decision, pair }: PlannedPart): boolean {
  if (decision.do === 'remove') return pair !== undefined;
  return decision.do !== 'write' || decision.cause === 'edit' || decision.cause === 'known after apply';
}

function isFetched(kind: Kind, name: string): boolean {
  return (kind.unions ?? []).some(
    ({ isFetched: fetched, tag, cases }) =>
      fetched === true && (name === tag || Object.values(cases).some((fields) => Object.values(fields).includes(name))),
  );
}

/** How a service is deployed as it will be; what only rebuilds serves when there is nothing new to fetch. */
function wayOf({ root }: ServiceActions, owes: Owes, row: Row | undefined): Verb | undefined {
  const future = futureRow(root, row);
  const way = wayFor(root.kind, 'deploy', future);
  if (way === undefined || !('cannot' in way) || owes.code === true) return way;
  const rebuild = wayFor(root.kind, 'redeploy', future);
  return rebuild !== undefined && !('cannot' in rebuild) ? rebuild : way;
}

/** The row as it will be after the writes, as far as the choice of a way needs it. */
function futureRow(root: Action, row: Row | undefined): Row {
  const declared = root.parts.flatMap(({ part, wanted }) => {
    const resolved = wanted === undefined || part.key !== undefined ? undefined : resolve(wanted, () => undefined);
    return resolved?.is === 'known' ? [[part.field, resolved.value] as const] : [];
  });
  const none = root.kind.status?.deployments;
  const before = isMade(root) || row === undefined ? (none === undefined ? {} : { [none]: [] }) : row;
  return { ...before, ...Object.fromEntries(declared) };
}

function cannot({ address, position }: Action, way: Verb): Diagnostic[] {
  if (!('cannot' in way)) return [];
  const message = `${address} is saved and cannot be deployed from here: ${way.cannot}`;
  return [diagnostic('not-deployed', message, { address, position, remedy: way.remedy })];
}

function deployment({ root, leafs }: ServiceActions, way: Way, debt: Debt | undefined): Action {
  const { address, kind } = root;
  const own = deployAddress(address);
  const id: Member = { is: 'id', address };
  const members: Record<string, Member> = { [idMember(kind, way.call)]: id };
  if (takes(way.call, 'title')) members.title = { is: 'value', value: seal('Trueup') };
  if (takes(way.call, 'description')) members.description = { is: 'mark' };
  const { setBy, at = '' } = kind.status ?? {};
  // Half of it is not deployed, also of a service that is new.
  const changing = leafs
    .filter((leaf) => reachesContainers(leaf, root) && (isEffective(leaf) || leaf.action === 'delete'))
    .map((leaf) => leaf.address);
  const reset: Step[] =
    setBy === undefined
      ? []
      : [
          {
            operation: setBy,
            role: 'reset',
            members: { [idMember(kind, setBy)]: id, [at]: { is: 'value', value: seal('idle') } },
            changed: [],
          },
        ];
  return {
    address: own,
    lane: own,
    kind,
    action: 'deploy',
    id: root.id,
    parent: address,
    changes: [],
    teardown: [],
    steps: [...reset, { operation: way.call, role: 'deploy', members, changed: [] }],
    parts: [],
    dependsOn: [...new Set([address, ...changing, ...(debt?.through ?? [])])],
    options: {},
    notes: [],
    dataAtRisk: undefined,
    protect: undefined,
    needsConsent: false,
    position: root.position,
    because: isMade(root) ? undefined : (debt?.because ?? []),
  };
}

/** Makes each deployment wait for those of the services that its own refers to, directly or through others. */
function inTheirOrder(
  deployments: readonly Action[],
  services: readonly ServiceActions[],
  actions: ReadonlyMap<string, Action>,
): Action[] {
  const deployed = new Set(deployments.map(({ address }) => address));
  const byAddress = new Map(services.map((service) => [service.root.address, service]));
  const found = new Map<string, ReadonlySet<string>>();
  /** The deployments that come before that of a service; what refers to each other in a circle was refused. */
  const before = (address: string): ReadonlySet<string> => {
    const known = found.get(address);
    if (known !== undefined) return known;
    found.set(address, new Set());
    const service = byAddress.get(address);
    const referred = [service?.root, ...(service?.leafs ?? [])].flatMap((action) => action?.dependsOn ?? []);
    const needs = new Set<string>();
    for (const lane of new Set(referred.map((need) => actions.get(need)?.lane ?? need))) {
      if (lane === address) continue;
      if (deployed.has(deployAddress(lane))) needs.add(deployAddress(lane));
      else for (const need of before(lane)) needs.add(need);
    }
    found.set(address, needs);
    return needs;
  };
  return deployments.map((action) => ({
    ...action,
    dependsOn: [...new Set([...action.dependsOn, ...before(action.parent ?? '')])],
  }));
}
