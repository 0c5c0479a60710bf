import { ForgeError } from '../forge/call-forge.ts';
import { Stop } from '../index.ts';
import { errorText } from './error-text.ts';
import { inWordsOfPage, remedyOnPage } from './page-reader.ts';

/** What failed, for a row that people read on pages: with a remedy in a line of its own, behind `->`. */
export function problemText(error: unknown): string {
  if (error instanceof ForgeError) return `${error.message}${remedyAtForge(error)}`;
  if (!(error instanceof Stop)) return errorText(error);
  return error.diagnostics
    .flatMap((one) => {
      const remedy = remedyOnPage(one);
      return [inWordsOfPage(one.message), ...(remedy === undefined ? [] : [`-> ${remedy}`])];
    })
    .join('\n');
}

/** What a person does about what a forge answered; empty where it has to come back by itself. */
function remedyAtForge({ status }: ForgeError): string {
  if (status === 401) return '\n-> Put a token that the forge accepts into the file that the source names for it.';
  if (status === 403)
    return '\n-> Give the token the rights that docs/forges.md lists. A locked conversation or an archived repository takes nothing: open it again.';
  if (status === 404 || status === 410)
    return '\n-> Look at the forge whether it is there, and give the token the rights that docs/forges.md lists.';
  if (status >= 400 && status < 500 && status !== 429)
    return '\n-> Look at the forge which rule forbids it, such as one for branches or pull requests.';
  return '';
}
