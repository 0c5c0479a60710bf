import { type CST, Parser } from 'yaml';
import { sourceOf } from './tokens.ts';
import { splitMark, withoutMark } from '../formats/utf8.ts';

/** The columns that a level of blocks adds. */
const step = 2;

/** A map or a list in a block: the column that it had, and the one that it gets. */
interface Level {
  readonly old: number;
  readonly fresh: number;
  readonly parent: Level | undefined;
}

/** A token in its place; together the leaves are the text. */
interface Leaf {
  readonly type: string;
  readonly source: string;
  readonly offset: number;
  readonly level: Level | undefined;
  /** The column that it gets as the first of its line. */
  readonly column: number;
  /** In braces or brackets; false for what opens the outermost. */
  readonly isInFlow: boolean;
  /** Of the text of a block scalar: its header, and the column that the header counts from. */
  readonly header?: { readonly source: string; readonly indent: number };
}

/**
 * Formats a YAML text of one document: two columns per level, also for lists below a key; one blank behind `key:` and `-`;
 * no blanks at the end of a line; at most one empty line in a row, none at the start and the end; a line break at the end.
 * Line breaks become those of the first line. Quotes, comments, anchors, the order, and the blanks in braces stay.
 */
export function formatYaml(text: string): string {
  const [mark, body] = splitMark(text);
  const lineEnd = /\r?\n/.exec(body)?.[0] ?? '\n';
  return mark + print(leavesOf(body), body).replaceAll(/\r?\n/g, lineEnd);
}

/** The words of a text, comments among them, without the blanks and line breaks that formatting may change. */
export function wordsOf(text: string): string[] {
  return leavesOf(withoutMark(text)).flatMap(({ type, source }) =>
    isBlank(type) || type === 'block-text' ? [] : [source.replaceAll(/(?<![ \t])[ \t]*\r?\n\s*/g, '\n').trimEnd()],
  );
}

function isBlank(type: string): boolean {
  return type === 'space' || type === 'newline';
}

function leavesOf(text: string): Leaf[] {
  const leaves: Leaf[] = [];
  const columnAt = (offset: number) => offset - (text.lastIndexOf('\n', offset - 1) + 1);

  const add = (tokens: readonly CST.SourceToken[], level: Level | undefined, column: number, isInFlow = false) => {
    for (const { type, source, offset } of tokens) leaves.push({ type, source, offset, level, column, isInFlow });
  };

  const visitBlock = (token: CST.BlockMap | CST.BlockSequence, level: Level | undefined, column: number): void => {
    const inner: Level = { old: columnAt(startOf(token)), fresh: column, parent: level };
    for (const item of token.items) {
      add(item.start, inner, column);
      if (item.key) visit(item.key, inner, item.explicitKey === true ? column + step : column);
      for (const one of item.sep ?? []) add([one], inner, one.type === 'map-value-ind' ? column : column + step);
      if (item.value) visit(item.value, inner, column + step);
    }
  };

  const visitFlow = (token: CST.FlowCollection, level: Level | undefined, column: number, isInFlow: boolean): void => {
    add([token.start], level, column, isInFlow);
    for (const item of token.items) {
      add(item.start, level, column, true);
      if (item.key) visit(item.key, level, column, true);
      add(item.sep ?? [], level, column, true);
      if (item.value) visit(item.value, level, column, true);
    }
    for (const one of token.end) {
      add([one], level, column, isInFlow || one.type === 'flow-map-end' || one.type === 'flow-seq-end');
    }
  };

  const visitText = (token: CST.BlockScalar, level: Level | undefined, column: number): void => {
    for (const prop of token.props) visit(prop, level, column);
    const header = token.props.find(({ type }) => type === 'block-scalar-header');
    const offset = token.offset + token.props.reduce((sum, prop) => sum + sourceOf(prop).length, 0);
    const counted = { source: header === undefined ? '' : sourceOf(header), indent: token.indent };
    leaves.push({ type: 'block-text', source: token.source, offset, level, column, isInFlow: false, header: counted });
  };

  const visit = (token: CST.Token, level: Level | undefined, column: number, isInFlow = false): void => {
    if (token.type === 'document') {
      add(token.start, undefined, 0);
      if (token.value !== undefined) visit(token.value, undefined, 0);
      add(token.end ?? [], undefined, 0);
    } else if (token.type === 'block-map' || token.type === 'block-seq') visitBlock(token, level, column);
    else if (token.type === 'flow-collection') visitFlow(token, level, column, isInFlow);
    else if (token.type === 'block-scalar') visitText(token, level, column);
    else {
      const { type, offset } = token;
      leaves.push({ type, source: sourceOf(token), offset, level, column, isInFlow });
      if ('end' in token) add(token.end ?? [], level, column, isInFlow);
    }
  };
  for (const token of new Parser().parse(text)) visit(token, undefined, 0);
  return leaves;
}

