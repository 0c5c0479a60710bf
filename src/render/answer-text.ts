import { stringify } from 'yaml';
import { printable } from './printable.ts';

/** Renders the answer of the platform: text as it is, everything else as YAML, without control characters. */
export function renderAnswer(answer: unknown): string {
  if (answer === undefined) return 'Done. The platform returned no content.\n';
  const text = typeof answer === 'string' ? answer : stringify(answer, { lineWidth: 0, aliasDuplicateObjects: false });
  return `${text.replace(/\n$/, '').split('\n').map(printable).join('\n')}\n`;
}
