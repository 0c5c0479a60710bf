import type { OutputValue } from '../operate/read-outputs.ts';
import { redacted } from '../secrets/secret.ts';
import type { OutputsDocument } from './document-schemas.ts';
import { printable } from './printable.ts';

/** Renders all outputs, a line each. */
export function renderOutputs(outputs: readonly OutputValue[], showsSecrets: boolean): string {
  const width = Math.max(0, ...outputs.map(({ name }) => name.length));
  return outputs
    .map((output) => `${output.name.padEnd(width)} = ${printable(shownValue(output, showsSecrets))}\n`)
    .join('');
}

/** Renders the value of one output, for scripts. */
export function renderOutput(output: OutputValue, showsSecrets: boolean): string {
  return `${shownValue(output, showsSecrets)}\n`;
}

/** Outputs as a document. */
export function outputsJson(outputs: readonly OutputValue[], showsSecrets: boolean): OutputsDocument {
  return {
    format: 'trueup/outputs',
    version: 1,
    outputs: Object.fromEntries(
      outputs.map((output) => [
        output.name,
        { value: shownValue(output, showsSecrets), sensitive: output.isSensitive },
      ]),
    ),
  };
}

function shownValue({ value, isSensitive }: OutputValue, showsSecrets: boolean): string {
  return isSensitive && !showsSecrets ? redacted : (value ?? '');
}
