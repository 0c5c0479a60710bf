import { CST, Lexer } from 'yaml';
import type { Diagnostic, Position, Quote } from '../diagnostics/diagnostic.ts';
import { maskText } from '../secrets/looks-secret.ts';

/** What of a file may be quoted. `path` has the keys around, outermost first. */
export interface QuotingRule {
  /** Returns true for a value that may show; the last step of its path is its own key. */
  readonly mayShow: (path: readonly string[], value: string) => boolean;
  /** Returns true where keys show. */
  readonly mayShowKeys: (path: readonly string[]) => boolean;
  /** Returns true for a key that is a word of the language. */
  readonly isWord: (key: string) => boolean;
}

/** The place of a value that is not quoted. */
const mask = '********';

/** Most characters of a line that is quoted. */
const longest = 4_000;

/** Most keys and brackets around something that shows. */
const deepest = 64;

/**
 * Adds the line that each diagnostic is about; `texts` has the files by name. Masks what the rule does not show, and leaves
 * out comments. In a file that is not valid YAML it is unknown where a value begins: only its keys show. Its time
 * is linear in the texts and in the number of diagnostics.
 */
export function withQuotes(
  diagnostics: readonly Diagnostic[],
  texts: ReadonlyMap<string, string>,
  rule: QuotingRule,
): Diagnostic[] {
  const wanted = new Map<string, Set<number>>();
  const broken = new Set<string>();
  for (const { position, code } of diagnostics) {
    if (position === undefined) continue;
    if (code === 'yaml-syntax') broken.add(position.file);
    const lines = wanted.get(position.file) ?? new Set<number>();
    wanted.set(position.file, lines.add(position.line));
  }
  const lines = new Map(
    [...wanted].map(([file, numbers]) => {
      const isValid = !broken.has(file);
      return [file, maskedLines(texts.get(file) ?? '', numbers, { ...rule, isValid })] as const;
    }),
  );
  return diagnostics.map((item) => {
    const { position, quote } = item;
    const line = position === undefined ? undefined : lines.get(position.file)?.get(position.line);
    const found = position === undefined || line === undefined ? quote : quoteOf(line, position);
    return found === undefined ? item : { ...item, quote: found };
  });
}

