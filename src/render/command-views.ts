import { type Json, isObject } from '../formats/json.ts';
import type { CommandResult } from '../operate/execute.ts';
import { redacted } from '../secrets/secret.ts';
import { printable } from './printable.ts';
import type { Style, Tone } from './style.ts';
import { diagnosticJson } from './diagnostics-json.ts';
import type { RunDocument } from './document-schemas.ts';

const tones: Readonly<Record<CommandResult['result'], Tone>> = {
  done: 'good',
  ordered: 'info',
  failed: 'bad',
  'not tried': 'change',
};

/** The result of one command, on one line. */
export function renderCommandResult(
  outcome: CommandResult,
  { style, showsSecrets }: { style: Style; showsSecrets: boolean },
): string {
  const { command, result, answer, status, renewed } = outcome;
  const notes = [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(answer === undefined ? [] : [answerWords(answer)]),
    ...(renewed === undefined ? [] : [`${command.operation.renews ?? ''} ${showsSecrets ? renewed : redacted}`]),
    ...(result === 'ordered' ? ['trueup status shows how it ends'] : []),
  ];
  const name = style.paint('strong', printable(command.address));
  const words = [`${command.name} ${style.paint(tones[result], result)}`, ...notes.map(printable)].join('; ');
  return `${name}: ${words}\n`;
}

function answerWords(answer: Json): string {
  if (!isObject(answer)) return typeof answer === 'string' ? answer : JSON.stringify(answer);
  return Object.entries(answer)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

/** The results of `trueup run`, and how much of them is shown. */
export interface CommandResultsView {
  /** The name of the command: `start`. */
  readonly name: string;
  readonly results: readonly CommandResult[];
  readonly counts: { readonly reads: number; readonly writes: number };
  readonly showsSecrets: boolean;
}

/** The results of `trueup run`, for programs. */
export function commandResultsJson(
  { name, results, counts, showsSecrets }: CommandResultsView,
  exitCode: number,
): RunDocument {
  return {
    format: 'trueup/run',
    version: 1,
    verb: name,
    exitCode,
    requests: { reads: counts.reads, writes: counts.writes },
    outcomes: results.map(({ command, result, answer, status, renewed, diagnostics }) => ({
      address: command.address,
      kind: command.kind.kind,
      id: command.id,
      operation: command.operation.call,
      result,
      answer,
      status,
      renewed:
        renewed === undefined
          ? undefined
          : { member: command.operation.renews ?? '', value: showsSecrets ? renewed : redacted },
      diagnostics: diagnostics.map(diagnosticJson),
    })),
  };
}
