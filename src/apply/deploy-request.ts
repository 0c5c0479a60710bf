import { policies, attempts } from '../api/attempts.ts';
import { PlatformError } from '../api/errors.ts';
import type { Row } from '../kind/json.ts';
import { statusIn, deploymentsIn } from '../observe/deployments.ts';
import type { Step, Action } from '../plan/action.ts';
import type { Deploys } from '../state/pending.ts';
import { withDeploys, withWrite } from '../state/pending.ts';
import { recordNow, recordOf, sentNow, happen, idOf, jobOf } from './run.ts';
import { poll, mayLandLater } from './attempt.ts';
import { noting } from './send.ts';
import { saveDeploys } from './announce.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import type { Deployment } from '../observe/deployments.ts';
import { createRedactor } from '../secrets/redactor.ts';
import { knowingInput } from '../secrets/call-secrets.ts';
import type { Run } from './run.ts';

/** A request of a deployment with an unknown outcome. */
export interface Lost {
  /** The answer, if any, was not one of the platform itself. */
  readonly mayLandLater: boolean;
  readonly message: string;
}

/** What sending a request of a deployment needs. */
interface Sending {
  readonly step: Step;
  /** The text that distinguishes the deployment from all others. */
  readonly mark: string;
  /** Writes down that it is sent now; called on its connection, just before it goes out. */
  readonly note: () => Promise<void>;
  /** What the state holds when the platform surely did not execute the request. */
  readonly recordBefore: Deploys;
  /** It was sent before, and got no answer. */
  readonly isAgain: boolean;
}