/** A valid text as it may be shown: masked as a quoted line is, and `#…` for each comment. */
export function maskedText(text: string, rule: QuotingRule): string {
  const wanted = new Set(text.split('\n').map((_, at) => at + 1));
  const lines = maskedLines(text, wanted, { ...rule, isValid: true });
  const shownOf = ({ source, shown }: Piece) =>
    shown === '' ? `#…${/(?<![ \t\r])[ \t\r]*$/.exec(source)?.[0] ?? ''}` : shown;
  return text
    .split('\n')
    .map((line, at) =>
      line === ''
        ? ''
        : (lines
            .get(at + 1)
            ?.map(shownOf)
            .join('') ?? mask),
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

interface Token {
  readonly type: CST.TokenType | 'text';
  readonly source: string;
}

/** The tokens of a text, also of one that is not valid YAML: together they are the text. */
function* tokensOf(text: string): Generator<Token> {
  let isScalar = false;
  for (const source of new Lexer().lex(text)) {
    const type = CST.tokenType(source);
    if (isScalar) yield { type: 'scalar', source };
    else if (type !== 'scalar' && type !== 'doc-mode' && type !== 'flow-error-end')
      yield { type: type ?? 'text', source };
    isScalar = !isScalar && type === 'scalar';
  }
}

const scalars: ReadonlySet<Token['type']> = new Set(['scalar', 'single-quoted-scalar', 'double-quoted-scalar']);
const opaque: ReadonlySet<Token['type']> = new Set(['text', 'anchor', 'alias', 'tag', 'directive-line']);

/** An expression, or a word that YAML has for true, false and null. */
const isHarmless = (value: string): boolean =>
  /^(?:true|false|null|~|(["']?)\$\{(?:[\w-]+:[\w.-]*|file:[\w./-]*)\}\1)$/.test(value);

/**
 * A key that shows: a name, a host, a path, or `<<`. Only in quotes it has a colon: without them, a blank may be missing
 * between a key and its value.
 */
const plainKey = /^(?:[\p{L}\p{M}\p{N}_.*@/${}-]{1,100}|(["'])[\p{L}\p{M}\p{N}_.*@/${}:-]{1,100}\1|<<)$/u;

/** The lines of these numbers in pieces; those that are too long are left out. */
function maskedLines(
  text: string,
  wanted: ReadonlySet<number>,
  { mayShow, mayShowKeys, isWord, isValid }: QuotingRule & { readonly isValid: boolean },
): Map<number, readonly Piece[]> {
  const found = new Map<number, Piece[]>();
  const tooLong = new Set<number>();
  const last = [...wanted].reduce((a, b) => Math.max(a, b), 0);
  /** The keys around that stand in blocks, outermost first. */
  const keys: { readonly column: number; readonly key: string }[] = [];
  /** The brackets around, outermost first, with the key that is read now. */
  const brackets: { readonly isMap: boolean; key: string | undefined }[] = [];
  let [line, column, isFirst, hasValue, isBlockText] = [1, 1, true, false, false];

  const add = (source: string, shown: string | undefined): void => {
    for (const [index, part] of source.split('\n').entries()) {
      if (index > 0) [line, column] = [line + 1, 1];
      if (column + part.length > longest) tooLong.add(line);
      else if (part !== '' && wanted.has(line)) {
        const pieces = found.get(line) ?? [];
        found.set(line, pieces);
        // The indentation of a further line hides nothing.
        const space = index === 0 || shown === undefined ? '' : (/^\s*/.exec(part)?.[0] ?? '');
        const rest = part.slice(space.length);
        if (space !== '') pieces.push({ column, source: space, shown: space });
        if (rest !== '') pieces.push({ column: column + space.length, source: rest, shown: shown ?? rest });
      }
      column += part.length;
    }
  };
  const leave = (from: number): void => {
    while ((keys.at(-1)?.column ?? 0) >= from) keys.pop();
  };
  const path = () => [...keys, ...brackets].flatMap(({ key }) => (key === undefined ? [] : [key]));
  /** Whether anything can show here; a path is made for nothing else, since it is as long as the text is deep. */
  const isOpenHere = () =>
    wanted.has(line) && !tooLong.has(line) && column <= longest && keys.length + brackets.length <= deepest;
  const value = ({ source }: Token): void => {
    // The text of a block begins at the margin, and stands below its key all the same.
    if (isFirst && brackets.length === 0 && !isBlockText) leave(column);
    const bracket = brackets.at(-1);
    // In braces, what stands before a value is a key that has none: it may be both, where a blank is missing.
    const isKey = bracket?.isMap === true && bracket.key === undefined;
    const isShown =
      isOpenHere() &&
      !isKey &&
      !hasValue &&
      !isBlockText &&
      !source.includes('\n') &&
      (isHarmless(source) || (isValid && mayShow(path(), source)));
    hasValue = true;
    add(source, isShown ? undefined : mask);
  };
  const key = (token: Token): void => {
    const { source } = token;
    const bracket = brackets.at(-1);
    // What looks like a key behind another one is a value that holds a colon.
    if (bracket === undefined ? !isFirst : !bracket.isMap || bracket.key !== undefined) {
      value(token);
      return;
    }
    const name = source.replace(/^(["'])(.*)\1$/s, '$2');
    if (bracket === undefined) leave(column);
    const isShown =
      isOpenHere() &&
      plainKey.test(source) &&
      maskText(name) === name &&
      mayShowKeys(path()) &&
      (isValid || bracket === undefined || isWord(name));
    if (bracket === undefined) keys.push({ column, key: name });
    else bracket.key = name;
    hasValue = false;
    add(source, isShown ? undefined : mask);
  };
  const other = ({ type, source }: Token): void => {
    if (type === 'seq-item-ind' && brackets.length === 0) {
      leave(column + 1);
      hasValue = false;
    }
    if (type === 'comma') {
      hasValue = false;
      const bracket = brackets.at(-1);
      if (bracket?.isMap === true) bracket.key = undefined;
    }
    if (type === 'flow-map-end' || type === 'flow-seq-end') brackets.pop();
    const isOdd = type === 'block-scalar-header' && !/^[|>][-+\d]*$/.test(source);
    if (type === 'block-scalar-header') isBlockText = true;
    add(source, type === 'comment' ? '' : isOdd ? mask : undefined);
    if (type === 'flow-map-start' || type === 'flow-seq-start') {
      brackets.push({ isMap: type === 'flow-map-start', key: undefined });
      hasValue = false;
    }
  };

  /** A scalar, and the space behind it: what follows tells a key from a value. */
  let held: { readonly scalar: Token; readonly spaces: Token[] } | undefined;
  const release = (isKey: boolean): void => {
    if (held === undefined) return;
    if (isKey) key(held.scalar);
    else value(held.scalar);
    for (const space of held.spaces) other(space);
    held = undefined;
    // The text of a block ends with its last line.
    [isFirst, isBlockText] = [isBlockText, false];
  };
  for (const token of tokensOf(text)) {
    if (token.type === 'space' && held !== undefined) {
      held.spaces.push(token);
      continue;
    }
    release(token.type === 'map-value-ind');
    if (line > last) break;
    if (scalars.has(token.type)) held = { scalar: token, spaces: [] };
    else if (opaque.has(token.type)) value(token);
    else other(token);
    if (token.type === 'newline') isFirst = true;
  }
  release(false);
  for (const number of tooLong) found.delete(number);
  return found;
}
