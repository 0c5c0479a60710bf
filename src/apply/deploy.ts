import { attempts, policies } from '../api/attempts.ts';
import { remedyAndOutcome } from '../api/diagnose.ts';
import { answerLines, PlatformError } from '../api/platform-error.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { type Row, isRow } from '../formats/json.ts';
import { kindsIn } from '../kind/kind.ts';
import { takes } from '../kind/row-values.ts';
import { deploymentsIn, statusIn } from '../observe/listed-deployments.ts';
import type { PendingDeploy } from '../state/record.ts';
import { addSecretsOfRow } from '../state/row-secrets.ts';
import { saveDeploys } from './announce.ts';
import { attempt, mayLandLater } from './attempt.ts';
import {
  type DeployedService,
  deploysNow,
  failure,
  isAwaited,
  notify,
  reasonOf,
  resetStatus,
  send,
} from './deploy-request.ts';
import { type Ending, type Watch, answersLate, follow, shownIn } from './follow.ts';
import { type Job, mayHaveWritten, report, sentAt } from './job.ts';
import { reportAgain } from './report-failure.ts';
import { type Run, recordNow, sentNow, timeNow } from './apply-run.ts';
import { type UnitsBefore, sentBefore, unitsBefore } from './watch-health.ts';
import { restoreAfter } from './restore.ts';
import { readerOfMany } from './rows.ts';
import { type Result, failed, left, next, recordSuccess, succeeded, unwatched } from './deploy-outcome.ts';

/**
 * Deploys a service: follows the deployment that an earlier run started, and starts one unless that one is enough. The
 * state holds the pending deployment before it is started, so that the next run knows it.
 *
 * @throws {Stop} when the deployment does not succeed.
 */
export async function deploy(run: Run, job: Job): Promise<Result> {
  const { parent: root } = job;
  const { steps } = job.action;
  const isFollowed = steps.length === 0;
  // One that is followed was started from what the state says of it.
  const inputs = isFollowed ? root?.deploys?.pending?.inputs : root?.action.service?.inputs(run.outputs);
  if (root?.object === undefined || inputs === undefined) {
    throw new Error(`${job.action.address} is deployed before its service is known`);
  }
  const { address, kind, service: planned } = root.action;
  const deployed: DeployedService = { run, job, root, kind, address, id: root.object.id, inputs };
  const service = { ...deployed, restore: restoreAfter(deployed, start) };
  if (isNothingNew(root)) return recordSuccess(service);
  let row = root.scope.readBack ?? (await run.reader.row(kind, root.object.id));
  if (row === undefined) throw failure(service, ...gone);
  addSecretsOfRow(run.input.addSecret, row, { kind, record: recordNow(run, root) });
  const { pending } = deploysNow(service);
  let isDead = false;
  if (pending !== undefined) {
    const ending = await followEarlier(service, pending, row);
    if (ending.is === 'interrupted') return unwatched(service);
    if (ending.is === 'gone') throw failure(service, ...gone);
    const isOfSame = pending.inputs === planned?.inputs(run.outputs, pending.inputs);
    if (ending.is === 'over' && ending.status === 'done' && isOfSame)
      return succeeded(service, ending.row, sentBefore(run, pending));
    if (isFollowed) return followed(service, ending);
    if (ending.is === 'not begun' && pending.isAnswered === true) {
      const message = `the deployment of ${address} that an earlier run started did not begin, and no other runs; started it again`;
      report(job, diagnostic('repeated', message, { address: job.action.address }));
    }
    if (ending.is === 'not over' && answersLate(kind)) {
      reportDead(service, `the deployment of ${address} that an earlier run started`, 'it again');
      isDead = true;
      ({ row } = ending);
    }
  }
  const calm = isDead ? row : await waitForOthers(service, row);
  return calm === undefined ? unwatched(service) : start(service, calm);
}

