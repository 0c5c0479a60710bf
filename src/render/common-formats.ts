import type { Formats, View } from './format.ts';
import { jsonView } from './json-view.ts';
import { textView } from './text-view.ts';

/** The formats of a command line that names no command: only errors are reported. */
export const commonFormats: Formats<View> = { text: textView, json: jsonView };
