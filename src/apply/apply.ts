import { attempts } from '../api/attempts.ts';
import { partAddress } from '../kind/address.ts';
import { turn } from '../api/sleep.ts';
import { defined, same } from '../formats/json.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { State, StateStore } from '../state/state.ts';
import { isInJournal, withWaves } from '../state/wave.ts';
import { deploy } from './deploy.ts';
import { claimProvided, reportDuplicates, reportDuplicatesBelow, create } from './create.ts';
import {
  type ApplyResult,
  type Job,
  type Scope,
  forgetRows,
  isOver,
  isSent,
  mayHaveWritten,
  report,
  resultOf,
} from './job.ts';
import { readBack } from './read-back.ts';
import { reportFailure, reportUpgrade, refusal } from './report-failure.ts';
import { type ApplyInput, type Run, dispatch, jobOf, scopeOf, startRun } from './apply-run.ts';
import { runOnce } from './run-once.ts';
import { reportUnknown } from './watch-health.ts';
import { runSchedule } from '../graph/run-schedule.ts';
import { settleStale, announceWrite } from './announce.ts';
import { PlatformError } from '../api/platform-error.ts';
import {
  type Action,
  comesWithParent,
  createsObject,
  isBeside,
  isEffective,
  isIncluded,
  isRun,
  shownAddress,
  isReplacement,
} from '../plan/action.ts';
import { writesOrRemoves } from '../plan/decide.ts';
import { type ActionNode, type ApplyNode, planNodes } from '../plan/request-order.ts';
import { refuseChanged } from './freshness.ts';
import { poll } from './attempt.ts';
import { rehearse } from './fill-members.ts';
import { type SpanAbout, inSpan } from '../trace/span.ts';
import { addSecretsOf } from '../secrets/call-secrets.ts';
import { readAhead, readsInBulk, rowIn, unlisted } from './rows.ts';
import { requestInput, saysGone, send } from './send-step.ts';
import { secretsIn } from '../state/stored.ts';

/** Sends what the plan says, reads back what came of it, and saves it. */
export async function apply(input: ApplyInput): Promise<ApplyResult> {
  const run = startRun(input);
  const { resting, ...order } = planNodes(input.plan, readsInBulk(run) ? 'in bulk' : undefined);
  const working = runSchedule({
    ...order,
    // The platform loses entries of a member's access lists when that member creates in parallel.
    concurrency: input.plan.observed.role === 'member' ? 1 : Math.max(1, input.connections) * 2,
    run: (node, after, next) => {
      const [scope] = writtenIn(run, [node]);
      const reading = scope && readAhead(run, scope, () => writtenIn(run, next()));
      return reading === undefined ? runNode(run, node, after) : reading.then(() => runNode(run, node, after));
    },
    runTogether: (nodes) => readBackTogether(run, nodes),
    beat: (task) => run.clock.every?.(attempts.reading.gatherMs, task) ?? (() => undefined),
    skipped: (node, because) => skipNode(run, node, because),
    stopped: () => (input.signal?.aborted === true ? 'the run was interrupted' : run.ending.reason),
  });
  for (const one of await Promise.allSettled([working, settleResting(run, resting)]))
    if (one.status === 'rejected') throw one.reason;
  return finish(run);
}

/** Settles the scopes in which nothing is to do, while the first requests are on their way. */
async function settleResting(run: Run, scopes: readonly string[]): Promise<void> {
  await inTurns(scopes, (scope) => readBackScope(run, scopeOf(run, { scope }), false));
}

async function runNode(run: Run, node: ApplyNode, after: readonly ApplyNode[]): Promise<'done' | 'failed'> {
  if (node.part === 'read back') await readBackScope(run, scopeOf(run, node), false);
  if (!('action' in node)) return 'done';
  return inSpan(
    () => spanOf(node),
    async (span) => {
      const result = await runAction(run, node, after);
      if (result === 'failed') span?.end('failed');
      return result;
    },
  );
}

/** The scopes that nodes write in. */
function writtenIn(run: Run, nodes: readonly ApplyNode[]): Scope[] {
  return nodes.flatMap((node) => (node.part === 'make' || node.part === 'teardown' ? scopeOf(run, node) : []));
}

/** Reads scopes back, after one look at each list that showed several of them before they were deleted. */
async function readBackTogether(run: Run, nodes: readonly ApplyNode[]): Promise<void> {
  const scopes = nodes.flatMap((node) => (node.part === 'read back' ? scopeOf(run, node) : []));
  const gone = await unlisted(run, scopes);
  await Promise.all(scopes.map((scope) => readBackScope(run, scope, gone.has(scope))));
}

function readBackScope(run: Run, scope: Scope, isGone: boolean): Promise<void> {
  return inSpan(
    () => ({ name: 'read back', attributes: { 'trueup.address': scope.root.action.address } }),
    async () => {
      await readBack(run, scope, isGone);
      await reportDuplicatesBelow(run, scope);
      await settleService(run, scope);
    },
  ).catch((error: unknown) => reportFailure(run, scope.root, error));
}