/** The failure of a deployment whose service the platform does not have, and its remedy. */
const gone = ['it is not on the platform any more', { remedy: 'Plan again.' }] as const;

/** Whether the service was not stale before, and the values known only after apply changed nothing. */
function isNothingNew({ action, staleThrough }: Job): boolean {
  const { known, staleness } = action.service ?? {};
  if (known?.inputs === undefined || known.stale !== undefined || staleness?.isPending !== true) return false;
  return !staleThrough.some(mayHaveWritten);
}

/**
 * Follows the deployment that an earlier run started, until its in-flight timeout; longer while the platform deploys
 * another service, because it may wait behind that. A restart of the platform empties its queue.
 */
async function followEarlier(service: DeployedService, sent: PendingDeploy, row: Row): Promise<Ending> {
  const { run, kind } = service;
  const { clock, input } = run;
  const limitMs = input.deploying.limitMs(kind.kind);
  const listed = (deploymentsIn(kind, row) ?? []).map((deployment) => deployment.id);
  // The status in the row may already be that of the deployment.
  const before = { ids: new Set(listed.slice(0, listed.indexOf(sent.newest ?? '') + 1)), status: undefined };
  const about = { before, mark: sent.mark, knownId: sent.id };
  const now = clock.monotonic();
  const until = now + limitMs;
  // Whether it can still begin is not decided by the time of its request: another machine wrote that by its own clock.
  const quietMs = now - input.quietSince;
  const graceMs = Math.max(0, sent.timeoutMs - quietMs);
  const age = Math.max(quietMs, timeNow(run) - sent.at);
  // Nothing on the platform ends a deployment of a database that a restart interrupted: its time counts from its request.
  const first = answersLate(kind) ? { since: now - age, graceMs: age + graceMs } : { graceMs };
  const leftMs = answersLate(kind) ? limitMs - age : limitMs;
  if (leftMs > 0) notify(service, 'earlier', leftMs);
  let ending = await watch(service, { ...about, ...first }, 'earlier');
  let isBusy = sent.isAnswered === true;
  while (ending.is === 'not begun' && isBusy && clock.monotonic() < until) {
    isBusy = await isDeploying(service);
    // Between two deployments the platform shows none that runs.
    ending = await watch(service, { ...about, graceMs: attempts.effect.lagMs }, 'earlier');
  }
  return ending;
}

/**
 * Reports that a deployment counts as dead: it still shows as running when its time is over. A second one does no harm: the
 * platform answers it at its own end, whatever the status shows.
 */
function reportDead({ run, job, kind }: DeployedService, what: string, started: string): void {
  const limit = `${run.input.deploying.limitMs(kind.kind) / 1_000} s`;
  const message = `${what} has not ended within ${limit}; started ${started}`;
  report(job, diagnostic('repeated', message, { address: job.action.address }));
}

/** Whether the platform shows a running deployment of any service in the same environment. */
async function isDeploying({ run, root }: DeployedService): Promise<boolean> {
  const above = root.parent;
  if (above?.object === undefined) return false;
  const { kind } = above.action;
  const row = await run.reader.row(kind, above.object.id);
  return kindsIn(run.input.kinds, kind).some(({ kind: other, at }) => {
    const listed = answersLate(other) ? undefined : row?.[at];
    return Array.isArray(listed) && listed.some((item: unknown) => isRow(item) && statusIn(other, item) === 'running');
  });
}

/** Waits for the end of a deployment that only the status shows: it would be taken for the end of ours. */
async function waitForOthers(service: DeployedService, row: Row): Promise<Row | undefined> {
  const { run, kind, address } = service;
  if (!answersLate(kind) || statusIn(kind, row) !== 'running') return row;
  notify(service, 'earlier', run.input.deploying.limitMs(kind.kind));
  const ending = await watch(service, { before: shownIn(kind, row) }, 'earlier');
  if (ending.is === 'interrupted') return undefined;
  if (ending.is === 'gone') throw failure(service, ...gone);
  if (ending.is === 'not over') reportDead(service, `another deployment of ${address}`, 'this one');
  return ending.row;
}

