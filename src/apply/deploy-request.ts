import { policies } from '../api/attempts.ts';
import type { Operation } from '../api/contract.ts';
import { remedyAndOutcome } from '../api/diagnose.ts';
import { answerLines, PlatformError } from '../api/platform-error.ts';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { type Row, defined } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { statusIn } from '../observe/listed-deployments.ts';
import type { Step } from '../plan/action.ts';
import type { Deploys } from '../state/record.ts';
import { withWrite } from '../state/pending-operation.ts';
import { recordOfService, saveDeploys } from './announce.ts';
import { attempt, isLost, mayLandLater, poll } from './attempt.ts';
import { refuseMoved } from './freshness.ts';
import { buildMembers } from './fill-members.ts';
import { type Run, dispatch, saveRecord, sentNow } from './apply-run.ts';
import type { ApplyEvent, Job } from './job.ts';
import { invoke, requestInput } from './send-step.ts';

/** A service that an action of its own deploys. */
export interface DeployedService {
  readonly run: Run;
  /** Its deployment. */
  readonly job: Job;
  readonly root: Job;
  readonly kind: Kind;
  readonly address: string;
  readonly id: string;
  /** The digest of everything it is deployed from. */
  readonly inputs: string;
  /** Puts the former version back after a failure; gives what to report. undefined: nothing does. */
  readonly restore?: ((failure: Stop) => Promise<Stop>) | undefined;
  /** This deployment is that of the former version: it is watched to its end before it counts as done. */
  readonly isRestore?: true;
}

/** The deployments of a service as the run knows them now. */
export function deploysNow({ root }: DeployedService): Deploys {
  return root.deploys ?? {};
}

/** Whether the run waits for the end of the deployment, and looks at its containers then. */
export function isAwaited({ run, job }: Pick<DeployedService, 'run' | 'job'>): boolean {
  return run.input.deploying.waits || job.isAwaited;
}

/** Reports what the run waits for, and how long it does at most. */
export function notify({ run, job, address }: DeployedService, phase: Waiting['for'], limitMs?: number): void {
  run.input.onEvent({ event: 'waiting', for: phase, ...defined({ limitMs }), address, action: job.action.action });
}

type Waiting = Extract<ApplyEvent, { event: 'waiting' }>;

/** One request of a deployment. */
interface DeployRequest {
  readonly step: Step;
  /** The text in the description that tells the deployment from all others. */
  readonly mark?: string | undefined;
  /** It was sent before, with unknown outcome. */
  readonly isAgain: boolean;
  /** Records that it is pending; called on its connection, just before it is sent. */
  readonly announce: () => Promise<void>;
}

/**
 * Sends a request of a deployment. When the platform surely did not execute it, the state holds the same deployments
 * afterwards as before.
 *
 * @throws {PlatformError} when its outcome is unknown. @throws {Stop} when the platform surely did not execute it.
 */
export async function send(service: DeployedService, request: DeployRequest): Promise<void> {
  const { run, job, root } = service;
  const { step, mark, isAgain, announce } = request;
  const { operation } = step;
  const deploys = deploysNow(service);
  const refused = async (why: string, remedy: string, details: readonly string[] = []): Promise<Stop> => {
    await saveDeploys(run, root, deploys);
    const before = isAgain ? `${operation} was sent before, outcome unknown; ` : '';
    return failure(service, `${before}${why}`, { remedy, details });
  };
  try {
    const members = buildMembers({ ...requestInput(run, job), step, now: undefined, mark }) ?? {};
    const answered = await inTime(service, (signal) =>
      run.input.client.withConnection(
        operation,
        async (own) => {
          signal.throwIfAborted(); // the run does not wait for it any more
          await refuseMoved(run, job, root.scope, { client: own, refetch: own.hasPaused });
          signal.throwIfAborted(); // the run may have saved its state meanwhile
          await announce();
          signal.throwIfAborted();
          return invoke(run, job, own, operation, members);
        },
        { signal },
      ),
    );
    if (answered !== undefined) {
      dispatch(run, job, { is: 'answered' });
      return;
    }
  } catch (error) {
    if (!(error instanceof PlatformError) || error.outcome === 'unknown') throw error;
    throw await refused(error.sentence, `${remedyAndOutcome(error)} ${again}`, answerLines(error));
  }
  const isInterrupted = run.input.signal?.aborted === true;
  if (job.phase.is !== 'sent') {
    const ended = isInterrupted ? 'the run was interrupted' : 'the time limit passed';
    const unsent = isAgain ? 'the one after it' : operation;
    throw await refused(`${ended}, and the platform did not execute ${unsent}`, 'Apply again.');
  }
  throw unanswered(service, operation);
}