function spanOf({ part, action }: ActionNode): SpanAbout {
  const { kind } = action.kind;
  const name = part === 'teardown' ? 'delete' : action.action;
  const attributes = { 'trueup.address': shownAddress(action), 'trueup.kind': kind, 'trueup.action': name };
  return { name: `${name} ${kind}`, attributes };
}

async function runAction(run: Run, node: ActionNode, after: readonly ApplyNode[]): Promise<'done' | 'failed'> {
  const { part, action } = node;
  const job = jobOf(run, action.address);
  const unsure = after.find((other) => isUnsure(run, other));
  if (unsure !== undefined) {
    skipNode(run, node, unsure);
    return 'failed';
  }
  if (isEffective(action) && !isSent(job)) {
    run.input.onEvent({ event: 'started', address: shownAddress(action), action: action.action });
  }
  try {
    if (part === 'deploy') {
      const result = await (isRun(action) ? runOnce(run, job) : deploy(run, job));
      if (result === 'watched') return 'done';
      dispatch(run, job, { is: 'settled', result });
      return result === 'done' ? 'done' : 'failed';
    }
    if (part === 'teardown') await tearDown(run, job);
    else await createOrUpdate(run, job);
    return 'done';
  } catch (error) {
    reportFailure(run, job, error);
    dispatch(run, job, { is: 'failed' });
    return 'failed';
  }
}

/** Whether the object that a node leaves behind is not, or may not be, as it was to be. */
function isUnsure(run: Run, node: ApplyNode): boolean {
  if (!('action' in node) || node.part === 'teardown') return false;
  const result = resultOf(jobOf(run, node.action.address));
  return result !== undefined && result !== 'done';
}

function skipNode(run: Run, node: ApplyNode, because: ApplyNode | string): void {
  if (!('action' in node)) return;
  const { address } = node.action;
  const job = jobOf(run, address);
  if (isOver(job)) return;
  const stopped = whyStopped(run, because);
  const why = stopped ?? (typeof because === 'string' ? because : `${nameOf(because)} did not succeed`);
  dispatch(run, job, { is: 'skipped', stopped });
  if (mayHaveWritten(job)) {
    const message = `the old ${address} is deleted and the new one was not made, because ${why}`;
    report(job, diagnostic('platform-answer', message, { address, remedy: 'Apply again.' }));
  } else report(job, diagnostic('skipped', `${nameOf(node)} was not tried, because ${why}`, { address }));
}

/** Why the run starts nothing new, where an action is not tried for that reason, or needs one that is not. */
function whyStopped(run: Run, because: ApplyNode | string): string | undefined {
  if (typeof because === 'string') return because;
  return 'action' in because ? jobOf(run, because.action.address).stopped : undefined;
}

/** The name of a node in a sentence. */
function nameOf(node: ApplyNode): string {
  if (!('action' in node)) return node.name;
  const { action } = node;
  return isBeside(action) ? `the ${isRun(action) ? 'run' : 'deployment'} of ${action.block}` : action.address;
}

async function finish(run: Run): Promise<ApplyResult> {
  const { plan, store } = run.input;
  await Promise.all(run.health.watches);
  reportUnknown(run);
  await Promise.all([reportDuplicates(run), settleServices(run)]);
  await reportUpgrade(run);
  const reached = withOwnProject(run, withWaves(plan.base, [run.journal.wave()]));
  const { saved } = plan;
  // Without an object there is nothing to keep: an empty state would be in the way of a rebuilt one.
  const isChanged =
    areOther(saved?.resources ?? {}, reached.resources) || areOther(saved?.deployments ?? {}, reached.deployments);
  // Records that an earlier run could not save are in its journal until a run saves them; an old state gets its MAC.
  const isOutdated =
    saved !== undefined &&
    (facts.some((name) => saved[name] !== reached[name]) || isInJournal(saved) || store.isUnsealed());
  const isNew = isChanged || isOutdated;
  const state = isNew ? { ...reached, serial: plan.base.serial + 1 } : plan.base;
  const unsaved = isNew || [...run.jobs.values()].some(isSent) ? await write(store, state) : undefined;
  if (run.ending.defect !== undefined) throw run.ending.defect.error;
  const reported = [...run.jobs.values()].filter(({ action }) => isIncluded(action));
  const outcomes = reported.map((job) => ({
    action: job.action,
    result: resultOf(job) ?? ('skipped' as const),
    mayHaveWritten: mayHaveWritten(job),
    diagnostics: job.diagnostics,
    ...defined({ stopped: job.stopped }),
  }));
  const isKeyRefused = run.ending.isOfKey === true ? (true as const) : undefined;
  return { outcomes, state, unsaved, ...defined({ isKeyRefused }) };
}

