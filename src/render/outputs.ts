import type { OutputValue } from '../observe/outputs.ts';
import { mask } from '../secrets/sealed.ts';
import type { OutputsDocument } from './documents.ts';
import { printable } from './printable.ts';

/** All outputs for people, a line each. */
export function renderOutputs(outputs: readonly OutputValue[], showsSecrets: boolean): string {
  const width = Math.max(0, ...outputs.map(({ name }) => name.length));
  return outputs
    .map((output) => `${output.name.padEnd(width)} = ${printable(textOf(shownValue(output, showsSecrets)))}\n`)
    .join('');
}

/** One output by itself, as scripts take it. */
export function renderOutput(output: OutputValue, showsSecrets: boolean): string {
  return `${textOf(shownValue(output, showsSecrets))}\n`;
}

/** Outputs for programs. */
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

/** Outputs are text, numbers, true or false. */
function shownValue({ value, isSensitive }: OutputValue, showsSecrets: boolean): string | number | boolean {
  if (isSensitive && !showsSecrets) return mask;
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value ?? '');
}

function textOf(value: string | number | boolean): string {
  return String(value);
}
