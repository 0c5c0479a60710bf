import { blockAddress } from '../kind/address.ts';
import { same } from '../kind/json.ts';
import type { FiledAction, FiledMember, FiledStep } from './file.ts';

/**
 * What an action does that was not reviewed, where the manifest and the state are the same: the platform is not.
 * `unknown` are the fields whose secrets the plan was made without.
 */
export function surprises(now: FiledAction, then: FiledAction | undefined, unknown: readonly string[]): string[] {
  const block = blockAddress(now.address);
  const fields = fieldsOf(now, then, unknown);
  if (then === undefined && fields.length > 0 && now.action === 'update') return fields;
  if (then === undefined || !mayBecome(then, now)) return [whatHappened(now)];
  if (now.id !== undefined && then.id !== now.id) {
    return [`${block} is another object now (${now.id})`];
  }
  const found = [...fields, ...added(now.warnings, then.warnings)];
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

function whatHappened({ action, address, id }: FiledAction): string {
  const block = blockAddress(address);
  switch (action) {
    case 'create':
      return `${block} is not on the platform any more`;
    case 'adopt':
      return `${block} exists on the platform by now (${id ?? ''})`;
    case 'move':
      return `${block} was moved on the platform`;
    case 'deploy':
      return `${block} has to be deployed now`;
    case 'update':
      return `${block} has to be updated now`;
    case 'replace':
    case 'delete':
    case 'forget':
      return `to ${action} ${block} is not in the plan`;
    default:
      return action satisfies never;
  }
}

/** Why fields are overwritten that were not to be, or that are not what they were. A set may have got more. */
function fieldsOf(now: FiledAction, then: FiledAction | undefined, unknown: readonly string[]): string[] {
  const block = blockAddress(now.address);
  const known = new Map(then?.before.map(({ path, was }) => [path, was]));
  const others = now.before.filter(({ path, was }) => known.get(path)?.every((one) => was.includes(one)) !== true);
  const secret = others.filter(({ path }) => unknown.includes(path));
  const plain = others.filter(({ path }) => !unknown.includes(path));
  const refersTo = [...new Set(plain.flatMap((one) => one.refersTo ?? []))].join(', ');
  const paths = (list: typeof others) => list.map(({ path }) => path);
  return [
    ...sentence(paths(secret), (all) => `${all} of ${block} needs a secret that the plan was made without`),
    ...sentence(
      paths(plain),
      (all) => `${all} of ${block}${refersTo === '' ? '' : `, or ${refersTo} in it,`} was changed on the platform`,
    ),
  ];
}

function added(now: readonly string[], then: readonly string[]): string[] {
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

/** What was reviewed of an action and is not needed any more. */
export function whatIsLeftOut(then: FiledAction, now: FiledAction | undefined): string[] {
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

/** One sentence about some fields; none when there are none. */
export function sentence(paths: readonly string[], say: (paths: string) => string): string[] {
  return paths.length === 0 ? [] : [say(paths.join(', '))];
}
