import { Stop } from '../index.ts';
import { inWordsOfPage, remedyOnPage } from './page-reader.ts';

/** What failed, for a row that people read on pages: with a remedy in a line of its own, behind `->`. */
export function problemText(error: unknown): string {
  if (!(error instanceof Stop)) return error instanceof Error ? error.message : String(error);
  return error.diagnostics
    .flatMap((one) => {
      const remedy = remedyOnPage(one);
      return [inWordsOfPage(one.message), ...(remedy === undefined ? [] : [`-> ${remedy}`])];
    })
    .join('\n');
}
