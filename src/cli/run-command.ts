import { diagnose } from '../api/diagnose.ts';
import { isOfKey, PlatformError } from '../api/platform-error.ts';
import { whyDirect } from '../api/proxy.ts';
import { type Diagnostic, diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { diskProblem } from '../diagnostics/disk-errors.ts';
import type { Environment } from '../project/folder.ts';
import type { Formats, View } from '../render/output-format.ts';
import { systemClock } from '../state/clock.ts';
import { defined } from '../formats/json.ts';
import { printable } from '../render/printable.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { redactorOf } from '../secrets/sources/env.ts';
import { asksForTraces } from '../trace/trace-settings.ts';
import { type Command, type Given, type Run, takesAll } from './command.ts';
import { type Exit, exitCodes, stopExits } from '../render/exit-codes.ts';
import { type GlobalOptions, oneFile, settleOptions, usage } from './settle-options.ts';
import { refuseLinkOut } from '../project/root-of-trust.ts';
import type { Process } from './process.ts';
import { readReviewSite } from './read-review-site.ts';
import { type Terminal, openTerminal } from './terminal.ts';

/** Runs a command to its end; every failure becomes a message and an exit code. Returns the exit code. */
export async function runCommand(
  process: Process,
  { options, command, given, name }: { options: GlobalOptions; command: Command; given: Given; name: string },
): Promise<number> {
  const { env } = process;
  // Another command may have an --all of its own.
  const files = takesAll(command) && 'all' in given.flags ? 'all' : (options.file ?? []);
  const screen = openTerminal(process, options.color !== false, () => readReviewSite(oneFile(options), process, files));
  const isFull = 'full' in given.flags;
  const terminal: Terminal = isFull ? { ...screen, errStyle: { ...screen.errStyle, isFull } } : screen;
  const redactor = redactorOf(env);
  const format = chooseFormat(command.formats, options.format);
  const view = await (format ?? command.formats.text)(terminal);
  showWarnings(process, { terminal, redactor });
  process.on('uncaughtException', (error: unknown) => {
    terminal.live?.leave();
    process.exit(reportFailure(error, { env, terminal, redactor, view }));
  });
  try {
    if (format === undefined) throw unknownFormat(name, options.format, command.formats);
    view.check?.();
    const asked = { command, given, terminal };
    const isOne = files !== 'all' && files.length < 2;
    const execute = isOne
      ? () => executeIn({ ...asked, process, view, options: settleOptions(oneFile(options), process, redactor) })
      : async () => (await import('./stages.ts')).executeStages(process, { ...asked, options, name, redactor });
    if (!asksForTraces(env)) return await execute();
    return await (await import('./traced.ts')).traced({ env, redactor, terminal }, name, execute);
  } catch (error) {
    return reportFailure(error, { env, terminal, redactor, view });
  }
}

/** Executes a command for one root file, and reports to a view. Returns the exit code. @throws whatever the command throws */
export async function executeIn({
  command,
  given,
  view,
  ...about
}: Pick<Run, 'options' | 'process' | 'terminal'> & { command: Command; given: Given; view: View }): Promise<number> {
  await refuseLinkOut(about.options);
  return exitCodes[await command.execute(runFor(view, about), view, given)].code;
}

/**
 * Keeps warnings of Node and of libraries from a reader who cannot do anything about them, and from the lines that are
 * drawn in place. The one about TLS is for the reader; TRUEUP_DEBUG=1 shows all of them.
 */
function showWarnings(process: Process, { terminal, redactor }: Pick<Reporting, 'terminal' | 'redactor'>): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, stack }: Error) => {
    if (message.includes('NODE_TLS_REJECT_UNAUTHORIZED')) {
      terminal.err('warning: NODE_TLS_REJECT_UNAUTHORIZED=0 is set: connections are not secure\n');
    } else if (process.env.TRUEUP_DEBUG === '1') terminal.err(`${redactor.redact(stack ?? `${name}: ${message}`)}\n`);
  });
}

