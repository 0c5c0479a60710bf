import { fieldAlias } from '../kind/aliases.ts';
import { type Node, isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import { onceFor } from '../api/once.ts';
import type { Diagnostic, Position, Quote } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { withTop } from '../kind/top.ts';
import { maxLevels, yamlTokens } from '../formats/yaml.ts';
import { isReference } from '../secrets/not-secret.ts';
import { isSecretEntry, isSecretName, maskText, maskValue, secretParts } from '../secrets/looks-secret.ts';
import { redacted } from '../secrets/secret.ts';
import { isUserName } from '../secrets/secret-names.ts';
import { yamlNodes } from './yaml-nodes.ts';

/** The place of a value that is not quoted. */
const mask = '********';

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
  const lines = new Map<string, (line: number) => readonly Piece[]>();
  const linesOf = (file: string) => {
    const text = texts.get(file);
    if (text === undefined) return undefined;
    const found = lines.get(file) ?? maskedLines(text, kinds, { isValid: !broken.has(file), wanted: wanted.get(file) });
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

/** A valid text as it may be shown: masked as a quoted line is, also the values of `privateKeys`; `#…` for each comment. */
export function maskedText(text: string, kinds: readonly Kind[], privateKeys: Iterable<string> = []): string {
  const lineAt = maskedLines(text, kinds, { isValid: true, ofUser: privateKeys });
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

/** A part of a text that does not show, and what stands for it. */
interface Hidden {
  readonly from: number;
  readonly to: number;
  readonly shown: string;
}

/** What is to be masked, and how. */
interface Request {
  readonly isValid: boolean;
  /** The lines that are asked for; all without it. */
  readonly wanted?: ReadonlySet<number> | undefined;
  readonly ofUser?: Iterable<string>;
}

/** Gives the pieces of a line by its number; none for one that is too long or does not exist. */
function maskedLines(
  text: string,
  kinds: readonly Kind[],
  { isValid, wanted, ofUser = [] }: Request,
): (line: number) => readonly Piece[] {
  // What stands behind the lines that are asked for decides about none of them but by its names.
  const near = wanted === undefined ? text : text.slice(0, endOfLine(text, Math.max(...wanted)));
  const starts = [0, ...Array.from(near.matchAll(/\n/g), ({ index }) => index + 1)];
  const wantedStarts = wanted && [...wanted].flatMap((line) => starts[line - 1] ?? []).toSorted((x, y) => x - y);
  const names: Names = {
    secretKeys: secretKeysOf(kinds),
    privateKeys: new Set([...privateIn(text), ...ofUser]),
    // A node matters whose last line, or one before it, is asked for.
    matters: (from, to) => {
      const next = wantedStarts?.[firstAtLeast(wantedStarts, text.lastIndexOf('\n', from - 1) + 1)];
      return wantedStarts === undefined || (next !== undefined && next <= to);
    },
  };
  const values = (isValid ? hiddenInTree(text, names) : undefined) ?? hiddenInLines(near, names);
  const mayComment = (line: number) => near.slice(starts[line - 1] ?? near.length, starts[line]).includes('#');
  const comments = wanted === undefined || [...wanted].some(mayComment) ? commentsIn(near) : [];
  const hidden = merged([...values, ...comments]);
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

/** Parts in their order; of those that overlap, the first decides what stands for them. */
function merged(parts: readonly Hidden[]): readonly Hidden[] {
  const all: Hidden[] = [];
  for (const part of parts.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last === undefined || part.from >= last.to) all.push(part);
    else all[all.length - 1] = { ...last, to: Math.max(last.to, part.to) };
  }
  return all;
}

/** The index of the first of the numbers, which ascend, that is no smaller. */
function firstAtLeast(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) >= least) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The keys of fields that are declared secret, and those that the user calls private. */
interface Names {
  readonly secretKeys: ReadonlySet<string>;
  readonly privateKeys: ReadonlySet<string>;
  /** Returns false for a part of the text that no line asked for has. */
  readonly matters: (from: number, to: number) => boolean;
}

function commentsIn(text: string): Hidden[] {
  const found: Hidden[] = [];
  for (const { type, source, at } of yamlTokens(text))
    if (type === 'comment') found.push({ from: at, to: at + source.length, shown: '' });
  return found;
}

/** The keys of the fields of kinds that are declared secret, and of the settings that are. */
const secretKeysOf = onceFor((kinds: readonly Kind[]): ReadonlySet<string> => {
  const keys = new Set(['notify.url']);
  for (const { fields, unions = [] } of withTop(kinds)) {
    const words = unions.flatMap(({ cases }) => Object.values(cases).flatMap((names) => Object.entries(names)));
    const written = Object.entries(fields).flatMap(([name, { written: key = name }]) =>
      [name, key, fieldAlias(name) ?? name].map((one) => [one, name] as const),
    );
    for (const [key, name] of [...written, ...words]) if (fields[name]?.secrecy === 'secret') keys.add(key);
  }
  return keys;
});

/** A key that shows: a name, a host, a path, or `<<`. Only in quotes it has a colon: without them, a blank may be missing. */
const plainKey = /^(?:[\p{L}\p{M}\p{N}_.*@/${}-]{1,100}|(["'])[\p{L}\p{M}\p{N}_.*@/${}:-]{1,100}\1|<<)$/u;

/** What stands around a node: its key, and whether everything below is secret. */
interface Around {
  readonly key?: string | undefined;
  readonly isSecret: boolean;
  readonly depth: number;
}

/** What does not show of a valid text; undefined for one that is not. */
function hiddenInTree(text: string, { secretKeys, privateKeys, matters }: Names): Hidden[] | undefined {
  const tree = yamlNodes(text);
  if (tree === undefined) return undefined;
  const found: Hidden[] = [];
  const hide = (from: number, to: number): void => void found.push({ from, to, shown: mask });
  const scalar = (node: Node, value: unknown, { key, isSecret }: Around): void => {
    const [from = 0, to = 0] = node.range ?? [];
    const source = text.slice(from, to);
    // The line of a | or > holds nothing of the text below.
    const firstLine = /^[|>]/.test(source) ? from + source.indexOf('\n') + 1 : from;
    if (!matters(firstLine, to)) return;
    const written = typeof value === 'string' || typeof value === 'number' ? value : undefined;
    if (written === undefined || isReference(source.replace(/^(["'])(.*)\1$/s, '$2'))) return;
    const shown = isSecret ? redacted : maskValue(key, written, { privateKeys });
    if (shown === redacted) hide(from, to);
    else if (shown !== written) {
      const parts = secretParts(source, { privateKeys });
      for (const [start, end] of parts.length === 0 ? [[0, source.length] as const] : parts)
        hide(from + start, from + end);
    }
  };
  const walk = (node: unknown, around: Around): void => {
    const { key, isSecret, depth } = around;
    if (isNode(node) && node.range && !matters(node.range[0], node.range[1])) return;
    if (isScalar(node)) scalar(node, node.value, around);
    else if (isAlias(node) || (!isMap(node) && !isSeq(node))) return;
    else if (depth >= maxLevels) hide(node.range?.[0] ?? 0, node.range?.[1] ?? 0);
    else if (isSeq(node)) {
      let option: string | undefined;
      for (const item of node.items) {
        walk(item, { ...around, key: option ?? key, depth: depth + 1 });
        // An option and its value stand one behind the other.
        option = isScalar(item) ? /^--?([A-Za-z][\w-]*)$/.exec(String(item.value))?.[1] : undefined;
      }
    } else {
      for (const pair of node.items) {
        const name = isScalar(pair.key) ? String(pair.key.value) : undefined;
        const [from = 0, to = 0] = isScalar(pair.key) ? (pair.key.range ?? []) : [];
        if (name === undefined) walk(pair.key, { ...around, isSecret: true, depth: depth + 1 });
        else if (matters(from, to) && (isSecret || !plainKey.test(text.slice(from, to)) || maskText(name) !== name))
          hide(from, to);
        // A definition says what its own key is: `token: { default: x }`.
        const own = name !== undefined && /^(?:default|value)$/.test(name) && key !== undefined ? key : name;
        const isDeclared = name !== undefined && (secretKeys.has(name) || secretKeys.has(`${key}.${name}`));
        const isBelow =
          own !== undefined &&
          !isScalar(pair.value) &&
          depth > 0 &&
          key !== 'variables' &&
          isSecretName(own, { privateKeys });
        const isOpen = name !== undefined && isUserName(name);
        walk(pair.value, {
          key: own,
          isSecret: !isOpen && (isSecret || isDeclared || isBelow),
          depth: depth + 1,
        });
      }
    }
  };
  walk(tree, { isSecret: false, depth: 0 });
  return found;
}

/** The names in every `private:` of a text. */
function privateIn(text: string): ReadonlySet<string> {
  const lists = Array.from(text.matchAll(/(?<![\w-])private["']?:[ \t]*(\[[^\]]*\]|(?:\r?\n[ \t]*-[ \t]+[^\r\n]*)+)/g));
  return new Set(lists.flatMap(([, list = '']) => list.match(/[\w.-]*\w[\w.-]*/g) ?? []));
}

/**
 * What does not show of a text that is not valid: all but its keys and values that are one word, and everything that may be
 * the value of a secret key above it.
 */
function hiddenInLines(text: string, names: Names): Hidden[] {
  const privateKeys = new Set([...names.secretKeys, ...names.privateKeys]);
  const found: Hidden[] = secretParts(text, { privateKeys }).map(([from, to]) => ({ from, to, shown: mask }));
  const hide = (from: number, to: number, shown: string): void => void (to > from && found.push({ from, to, shown }));
  /** The column of a secret key: lines that begin behind it may be its value. */
  let secretColumn = Infinity;
  /** The brackets that lines before opened and did not close: what is a key there is unknown. */
  let brackets = 0;
  let at = 0;
  for (const line of text.split('\n')) {
    const comment = /(?:^|[ \t])#/.exec(line)?.index ?? line.length;
    const shown = line.slice(0, comment).trimEnd();
    const column = /^[ \t]*/.exec(line)?.[0].length ?? 0;
    if (shown !== '' && column <= secretColumn) secretColumn = Infinity;
    const [, lead = '', key = '', colon = '', value = ''] = brokenLine.exec(shown) ?? [];
    const name = key.replace(/^(["'])(.*)\1$/s, '$2');
    const isKey = brackets === 0 && secretColumn === Infinity && plainKey.test(key) && maskText(name) === name;
    const isSure =
      isKey && sure.test(value) && !isSecretEntry(name, value, { privateKeys }) && maskText(value) === value;
    const dashes = /^[ \t]*(?:-[ \t]+)*/.exec(shown)?.[0].length ?? 0;
    const open = /^[[{ ]*/.exec(value)?.[0].length ?? 0;
    const from = isKey ? lead.length + key.length + colon.length + open : dashes;
    if (!isSure) hide(at + from, at + shown.length, mask);
    hide(at + comment, at + line.length, '');
    if (isKey && isSecretName(name, { privateKeys })) secretColumn = column;
    for (const [sign] of shown.matchAll(/[[\]{}]/g)) brackets = Math.max(0, brackets + (/[[{]/.test(sign) ? 1 : -1));
    at += line.length + 1;
  }
  return found;
}

/** A key at the beginning of a line, and its value. */
const brokenLine =
  /^([ \t]*(?:-[ \t]+)*)("[^"\n]{1,100}"|'[^'\n]{1,100}'|[^\s"'#,[\]{}:]{1,100})([ \t]*:(?:[ \t]+|$))(.*)$/;

/** One word, a number or an expression. */
const sure =
  /^(?:|[A-Za-z]{1,20}|-?\d{1,5}(?:\.\d{1,5})?[A-Za-z%]{0,2}|~|(["']?)\$\{(?:[\w-]+:[\w.-]*|file:[\w./-]*)\}\1)$/;
