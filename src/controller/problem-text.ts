import { Stop } from '../index.ts';

/** What failed, for a row that people read: with a remedy in a line of its own, behind `->`. */
export function problemText(error: unknown): string {
  if (!(error instanceof Stop)) return error instanceof Error ? error.message : String(error);
  return error.diagnostics
    .flatMap(({ message, remedy }) => (remedy === undefined ? [message] : [message, `-> ${remedy}`]))
    .join('\n');
}