/** The format of a name; undefined: the command has none of that name. */
export function chooseFormat<V extends View>(formats: Formats<V>, name: string): Formats<V>[string] | undefined {
  return Object.hasOwn(formats, name) ? formats[name] : undefined;
}

/** A run that reports to a view. */
export function runFor(
  view: View,
  about: Pick<Run, 'options' | 'process' | 'terminal'> & Partial<Pick<Run, 'clock'>>,
): Run {
  const { terminal } = about;
  return {
    clock: systemClock,
    ...about,
    cannotAsk: whyNotAsk(view, terminal),
    warn: view.warnings,
  };
}

function whyNotAsk({ asks }: View, { isInteractive }: Terminal): string | undefined {
  if (!asks) return 'this --format asks no questions';
  return isInteractive ? undefined : 'standard input or output is not a terminal';
}

function unknownFormat(name: string, format: string, formats: Formats<View>): Stop {
  const names = Object.keys(formats).join(', ');
  return usage(`${name} has no format ${JSON.stringify(format)}`, `It has these: ${names}.`);
}

/** Where a failure is reported. */
interface Reporting {
  readonly env: Environment;
  readonly terminal: Pick<Terminal, 'err'>;
  readonly redactor: Redactor;
  readonly view: View;
}

/** Reports what ended a run. Returns its exit code. */
export function reportFailure(error: unknown, { env, terminal, redactor, view }: Reporting): number {
  const { exit, diagnostics } = explain(error, redactor.redact, { env });
  const { code } = exitCodes[exit];
  view.failure(diagnostics, code);
  if (env.TRUEUP_DEBUG === '1' && error instanceof Error) terminal.err(`${stackOf(error, redactor)}\n`);
  return code;
}

/** The diagnostic of an unexpected error, without its stack, which may contain secrets. */
function defect(error: unknown, redact: Redactor['redact']): Diagnostic {
  const text = printable(redact(error instanceof Error ? error.message : String(error)));
  return diagnostic('defect', `this is a defect of Trueup: ${text}`, {
    remedy: 'Report it. TRUEUP_DEBUG=1 shows where it happened.',
  });
}

/** Returns how an error ends a run, and what it says. `keyName`: where the user gave the API key. */
export function explain(
  error: unknown,
  redact: Redactor['redact'],
  { env = {}, keyName = 'TRUEUP_API_KEY' }: { readonly env?: Environment; readonly keyName?: string | undefined } = {},
): { exit: Exit; diagnostics: readonly Diagnostic[] } {
  if (error instanceof Stop) return { exit: stopExits[error.failure], diagnostics: error.diagnostics };
  if (!(error instanceof PlatformError))
    return { exit: 'failed', diagnostics: [diskProblem(error) ?? defect(error, redact)] };
  const places = error.neededBy.length === 0 ? [{}] : error.neededBy;
  const diagnostics = places.map((place) => {
    const found = diagnose(error, place);
    const message = error.isKeyRefused ? found.message.replace('the API key', keyName) : found.message;
    // Reads begin while the manifest is checked: what is secret in it may have been found behind the answer.
    const details = found.details?.map(redact);
    const direct = sentenceOnProxy(error, env);
    const remedy = direct === undefined ? found.remedy : `${found.remedy} ${direct}`;
    return { ...found, message, ...defined({ remedy, details }) };
  });
  return { exit: isOfKey(error) ? 'authentication' : 'failed', diagnostics };
}

/** The sentence for a platform that gave no answer, where the environment names a proxy that is not used for it. */
function sentenceOnProxy({ failure, url }: PlatformError, env: Environment): string | undefined {
  const isSilent = failure === 'connection' || failure === 'timeout';
  return isSilent && URL.canParse(url) ? whyDirect(new URL(url), env) : undefined;
}

/** The stack of an error, and those of its causes. The text of a `Stop` is clean already, and may be of the manifest. */
function stackOf(error: Error, redactor: Redactor): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause, redactor)}` : '';
  const stack = error.stack ?? error.message;
  return (error instanceof Stop ? stack : redactor.redact(stack)) + cause;
}
