import { printable } from './printable.ts';

declare const isMarkup: unique symbol;

/** HTML or SVG in which every foreign text is escaped. Only the functions of this file make it. */
export interface Markup {
  readonly text: string;
  readonly [isMarkup]: true;
}

/** A part of a template: texts and numbers are escaped; undefined stands for nothing. */
type Part = string | number | Markup | readonly Markup[] | undefined;

/** Builds HTML or SVG from a template; what stands in `${}` is escaped, unless it is markup itself. */
export function markup(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const texts = template.map((text, at) => (at === 0 ? text : textOf(parts[at - 1]) + text));
  return made(texts.join(''));
}

/** Several pieces one after the other. */
export function together(pieces: readonly Markup[]): Markup {
  return made(pieces.map(({ text }) => text).join(''));
}

/** A text of Trueup itself that is HTML or CSS already, such as a style sheet. */
export function trusted(text: string): Markup {
  return made(text);
}

function made(text: string): Markup {
  return { text } as Markup;
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string') return escaped(part);
  if (typeof part === 'number') return String(part);
  return 'text' in part ? part.text : together(part).text;
}

const signs = /[&<>"'`]|#(?=#)|:(?=:)/g;

/**
 * A foreign text as HTML and XML take it between tags and in quoted attributes: on one line, without control characters,
 * and without what `printed` would escape.
 */
function escaped(text: string): string {
  return printable(text).replaceAll(signs, (sign) => `&#${sign.charCodeAt(0)};`);
}
