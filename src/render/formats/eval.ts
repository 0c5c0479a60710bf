import type { Evaluated } from '../../operate/evaluate.ts';
import type { EvaluationDocument } from '../documents.ts';
import type { Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { printable } from '../printable.ts';
import { textView } from '../text-view.ts';

/** Prints what `eval` reports. */
export interface EvalView extends View {
  readonly evaluated: (result: Evaluated) => void;
}

/** The formats of `eval`: as text, the value as JSON, so that its type shows; stderr says where references were read. */
export const evalFormats: Formats<EvalView> = {
  text: (screen) => ({
    ...textView(screen),
    evaluated: ({ value, references }) => {
      screen.out(`${JSON.stringify(value, null, 2)}\n`);
      for (const { name, from } of references) screen.err(`${printable(name)} is from the ${from}.\n`);
    },
  }),
  json: (screen) => ({
    ...jsonView(screen),
    evaluated: ({ value, isSensitive, references }) => {
      const document: EvaluationDocument = {
        format: 'trueup/evaluation',
        version: 1,
        value: value as EvaluationDocument['value'], // the document's type only spells it without readonly
        sensitive: isSensitive,
        references: references.map((reference) => ({ ...reference })),
      };
      printJson(screen, document);
    },
  }),
};
