import type { EmulatorDocument } from '../documents.ts';
import type { Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { textView } from '../text-view.ts';

/** Prints what `emulate` reports. */
export interface EmulateView extends View {
  readonly listening: (at: Pick<EmulatorDocument, 'url' | 'apiKey'>) => void;
}

/** The formats of `emulate`. */
export const emulateFormats: Formats<EmulateView> = {
  text: (screen) => ({
    ...textView(screen),
    listening: ({ url, apiKey }) => screen.out(`TRUEUP_URL=${url}\nTRUEUP_API_KEY=${apiKey}\n`),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    listening: ({ url, apiKey }) => {
      const document: EmulatorDocument = { format: 'trueup/emulator', version: 1, url, apiKey };
      printJson(screen, document);
    },
  }),
};
