import type { CommandResult } from '../../operate/execute.ts';
import { renderDiagnostics } from '../diagnostics-text.ts';
import type { Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import type { CommandResultsView } from '../run-json.ts';
import { commandResultsJson } from '../run-json.ts';
import { renderCommandResult } from '../run-text.ts';
import { textView } from '../text-view.ts';

/** Prints what `run` reports. */
export interface RunView extends View {
  /** Prints the result for one object as soon as it is known. */
  readonly result: (result: CommandResult, showsSecrets: boolean) => void;
  readonly results: (view: CommandResultsView, exitCode: number) => void;
}

/** The formats of `run`. */
export const runFormats: Formats<RunView> = {
  text: (screen) => ({
    ...textView(screen),
    result: (result, showsSecrets) => screen.out(renderCommandResult(result, { style: screen.outStyle, showsSecrets })),
    results: ({ results, showsSecrets }) => {
      const diagnostics = results.flatMap((result) => result.diagnostics);
      if (diagnostics.length > 0) screen.err(`\n${renderDiagnostics(diagnostics, screen.errStyle)}`);
      if (!showsSecrets && results.some(({ renewed }) => renewed !== undefined)) {
        screen.err('1 secret redacted; --show-secrets shows it.\n');
      }
    },
  }),
  json: (screen) => ({
    ...jsonView(screen),
    result: () => {},
    results: (view, exitCode) => printJson(screen, commandResultsJson(view, exitCode)),
  }),
};
