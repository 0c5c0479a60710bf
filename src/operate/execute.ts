import type { Client } from '../api/client.ts';
import { attempts } from '../api/attempts.ts';
import { remedyAndOutcome } from '../api/diagnose.ts';
import { answerLines, PlatformError, unlessOfThePlatform } from '../api/platform-error.ts';
import { follow, shownIn } from '../apply/follow.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { type Json, type Row, isRow, member, defined } from '../formats/json.ts';
import { ownLog, statusIn } from '../observe/listed-deployments.ts';
import { createReader } from '../observe/reader.ts';
import { type Clock, systemClock } from '../state/clock.ts';
import type { ObjectCommand } from './object-command.ts';

/** The outcome of one command. */
export interface CommandResult {
  readonly command: ObjectCommand;
  /** `ordered`: the platform accepted the deployment, and the command did not wait for its end. */
  readonly result: 'done' | 'ordered' | 'failed' | 'not tried';
  /** The platform may have executed the command, wholly or in part. */
  readonly mayHaveActed: boolean;
  /** The part of the answer that holds no secret and that people want to read. */
  readonly answer?: Json;
  /** The status of the service after the command, where that could be read. */
  readonly status?: string;
  /** The new value of the secret that the command renews. */
  readonly renewed?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** The platform, the limits and the listeners of an execution. */
export interface Execution {
  readonly client: Client;
  /** Stops before the next command; the one that runs ends. */
  readonly signal: AbortSignal;
  /** Longest wait for the end of a deployment, in milliseconds; undefined: no wait. */
  readonly limitMs?: number | undefined;
  readonly clock?: Clock;
  /** When the objects were read for their commands (monotonic ms). */
  readonly readAt: number;
  /** The errors for objects that are not in the project any more; asked before a command whose object was read long ago. */
  readonly foreignNow: (command: ObjectCommand) => Promise<readonly Diagnostic[]>;
  readonly onStart: (command: ObjectCommand) => void;
  readonly onEnd: (result: CommandResult) => void;
}

/**
 * Executes commands one after the other, each POST once, and none after a failure or an interruption.
 *
 * @throws only what the listeners throw, and defects: a failure of the platform is a result.
 */
export async function executeCommands(
  commands: readonly ObjectCommand[],
  execution: Execution,
): Promise<readonly CommandResult[]> {
  const results: CommandResult[] = [];
  let isOver = false;
  for (const command of commands) {
    isOver ||= execution.signal.aborted;
    const result: CommandResult = isOver
      ? { command, result: 'not tried', mayHaveActed: false, diagnostics: [] }
      : await execute(command, execution);
    isOver ||= result.result === 'failed';
    results.push(result);
    execution.onEnd(result);
  }
  return results;
}

async function execute(command: ObjectCommand, execution: Execution): Promise<CommandResult> {
  const { client, onStart, readAt, foreignNow, clock = systemClock } = execution;
  const { operation, input } = command;
  onStart(command);
  let answer: unknown;
  try {
    // A person who was asked, or the commands before this one, may have taken a while.
    const isOld = clock.monotonic() - readAt > attempts.reading.freshMs;
    const diagnostics = isOld ? await foreignNow(command) : [];
    if (diagnostics.length > 0) return { command, result: 'failed', mayHaveActed: false, diagnostics };
    answer = await client.invoke(operation.call, input);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const mayHaveActed = error.outcome === 'unknown' && operation.isTest !== true;
    const row = mayHaveActed ? await readAfter(client, command) : undefined;
    return failed(command, { ...explain(error, command), mayHaveActed, ...statusOf(command, row, client) });
  }
  const refusal = refusalIn(command, answer);
  if (refusal !== undefined) {
    const message = `the platform answered ${operation.call}, and it failed: ${client.redact(refusal)}`;
    return failed(command, { message, mayHaveActed: operation.isTest !== true });
  }
  if (operation.answers === 'early') return awaitDeployment(command, execution);
  const row = await readAfter(client, command);
  const renewed = operation.renews === undefined ? undefined : member(row ?? {}, operation.renews);
  return {
    command,
    result: 'done',
    mayHaveActed: true,
    ...readableAnswer(command, answer, client),
    ...statusOf(command, row, client),
    ...(typeof renewed === 'string' ? { renewed } : {}),
    diagnostics: [],
  };
}

/** Waits for the deployment when a limit is given. A deployment that cannot be watched counts as ordered. */
async function awaitDeployment(command: ObjectCommand, execution: Execution): Promise<CommandResult> {
  const { client, signal, limitMs, clock = systemClock } = execution;
  const ordered: CommandResult = { command, result: 'ordered', mayHaveActed: true, diagnostics: [] };
  if (limitMs === undefined) return ordered;
  const { kind, id, before } = command;
  const watch = {
    reader: createReader(client),
    clock,
    signal,
    kind,
    id,
    before: shownIn(kind, before.reveal()),
    limitMs,
  };
  const ending = await follow(watch).catch(unlessOfThePlatform);
  if (ending === undefined || ending.is === 'interrupted') return ordered;
  if (ending.is === 'gone')
    return failed(command, { message: 'it was deleted while it was deployed', mayHaveActed: true });
  if (ending.is !== 'over') {
    const what = ending.is === 'not begun' ? 'did not begin' : 'did not end';
    return failed(command, { message: `its deployment was started, and ${what} in time`, mayHaveActed: true });
  }
  const { deployment, status, row } = ending;
  if (status === 'done') return { ...ordered, result: 'done', ...statusOf(command, row, client) };
  const details = deployment === undefined ? [] : await ownLog(watch.reader, kind, deployment.id);
  const reason = deployment?.errorMessage ?? (details.length > 0 ? '' : await watch.reader.reason(kind, id));
  const why = reason === '' ? '' : `: ${client.redact(reason)}`;
  const isShown = reason !== '' || details.length > 0 || kind.service?.logs !== undefined;
  const message = `the deployment ended as ${status}${why}`;
  return failed(command, {
    message,
    mayHaveActed: true,
    ...statusOf(command, row, client),
    ...(details.length === 0 ? {} : { details }),
    ...(isShown ? {} : { remedy: logRemedy }),
  });
}

const logRemedy = 'Its log is on the platform, on the page of the service under Deployments.';

/** The message and the remedy of a failed command. A test changes nothing, so "sent, outcome unknown" would be wrong for it. */
function explain(
  error: PlatformError,
  { operation }: ObjectCommand,
): { message: string; remedy?: string; details?: readonly string[] } {
  const { outcome, serverMessage, sentence } = error;
  if (operation.isTest !== true || outcome === 'not executed' || serverMessage === '') {
    return { message: sentence, details: answerLines(error), remedy: remedyAndOutcome(error) };
  }
  return { message: `${operation.call} failed: ${serverMessage}` };
}

function failed(
  command: ObjectCommand,
  about: {
    message: string;
    remedy?: string;
    details?: readonly string[];
    mayHaveActed: boolean;
    status?: string;
  },
): CommandResult {
  const { message, details, mayHaveActed, status } = about;
  const lines = [status === undefined ? '' : `Its status is ${status} now.`, about.remedy ?? ''];
  const remedy = lines.filter((line) => line !== '').join(' ');
  const failure = diagnostic('platform-answer', message, {
    address: command.address,
    ...defined({ details }),
    remedy: remedy === '' ? undefined : remedy,
  });
  return {
    command,
    result: 'failed',
    mayHaveActed,
    ...defined({ status }),
    diagnostics: [failure],
  };
}

/** The reason in a 200 that is a failure all the same: the answer `false`, or one that the kind calls bad. */
function refusalIn({ operation: { verdict } }: ObjectCommand, answer: unknown): string | undefined {
  if (answer === false) return 'the platform gives no reason; read its own log';
  const reached = verdict?.(isRow(answer) ? answer : {});
  if (reached === undefined || reached.passed) return undefined;
  return reached.reason ?? 'the platform gives no reason';
}

/** A text is meant for people; of an object only the members that the kind names, because others may hold secrets. */
function readableAnswer(
  { operation: { verdict } }: ObjectCommand,
  answer: unknown,
  { redact }: Client,
): { answer?: Json } {
  if (typeof answer === 'string') return { answer: redact(answer) };
  const reached = verdict === undefined || !isRow(answer) ? undefined : verdict(answer);
  if (reached?.passed !== true) return {};
  const findings = Object.entries(reached.findings).filter(([, value]) => (value ?? null) !== null);
  return findings.length === 0 ? {} : { answer: Object.fromEntries(findings) as Json };
}

/** Reads the object after the command, where its row says something. A failed read does not make the command a failure. */
async function readAfter(client: Client, { kind, id, operation }: ObjectCommand): Promise<Row | undefined> {
  if (kind.service === undefined && operation.renews === undefined) return undefined;
  return createReader(client).row(kind, id).catch(unlessOfThePlatform);
}

function statusOf({ kind }: ObjectCommand, row: Row | undefined, { redact }: Client): { status?: string } {
  const status = row === undefined ? undefined : statusIn(kind, row);
  return status === undefined ? {} : { status: redact(status) };
}
