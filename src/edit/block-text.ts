import type { CST } from 'yaml';
import type { Work } from './splices.ts';
import { breakAt, endOf, sourceOf } from './tokens.ts';
import { asBlock } from './value-lines.ts';

/** Replaces the text of a block; the lines at its start and its end that stay the same keep their bytes. */
export function replaceBlockText(
  token: CST.BlockScalar,
  { string, column, isFolded }: { readonly string: string; readonly column: number; readonly isFolded: boolean },
  { text, splices }: Work,
): void {
  const header = token.props.find(({ type }) => type === 'block-scalar-header');
  const sign = header === undefined ? '|' : sourceOf(header);
  const offset = endOf(token) - token.source.length;
  const raw = token.source.split('\n');
  const isEnded = raw.at(-1) === '';
  if (isEnded) raw.pop();
  const digit = /[1-9]/.exec(sign)?.[0];
  const filled = raw.find((line) => line.trim() !== '') ?? '';
  const own = filled.length - filled.trimStart().length;
  const indent = digit === undefined ? (filled === '' ? column + 2 : own) : Math.max(token.indent, 0) + Number(digit);
  const { header: fresh, lines } = asBlock(string, indent - Math.max(token.indent, 0));
  const isShort = isFolded && lines.length === 1 && !/^\s/.test(string);
  const end = breakAt(text, token.offset);
  const written = lines.map((line) => (line === '' ? '' : ' '.repeat(indent) + line));
  const old = raw.map((line) => {
    const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
    return bare.trim() === '' && bare.length <= indent ? '' : bare.slice(indent);
  });
  let start = 0;
  let same = 0;
  if (!isFolded) {
    while (start < Math.min(old.length, lines.length) && old[start] === lines[start]) start += 1;
    while (same < Math.min(old.length, lines.length) - start && old.at(-1 - same) === lines.at(-1 - same)) same += 1;
  }
  const bytes = (all: readonly string[]) => all.reduce((sum, line) => sum + line.length + 1, 0);
  const from = offset + bytes(raw.slice(0, start));
  const to = Math.min(offset + bytes(raw.slice(0, raw.length - same)), offset + token.source.length);
  const put = written
    .slice(start, written.length - same)
    .map((line) => line + end)
    .join('');
  // A file without a line break at its end keeps none, where the text does not need it.
  const isOpen = !isEnded && same === 0;
  const keepsOpen = isOpen && fresh.endsWith('-');
  const shown = keepsOpen ? put.slice(0, -end.length) : put;
  if (text.slice(from, to) !== shown) splices.push({ from, to, text: shown });
  const next = isShort
    ? `>${fresh.slice(1)}`
    : digit !== undefined && !/[1-9]/.test(fresh)
      ? `|${digit}${fresh.slice(1)}`
      : fresh;
  if (next !== sign && header !== undefined)
    splices.push({ from: header.offset, to: header.offset + sign.length, text: next });
}