/** A service with its containers as they were before its deployment. */
type StartedService = DeployedService & { units: UnitsBefore };

/** Records how the deployment of an earlier run ended that this run does not start again. */
async function followed(service: DeployedService, ending: Ending): Promise<Result> {
  const { run, root } = service;
  if (ending.is !== 'over') return unwatched(service);
  if (ending.status !== 'done') throw await failed(service, ending, undefined);
  // What the manifest says now is another change: the next plan deploys it.
  const { pending: _, ...rest } = deploysNow(service);
  await saveDeploys(run, root, rest);
  return 'done';
}

/** Starts the deployment and follows it; starts it again only when its request got lost. */
async function start(deployed: DeployedService, row: Row): Promise<Result> {
  const service = { ...deployed, units: await unitsBefore(deployed, row) };
  const { run, job, root, kind, address, inputs } = service;
  const { clock, input } = run;
  const { lagMs } = attempts.effect;
  const step = job.action.steps.find(({ role }) => role === 'deploy');
  if (step === undefined) throw new Error(`${job.action.address} has no request`);
  const mark = `trueup-${input.digests(address, '(mark)')(`${clock.wall()} ${clock.monotonic()}`).slice(-12)}`;
  const newest = deploymentsIn(kind, row)?.at(-1)?.id ?? null;
  const waits = isAwaited(service);
  const known = deploysNow(service);
  root.deploys = { ...known, stale: { ...known.stale } };
  // First the status: the next run takes what it finds there for the end of this deployment.
  const before = { ...shownIn(kind, row), status: await resetStatus(service, row) };
  const about = { before, mark: takes(step.operation, 'description') ? mark : undefined };
  return attempt(run, policies.deploy, {
    send: async (isAgain) => {
      // What started and ended since the request that got lost is none of this one.
      if (isAgain) service.units = await unitsBefore(deployed, row);
      if (answersLate(kind)) notify(service, 'answer', input.deploying.limitMs(kind.kind));
      const announce = () => {
        const pending: PendingDeploy = {
          ...sentNow(run),
          mark,
          inputs,
          newest,
          ...(waits ? { isAwaited: waits } : {}),
        };
        return saveDeploys(run, root, { ...deploysNow(service), pending });
      };
      await send(service, { step, mark, announce, isAgain });
      // The late answer came at the end, which the status shows at once.
      if (answersLate(kind)) return conclude(service, await watch(service, { ...about, graceMs: lagMs }));
      notify(service, 'queue');
      await addToPending(service, { isAnswered: true });
      if (!waits) return left(service);
      return conclude(service, await followAccepted(service, about));
    },
    look: async (lost, isLast) => {
      const since = sentAt(job);
      const graceMs = mayLandLater(lost) ? input.inFlightTimeoutMs : lagMs;
      const ending = await watch(service, { ...about, since, graceMs });
      return ending.is === 'not begun' && !isLast ? undefined : { found: await conclude(service, ending, lost) };
    },
    onAgain: () => reportAgain(run, job, `the deployment of ${address}`, 'started'),
  });
}

/**
 * Follows a deployment that the platform accepted. Where nothing in its environment is deployed, it begins soon or never;
 * behind another one it may wait for the whole limit.
 */
async function followAccepted(service: DeployedService, about: Pick<Watch, 'before' | 'mark'>): Promise<Ending> {
  const { run, job, kind } = service;
  const { clock, input } = run;
  const since = sentAt(job) ?? clock.monotonic();
  const limitMs = input.deploying.limitMs(kind.kind);
  const beginMs = Math.min(attempts.deployment.beginMs, limitMs);
  let ending = await watch(service, { ...about, since, beginMs });
  while (ending.is === 'not begun' && clock.monotonic() - since < limitMs && (await isDeploying(service))) {
    ending = await watch(service, { ...about, beginMs });
  }
  return ending;
}

