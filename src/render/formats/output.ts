import type { OutputValue } from '../../operate/outputs.ts';
import type { Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { outputsJson, renderOutput, renderOutputs } from '../outputs.ts';
import { textView } from '../text-view.ts';

/** Prints what `output` reports. */
export interface OutputView extends View {
  /** Prints one output by itself, as scripts take it. */
  readonly output: (output: OutputValue, showsSecrets: boolean) => void;
  /** The same without escapes; undefined: a format in which no character can do harm. */
  readonly raw: OutputView['output'] | undefined;
  readonly outputs: (outputs: readonly OutputValue[], showsSecrets: boolean) => void;
}

/** The formats of `output`. */
export const outputFormats: Formats<OutputView> = {
  text: (screen) => ({
    ...textView(screen),
    output: (output, showsSecrets) => screen.out(renderOutput(output, showsSecrets)),
    raw: (output, showsSecrets) => screen.raw(renderOutput(output, showsSecrets)),
    outputs: (outputs, showsSecrets) => {
      screen.out(renderOutputs(outputs, showsSecrets));
      if (outputs.length === 0) screen.err('The manifest declares no outputs.\n');
    },
  }),
  json: (screen) => ({
    ...jsonView(screen),
    output: (output, showsSecrets) => printJson(screen, outputsJson([output], showsSecrets)),
    raw: undefined,
    outputs: (outputs, showsSecrets) => printJson(screen, outputsJson(outputs, showsSecrets)),
  }),
};
