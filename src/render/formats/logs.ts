import type { Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { logsJson, renderLog } from '../logs.ts';
import { textView } from '../text-view.ts';

/** Prints what `logs` reports. */
export interface LogsView extends View {
  readonly log: (address: string, text: string) => void;
  /** Prints the log as the service wrote it; undefined: a format in which no character can do harm. */
  readonly raw: ((text: string) => void) | undefined;
}

/** The formats of `logs`. */
export const logsFormats: Formats<LogsView> = {
  text: (screen) => ({
    ...textView(screen),
    log: (_address, text) => screen.out(renderLog(text, { keepsColours: false })),
    raw: (text) => screen.raw(renderLog(text, { keepsColours: true })),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    log: (address, text) => printJson(screen, logsJson(address, text)),
    raw: undefined,
  }),
};
