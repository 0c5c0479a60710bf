import type { Formats, Screen, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { textView } from '../text-view.ts';

/** The formats of a command line that names no command: only errors are reported. */
export const commonFormats: Formats<View> = { text: textView, json: jsonView };

/** Prints what `schema` reports: a document, in every format. */
export interface SchemaView extends View {
  readonly schema: (document: object) => void;
}

/** The formats of `schema`. */
export const schemaFormats: Formats<SchemaView> = {
  text: (screen) => ({ ...textView(screen), schema: (document) => printJson(screen, document) }),
  json: (screen) => ({ ...jsonView(screen), schema: (document) => printJson(screen, document) }),
};

/** Prints what `completion` reports: a script, in every format. */
export interface CompletionView extends View {
  readonly script: Screen['out'];
}

/** The formats of `completion`. */
export const completionFormats: Formats<CompletionView> = {
  text: (screen) => ({ ...textView(screen), script: screen.out }),
  json: (screen) => ({ ...jsonView(screen), script: screen.out }),
};
