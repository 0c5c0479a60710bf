import type { YamlEntry, YamlNode } from './yaml-node.ts';
import { type Anchored, type Placing, maxValues, mergeInto, nameOf, valueReader } from './yaml-value.ts';

/** Characters that mean something to YAML or to patterns beyond the reader: tabs, control characters, line ends of others. */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const odd = /[\0-\x09\x0B-\x1F\x7F-\x9F\u2028\u2029\uFEFF\uFFFE\uFFFF\uD800-\uDFFF]/u;
/** The indentation, the dash of an item, a key, and what stands behind them. */
const parts = /^( *)(- +)?(?:(<<|[A-Za-z0-9_./$+][^ :#]{0,200}|"[^"\\]{1,200}"|'[^']{1,200}'):(?: +|$))?(.*)$/;
/** Nothing but a comment. */
const lineEnd = /(?: +#.*| *)$/y;
const textHeader = /^[|>][-+]?(?= *$)/;
const anchorHere = /^&([\w-]+)(?: +|$)/;
/** Far from the limits of a manifest, so that the parser finds out what is above them. */
const maxLevels = 40;
/** Characters. A pattern that repeats a choice keeps each in a stack of V8, which is full after some millions. */
const maxLineLength = 1_000_000;

/** A map or a list that lines can go on with. */
interface Level<P> {
  readonly column: number;
  readonly offset: number;
  /** The offset behind its last value, with the rest of that line. */
  end: number;
  /** undefined: a list. */
  readonly entries: Map<string, YamlEntry<P>> | undefined;
  readonly items: YamlNode<P>[];
  /** What merge keys bring. */
  readonly merged: YamlNode<P>[];
  /** The last key; `isMerge`: it brings the keys of other maps. */
  key: { readonly name: string; readonly isMerge: boolean; readonly at: P } | undefined;
  readonly anchor: string | undefined;
  /** The numbers of values and of aliases before it. */
  readonly before: { readonly values: number; readonly aliases: number };
}

interface Rules {
  /** `<<` is a key like any other. */
  readonly keepsMergeKeys?: boolean;
  /** Most aliases of a text, and then none in a value with an anchor, so that they do not multiply. */
  readonly maxAliases?: number;
}

/** A comment in the next line that is not blank. */
const commentBelow = /(?: *\n)* *#/y;

/** Whether a text may have anchors, merge keys or the tag `!reset`. The simple reader gives only their result. */
export function mayMerge(text: string): boolean {
  return /<<["']?\s*:|(?<![^\s,:[{-])&[^\s&]|!reset/.test(text);
}

/**
 * Reads a YAML text (core schema) that is written in the simple way: block maps and lists, values in one line, brackets in one
 * line or with a value and its comma in one, texts below `|` and `>`, the tag `!reset`, anchors, aliases and merge keys.
 * undefined: it has anything else, or a mistake; then only a YAML parser can say what it means. Where it gives a value, a parser
 * gives the same one. Takes linear time. Never throws.
 */
export function readSimpleYaml<P>(text: string, place: Placing<P>, rules: Rules = {}): YamlNode<P> | undefined {
  return odd.test(text) ? undefined : new SimpleReader(text, place, rules).read();
}

/** A key or an item that has no value yet: the next line may hold it, or begin a map or a list. */
interface Open {
  readonly offset: number;
  end: number;
  readonly anchor: string | undefined;
  /** A comment stood below it that is indented no more than it: no value follows, but in the column of that. */
  isLeft?: boolean;
}

/** A line of the text; `next` is the offset of the one behind it. */
interface Line {
  readonly text: string;
  readonly start: number;
  readonly next: number;
}

/** Reads one text, line by line. */
class SimpleReader<P> {
  readonly #text: string;
  readonly #place: Placing<P>;
  readonly #readValue: ReturnType<typeof valueReader<P>>;
  readonly #levels: Level<P>[] = [];
  readonly #rules: Rules;
  readonly #anchors = new Map<string, Anchored<P>>();
  #values = 0;
  #aliases = 0;
  #isWrong = false;
  #open: Open | undefined;

  constructor(text: string, place: Placing<P>, rules: Rules) {
    this.#text = text;
    this.#place = place;
    this.#rules = rules;
    this.#readValue = valueReader(place, (name) => this.#anchored(name), rules.keepsMergeKeys === true);
  }

  read(): YamlNode<P> | undefined {
    for (let start = 0, next: number | undefined = 0; start < this.#text.length; start = next) {
      const line = lineAt(this.#text, start);
      next = line.text.length > maxLineLength ? undefined : this.#readLine(line);
      if (next === undefined) return undefined;
    }
    this.#leaveEmpty();
    while (this.#levels.length > 1) this.#leave();
    const root = this.#leave();
    const { maxAliases = Infinity } = this.#rules;
    return this.#isWrong || this.#values > maxValues || this.#aliases > maxAliases ? undefined : root;
  }

  /** Reads a line, with the text below it. Gives the offset of the next line; undefined where the line is not simple. */
  #readLine(line: Line): number | undefined {
    const { text, start } = line;
    const [, { length: column } = '', dash, key, written = ''] = parts.exec(text) ?? [];
    if (dash === undefined && key === undefined) return this.#readRest(line, column, written);
    if (!this.#goTo(column, start, dash !== undefined)) return undefined;
    const keyColumn = column + (dash?.length ?? 0);
    if (dash !== undefined && key !== undefined) this.#enter(keyColumn, start + keyColumn, false);
    const top = this.#levels.at(-1);
    if (top === undefined || this.#isWrong || this.#levels.length > maxLevels || this.#values > maxValues)
      return undefined;
    const [anchoring = '', anchor] = anchorHere.exec(written) ?? [];
    const rest = written.slice(anchoring.length);
    const from = text.length - rest.length;
    if (key !== undefined) {
      const name = nameOf(key);
      if (name === undefined || top.entries?.has(name) !== false) return undefined;
      const at = this.#place(start + keyColumn, start + keyColumn + key.length);
      top.key = { name, isMerge: key === '<<' && this.#rules.keepsMergeKeys !== true, at };
      const isComment = rest.startsWith('#');
      if (rest === '' || isComment) {
        this.#open = { offset: start + from, end: isComment ? line.next : start + from, anchor };
        return line.next;
      }
    }
    if (rest.startsWith('|') || rest.startsWith('>')) return this.#attachText(line, from, rest, top.column, anchor);
    return this.#attachValue(line, from, anchor);
  }

  /** Reads a line without a key and a dash: it is empty, or a comment, or holds the value of the key before it. */
  #readRest(line: Line, column: number, written: string): number | undefined {
    if (written === '') return line.next;
    const open = this.#open;
    if (written.startsWith('#')) {
      if (open !== undefined) {
        open.end = line.next;
        if (column <= (this.#levels.at(-1)?.column ?? 0)) open.isLeft = true;
      }
      return line.next;
    }
    if (open === undefined || open.isLeft === true || column <= (this.#levels.at(-1)?.column ?? 0)) return undefined;
    const next = this.#attachValue(line, column, open.anchor);
    this.#open = undefined;
    return next;
  }

  /** What an alias stands for. */
  #anchored(name: string): Anchored<P> | undefined {
    this.#aliases++;
    return this.#anchors.get(name);
  }

  /** Names a value; `aliases`: their number before it. */
  #name(anchor: string | undefined, value: Anchored<P>, aliases: number): void {
    if (anchor === undefined) return;
    // An alias means the one that begins last, and a map is named when it ends.
    if (this.#anchors.has(anchor)) this.#isWrong = true;
    this.#anchors.set(anchor, value);
    if (this.#rules.maxAliases !== undefined && this.#aliases > aliases) this.#isWrong = true;
  }

  #enter(column: number, offset: number, isList: boolean, anchor?: string): void {
    this.#levels.push({
      column,
      offset,
      end: offset,
      entries: isList ? undefined : new Map(),
      items: [],
      merged: [],
      key: undefined,
      anchor,
      before: { values: this.#values, aliases: this.#aliases },
    });
    this.#values++;
  }

  #attach(node: YamlNode<P>, end: number): void {
    const top = this.#levels.at(-1);
    if (top === undefined) return;
    const { entries, key } = top;
    if (entries === undefined) top.items.push(node);
    else if (key?.isMerge === true) top.merged.push(node);
    else if (key !== undefined) entries.set(key.name, { keyAt: key.at, node });
    top.end = end;
  }

  #leave(): YamlNode<P> | undefined {
    const level = this.#levels.pop();
    if (level === undefined) return undefined;
    const { offset, end, entries, items, merged, anchor, before } = level;
    const at = this.#place(offset, end);
    if (entries !== undefined && !mergeInto(entries, merged)) this.#isWrong = true;
    const node: YamlNode<P> = entries === undefined ? { is: 'list', items, at } : { is: 'map', entries, at };
    this.#name(anchor, { node, size: this.#values - before.values }, before.aliases);
    this.#attach(node, end);
    return node;
  }

  #leaveEmpty(): void {
    if (this.#open === undefined) return;
    const { offset, end, anchor } = this.#open;
    this.#open = undefined;
    if (anchor !== undefined) this.#isWrong = true;
    this.#attach({ is: 'scalar', value: null, source: '', at: this.#place(offset, offset) }, end);
    this.#values++;
  }

  /** Reads the value of the last key or item, in its line. Gives the offset of the next line; undefined: it is not simple. */
  #attachValue(line: Line, from: number, anchor: string | undefined): number | undefined {
    const aliases = this.#aliases;
    const readIn = ({ text, start }: Line) => this.#readValue(text, { from, start, isInBrackets: false });
    let whole = line;
    let found = readIn(line);
    if (found === undefined && /[[{]/.test(line.text[from] ?? '')) {
      whole = this.#withBrackets(line, from);
      found = readIn(whole);
    }
    const { text, start, next } = whole;
    lineEnd.lastIndex = found?.to ?? 0;
    if (found === undefined || !lineEnd.test(text) || (anchor !== undefined && text[from] === '*')) return undefined;
    if (found.node.isReset === true && this.#levels.at(-1)?.key?.isMerge === true) return undefined;
    this.#values += found.size;
    this.#name(anchor, found, aliases);
    const isEmpty = found.node.isReset === true && text.slice(from) === '!reset';
    commentBelow.lastIndex = next;
    if (isEmpty && commentBelow.test(this.#text)) return undefined; // the parser counts that as part of the value
    this.#attach(found.node, isEmpty ? start + text.length : next);
    return this.#values <= maxValues ? next : undefined; // before a map merges them
  }

  /** A line, with those below it up to the end of the brackets that open in it, as far as all of them are indented more. */
  #withBrackets(line: Line, from: number): Line {
    const column = this.#levels.at(-1)?.column ?? 0;
    let [depth, next] = [openBrackets(line.text.slice(from)), line.next];
    while (depth > 0) {
      const below = lineAt(this.#text, next);
      const indentation = below.text.search(/[^ ]/);
      if (next === this.#text.length || next - line.start > maxLineLength) return line;
      if (indentation !== -1 && indentation <= column) return line;
      depth += openBrackets(below.text);
      next = below.next;
    }
    return { ...line, text: this.#text.slice(line.start, next).replace(/\n$/, ''), next };
  }

  /** Reads the text below a line, and gives the offset of the line behind it. */
  #attachText(
    { start, next }: Line,
    from: number,
    rest: string,
    parent: number,
    anchor: string | undefined,
  ): number | undefined {
    const header = textHeader.exec(rest)?.[0];
    const found = header === undefined ? undefined : readText(this.#text, next, { header, parent });
    if (found === undefined) return undefined;
    const { value, end } = found;
    const node = { is: 'scalar', value, source: value, at: this.#place(start + from, end) } as const;
    this.#name(anchor, { node, size: 1 }, this.#aliases);
    this.#attach(node, end);
    this.#values++;
    return found.next;
  }

  /** Makes the level of a line the last one. Whether there is one. */
  #goTo(column: number, start: number, isItem: boolean): boolean {
    let top = this.#levels.at(-1);
    const isBelow = top !== undefined && (column > top.column || (isItem && column === top.column));
    if (this.#open !== undefined && isBelow) {
      this.#enter(column, start + column, isItem, this.#open.anchor);
      this.#open = undefined;
      return true;
    }
    this.#leaveEmpty();
    for (; top !== undefined && top.column > column; top = this.#levels.at(-1)) this.#leave();
    if (!isItem && top?.column === column && top.entries === undefined) {
      this.#leave(); // a list may stand in the column of its key
      top = this.#levels.at(-1);
    }
    if (top !== undefined) return top.column === column && (top.entries === undefined) === isItem;
    this.#enter(0, start, false);
    return column === 0 && !isItem;
  }
}

/** The line that begins at an offset. */
function lineAt(text: string, start: number): Line {
  const newline = text.indexOf('\n', start);
  const line = text.slice(start, newline === -1 ? text.length : newline);
  return { text: line, start, next: start + line.length + Number(newline !== -1) };
}

/** The number of brackets that open in a text and do not close there, as far as the text is simple. */
function openBrackets(text: string): number {
  let open = 0;
  for (const [sign] of text.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[[\]{}]/g)) {
    if (sign === '[' || sign === '{') open++;
    else if (sign === ']' || sign === '}') open--;
  }
  return open;
}

/** Reads the lines of a text below `|` or `>`; undefined where their indentation says not clearly which ones they are. */
function readText(
  text: string,
  first: number,
  { header, parent }: { readonly header: string; readonly parent: number },
): { readonly value: string; readonly end: number; readonly next: number } | undefined {
  const lines: string[] = [];
  let column: number | undefined;
  /** The number of lines without the empty ones at the end, and the offset behind them. */
  let [filled, end] = [0, first];
  let start = first;
  for (let next = first; start < text.length; start = next) {
    const { text: line, next: behind } = lineAt(text, start);
    next = behind;
    const found = line.search(/[^ ]/);
    if (found === -1) {
      const hasEnd = next > start + line.length;
      if (column === undefined || line.length > column || !hasEnd) return undefined;
      lines.push('');
      continue;
    }
    if (found <= parent) break;
    column ??= found;
    if (found < column) return undefined;
    lines.push(line.slice(column));
    [filled, end] = [lines.length, next];
  }
  if (filled === 0) return undefined;
  const isKept = header.endsWith('+');
  const value = header.startsWith('|') ? lines.slice(0, filled).join('\n') : folded(lines.slice(0, filled));
  if (value === undefined) return undefined;
  const ending = isKept ? '\n'.repeat(1 + lines.length - filled) : header.endsWith('-') ? '' : '\n';
  return { value: `${value}${ending}`, end: isKept ? start : end, next: start };
}

/** The text of lines below `>`; undefined where one is indented more than the others. */
function folded(lines: readonly string[]): string | undefined {
  let value = '';
  let isBroken = true;
  for (const line of lines) {
    if (line.startsWith(' ')) return undefined;
    value += line === '' ? '\n' : isBroken ? line : ` ${line}`;
    isBroken = line === '';
  }
  return value;
}
