import { fieldOfAttribute, changedFields, readRow, pathOf } from '../kind/attribute.ts';
import type { Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import { fieldPath, idsBelow } from '../kind/wire.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { Action, Member, Step } from '../plan/action.ts';
import { createsObject, deletesObject } from '../plan/action.ts';
import { compare } from '../plan/compare.ts';
import { knownPairs } from '../state/known-pairs.ts';
import { isSent } from './job.ts';
import { refusal } from './report.ts';
import { idOf, jobOf, scopeOf } from './run.ts';
import type { Run } from './run.ts';
import { parentIn } from '../observe/read-object.ts';
import type { ScopeRow } from '../observe/scope-row.ts';
import { findById } from '../observe/scope-row.ts';
import { writesOrRemoves } from '../plan/decide.ts';
import { rowIn, scopeNow } from './scope.ts';

/** From which step on an action is checked, and how it is read. */
type Check = { readonly step?: Step } & Parameters<typeof scopeNow>[2];

/**
 * Refuses what a person changed since the plan was made, of what is still to be sent for an action. Gives the object that
 * it changes as it is.
 *
 * @throws {Stop} that names the field: a plan that was shown does not overwrite a change that it never showed.
 */
export async function refuseChanged(run: Run, action: Action, check: Check = {}): Promise<Row | undefined> {
  const { step } = check;
  const refuse = (change: string | undefined): void => {
    if (change !== undefined) throw refusal(action, `${change} since the plan was made; ${sentBefore(run, action)}`);
  };
  if (createsObject(action) && step?.role !== 'delete') return findRow(run, action, check);
  const scope = await scopeNow(run, action.scope, check);
  if (step?.role === 'delete') {
    refuse(movedSince(run, action.scope, scope) ?? lossSince(run, action, scope));
    return rowIn(run, action, scope);
  }
  const row = rowIn(run, action, scope);
  if (row === undefined) throw gone(run, action);
  refuse(movedSince(run, action.scope, scope) ?? changedSince(action, row, run.outputs, step));
  return row;
}

/**
 * Refuses a request for an action when a person moved the service that it writes to: it may be in another project. A
 * service that this run creates is not read for this.
 *
 * @throws {Stop} that names the service.
 */
export async function refuseMoved(run: Run, action: Action, service: string, check: Check = {}): Promise<void> {
  const { root } = scopeOf(run, service);
  if (createsObject(root) || plannedParent(run, root) === undefined) return;
  const change = movedSince(run, service, await scopeNow(run, service, check));
  if (change !== undefined) throw refusal(action, `${change} since the plan was made; ${sentBefore(run, action)}`);
}

/**
 * The object of an action as it was a few seconds ago at most.
 *
 * @throws {Stop} when the platform does not have it any more.
 */
export async function rowNow(run: Run, action: Action, check: Check = {}): Promise<Row> {
  const row = await findRow(run, action, check);
  if (row !== undefined) return row;
  throw gone(run, action);
}

function gone(run: Run, action: Action): Stop {
  return refusal(action, `${action.address} is not on the platform any more; ${sentBefore(run, action)}`);
}

/**
 * Names what a person changed of what an action is about to overwrite or remove, from a step on. What is as wanted
 * already is no hindrance: a request of this action may have brought it.
 */
export function changedSince(action: Action, now: Row, outputs: Outputs, step?: Step): string | undefined {
  const steps: readonly Step[] = action.steps;
  const next = step === undefined ? 0 : steps.indexOf(step);
  const rest = steps.slice(next);
  const sent = ownMembers(rest);
  const earlier = ownMembers(steps.slice(0, next));
  for (const { planned, verdict } of compare(action, now, outputs)) {
    const { attribute, wanted, decision } = planned;
    const goesAlong = decision.do === 'nothing' && wanted !== undefined && sent.has(attribute.field);
    if (!writesOrRemoves(decision) && !goesAlong) continue;
    if (earlier.has(attribute.field) && !sent.has(attribute.field)) continue;
    if (verdict === 'as before' || verdict === 'as wanted') continue;
    return `${pathOf(action.kind, attribute)} of ${action.address} was changed on the platform`;
  }
  const read = readRow(action.kind, now);
  for (const { members } of rest) {
    for (const member of Object.values(members)) {
      if (member.is !== 'map' || member.keepOthers) continue;
      const planned = new Set(
        action.attributes.flatMap(({ attribute }) => (attribute.field === member.name ? (attribute.key ?? []) : [])),
      );
      const added = read.keys(member.name).find((key) => !planned.has(key));
      if (added !== undefined) return `${member.name}.${added} of ${action.address} was added on the platform`;
    }
  }
  return undefined;
}

/**
 * Names what a person changed of what an action is about to delete, or of what goes along, since the plan was made. What
 * is gone already is no hindrance.
 */
export function lossSince(run: Run, action: Action, scope: ScopeRow): string | undefined {
  // What is below an object that goes is the first of it to go.
  const { root, actions } = scopeOf(run, action.scope);
  const isWhole = root.action === 'delete' || root.teardown.length > 0;
  const going = (isWhole ? actions : [action]).flatMap((one) => {
    if (!deletesObject(one)) return [];
    const planned = run.input.plan.observed.objects.get(one.address);
    const now = planned === undefined ? undefined : findById(scope, one, planned.id);
    return planned === undefined || now === undefined ? [] : [{ one, planned: planned.row, now }];
  });
  // A field says more than the data that it puts at risk with what it is in.
  for (const differs of [changeOf, newRisk]) {
    for (const { one, planned, now } of going) {
      const change = differs(run, one, planned, now);
      if (change !== undefined) return change;
    }
  }
  return undefined;
}

/** Names the difference between an object as the plan saw it, and as it is now. */
function changeOf(run: Run, action: Action, planned: Row, now: Row): string | undefined {
  const { kind, address } = action;
  const settled = Object.keys(knownPairs(run.input.plan.base.resources[address])).map(fieldOfAttribute);
  const names = new Set([...action.attributes.map(({ attribute }) => attribute.field), ...settled]);
  const [changed] = changedFields(kind, [...names], planned, now);
  if (changed !== undefined) return `${fieldPath(kind, changed)} of ${address} was changed on the platform`;
  const contents = kind.lifecycle?.contents?.(now) ?? [];
  // Only one object of a run has contents: for each action, the records would be listed too often.
  const managed = new Set(
    contents.length === 0 ? [] : Object.values(run.input.plan.base.resources).map(({ id }) => id),
  );
  const other = contents.find(({ id }) => !managed.has(id));
  if (other !== undefined) return `${other.what} was added to ${address} on the platform`;
  for (const child of run.input.kinds) {
    const known = new Set(idsBelow(kind, planned, child));
    const added = idsBelow(kind, now, child).filter((id) => !known.has(id));
    if (added.length > 0) return `${added.length} of ${child.section} was added below ${address} on the platform`;
  }
  return undefined;
}

/** Names the data that came to be at risk with an object since the plan saw it. */
function newRisk(_: Run, { kind, address, options, action }: Action, planned: Row, now: Row): string | undefined {
  const riskOf = (row: Row) =>
    kind.lifecycle?.dataAtRisk?.({ row, options, action: action === 'delete' ? 'delete' : 'replace' });
  const risk = riskOf(now);
  if (risk === undefined || risk.what === riskOf(planned)?.what) return undefined;
  // No plan has shown which parts of the names are secret.
  return `${risk.unnamed ?? risk.what} came to be at risk with ${address}`;
}

/** Reports that a person moved the object of a scope, elsewhere than the plan does. */
function movedSince(run: Run, address: string, { row }: ScopeRow): string | undefined {
  const { root } = scopeOf(run, address);
  const planned = plannedParent(run, root);
  const now = row === undefined ? undefined : parentIn(root.kind, row)?.id;
  if (planned === undefined || now === undefined || now === planned) return undefined;
  return now === idOf(run, root.parent ?? '') ? undefined : `${address} was moved on the platform`;
}

/** The id of the object that the plan saw an object below. */
function plannedParent(run: Run, { address, kind }: Action): string | undefined {
  const planned = run.input.plan.observed.objects.get(address)?.row;
  return planned === undefined ? undefined : parentIn(kind, planned)?.id;
}

/** The object of an action in its scope; what this run created may be newer than the row of that. */
async function findRow(run: Run, action: Action, check: Check): Promise<Row | undefined> {
  if (idOf(run, action.address) === undefined) return undefined;
  const row = rowIn(run, action, await scopeNow(run, action.scope, check));
  if (row !== undefined || !createsObject(action)) return row;
  return rowIn(run, action, await scopeNow(run, action.scope, { ...check, isAnew: true }));
}

function sentBefore(run: Run, { address }: Action): string {
  return isSent(jobOf(run, address)) ? 'nothing more was sent' : 'nothing was sent';
}

/** The members of requests that say what is declared, and not what the platform has at that moment. */
function ownMembers(steps: readonly Step[]): ReadonlySet<string> {
  const all = steps.flatMap(({ members }) => Object.entries(members));
  return new Set(all.flatMap(([name, member]) => (isOwn(member) ? [name] : [])));
}

function isOwn({ is }: Member): boolean {
  return is === 'wanted' || is === 'map' || is === 'value';
}
