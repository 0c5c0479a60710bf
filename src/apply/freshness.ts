import { fieldOfAttribute, changedFields, readRow, pathOf } from '../kind/attribute.ts';
import type { Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../formats/json.ts';
import { kindsIn } from '../kind/kind.ts';
import { fieldPath, idsBelow } from '../kind/row-values.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { type Action, type Member, type Step, createsObject, deletesObject, isDeletion } from '../plan/action.ts';
import { compare } from '../plan/row-verdict.ts';
import { knownPairs } from '../state/pending-operation.ts';
import { type Job, type Scope, isSent } from './job.ts';
import { refusal } from './report-failure.ts';
import type { Run } from './apply-run.ts';
import { parentIn } from '../observe/read-object.ts';
import { writesOrRemoves } from '../plan/decide.ts';
import { rowIn, rowWithId, scopeNow } from './rows.ts';

/** From which step on an action is checked, and how it is read. */
type Check = { readonly step?: Step } & Parameters<typeof scopeNow>[2];

/**
 * Refuses what a person changed since the plan was made, of what is still to be sent for an action. Gives the object that
 * it changes as it is.
 *
 * @throws {Stop} that names the field: a plan that was shown does not overwrite a change that it never showed.
 */
export async function refuseChanged(run: Run, job: Job, check: Check = {}): Promise<Row | undefined> {
  const { action, scope } = job;
  const { step } = check;
  if (createsObject(action) && step?.role !== 'delete') return findRow(run, job, check);
  const now = await scopeNow(run, scope, check);
  const row = rowIn(job, now);
  if (step?.role === 'delete') refuse(job, movedSince(scope, now) ?? lossSince(run, job, now));
  else if (row === undefined) throw gone(job);
  else refuse(job, movedSince(scope, now) ?? changedSince(action, row, run.outputs, step));
  return row;
}

function refuse(job: Job, change: string | undefined): void {
  if (change !== undefined) throw refusal(job.action, `${change} since the plan was made; ${sentBefore(job)}`);
}

/**
 * Refuses a request for an action when a person moved the service that it writes to: it may be in another project. A
 * service that this run creates is not read for this.
 *
 * @throws {Stop} that names the service.
 */
export async function refuseMoved(run: Run, job: Job, service: Scope, check: Check = {}): Promise<void> {
  const { root } = service;
  if (createsObject(root.action) || plannedParent(root) === undefined) return;
  refuse(job, movedSince(service, await scopeNow(run, service, check)));
}

/**
 * The object of an action as it was a few seconds ago at most.
 *
 * @throws {Stop} when the platform does not have it any more.
 */
export async function rowNow(run: Run, job: Job, check: Check = {}): Promise<Row> {
  const row = await findRow(run, job, check);
  if (row !== undefined) return row;
  throw gone(job);
}

function gone(job: Job): Stop {
  return refusal(job.action, `${job.action.address} is not on the platform any more; ${sentBefore(job)}`);
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
    const isRequired = decision.do === 'nothing' && wanted !== undefined && sent.has(attribute.field);
    if (!writesOrRemoves(decision) && !isRequired) continue;
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
 * Names what a person changed, since the plan was made, of what an action is about to delete, or of what is deleted with it.
 * An object that is gone already is no hindrance.
 */
export function lossSince(run: Run, job: Job, row: Row | undefined): string | undefined {
  // What is below an object that goes is the first of it to go.
  const { root, jobs } = job.scope;
  const isWhole = isDeletion(root.action) || root.action.teardown.length > 0;
  const going = (isWhole ? jobs : [job]).flatMap((one) => {
    const { action, planned } = one;
    if (planned === undefined || !deletesObject(action)) return [];
    const now = rowWithId(one, row, planned.id);
    return now === undefined ? [] : [{ one, planned: planned.row, now }];
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
function changeOf(run: Run, { action, known: record }: Job, planned: Row, now: Row): string | undefined {
  const { kind, address } = action;
  // A destroy goes on from what its plan read just before.
  const [changed] = now === planned ? [] : changedFields(kind, managedFields(action, record), planned, now);
  if (changed !== undefined) return `${fieldPath(kind, changed)} of ${address} was changed on the platform`;
  const contents = kind.lifecycle?.contents?.(now) ?? [];
  // Only one object of a run has contents: for each action, the records would be listed too often.
  const managed = new Set(
    contents.length === 0 ? [] : Object.values(run.input.plan.base.resources).map(({ id }) => id),
  );
  const other = contents.find(({ id }) => !managed.has(id));
  if (other !== undefined) return `${other.what} was added to ${address} on the platform`;
  for (const { kind: child } of kindsIn(run.input.kinds, kind)) {
    const known = new Set(idsBelow(kind, planned, child));
    const added = idsBelow(kind, now, child).filter((id) => !known.has(id));
    if (added.length > 0) return `${added.length} of ${child.section} was added below ${address} on the platform`;
  }
  return undefined;
}

/** The fields of an object that a plan has, or that were settled earlier. */
function managedFields({ attributes }: Action, record: Job['known']): readonly string[] {
  const settled = Object.keys(knownPairs(record)).map(fieldOfAttribute);
  return [...new Set([...attributes.map(({ attribute }) => attribute.field), ...settled])];
}

/** Names the data that came to be at risk with an object since the plan saw it. */
function newRisk(_: Run, job: Job, planned: Row, now: Row): string | undefined {
  const { kind, address, options } = job.action;
  const action = isDeletion(job.action) ? 'delete' : 'replace';
  const parent = job.parent?.planned?.row ?? {};
  const riskOf = (row: Row) => kind.lifecycle?.dataAtRisk?.({ row, parent, options, action });
  const risk = now === planned ? undefined : riskOf(now);
  if (risk === undefined || risk.what === riskOf(planned)?.what) return undefined;
  // No plan has shown which parts of the names are secret.
  return `${risk.unnamed ?? risk.what} came to be at risk with ${address}`;
}

/** Reports that a person moved the object of a scope, elsewhere than the plan does. */
function movedSince({ root }: Scope, row: Row | undefined): string | undefined {
  const { action, parent } = root;
  const planned = plannedParent(root);
  const now = row === undefined ? undefined : parentIn(action.kind, row)?.id;
  if (planned === undefined || now === undefined || now === planned) return undefined;
  return now === parent?.object?.id ? undefined : `${action.address} was moved on the platform`;
}

/** The id of the object that the plan saw an object below. */
function plannedParent({ action, planned }: Job): string | undefined {
  return planned === undefined ? undefined : parentIn(action.kind, planned.row)?.id;
}

/** The object of an action in its scope; what this run created may be newer than the row of that. */
async function findRow(run: Run, job: Job, check: Check): Promise<Row | undefined> {
  if (job.object === undefined) return undefined;
  const row = rowIn(job, await scopeNow(run, job.scope, check));
  if (row !== undefined || !createsObject(job.action)) return row;
  return rowIn(job, await scopeNow(run, job.scope, { ...check, refetch: true }));
}

function sentBefore(job: Job): string {
  return isSent(job) ? 'nothing more was sent' : 'nothing was sent';
}

/** The members of requests that say what is declared, and not what the platform has at that moment. */
function ownMembers(steps: readonly Step[]): ReadonlySet<string> {
  const all = steps.flatMap(({ members }) => Object.entries(members));
  return new Set(all.flatMap(([name, member]) => (isOwn(member) ? [name] : [])));
}

function isOwn({ is }: Member): boolean {
  return is === 'wanted' || is === 'map' || is === 'value';
}
