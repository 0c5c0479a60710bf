import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { diagnosticsInOrder } from '../canonical.ts';
import { validationJson } from '../diagnostics-json.ts';
import type { Formats, View } from '../format.ts';
import { diagnosticCases, diagnosticResults, diagnosticRules, junitView, sarifView } from '../finding-views.ts';
import { jsonView, printJson } from '../json-view.ts';
import { junitXml } from '../junit.ts';
import { counted } from '../lines.ts';
import { sarifLog } from '../sarif.ts';
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
  sarif: (screen) => ({
    ...sarifView(screen, 'validate'),
    valid: ({ warnings }) => {
      const log = { command: 'validate', results: diagnosticResults(diagnosticsInOrder(warnings)), isSuccessful: true };
      printJson(screen, sarifLog(log, diagnosticRules, screen.site()));
    },
  }),
  junit: (screen) => ({
    ...junitView(screen, 'validate'),
    valid: ({ file, resources, warnings }) => {
      const manifest = { group: 'manifest', name: file, output: [counted(resources, 'resource')] };
      screen.out(
        junitXml('trueup validate', [manifest, ...diagnosticCases(diagnosticsInOrder(warnings), screen.site())]),
      );
    },
  }),
};