/** What a state holds of its project and platform. */
const facts = ['projectName', 'projectId', 'rootFile', 'platform'] as const;

/** Settles whether a service is stale, as soon as no other scope and no deployment decides about that. */
async function settleService(run: Run, scope: Scope): Promise<void> {
  const { root } = scope;
  const isDeployed = run.jobs.has(partAddress(root.action.address, 'deployment'));
  if (isDeployed || root.staleThrough.some((other) => other.scope !== scope)) return;
  await settleStale(run, root);
  scope.isSettled = true;
  if (root.action.service !== undefined) forgetRows(scope);
}

/** The same for the others: what is read meanwhile is on its way before most digests are made. */
async function settleServices(run: Run): Promise<void> {
  const services = [...run.jobs.values()].filter(
    ({ action, scope }) => action.service !== undefined && !scope.isSettled,
  );
  await inTurns(services, (service) => settleStale(run, service));
}

/** Does work that takes a while, with room for answers in between. */
async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += perTurn) {
    if (from > 0) await turn();
    await Promise.all(all.slice(from, from + perTurn).map(work));
  }
}

/** So many take a few milliseconds. */
const perTurn = 20;

/** A state that is bound to the project that it has a record of: the run may have created it, or deleted it. */
function withOwnProject(run: Run, state: State): State {
  const top = [...run.jobs.values()].find(({ action }) => action.kind.isTop === true)?.action;
  return top === undefined ? state : { ...state, projectId: state.resources[top.address]?.id ?? '' };
}

/** Whether two states hold other contents at addresses; ends at the first difference. */
function areOther(before: Readonly<Record<string, object>>, now: Readonly<Record<string, object>>): boolean {
  const addresses = Object.keys(now);
  if (addresses.length !== Object.keys(before).length) return true;
  return addresses.some(
    (address) =>
      !Object.hasOwn(before, address) || (before[address] !== now[address] && !same(before[address], now[address])),
  );
}

/** Writes the state; gives the reason when that fails: the results are reported all the same. */
async function write(store: StateStore, state: State): Promise<Stop | undefined> {
  try {
    await store.write(state);
    return undefined;
  } catch (error) {
    if (error instanceof Stop) return error;
    throw error;
  }
}

/**
 * Deletes the old object of an action. Before a new one takes its place, the old one has to be gone for sure.
 *
 * @throws {Stop} when a person changed it since, when it stays, or when the new one could not be created.
 */
async function tearDown(run: Run, job: Job): Promise<void> {
  const { action } = job;
  const { address } = action;
  if (isReplacement(action)) rehearseCreation(run, job);
  const [first] = action.teardown;
  if (first !== undefined) {
    await refuseChanged(run, job, { step: first });
    await announceWrite(run, job);
  }
  for (const step of action.teardown) {
    try {
      await send(run, job, step);
    } catch (error) {
      if (!(error instanceof PlatformError) || !saysGone(error)) throw error;
    }
  }
  if (!isReplacement(action)) return;
  const { root } = job.scope;
  const scope = root.object?.id;
  if (action.teardown.length > 0 && scope !== undefined) {
    const look = async () => rowIn(job, await run.reader.row(root.action.kind, scope));
    if ((await poll(run, look, { isSeen: (row) => row === undefined })) !== undefined) {
      throw refusal(action, `the old ${address} was to be deleted and is still there; no new one was created`);
    }
  }
  job.object = undefined;
  await run.journal.save(address, 'gone');
}

/** Sends the requests that create or update the object of an action. */
async function createOrUpdate(run: Run, job: Job): Promise<void> {
  const { action } = job;
  if (comesWithParent(action)) await claimProvided(run, job);
  if (action.steps.length === 0) return;
  if (!createsObject(action)) await refuseChanged(run, job);
  addOldSecrets(run, action);
  await announceWrite(run, job);
  for (const step of action.steps) {
    if (step.role === 'create') await create(run, job, step);
    else await send(run, job, step);
  }
}

/** A platform that refuses to overwrite a value may quote it. */
function addOldSecrets({ input }: Run, { attributes, kind }: Action): void {
  for (const { attribute, field, decision, before, pair } of attributes) {
    const value = before.reveal();
    if (value === null || !writesOrRemoves(decision)) continue;
    const name = field.secrecy === 'secret' ? attribute.field : (attribute.key ?? attribute.field);
    addSecretsOf(input.addSecret, { [name]: value }, kind);
    if (pair !== undefined) for (const text of secretsIn(pair.answered, value)) input.addSecret(text);
  }
}

/** Checks that the new object can be created, before the old one goes. */
function rehearseCreation(run: Run, job: Job): void {
  // What it refers to may come with the parent.
  if (job.parent !== undefined && isReplacement(job.parent.action)) return;
  for (const step of job.action.steps) rehearse({ ...requestInput(run, job), step });
}
