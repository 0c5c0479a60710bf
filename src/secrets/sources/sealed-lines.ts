import { splitMark } from '../../formats/utf8.ts';
import { headerFor } from './sealed.ts';

/** An entry of a sealed file: the name and the sealed text of a value. */
type SealedEntry = readonly [name: string, sealed: string];

/**
 * The text of a sealed file with values that are replaced or added; no other byte changes. A new line stands in the order of
 * names, above the comment of the line after it, so that git merges what two branches add.
 */
export function withValues(text: string, recipients: readonly string[], entries: Iterable<SealedEntry>): string {
  const { mark, end, lines } = partsOf(text);
  if (lines.length === 0) lines.push(`${headerFor(recipients)}${end}`);
  for (const [name, sealed] of entries) {
    const at = lines.findIndex((line) => nameIn(line) === name);
    if (at === -1) insert(lines, name, `${name}=${sealed}`, end);
    else lines[at] = `${name}=${sealed}${lineEnd(lines[at] ?? '')}`;
  }
  return mark + lines.join('');
}

/** The same text for other recipients, in its first line. */
export function withHeader(text: string, recipients: readonly string[]): string {
  const { mark, end, lines } = partsOf(text);
  if (lines[0]?.startsWith('# sealed for ') === true) lines[0] = `${headerFor(recipients)}${lineEnd(lines[0])}`;
  else lines.unshift(`${headerFor(recipients)}${end}`);
  return mark + lines.join('');
}

/** The byte order mark of a text, its line end, and its lines, each with its own. */
function partsOf(text: string): { readonly mark: string; readonly end: string; readonly lines: string[] } {
  const [mark, body] = splitMark(text);
  return { mark, end: /\r?\n/.exec(text)?.[0] ?? '\n', lines: body === '' ? [] : body.split(/(?<=\n)/) };
}

/** Inserts a line before the first whose name comes later, and before the comments above that. */
function insert(lines: string[], name: string, line: string, end: string): void {
  let at = lines.findIndex((one) => (nameIn(one) ?? '') > name);
  if (at === -1) {
    const last = lines.length - 1;
    if (lines[last] !== undefined && lineEnd(lines[last]) === '') lines[last] += end;
    lines.push(`${line}${end}`);
    return;
  }
  while (at > 1 && lines[at - 1]?.startsWith('#') === true) at--;
  lines.splice(at, 0, `${line}${end}`);
}

function nameIn(line: string): string | undefined {
  return /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(line)?.[1];
}

function lineEnd(line: string): string {
  return /\r?\n$/.exec(line)?.[0] ?? '';
}