/** Sends a request of a deployment; one that the platform surely did not execute is a failure at once. */
export async function send(
  service: DeployedService,
  { step, mark, note, recordBefore, isAgain }: Sending,
): Promise<Lost | undefined> {
  const { run, action, address } = service;
  const before = isAgain ? `${step.operation} was sent before, outcome unknown; ` : '';
  if (step.role === 'deploy') reportPhase(service, isLate(service) ? 'answer' : 'queue');
  try {
    const members = membersOf(service, step, mark);
    const isAnswered = await inTime(service, (signal) =>
      run.input.client.withConnection(
        step.operation,
        async (own) => {
          signal.throwIfAborted(); // the run neither waits for it nor has a record of it
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
    await saveDeploys(run, address, recordBefore);
    throw failure(service, `${before}${error.message}`, { remedy: `${error.remedy} ${again}` });
  }
  await saveDeploys(run, address, recordBefore);
  const ended = run.input.signal?.aborted === true ? 'the run was interrupted' : 'the time limit passed';
  const request = isAgain ? 'the one after it' : step.operation;
  throw failure(service, `${before}${ended}, and the platform did not execute ${request}`, { remedy: 'Apply again.' });
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
    answer.catch(() => undefined); // the run waits for it no longer
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

/** Sets the status to idle, so that `done` or `error` is the result of this deployment. Gives the service as it then is. */
export async function resetStatus(service: DeployedService, before: Row, recordBefore: Deploys): Promise<Row> {
  const { run, action, kind, address, id } = service;
  const step = action.steps.find(({ role }) => role === 'reset');
  if (step === undefined || statusIn(kind, before) === 'idle') return before;
  const isReset = (row: Row | undefined) => row !== undefined && statusIn(kind, row) === 'idle';
  let why = 'its status is the same';
  // Should the run end now: it must not land when the next one looks at the status.
  const known = recordNow(run, address) ?? recordOf(run, jobOf(run, address).action, id, {});
  const note = () => run.journal.save(address, withWrite(withDeploys(known, recordBefore), { id, ...sentNow(run) }));
  const close = () => run.journal.save(address, withDeploys(known, recordBefore), 'with the rest');
  // Executed twice, it has the same effect.
  for (let sends = 1; sends <= policies.reset.most; sends += 1) {
    const lost = await send(service, { step, mark: '', note, recordBefore, isAgain: sends > 1 });
    if (lost === undefined) {
      if (sends === 1) await close(); // another one may land later
      return { ...before, [kind.service?.status ?? '']: 'idle' };
    }
    const after = await poll(run, () => run.reader.row(kind, id), { isSeen: isReset });
    if (after !== undefined && isReset(after)) return after;
    why = lost.message;
    if (!lost.mayLandLater) break;
  }
  await saveDeploys(run, address, recordBefore);
  throw failure(service, `${step.operation} did not go through: ${why}`);
}

/** A deployment that is over and did not succeed: the next plan has it again. Tells what the platform knows of it. */
export async function failed(
  service: DeployedService,
  {
    row,
    deployment,
    recordBefore,
    why,
  }: {
    readonly row: Row;
    readonly deployment: Deployment | undefined;
    readonly recordBefore: Deploys;
    readonly why: string;
  },
): Promise<Stop> {
  const { run, address, kind, inputs } = service;
  const listed = deploymentsIn(kind, row);
  const { pending: _, ...rest } = recordBefore;
  // A later deployment by a person has every saved change.
  const saved = listed === undefined ? {} : { saved: { inputs, newest: listed.at(-1)?.id ?? null } };
  await saveDeploys(run, address, { ...rest, stale: { ...rest.stale, ...saved } });
  const logPath = deployment?.logPath === undefined ? [] : [`log on the server: ${deployment.logPath}`];
  const more = kind.service?.logs === undefined ? '' : ` trueup logs ${address} shows more.`;
  return failure(service, why, {
    row,
    ...(deployment === undefined ? {} : { status: deployment.status }),
    details: [...logPath, ...(await readLog(service))],
    remedy: `Mend it, and apply again.${more}`,
  });
}

/** The end of the log of a service, where the platform shows it. */
async function readLog({ run, kind, id }: DeployedService): Promise<string[]> {
  try {
    const answer = await run.reader.log(kind, id, { tail: attempts.deployment.logLines });
    const lines = typeof answer === 'string' ? answer.split(/\r?\n/) : [];
    return lines.filter((line) => line !== '').slice(-attempts.deployment.logLines);
  } catch (error) {
    if (error instanceof PlatformError) return []; // why it failed matters more
    throw error;
  }
}

/** The usual remedy of a deployment that failed. */
const again = 'What was written before stays. Apply again: the deployment is planned until it succeeds.';

/** What ends a deployment, with how the service is; nothing of it is secret. */
export function failure(
  { run, action, address, kind }: DeployedService,
  why: string,
  about: { row?: Row; status?: string; remedy?: string; details?: readonly string[] } = {},
): Stop {
  const { row, remedy, details = [] } = about;
  const status = about.status ?? (row === undefined ? undefined : statusIn(kind, row));
  const hide = hiding(kind, row ?? {}, run.input.redact);
  const context = {
    address: action.address,
    position: action.position,
    details: [...(status === undefined ? [] : [`status: ${status}`]), ...details.map((line) => hide(line))],
    remedy: remedy ?? again,
  };
  return new Stop('platform', [diagnostic('deploy-failed', `${address} was not deployed: ${hide(why)}`, context)]);
}

/**
 * Hides in a text of the platform what the run knows to be secret and what the service has that is, or may be. Of a
 * text such as a compose file that is what is called so: its other lines are what a failure is about.
 */
function hiding(kind: Kind, row: Row, redact: (text: string) => string): (text: string) => string {
  const own = createRedactor();
  const texts = new Set(
    Object.entries(kind.fields).flatMap(([name, field]) =>
      field.secrecy === 'private' && field.map === undefined ? [name] : [],
    ),
  );
  const knowing = knowingInput(own, Object.fromEntries(Object.entries(row).filter(([name]) => !texts.has(name))));
  for (const name of texts) for (const secret of secretsIn(row[name])) own.add(secret);
  return (text) => redact(knowing.redact(text));
}

/** The values in a text with a secret-like name, and the passwords in its addresses. */
function secretsIn(text: unknown): string[] {
  if (typeof text !== 'string') return [];
  const named = /[\w.-]*(?:pass|pwd|secret|token|key|credential|auth)[\w.-]*["']?\s*[:=]\s*["']?([^\s"'#,}\]]+)/gi;
  const inAddress = /:\/\/[^\s:@/]*:([^\s@/]+)@/g;
  return [...text.matchAll(named), ...text.matchAll(inAddress)].flatMap((match) => match[1] ?? []);
}

/** A service that is deployed by an action of its own. */
export interface DeployedService {
  readonly run: Run;
  /** The deployment. */
  readonly action: Action;
  readonly kind: Kind;
  readonly address: string;
  readonly id: string;
  /** The digest of what it is deployed from. */
  readonly inputs: string;
}

/** Whether the platform answers a deployment when its work is over, not before it begins. */
export function isLate({ kind }: DeployedService): boolean {
  return kind.service?.deployments === undefined;
}

/** Tells what is waited for now. */
export function reportPhase({ run, action, address }: DeployedService, phase: 'queue' | 'deployment' | 'answer'): void {
  run.input.onEvent({ event: 'waiting', for: phase, address, action: action.action });
}
