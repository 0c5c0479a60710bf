import type { Diagnostic, Position } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { blockAddress } from '../kind/address.ts';
import { same } from '../kind/json.ts';
import type { FiledAction, FiledMember, FiledStep, FiledValue, PlanFile } from './file.ts';

/** How a plan that was reviewed and the plan that is made now differ. */
export interface Comparison {
  /** What is not as it was; when there is something, nothing may be sent. */
  readonly moved: readonly Diagnostic[];
  /** What was reviewed and is not needed any more. */
  readonly leftOut: readonly Diagnostic[];
}

/** What comparing needs. */
export interface ComparisonInput {
  readonly reviewed: PlanFile;
  readonly now: PlanFile;
  /** Whether the reviewed one is as it was made. */
  readonly isIntact: boolean;
  readonly positionOf: (address: string) => Position | undefined;
}

/** Says how a file is of another platform or project than the manifest; that can be told before any request. */
export function elsewhere(reviewed: PlanFile, now: Pick<PlanFile, 'platform' | 'projectId'>): Diagnostic[] {
  const found: Diagnostic[] = [];
  const differs = (what: string, planned: string, named: string): void => {
    if (planned === named) return;
    found.push(diagnostic('plan-outdated', `the plan is for ${what} ${planned}, and the manifest names ${named}`));
  };
  differs('the platform', reviewed.platform, now.platform);
  differs('project', reviewed.projectId, now.projectId);
  return found;
}

/**
 * Compares a plan that was reviewed with the plan that is made now. What is made now may be less, because somebody did
 * it already, and nothing else: no request, no member and no permission that was not reviewed, and nothing is
 * overwritten that was not seen.
 */
export function comparePlans(input: ComparisonInput): Comparison {
  const { reviewed, now, isIntact } = input;
  const moved = aboutState(reviewed, now);
  if (moved.length > 0) return { moved: moved.map(untied), leftOut: [] };
  if (!isIntact) {
    const message = 'the plan file is damaged, or somebody changed it after it was made';
    return { moved: [untied(message)], leftOut: [] };
  }
  const declared = aboutManifest(input);
  const touched = new Set(declared.map(({ address }) => address));
  const planned = new Map(reviewed.actions.map((action) => [action.address, action]));
  const actions = now.actions.flatMap((action) => {
    const address = blockAddress(action.address);
    // What the manifest says otherwise is planned otherwise.
    if (touched.has(address)) return [];
    return surprises(action, planned.get(action.address)).map((message) => tied(input, address, message));
  });
  return { moved: [...declared, ...actions], leftOut: leftOut(reviewed, now) };
}

function untied(message: string): Diagnostic {
  return diagnostic('plan-outdated', message);
}

function tied({ positionOf }: ComparisonInput, address: string, message: string): Diagnostic {
  return diagnostic('plan-outdated', message, { address, position: positionOf(address) });
}

function aboutState(reviewed: PlanFile, now: PlanFile): string[] {
  if (reviewed.organizationId !== now.organizationId) {
    return [`the plan is for organization ${reviewed.organizationId}, and the API key acts in ${now.organizationId}`];
  }
  const [old, present] = [reviewed.state, now.state];
  if ('digestKey' in old) {
    if ('digestKey' in present) return [];
    return old.lineage === present.lineage
      ? ['the plan was applied already, wholly or in part']
      : ['there is a state by now, and there was none when the plan was made'];
  }
  if ('digestKey' in present) return ['the state that the plan was made from is not there'];
  if (old.lineage !== present.lineage) return ['the state is another one than the plan was made from'];
  if (old.serial !== present.serial) {
    const versions = `the plan was made from version ${old.serial} of the state, and it is at version ${present.serial}`;
    return present.serial > old.serial
      ? [`${versions}: this plan or another was applied since, wholly or in part`]
      : [`${versions}: an older one was put in its place`];
  }
  return old.content === present.content
    ? []
    : ['the state was written to since the plan was made: a run began to apply it, or another, and did not end'];
}

