import type { Operation } from '../../api/contract.ts';
import { renderAnswer } from '../answer-text.ts';
import type { Formats, Screen, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { operationsJson } from '../operations-json.ts';
import type { Words } from '../operations-text.ts';
import { renderOperation, renderOperations } from '../operations-text.ts';
import { textView } from '../text-view.ts';

/** Prints what `call` reports. */
export interface CallView extends View {
  /** Prints the answer of the platform; `redact` goes over the text that is printed. */
  readonly answer: (answer: unknown, redact: (text: string) => string) => void;
  /** Prints it without escapes: text as it is, everything else as JSON; undefined: a format that needs none. */
  readonly raw: CallView['answer'] | undefined;
  /** Prints the members of one operation; `words` gives names of the API document those of the platform. */
  readonly operation: (operation: Operation, words: Words) => void;
  readonly operations: (operations: readonly Operation[], words: Words) => void;
}

/** The formats of `call`. */
export const callFormats: Formats<CallView> = {
  text: (screen) => ({
    ...textView(screen),
    answer: (answer, redact) => {
      if (screen.outStyle.width === undefined) printAnswer(screen, answer, redact);
      else screen.out(redact(renderAnswer(answer)));
    },
    raw: (answer, redact) => screen.raw(redact(typeof answer === 'string' ? `${answer}\n` : jsonOf(answer))),
    operation: (operation, words) => screen.out(renderOperation(operation, screen.outStyle, words)),
    operations: (operations, words) => screen.out(renderOperations(operations, screen.outStyle, words)),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    answer: (answer, redact) => printAnswer(screen, answer, redact),
    raw: undefined,
    operation: (operation, words) => printJson(screen, operationsJson([operation], words)),
    operations: (operations, words) => printJson(screen, operationsJson(operations, words)),
  }),
};

/** Prints an answer as the platform gave it, for jq. */
function printAnswer({ out }: Screen, answer: unknown, redact: (text: string) => string): void {
  out(redact(jsonOf(answer)));
}

function jsonOf(answer: unknown): string {
  return `${JSON.stringify(answer ?? null, null, 2)}\n`;
}
