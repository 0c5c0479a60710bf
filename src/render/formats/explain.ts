import type { Code } from '../../diagnostics/codes.ts';
import { codes } from '../../diagnostics/codes.ts';
import type { ExplanationDocument } from '../documents.ts';
import type { Formats, Screen, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { fold, indented } from '../lines.ts';
import { textView } from '../text-view.ts';

/** What is known of a code of diagnostics. */
interface Explanation {
  readonly code: Code;
  /** Texts that show it: files of a manifest that has the mistake, and what a run reported. */
  readonly examples: readonly string[];
}

/** Prints what `explain` reports. */
export interface ExplainView extends View {
  readonly explanation: (result: Explanation) => void;
}

/** The formats of `explain`. */
export const explainFormats: Formats<ExplainView> = {
  text: (screen) => ({
    ...textView(screen),
    explanation: (result) => screen.out(explanationText(result, screen)),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    explanation: ({ code, examples }) => {
      const { severity, meaning, remedy } = codes[code];
      const document: ExplanationDocument = {
        format: 'trueup/explanation',
        version: 1,
        code,
        severity,
        meaning,
        remedy,
        examples: [...examples],
      };
      printJson(screen, document);
    },
  }),
};

function explanationText({ code, examples }: Explanation, { outStyle }: Screen): string {
  const { severity, meaning, remedy } = codes[code];
  const title = outStyle.paint('strong', `${severity}[${code}]`);
  const [first = '', ...rest] = fold(remedy, 5, outStyle);
  return [
    [title, ...fold(meaning, 0, outStyle)],
    ...examples.map((example) => indented(example.split('\n'), 2)),
    [`  -> ${first}`, ...indented(rest, 5)],
  ]
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}
