import type { Formats, Screen, View } from './format.ts';
import { jsonView, printJson } from './json-view.ts';
import { textView } from './text-view.ts';

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
