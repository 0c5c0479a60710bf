import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { PlatformError } from '../api/errors.ts';
import { redactDiagnostic } from '../plan/redacted.ts';
import { diagnosticJson, errorJson } from '../render/diagnostics-json.ts';
import { renderDiagnostics } from '../render/diagnostics-text.ts';
import { printable } from '../render/printable.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { createRedactor } from '../secrets/redactor.ts';
import type { Exit } from './exit-codes.ts';
import { exitCodes } from './exit-codes.ts';
import type { GlobalOptions, Settled } from './options.ts';
import { settleOptions } from './options.ts';
import type { Terminal } from './terminal.ts';
import { openTerminal } from './terminal.ts';

/** What a command works with. */
export interface Run {
  readonly options: Settled;
  readonly terminal: Terminal;
  readonly redactor: Redactor;
}

/** A command: it prints its result and says how it ended. */
export type Command = (run: Run) => Promise<Exit>;

/** How JSON is laid out: one document per run, indented, or one document per line. */
export type JsonLayout = 'indented' | 'lines';

/** Runs a command to its end; every failure becomes a message and an exit code. */
export async function runCommand(options: GlobalOptions, command: Command, layout: JsonLayout): Promise<void> {
  const terminal = openTerminal(options.color);
  const redactor = createRedactor();
  const json = options.format === 'json' ? layout : undefined;
  process.on('uncaughtException', (error) => {
    terminal.live?.leave();
    reportFailure(error, { terminal, redactor, json });
    process.exit();
  });
  try {
    const exit = await command({ options: settleOptions(options), terminal, redactor });
    process.exitCode = exitCodes[exit].code;
  } catch (error) {
    reportFailure(error, { terminal, redactor, json });
  }
}

/** What telling of a failure needs to know of the run. */
interface Telling {
  readonly terminal: Terminal;
  readonly redactor: Redactor;
  /** undefined: text. */
  readonly json: JsonLayout | undefined;
}

/** Tells of what ended a run, and sets its exit code. */
export function reportFailure(error: unknown, telling: Telling): void {
  const { terminal, redactor, json } = telling;
  const { exit, diagnostics: told } = explain(error) ?? { exit: 'failed', diagnostics: undefined };
  const diagnostics = told?.map((item) => redactDiagnostic(item, redactor.redact));
  const { code } = exitCodes[exit];
  if (diagnostics === undefined) reportDefect(error, telling);
  else if (json !== undefined) printJson(terminal, errorJson(diagnostics.map(diagnosticJson), code), json);
  else terminal.err(renderDiagnostics(diagnostics, terminal.errStyle));
  if (process.env.TRUEUP_DEBUG === '1' && error instanceof Error) terminal.err(`${redactor.redact(stackOf(error))}\n`);
  process.exitCode = code;
}

/** What nobody foresaw is ours, and told without the stack, which may hold anything. */
function reportDefect(error: unknown, { terminal, redactor, json }: Telling): void {
  const text = printable(redactor.redact(error instanceof Error ? error.message : String(error)));
  const message = `this is a defect of Trueup: ${text}`;
  const remedy = 'Please report it. TRUEUP_DEBUG=1 shows where it happened.';
  if (json !== undefined) {
    const item = { code: 'defect', severity: 'error', message, remedy } as const;
    printJson(terminal, errorJson([item], exitCodes.failed.code), json);
  } else terminal.err(`${message}\n  -> ${remedy}\n`);
}

/** Prints a JSON document: the only one of a run unless they come in lines. */
export function printJson(terminal: Terminal, document: object, layout: JsonLayout = 'indented'): void {
  terminal.out(`${layout === 'lines' ? JSON.stringify(document) : JSON.stringify(document, null, 2)}\n`);
}

/** Prints warnings and notes where people look for them and programs do not. */
export function printWarnings({ options, terminal, redactor }: Run, warnings: readonly Diagnostic[]): void {
  if (options.isJson || warnings.length === 0) return;
  const told = warnings.map((item) => redactDiagnostic(item, redactor.redact));
  terminal.err(`${renderDiagnostics(told, terminal.errStyle)}\n`);
}

/** undefined: nobody foresaw it. */
function explain(error: unknown): { exit: Exit; diagnostics: readonly Diagnostic[] } | undefined {
  if (error instanceof Stop) return { exit: stopExits[error.failure], diagnostics: error.diagnostics };
  if (!(error instanceof PlatformError)) return undefined;
  const isKey = error.failure === 'authentication' || error.failure === 'forbidden';
  return { exit: isKey ? 'authentication' : 'failed', diagnostics: [diagnostic('platform-answer', error.message)] };
}

/** How a run ends that was stopped. */
export const stopExits: Readonly<Record<Stop['failure'], Exit>> = {
  manifest: 'manifest',
  refused: 'failed',
  authentication: 'authentication',
  locked: 'locked',
  platform: 'failed',
  state: 'state',
  usage: 'failed',
};

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : '';
  return (error.stack ?? error.message) + cause;
}