/** Follows a deployment. `earlier`: this run did not start it, and the wait for it is announced already. */
async function watch(
  service: DeployedService,
  about: Pick<Watch, 'before' | 'since' | 'mark' | 'knownId' | 'graceMs' | 'beginMs'>,
  which?: 'earlier',
): Promise<Ending> {
  const { run, kind } = service;
  const { signal, deploying } = run.input;
  const limitMs = deploying.limitMs(kind.kind);
  const onBegin = async (deploymentId: string | undefined) => {
    const now = run.clock.monotonic();
    const waited = answersLate(kind) ? now - (about.since ?? now) : 0; // its time counts from its request
    if (which === undefined) notify(service, 'deployment', Math.max(0, limitMs - waited));
    // At its end it may not have its mark any more.
    if (deploymentId !== undefined) await addToPending(service, { id: deploymentId });
  };
  try {
    const reader = readerOfMany(run);
    return await follow({ ...run, ...service, ...about, reader, signal, limitMs, onBegin });
  } catch (error) {
    // An answer that says nothing about the service; a Stop of the state has another failure.
    if (error instanceof Stop && error.failure === 'platform') {
      throw failure(service, `its outcome is unknown: ${error.message}`, { remedy: next });
    }
    if (!(error instanceof PlatformError) || error.failure === 'authentication') throw error;
    const remedy = `${remedyAndOutcome(error)} ${next}`;
    throw failure(service, `its outcome is unknown: ${error.sentence}`, { details: answerLines(error), remedy });
  }
}

/** Records more of the pending deployment. */
async function addToPending(service: DeployedService, fact: Pick<PendingDeploy, 'id' | 'isAnswered'>): Promise<void> {
  const { pending, ...rest } = deploysNow(service);
  if (pending === undefined || (fact.id !== undefined && fact.id === pending.id)) return;
  await saveDeploys(service.run, service.root, { ...rest, pending: { ...pending, ...fact } });
}

/** Records the end of a deployment and reports it. `lost`: its request got no answer that tells the outcome. */
async function conclude(service: StartedService, ending: Ending, lost?: PlatformError): Promise<Result> {
  const { run, kind, address } = service;
  const limitMs = run.input.deploying.limitMs(kind.kind);
  const limit = `${limitMs / 1_000} s`;
  const waited = `${Math.min(limitMs, attempts.deployment.beginMs) / 1_000} s`;
  switch (ending.is) {
    case 'interrupted':
      return unwatched(service);
    case 'gone':
      throw failure(service, 'it was deleted on the platform while it was deployed', { remedy: 'Plan again.' });
    case 'over': {
      if (ending.status === 'done') {
        // A run that ends before the service holds leaves that to the next one.
        if (ending.deployment !== undefined) await addToPending(service, { id: ending.deployment.id });
        return succeeded(service, ending.row, service.units);
      }
      throw await failed(service, ending, lost);
    }
    case 'not over': {
      const end =
        kind.commands?.['kill-build'] === undefined ? '' : `, or end it with trueup run kill-build ${address}`;
      const remedy = `Give it more time with --deploy-timeout${end}. ${next}`;
      throw failure(service, `it was not over within ${limit}`, { row: ending.row, remedy });
    }
    case 'not begun': {
      const { row } = ending;
      // It may wait in the queue all the same, so it stays pending.
      if (lost !== undefined && !mayLandLater(lost)) throw failure(service, reasonOf(lost), { row, remedy: next });
      const why = answersLate(kind)
        ? 'nothing of it shows in its status'
        : `the platform did not begin with it within ${waited}, while nothing else of this run was deployed`;
      const remedy = `Its queue may be stuck, or a restart of the platform may have emptied it. ${next}`;
      throw failure(service, why, { row, remedy });
    }
    default:
      return ending satisfies never;
  }
}