/** Notes that a request which is on its way gets no answer in time, and gives the error that says so. */
export function unanswered({ run, job }: Pick<DeployedService, 'run' | 'job'>, operation: Operation): PlatformError {
  dispatch(run, job, { is: 'lost', mayLandLater: true });
  const isInterrupted = run.input.signal?.aborted === true;
  const event = `it was not answered ${isInterrupted ? 'before the run was interrupted' : 'in time'}`;
  const call = { operation, url: 'the platform', isWrite: true, event, serverMessage: event };
  return new PlatformError({ ...call, failure: 'timeout', outcome: 'unknown' });
}

/** The answer that comes within the time limit, and before the run is interrupted; undefined: none does. */
export async function inTime(
  { run, kind }: Pick<DeployedService, 'run' | 'kind'>,
  ask: (signal: AbortSignal) => Promise<unknown>,
): Promise<{ readonly answer: unknown } | undefined> {
  const over = new AbortController();
  const { signal, deploying } = run.input;
  const ends = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
  const late = run.clock.sleep(deploying.limitMs(kind.kind), ends).then(() => undefined);
  try {
    return await Promise.race([ask(ends).then((answer) => ({ answer })), late]);
  } finally {
    over.abort();
  }
}

/**
 * Sets the status of a service to idle, where only the status shows the end of a deployment. Gives the status then.
 *
 * @throws {Stop} when the platform did not set it.
 */
export async function resetStatus(service: DeployedService, row: Row): Promise<string | undefined> {
  const { run, job, root, kind, id } = service;
  const step = job.action.steps.find(({ role }) => role === 'reset');
  const isIdle = (now: Row | undefined) => now !== undefined && statusIn(kind, now) === 'idle';
  if (step === undefined || isIdle(row)) return statusIn(kind, row);
  const record = recordOfService(run, root);
  // A later run that finds it pending waits until it can land no more, and looks at the status then.
  const announce = () => saveRecord(run, root, withWrite(record, { id, ...sentNow(run) }));
  try {
    return await attempt(run, policies.reset, {
      send: async (isAgain) => {
        await send(service, { step, announce, isAgain });
        if (!isAgain) await run.journal.save(root.action.address, { record }, 'with the rest'); // the one before may land later
        return 'idle';
      },
      look: async (lost) => {
        if (isIdle(await poll(run, () => run.reader.row(kind, id), { isSeen: isIdle }))) return { found: 'idle' };
        if (!mayLandLater(lost)) throw lost;
        return undefined;
      },
    });
  } catch (error) {
    if (!isLost(error)) throw error;
    await saveDeploys(run, root, deploysNow(service));
    throw failure(service, `${step.operation} was not confirmed: ${reasonOf(error)}`);
  }
}

/** The reason of a failed request: the text of the platform, where it gave one. */
export function reasonOf({ serverMessage, message }: PlatformError): string {
  return serverMessage === '' ? message : serverMessage;
}

const again = 'What was written before stays. Apply again: the deployment is planned until it succeeds.';

/** The failure of a deployment, with the status of the service. Texts of the platform in it are redacted already. */
export function failure(
  service: DeployedService,
  why: string,
  about: { row?: Row; status?: string | undefined; how?: string; remedy?: string; details?: readonly string[] } = {},
): Stop {
  const { address, kind } = service;
  const { action } = service.job;
  const { row = {}, status = statusIn(kind, row), how = 'was not deployed', details = [], remedy = again } = about;
  return stop('platform', 'deploy-failed', `${address} ${how}: ${why}`, {
    address: action.address,
    position: action.position,
    details: [...(status === undefined ? [] : [`status: ${service.run.input.client.redact(status)}`]), ...details],
    remedy,
  });
}
