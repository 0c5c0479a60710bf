import { renderDiagnostics } from './diagnostics-text.ts';
import type { Screen, View } from './format.ts';

/** Prints what every command can report as text: on stderr, so that stdout has only results. */
export function textView({ err, errStyle }: Screen): View {
  return {
    asks: true,
    warnings: (warnings) => {
      if (warnings.length > 0) err(`${renderDiagnostics(warnings, errStyle)}\n`);
    },
    failure: (errors) => err(renderDiagnostics(errors, errStyle)),
  };
}
