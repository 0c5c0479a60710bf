import type { CommandResult } from '../operate/execute.ts';
import { redacted } from '../secrets/secret.ts';
import { diagnosticJson } from './diagnostics-json.ts';
import type { RunDocument } from './documents.ts';

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
