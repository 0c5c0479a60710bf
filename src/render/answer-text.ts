import { stringify } from 'yaml';
import { printable } from './printable.ts';

/** The answer of the platform for people: text as it is, everything else as YAML; no character that a terminal obeys. */
export function renderAnswer(answer: unknown): string {
  if (answer === undefined) return 'Done. The platform answered nothing more.\n';
  const text = typeof answer === 'string' ? answer : stringify(answer, { lineWidth: 0, aliasDuplicateObjects: false });
  return `${text.replace(/\n$/, '').split('\n').map(printable).join('\n')}\n`;
}