/** The offset of the first word of a block. */
function startOf(token: CST.BlockMap | CST.BlockSequence): number {
  const [first] = token.items;
  const word = first?.start.find(({ type }) => !isBlank(type) && type !== 'comment');
  return word?.offset ?? first?.key?.offset ?? token.offset;
}

/** A column that something may stand at: as it was, and as it gets. */
type Column = readonly [old: number, fresh: number];

function columnsOf(level: Level | undefined): Column[] {
  return level === undefined ? [] : [[level.old, level.fresh], ...columnsOf(level.parent)];
}

/** What is printed so far. */
interface Printed {
  text: string;
  /** Line breaks at its end. */
  breaks: number;
  isLineStart: boolean;
  /** The line breaks at its end belong to a text. */
  isKept: boolean;
  /** The columns by which the line moved in which the text of several lines, or the flow, begins. */
  shift: number;
  /** The last word before the line. */
  last: Leaf | undefined;
}

function print(leaves: readonly Leaf[], text: string): string {
  const followed = wordsBehind(leaves);
  const columnAt = (offset: number) => offset - (text.lastIndexOf('\n', offset - 1) + 1);
  const printed: Printed = { text: '', breaks: 2, isLineStart: true, isKept: false, shift: 0, last: undefined };
  for (const [index, leaf] of leaves.entries()) {
    if (leaf.type === 'newline') {
      if (printed.breaks < 2) printed.text += '\n';
      printed.breaks += 1;
      printed.isLineStart = true;
    } else if (leaf.type === 'space') printSpace(printed, leaf, leaves[index + 1]);
    else if (leaf.type === 'block-text') printText(printed, leaf);
    else if (leaf.source !== '') printWord(printed, leaf, followed[index], columnAt);
  }
  if (printed.isKept) return printed.text;
  let end = printed.text.length;
  while (printed.text[end - 1] === '\n') end -= 1;
  return end === 0 ? '' : `${printed.text.slice(0, end)}\n`;
}

/** The next word behind each leaf. */
function wordsBehind(leaves: readonly Leaf[]): readonly (Leaf | undefined)[] {
  const followed: (Leaf | undefined)[] = [];
  let found: Leaf | undefined;
  for (const [back, leaf] of leaves.toReversed().entries()) {
    followed[leaves.length - 1 - back] = found;
    if (isWord(leaf)) found = leaf;
  }
  return followed;
}

function put(printed: Printed, source: string): void {
  printed.text += source;
  printed.breaks = 0;
  printed.isLineStart = false;
}

function printSpace(printed: Printed, { source, isInFlow }: Leaf, next: Leaf | undefined): void {
  if (printed.isLineStart || next === undefined || next.type === 'newline') return;
  const stays = isInFlow || next.isInFlow || next.type === 'comment' || next.type === 'map-value-ind';
  put(printed, stays ? source : ' ');
}

