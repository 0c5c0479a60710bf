import type { PlanDocument } from '../document-schemas.ts';
import { type Markup, markup } from '../markup.ts';
import { place } from './change.ts';
import { type Reader, readerOfCommand } from './reader-words.ts';

type DocumentDiagnostic = PlanDocument['diagnostics'][number];

/** Errors, warnings and notes as a list; empty without any. */
export function diagnosticList(
  diagnostics: readonly DocumentDiagnostic[],
  { remedyOf, wordsOf }: Pick<Reader, 'remedyOf' | 'wordsOf'> = readerOfCommand,
): Markup {
  if (diagnostics.length === 0) return markup``;
  return markup`<ul class="messages">${diagnostics.map((one) => {
    const { code, severity, message, details = [], address, position } = one;
    const remedy = remedyOf(one);
    return markup`<li class="${severity}"><p><strong>${severity}</strong> <code class="quiet">${code}</code>${address === undefined ? '' : markup` <code>${address}</code>`}${place(position)}</p><p>${withFlags(wordsOf(message))}</p>${details.map((one) => markup`<p class="detail">${one}</p>`)}${remedy === undefined ? '' : markup`<p class="remedy">${withFlags(remedy)}</p>`}</li>`;
  })}</ul>`;
}

/** A sentence in which no option of the command line breaks across two lines. */
export function withFlags(text: string): Markup {
  const parts = text.split(/(--[a-z][a-z-]*)/);
  return markup`${parts.map((part, at) => (at % 2 === 0 ? markup`${part}` : markup`<span class="flag">${part}</span>`))}`;
}