function aboutManifest(input: ComparisonInput): Diagnostic[] {
  const { reviewed, now } = input;
  const found: Diagnostic[] = [];
  if (reviewed.moved !== now.moved) found.push(untied('moved: says something else than when the plan was made'));
  const present = new Map(now.resources.map((item) => [item.address, item]));
  const planned = new Set(reviewed.resources.map(({ address }) => address));
  for (const { address, declared } of reviewed.resources) {
    const resource = present.get(address);
    const messages =
      resource === undefined
        ? [`${address} is not declared any more`]
        : edits(address, valuesOf(declared), valuesOf(resource.declared));
    found.push(...messages.map((message) => tied(input, address, message)));
  }
  for (const { address } of now.resources) {
    if (!planned.has(address)) {
      found.push(tied(input, address, `${address} was not declared when the plan was made`));
    }
  }
  return found;
}

type Declared = PlanFile['resources'][number]['declared'];

function valuesOf(declared: Declared): ReadonlyMap<string, FiledValue> {
  return new Map(declared.map(({ path, value }) => [path, value]));
}

/** What is declared otherwise than it was, one sentence for each reason. */
function edits(address: string, then: ReadonlyMap<string, FiledValue>, now: ReadonlyMap<string, FiledValue>): string[] {
  const edited: string[] = [];
  const concealed: string[] = [];
  const missing: string[] = [];
  for (const path of new Set([...then.keys(), ...now.keys()])) {
    const [old, present] = [then.get(path), now.get(path)];
    if (old === undefined || present === undefined) edited.push(path);
    else if (present.missing !== undefined && !same(old.missing, present.missing)) missing.push(path);
    // What the plan did not know it does not say: what comes of it now is no request that was reviewed.
    else if (old.missing !== undefined && present.missing === undefined) continue;
    else if (old.digest !== present.digest) (present.concealed === true ? concealed : edited).push(path);
  }
  return [
    ...sentence(edited, (paths) => `${paths} of ${address} is declared otherwise than when the plan was made`),
    ...sentence(
      concealed,
      (paths) =>
        `${paths} of ${address} has another value: what flows into it from a secret or the environment changed`,
    ),
    ...sentence(missing, (paths) => `${paths} of ${address} needs a secret that this run does not have`),
  ];
}

function sentence(paths: readonly string[], say: (paths: string) => string): string[] {
  return paths.length === 0 ? [] : [say(paths.join(', '))];
}

/** What an action does that was not reviewed. The manifest and the state are the same: the platform is not. */
function surprises(now: FiledAction, then: FiledAction | undefined): string[] {
  if (then === undefined || !mayBecome(then, now)) return [whatHappened(now)];
  const block = blockAddress(now.address);
  if (then.kind !== now.kind || (now.id !== undefined && then.id !== now.id)) {
    return [`${block} is another object now (${now.id ?? ''})`];
  }
  const found = [
    ...sentence(changedFields(now, then), (paths) => `${paths} of ${block} was changed on the platform`),
    ...sentence(added(now.because, then.because), (paths) => `${block} has to be deployed for ${paths} too`),
    ...added(now.warnings, then.warnings),
  ];
  if (now.dataAtRisk !== undefined && now.dataAtRisk !== then.dataAtRisk) {
    found.push(`to ${now.action} ${block} puts ${now.dataAtRisk} at risk`);
  }
  if (now.needsConsent === true && then.needsConsent !== true) {
    found.push(`to take over ${block} needs consent`);
  }
  return found.length > 0 ? found : otherRequests(now, then);
}

/** Whether an action is what another one comes to when somebody else did the first step of it. */
function mayBecome(then: FiledAction, now: FiledAction): boolean {
  if (then.action === now.action) return true;
  if (now.action === 'forget') return then.action === 'delete' && now.id === undefined;
  return now.action === 'update' && then.action === 'move';
}

