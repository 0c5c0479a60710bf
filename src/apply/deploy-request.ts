import { policies } from '../api/attempts.ts';
import { PlatformError } from '../api/errors.ts';
import type { Row } from '../kind/json.ts';
import { statusIn } from '../observe/deployments.ts';
import type { Step } from '../plan/action.ts';
import type { Deploys } from '../state/pending.ts';
import { withDeploys, withWrite } from '../state/pending.ts';
import { failure } from './deploy-failure.ts';
import type { DeployedService } from './deployed-service.ts';
import { isLate, tell } from './deployed-service.ts';
import { recordNow, recordOf, sentNow } from './records.ts';
import { poll } from './poll.ts';
import { happen, idOf, jobOf } from './run.ts';
import { mayLandLater } from './outcome.ts';
import { noting } from './send.ts';
import { saveDeploys } from './stale.ts';

/** An order of which it is not known whether the platform took it. */
export interface Lost {
  /** It was not the platform itself that answered. */
  readonly mayLandLater: boolean;
  readonly message: string;
}

/** What sending a request of a deployment needs. */
interface Sending {
  readonly step: Step;
  /** What tells the deployment from all others. */
  readonly mark: string;
  /** Writes down that it is sent now; called on its connection, just before it goes out. */
  readonly note: () => Promise<void>;
  /** What the state holds when the request was surely not carried out. */
  readonly owing: Deploys;
}

/** Sends a request of a deployment; what was surely not carried out is a failure at once. */
export async function send(service: DeployedService, { step, mark, note, owing }: Sending): Promise<Lost | undefined> {
  const { run, action, address } = service;
  if (step.role === 'deploy') tell(service, isLate(service) ? 'answer' : 'queue');
  try {
    const members = membersOf(service, step, mark);
    const isAnswered = await inTime(service, (signal) =>
      run.input.client.withConnection(
        step.operation,
        async (own) => {
          signal.throwIfAborted(); // nobody waits for it any more, nor knows of it
          await note();
          signal.throwIfAborted();
          happen(run, action.address, { is: 'sent', at: run.clock.monotonic() });
          return noting(run, action.address, own.invoke(step.operation, members));
        },
        { signal },
      ),
    );
    if (isAnswered) {
      happen(run, action.address, { is: 'answered' });
      return undefined;
    }
    if (jobOf(run, action.address).phase.is === 'sent') {
      happen(run, action.address, { is: 'lost', mayLandLater: true });
      return { mayLandLater: true, message: 'it was not answered in time' };
    }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.outcome === 'unknown') {
      const { serverMessage } = error;
      return { mayLandLater: mayLandLater(error), message: serverMessage === '' ? error.message : serverMessage };
    }
    await saveDeploys(run, address, owing);
    throw failure(service, `${step.operation} was not carried out: ${error.message}`);
  }
  await saveDeploys(run, address, owing);
  throw failure(service, 'the run ended before the platform took the request', { remedy: 'Apply again.' });
}

/** Whether an answer comes within the time limit, and before the run is interrupted. */
async function inTime(
  { run, kind }: DeployedService,
  ask: (signal: AbortSignal) => Promise<unknown>,
): Promise<boolean> {
  const over = new AbortController();
  const { signal } = run.input;
  const ends = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
  const answer = ask(ends);
  const late = run.clock.sleep(run.input.deploying.limitMs(kind.kind), ends).then(() => false);
  try {
    return await Promise.race([answer.then(() => true), late]);
  } finally {
    over.abort();
    answer.catch(() => undefined); // nobody waits for it any more
  }
}

function membersOf({ run }: DeployedService, step: Step, mark: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(step.members).map(([name, from]) => {
      if (from.is === 'id') return [name, idOf(run, from.address)];
      return [name, from.is === 'value' ? from.value.reveal() : mark];
    }),
  );
}

/** Makes a status that is what it was before tell nothing of what is ordered now. Gives the service as it then is. */
export async function resetStatus(service: DeployedService, before: Row, owing: Deploys): Promise<Row> {
  const { run, action, kind, address, id } = service;
  const step = action.steps.find(({ role }) => role === 'reset');
  if (step === undefined || statusIn(kind, before) === 'idle') return before;
  const isReset = (row: Row | undefined) => row !== undefined && statusIn(kind, row) === 'idle';
  let why = 'its status is the same';
  // Should the run end now: it must not land when the next one looks at the status.
  const known = recordNow(run, address) ?? recordOf(run, jobOf(run, address).action, id, {});
  const note = () => run.journal.save(address, withWrite(withDeploys(known, owing), { id, ...sentNow(run) }));
  const close = () => run.journal.save(address, withDeploys(known, owing), 'with the rest');
  // It comes to the same when it is carried out twice.
  for (let sends = 1; sends <= policies.reset.most; sends += 1) {
    const lost = await send(service, { step, mark: '', note, owing });
    if (lost === undefined) {
      if (sends === 1) await close(); // another one may land later
      return { ...before, [kind.service?.status ?? '']: 'idle' };
    }
    const after = await poll(run, () => run.reader.row(kind, id), { isSeen: isReset });
    if (after !== undefined && isReset(after)) return after;
    why = lost.message;
    if (!lost.mayLandLater) break;
  }
  await saveDeploys(run, address, owing);
  throw failure(service, `${step.operation} did not go through: ${why}`);
}
