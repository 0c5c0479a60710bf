import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnosticJson, errorJson } from './diagnostics-json.ts';
import { type Reported, renderDiagnostics } from './diagnostics-text.ts';
import type { Printed } from './printable.ts';
import type { ReviewSite } from './report-links.ts';
import type { Style } from './style.ts';

/** The last lines of a terminal, which are drawn again in place. The cursor stays visible, below them. */
export interface Live {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Puts lines in the place of those that are shown, below a text that stays: whole lines of any width. */
  show(lines: readonly string[], above?: string): void;
  /** Lets text be written above the lines. */
  above(text: Printed, write: (text: Printed) => void): void;
  /** The lines that are shown stay where they are, for good. */
  leave(): void;
}

/** Where a run prints: results to `out`, everything else to `err`. */
export interface Screen {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Prints a result exactly as it is, also what a terminal obeys: the user asked for that. */
  readonly raw: (text: string) => void;
  /** Empties the terminal that results are printed on. */
  readonly clear: () => void;
  /** The size of the terminal that results are printed on; undefined: they go to a pipe or a file. */
  readonly size: Live['size'] | undefined;
  readonly outStyle: Style;
  readonly errStyle: Style;
  /** Lines that are drawn again, where stderr is a terminal that can do that; what is printed appears above them. */
  readonly live: Live | undefined;
  /**
   * Where a report is read that goes into a pull request.
   * @throws {Stop} `usage`, when an option or a variable names no such place
   */
  readonly site: () => ReviewSite;
  /** Notes how the run ended, in a few words, for a line about several runs; undefined: there is one. */
  readonly conclude?: ((words: string) => void) | undefined;
}

/** Prints what every command can report. A command that reports more extends it. */
export interface View {
  /** Questions to the user are part of this format. */
  readonly asks: boolean;
  /**
   * Checks, before the run begins, the options that this format alone has.
   * @throws {Stop} `usage`
   */
  readonly check?: () => void;
  /** Prints the warnings of the manifest, where they are not part of the result. */
  readonly warnings: (warnings: readonly Reported[]) => void;
  /** Prints the errors that ended the run. */
  readonly failure: (errors: readonly Diagnostic[], exitCode: number) => void;
}

/** One format of a command: its view on a screen. */
export type Format<V extends View> = (screen: Screen) => V;

/** The formats of a command by the name that `--format` takes. A report for others is loaded when it is asked for. */
export interface Formats<V extends View> {
  readonly text: Format<V>;
  readonly json: Format<V>;
  readonly [name: string]: (screen: Screen) => V | Promise<V>;
}

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

/** The formats of a command line that names no command: only errors are reported. */
export const commonFormats: Formats<View> = { text: textView, json: jsonView };

/** Prints the one result of a command. */
export interface ReportView<Result> extends View {
  readonly report: (result: Result) => void;
}

/** The formats of a command with one result; without `text`, its notices on stderr say everything. */
export function reportFormats<Result>({
  text = () => {},
  json,
}: {
  readonly text?: (result: Result, screen: Screen) => void;
  /** The document of a result. */
  readonly json: (result: Result) => object;
}): Formats<ReportView<Result>> {
  return {
    text: (screen) => ({ ...textView(screen), report: (result) => text(result, screen) }),
    json: (screen) => ({ ...jsonView(screen), report: (result) => printJson(screen, json(result)) }),
  };
}
