import { diagnosticJson, errorJson } from './diagnostics-json.ts';
import type { Screen, View } from './format.ts';

/** How JSON is laid out: one document per run, indented, or one document per line. */
export type JsonLayout = 'indented' | 'lines';

/** Prints what every command can report as JSON: warnings are part of the document of the result. */
export function jsonView(screen: Screen, layout: JsonLayout = 'indented'): View {
  return {
    asks: false,
    warnings: () => {},
    failure: (errors, exitCode) => printJson(screen, errorJson(errors.map(diagnosticJson), exitCode), layout),
  };
}

/** Prints a document; of a run with one document per line, each. */
export function printJson({ out }: Pick<Screen, 'out'>, document: object, layout: JsonLayout = 'indented'): void {
  out(`${layout === 'lines' ? JSON.stringify(document) : JSON.stringify(document, null, 2)}\n`);
}
