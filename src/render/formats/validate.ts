import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { validationJson } from '../diagnostics-json.ts';
import type { Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { counted } from '../lines.ts';
import { textView } from '../text-view.ts';

/** A manifest without errors. */
interface Validation {
  readonly file: string;
  /** The number of resources. */
  readonly resources: number;
  readonly warnings: readonly Diagnostic[];
}

/** Prints what `validate` reports. */
export interface ValidateView extends View {
  readonly valid: (result: Validation) => void;
}

/** The formats of `validate`. */
export const validateFormats: Formats<ValidateView> = {
  text: (screen) => ({
    ...textView(screen),
    valid: ({ file, resources }) => screen.out(`${file} is valid: ${counted(resources, 'resource')}.\n`),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    valid: ({ resources, warnings }) => printJson(screen, validationJson(resources, warnings)),
  }),
};