function printText(printed: Printed, leaf: Leaf): void {
  const shown = blockText(leaf);
  printed.text += shown;
  printed.isKept = leaf.header?.source.includes('+') === true && shown.endsWith('\n');
  // Of the empty lines behind an empty text, the parser takes one for the text.
  printed.breaks = shown === '' || shown.endsWith('\n\n') ? 2 : 1;
  printed.isLineStart = true;
  printed.last = leaf;
}

function printWord(
  printed: Printed,
  leaf: Leaf,
  followed: Leaf | undefined,
  columnAt: (offset: number) => number,
): void {
  const { type, column, isInFlow } = leaf;
  printed.isKept = false;
  if (printed.isLineStart) {
    const old = columnAt(leaf.offset);
    const fresh =
      type === 'comment' && !isInFlow
        ? commentColumn(old, printed.last, followed, columnAt)
        : isInFlow
          ? Math.max(column, old + printed.shift)
          : column;
    printed.shift = fresh - old;
    printed.text += ' '.repeat(fresh);
  }
  put(printed, moved(leaf, printed.shift));
  if (type !== 'comment') printed.last = leaf;
}

function isWord({ type, source }: Leaf): boolean {
  return !isBlank(type) && type !== 'comment' && source !== '';
}

/**
 * The column of a comment that has its line: that of the block whose column it had, the next one first; one that stands
 * deeper than the key before it belongs to what comes next.
 */
function commentColumn(
  old: number,
  last: Leaf | undefined,
  next: Leaf | undefined,
  columnAt: (offset: number) => number,
): number {
  const after: readonly Column[] =
    next === undefined ? [] : [[columnAt(next.offset), next.column] as const, ...columnsOf(next.level)];
  const before = columnsOf(last?.level);
  const exact = [...after, ...before.toReversed()].find(([column]) => column === old);
  if (exact !== undefined) return exact[1];
  const [own, ...around] = after;
  const outer = around.find(([column]) => own !== undefined && column < own[0]);
  if (own !== undefined && before.length > 0 && own[1] > (before[0]?.[1] ?? 0) && old > (outer?.[0] ?? -1))
    return own[1];
  return [...after, ...before].filter(([column]) => column < old).reduce((most, [, fresh]) => Math.max(most, fresh), 0);
}

/** A word of several lines, whose further lines move with the first one. */
function moved({ type, source, column }: Leaf, shift: number): string {
  if (type === 'comment') return source.trimEnd();
  if (!source.includes('\n')) return source;
  const [first = '', ...rest] = source.split(/\r?\n/);
  const lines = [
    first,
    ...rest.map((line) => {
      const shown = line.trimStart();
      return shown === '' ? '' : ' '.repeat(Math.max(column, 1, line.length - shown.length + shift)) + shown;
    }),
  ];
  return (type === 'scalar' ? lines.map((line) => line.trimEnd()) : lines).join('\n');
}

/** The text of a block scalar at its new column. Empty lines get no blanks. */
function blockText({ source, level, header }: Leaf): string {
  const lines = source.split(/\r?\n/);
  const digit = /[1-9]/.exec(header?.source ?? '')?.[0];
  const filled = lines.find((line) => line.trim() !== '' || line.includes('\t'));
  if (filled === undefined && header?.source.includes('+') !== true) return '';
  const old =
    digit === undefined
      ? filled === undefined
        ? Infinity
        : blanksOf(filled)
      : Math.max(header?.indent ?? 0, 0) + Number(digit);
  // At the end of the file, blanks without a line break are a line where they are all of the text, or deeper than its words.
  const end = lines.at(-1) ?? '';
  const isLine = lines.length === 1 || (filled !== undefined && end.length > old);
  if (/^[ \t]+$/.test(end)) lines.splice(isLine ? lines.length : -1, isLine ? 0 : 1, '');
  const fresh = (level?.fresh ?? 0) + (digit === undefined ? step : Number(digit));
  return lines
    .map((line) => (blanksOf(line) === line.length && line.length <= old ? '' : ' '.repeat(fresh) + line.slice(old)))
    .join('\n');
}

function blanksOf(line: string): number {
  return line.length - line.replace(/^ +/, '').length;
}