function whatHappened({ action, address, id, before, because }: FiledAction): string {
  const block = blockAddress(address);
  switch (action) {
    case 'create':
      return `${block} is not on the platform any more`;
    case 'adopt':
      return `${block} exists on the platform by now (${id ?? ''})`;
    case 'move':
      return `${block} was moved on the platform`;
    case 'deploy':
      return `${block} has to be deployed now${because === undefined || because.length === 0 ? '' : `, for ${because.join(', ')}`}`;
    case 'update':
      return before.length === 0
        ? `${block} has to be updated now`
        : `${before.map(({ path }) => path).join(', ')} of ${block} was changed on the platform`;
    case 'replace':
    case 'delete':
    case 'forget':
      return `to ${action} ${block} is not in the plan`;
    default:
      return action satisfies never;
  }
}

/** Fields that are to be overwritten, and that are not what they were. A set may have got more. */
function changedFields(now: FiledAction, then: FiledAction): string[] {
  const known = new Map(then.before.map(({ path, was }) => [path, was]));
  return now.before.flatMap(({ path, was }) =>
    known.get(path)?.every((one) => was.includes(one)) === true ? [] : path,
  );
}

function added(now: readonly string[] = [], then: readonly string[] = []): string[] {
  return now.filter((item) => !then.includes(item));
}

/** Requests that are not those that were reviewed. */
function otherRequests(now: FiledAction, then: FiledAction): string[] {
  if (isPartOf(now.teardown, then.teardown) && isPartOf(now.steps, then.steps)) return [];
  const block = blockAddress(now.address);
  const planned = [...then.teardown, ...then.steps];
  const found = [...now.teardown, ...now.steps].flatMap((step) => {
    const old = planned.find(({ operation, role }) => operation === step.operation && role === step.role);
    if (old === undefined) return [`${block} needs ${step.operation} now`];
    const others = step.members.filter((member) => !old.members.some((one) => isWithin(member, one)));
    const names = others.map(({ name }) => name);
    return sentence(names, (all) => `${step.operation} would send another ${all} for ${block}`);
  });
  return found.length > 0 ? found : [`what is sent for ${block} would be sent otherwise`];
}

/** Whether steps are some of others, in their order, each with no more in it. */
function isPartOf(now: readonly FiledStep[], then: readonly FiledStep[]): boolean {
  let at = 0;
  return now.every((step) => {
    const index = then.findIndex((old, place) => place >= at && isLess(step, old));
    at = index + 1;
    return index !== -1;
  });
}

function isLess(now: FiledStep, then: FiledStep): boolean {
  return (
    now.operation === then.operation &&
    now.role === then.role &&
    added(now.changed, then.changed).length === 0 &&
    now.members.every((member) => then.members.some((old) => isWithin(member, old)))
  );
}

function isWithin(now: FiledMember, then: FiledMember): boolean {
  if (now.is !== 'map' || then.is !== 'map') return same(now, then);
  return added(now.removed, then.removed).length === 0 && same({ ...now, removed: [] }, { ...then, removed: [] });
}

function leftOut(reviewed: PlanFile, now: PlanFile): Diagnostic[] {
  const present = new Map(now.actions.map((action) => [action.address, action]));
  return reviewed.actions.flatMap((old) => {
    const address = blockAddress(old.address);
    return whatIsLeftOut(old, present.get(old.address)).map((message) =>
      diagnostic('not-needed', message, { address }),
    );
  });
}

function whatIsLeftOut(then: FiledAction, now: FiledAction | undefined): string[] {
  const block = blockAddress(then.address);
  if (now === undefined) return [`to ${then.action} ${block} is not needed any more`];
  if (now.action === 'forget' && then.action === 'delete') return [`${block} is gone already, and is only forgotten`];
  const remaining = now.before.map(({ path }) => path);
  const done = then.before.map(({ path }) => path).filter((path) => !remaining.includes(path));
  return [
    ...(now.action === then.action ? [] : [`${block} is already where it was to be moved`]),
    ...sentence(done, (paths) => `${paths} of ${block} is already as planned`),
  ];
}
