import { attempts, policies } from '../api/attempts.ts';
import { remedyAndOutcome } from '../api/diagnose.ts';
import { answerLines, PlatformError } from '../api/platform-error.ts';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { isRow } from '../formats/json.ts';
import { commandFor, seedCommand } from '../kind/command-call.ts';
import { type Deployment, deploymentsAt, isOver, ownLog } from '../observe/listed-deployments.ts';
import { attempt, mayLandLater, poll } from './attempt.ts';
import { type Run, dispatch, recordNow } from './apply-run.ts';
import { inTime, unanswered } from './deploy-request.ts';
import { buildMembers } from './fill-members.ts';
import { type Job, sentAt } from './job.ts';
import { readSiblings } from './rows.ts';
import { invoke, requestInput } from './send-step.ts';

/**
 * Runs the command of an object, and notes in the record of the object that it ran. What failed, or may have failed, is
 * not noted: the next apply runs it again. So does one after a kill between the end of the command and the note.
 *
 * @throws {Stop} when the command failed, or its end is not known
 */
export async function runOnce(run: Run, job: Job): Promise<'done'> {
  const { action, parent: owner } = job;
  const record = owner && recordNow(run, owner);
  if (record === undefined) throw new Error(`${action.address} runs before its object is known`);
  try {
    await execute(run, job);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const what = error.outcome === 'unknown' ? 'was started, and its end is not known' : 'was not run';
    throw failure(job, `${what}: ${error.sentence}`, {
      remedy: `${remedyAndOutcome(error)} A${again.slice(1)}`,
      details: answerLines(error),
    });
  }
  await run.journal.save(action.block, { record: { ...record, ran: true } });
  return 'done';
}

/** Sends the request and learns how the command ended. @throws {Stop} when it failed; {PlatformError} when that is not known */
async function execute(run: Run, job: Job): Promise<void> {
  const { action, parent: owner } = job;
  const command = commandFor(action.kind, seedCommand, owner?.object?.row ?? {});
  if (command === undefined || 'cannot' in command) throw new Error(`${action.address} has no request`);
  const { runsAt, verdict } = command;
  const before = new Set((await runsOf(run, job, runsAt)).map(({ id }) => id));
  await attempt<void>(run, policies.run, {
    send: async () => {
      const answer = await ask(run, job);
      const row = isRow(answer) ? answer : {};
      const reached = verdict?.(row);
      if (answer !== false && (reached === undefined || reached.passed)) return;
      throw await failed(run, job, row['deploymentId'], reached?.passed === false ? reached.reason : undefined);
    },
    look: async (lost) => {
      const newest = async () => (await runsOf(run, job, runsAt)).findLast(({ id }) => !before.has(id));
      const ended = await endOf(run, job, { newest, lost });
      if (ended === undefined) return undefined;
      dispatch(run, job, { is: 'seen' });
      if (ended.status === 'done') return { found: undefined };
      throw await failed(run, job, ended.id, `it ended as ${ended.status}`);
    },
  });
}

/** Sends the request; the answer comes at the end of the command. */
async function ask(run: Run, job: Job): Promise<unknown> {
  const { kind, steps } = job.action;
  const [step] = steps;
  if (step === undefined) throw new Error(`${job.action.address} has no request`);
  const members = buildMembers({ ...requestInput(run, job), step, now: undefined }) ?? {};
  const answered = await inTime({ run, kind }, (signal) =>
    run.input.client.withConnection(
      step.operation,
      async (own) => {
        signal.throwIfAborted();
        return invoke(run, job, own, step.operation, members);
      },
      { signal },
    ),
  );
  if (answered === undefined) throw unanswered({ run, job }, step.operation);
  dispatch(run, job, { is: 'answered' });
  return answered.answer;
}

/** The run that the platform lists since a request without an answer, at its end; undefined: none, or no end in time. */
async function endOf(
  run: Run,
  job: Job,
  { newest, lost }: { readonly newest: () => Promise<Deployment | undefined>; readonly lost: PlatformError },
): Promise<Deployment | undefined> {
  const now = run.clock.monotonic();
  const graceMs = mayLandLater(lost) ? run.input.inFlightTimeoutMs : attempts.effect.lagMs;
  const begun = await poll(run, newest, {
    isSeen: (one) => one !== undefined,
    until: now + graceMs,
    pauses: attempts.effect.rarePauses,
  });
  if (begun === undefined) return undefined;
  const ended = await poll(run, newest, {
    isSeen: (one) => one !== undefined && isOver(one),
    until: (sentAt(job) ?? now) + run.input.deploying.limitMs(job.action.kind.kind),
    pauses: { firstMs: attempts.deployment.longestPauseMs, growth: 1 },
  });
  return ended !== undefined && isOver(ended) ? ended : undefined;
}

/** The runs of the object as the platform lists them, the newest last; none where it lists none. */
async function runsOf(run: Run, { parent: owner }: Job, at: string | undefined): Promise<readonly Deployment[]> {
  if (owner?.object === undefined || at === undefined) return [];
  const row = (await readSiblings(run, owner)).get(owner.object.id);
  return (row && deploymentsAt(row, at)) ?? [];
}

/** The failure of a command that ended, with the last lines of its log where the platform has them. */
async function failed(run: Run, job: Job, id: unknown, why = 'the platform gives no reason'): Promise<Stop> {
  const service = job.parent?.parent?.action.kind;
  const details = service === undefined || typeof id !== 'string' ? [] : await ownLog(run.reader, service, id);
  return failure(job, `failed: ${run.input.client.redact(why)}`, { remedy: `Fix it, and ${again}`, details });
}

const again = 'apply again: it runs at each apply until it succeeds.';

function failure(
  { action: { address, block, position } }: Job,
  why: string,
  about: { readonly remedy: string; readonly details: readonly string[] },
): Stop {
  return stop('platform', 'seed-failed', `${block} ${why}`, { address, position, ...about });
}
