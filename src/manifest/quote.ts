import type { Diagnostic, Position, Quote } from '../diagnostics/diagnostic.ts';
import { firstAtLeast } from '../formats/first-at-least.ts';
import { once } from '../api/once.ts';
import type { Kind } from '../kind/kind.ts';
import { flowsIn, hiddenParts, mask } from './hidden-parts.ts';
import { linesOf } from './tree.ts';
import type { Flows } from './value-flows.ts';

/** Most characters of a line that is quoted. */
const maxCharacters = 4_000;

/**
 * Adds the line that each diagnostic is about; `texts` has the files by name. Masks what looks secret, the literal values of
 * fields that are declared secret and what the file calls private, and leaves out comments. In a file that is not valid YAML
 * it is unknown where a value ends, and one that is too large is not parsed: only its keys show, and values of one word. Its
 * time is linear in the texts and in the number of diagnostics.
 */
export function withQuotes<T extends Diagnostic>(
  diagnostics: readonly T[],
  texts: ReadonlyMap<string, string>,
  kinds: readonly Kind[],
): T[] {
  const broken = new Set(
    diagnostics.flatMap(({ code, position }) =>
      (code === 'yaml-syntax' || code === 'too-large') && position !== undefined ? position.file : [],
    ),
  );
  const wanted = new Map<string, Set<number>>();
  for (const { position } of diagnostics) {
    if (position !== undefined) wanted.set(position.file, (wanted.get(position.file) ?? new Set()).add(position.line));
  }
  const valid = [...texts].flatMap(([file, text]) => (broken.has(file) ? [] : [text]));
  const flows = once(() => flowsIn(valid, kinds));
  const lines = new Map<string, (line: number) => readonly Piece[]>();
  const linesOf = (file: string) => {
    const text = texts.get(file);
    if (text === undefined) return undefined;
    const how = { isValid: !broken.has(file), wanted: wanted.get(file), flows: flows() };
    const found = lines.get(file) ?? maskedLines(text, kinds, how);
    lines.set(file, found);
    return found;
  };
  return diagnostics.map((item) => {
    const { position, quote } = item;
    const pieces = position === undefined ? undefined : linesOf(position.file)?.(position.line);
    const found = position === undefined || pieces === undefined ? quote : quoteOf(pieces, position);
    return found === undefined ? item : { ...item, quote: found };
  });
}

/**
 * Makes of each of the valid texts of a manifest one that may be shown: masked as a quoted line is, also the values of `privateKeys`;
 * `#…` for each comment.
 */
export function masking(
  texts: Iterable<string>,
  kinds: readonly Kind[],
  privateKeys: Iterable<string> = [],
): (text: string) => string {
  const flows = flowsIn(texts, kinds);
  return (text) => maskedText(text, kinds, { isValid: true, ofUser: privateKeys, flows });
}

function maskedText(text: string, kinds: readonly Kind[], how: Request): string {
  const lineAt = maskedLines(text, kinds, how);
  const shownOf = ({ source, shown }: Piece) =>
    shown === '' ? `#…${/(?<![ \t\r])[ \t\r]*$/.exec(source)?.[0] ?? ''}` : shown;
  return text
    .split('\n')
    .map((line, at) =>
      line.length > maxCharacters
        ? mask
        : lineAt(at + 1)
            .map(shownOf)
            .join(''),
    )
    .join('\n');
}

/** A part of a line; `shown` differs from `source` where it is masked. */
interface Piece {
  readonly column: number;
  readonly source: string;
  readonly shown: string;
}

function quoteOf(pieces: readonly Piece[], { column, endColumn }: Position): Quote | undefined {
  const text = pieces
    .map(({ shown }) => shown)
    .join('')
    .trimEnd();
  if (text.trim() === '') return undefined;
  let [offset, from, to] = [0, text.length, 0];
  for (const { column: start, source, shown } of pieces) {
    const end = start + source.length;
    const isWhole = shown === source;
    if (column >= start && column < end) from = offset + (isWhole ? column - start : 0);
    if (endColumn !== undefined && endColumn > start && endColumn <= end) {
      to = offset + (isWhole ? endColumn - start : shown.length);
    }
    if (!isWhole && endColumn === undefined && column >= start && column < end) to = offset + shown.length;
    offset += shown.length;
  }
  from = Math.min(from, text.length);
  return { text, from, to: Math.max(from + 1, Math.min(to, text.length)) };
}

/** What is to be masked, and how. */
interface Request {
  readonly isValid: boolean;
  /** The lines that are asked for; all without it. */
  readonly wanted?: ReadonlySet<number> | undefined;
  readonly ofUser?: Iterable<string>;
  readonly flows: Flows;
}

/** Gives the pieces of a line by its number; none for one that is too long or does not exist. */
function maskedLines(
  text: string,
  kinds: readonly Kind[],
  { isValid, wanted, ofUser = [], flows }: Request,
): (line: number) => readonly Piece[] {
  const near = wanted === undefined ? text : text.slice(0, endOfLine(text, Math.max(...wanted)));
  const starts = linesOf(near).lineStarts;
  const wantedStarts = wanted && [...wanted].flatMap((line) => starts[line - 1] ?? []).toSorted((x, y) => x - y);
  // A node matters whose last line, or one before it, is asked for.
  const matters = (from: number, to: number) => {
    const next = wantedStarts?.[firstAtLeast(wantedStarts, text.lastIndexOf('\n', from - 1) + 1)];
    return wantedStarts === undefined || (next !== undefined && next <= to);
  };
  const mayComment = (line: number) => near.slice(starts[line - 1] ?? near.length, starts[line]).includes('#');
  const hasComments = wanted === undefined || [...wanted].some(mayComment);
  const hidden = hiddenParts({ whole: text, near, isValid, hasComments }, { kinds, ofUser, matters, flows });
  const ends = hidden.map(({ to }) => to);
  return (line) => {
    const start = starts[line - 1];
    const end = (starts[line] ?? near.length + 1) - 1;
    if (start === undefined || end - start > maxCharacters) return [];
    const pieces: Piece[] = [];
    const add = (from: number, to: number, shown?: string): void => {
      const source = text.slice(from, to);
      if (source !== '') pieces.push({ column: from - start + 1, source, shown: shown ?? source });
    };
    let at = start;
    for (let index = firstAtLeast(ends, start + 1); (hidden[index]?.from ?? end) < end; index++) {
      const { from = 0, to = 0, shown = '' } = hidden[index] ?? {};
      if (to <= at) continue;
      // The indentation of a further line hides nothing.
      const space = from < start ? (/^[ \t]*/.exec(text.slice(start, end))?.[0].length ?? 0) : 0;
      const begin = Math.max(at, from, at + (at === start ? space : 0));
      add(at, begin);
      at = Math.max(begin, Math.min(to, end));
      add(begin, at, shown);
    }
    add(at, end);
    return pieces;
  };
}

/** Where a line ends, by its number. */
function endOfLine(text: string, line: number): number {
  let end = -1;
  for (let at = 0; at < line; at++) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) return text.length;
  }
  return end;
}
