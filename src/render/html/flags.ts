import { type Markup, markup } from '../markup.ts';

/** A sentence in which no option of the command line breaks across two lines. */
export function withFlags(text: string): Markup {
  const parts = text.split(/(--[a-z][a-z-]*)/);
  return markup`${parts.map((part, at) => (at % 2 === 0 ? markup`${part}` : markup`<span class="flag">${part}</span>`))}`;
}
