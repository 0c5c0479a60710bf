import type { CST, ParsedNode, YAMLMap, YAMLSeq } from 'yaml';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, Scalar } from 'yaml';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Value } from '../export/yaml.ts';
import { indentedBy, plainly, renderEntries } from '../export/yaml.ts';
import type { Json } from '../kind/json.ts';
import { same } from '../kind/json.ts';
import { parseExpressions } from '../manifest/expression.ts';
import { expressionSources } from '../manifest/sources/all.ts';
import type { Entry, MapNode } from '../manifest/tree.ts';
import { position, readTree } from '../manifest/tree.ts';
import { sameTree } from './same-tree.ts';
import {
  breakAt,
  endOf,
  itemEnd,
  itemStart,
  lineEnd,
  lineStart,
  signOf,
  sourceOf,
  tokensOf,
  withoutBreak,
} from './tokens.ts';
import type { KeyValue } from './written.ts';
import { asBlock, entriesOf, fitsBlock, inOneLine, isFilled, jsonOf, listOf, stringOf, treeOf } from './written.ts';

/** A change of one value of a YAML text. */
export interface Edit {
  /** Keys, outermost first. */
  readonly path: readonly string[];
  /** The new value; undefined: the key goes, with its value. */
  readonly value: Value | undefined;
  /** The keys of the map in their usual order, for a key that is not there: it comes behind the last one before it. */
  readonly order?: readonly string[];
}

/**
 * Changes values of a YAML text and no other byte: comments, order, quotes, anchors, blocks and line breaks stay. A value
 * that is not there is added, a map or list changes only where it differs. The text is read again, and has to have the old
 * values but for these changes.
 *
 * @throws {Stop} `refused`, when a value comes from an alias, a merge key or an expression, or others share it
 */
export function editYaml(file: string, text: string, edits: readonly Edit[]): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  let body = text.slice(mark.length);
  for (const edit of edits) body = editOne(file, body, edit);
  return mark + body;
}

function editOne(file: string, text: string, edit: Edit): string {
  const contents = read(text);
  const about: About = { file, text, path: edit.path };
  if (contents !== null && !isMap(contents)) throw refused(about, 'the file is not a map');
  const splices: Splice[] = [];
  change(contents, edit, { ...about, splices });
  const next = spliced(text, splices);
  const empty: MapNode = { is: 'map', entries: new Map(), at: { file, offset: 0, lines: new LineCounter() } };
  const before = contents === null ? empty : readTree(file, text, []);
  const after = readTree(file, next, []);
  if (before?.is === 'map' && sameTree(expected(before, edit.path, edit.value), after, { anyOrder: true })) return next;
  const anchor = anchorOn(contents, edit.path);
  throw refused(
    about,
    anchor === undefined
      ? 'it cannot be changed without changing another value'
      : `others share it by the anchor &${anchor}`,
  );
}

function read(text: string): ParsedNode | null {
  return parseDocument(text, {
    keepSourceTokens: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    schema: 'core',
    resolveKnownTags: false,
  }).contents;
}

/** What is to be replaced: from one offset to another. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function spliced(text: string, splices: readonly Splice[]): string {
  let next = text;
  // From the last to the first; of those at one place the first one comes first in the text.
  for (const { from, to, text: put } of splices.toReversed().toSorted((a, b) => b.from - a.from)) {
    next = next.slice(0, from) + put + next.slice(to);
  }
  return next;
}

interface About {
  readonly file: string;
  readonly text: string;
  readonly path: readonly string[];
}

interface Work extends About {
  readonly splices: Splice[];
}

function refused({ file, text, path }: About, why: string, offset = 0, remedy?: string): Stop {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  const shown = path.at(-1) ?? file;
  return new Stop('refused', [
    diagnostic('not-editable', `cannot change ${shown}: ${why}; nothing was written`, {
      remedy: remedy ?? 'Change it by hand.',
      position: position({ file, offset, lines }),
    }),
  ]);
}

function change(contents: YAMLMap | null, { path, value, order = [] }: Edit, work: Work): void {
  let map = contents;
  for (const [depth, key] of path.entries()) {
    const rest = path.slice(depth + 1);
    const index = map === null ? -1 : indexOf(map, key);
    if (map === null || index === -1) {
      if (value === undefined)
        throw refused(work, 'it is not written there, but comes from a merge key (<<)', startOf(map));
      if (map !== null && rest.length > 0 && comesFromMerge(map, key)) {
        throw refused(
          work,
          `${key} comes from a merge key (<<)`,
          startOf(map),
          `Write ${key} in the block itself, or change the fragment.`,
        );
      }
      insert(map, { key, value: nested(rest, value) }, { order: rest.length > 0 ? [] : order, work });
      return;
    }
    const node = map.items[index]?.value;
    if (rest.length === 0) {
      if (value === undefined) remove(map, index, index, work);
      else replace(map, index, value, work);
      return;
    }
    if (isMap(node)) map = node;
    else if (isAlias(node)) {
      throw refused(
        work,
        `${key} is the alias *${node.source}`,
        node.range?.[0],
        'Write the block out, or change what the anchor stands on.',
      );
    } else if (value !== undefined && isEmpty(node)) {
      replace(map, index, nested(rest, value), work);
      return;
    } else throw refused(work, `${key} is not written as a map`, map.range?.[0]);
  }
}

/** A value below further keys. */
function nested(path: readonly string[], value: Value): Value {
  const [key, ...rest] = path;
  return key === undefined ? value : { is: 'map', entries: [{ key, value: nested(rest, value) }] };
}

function isEmpty(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null);
}

function startOf(node: YAMLMap | null): number {
  return node?.range?.[0] ?? 0;
}

function keyText(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  return typeof key.value === 'string' ? key.value : (key.source ?? '');
}

function indexOf(map: YAMLMap, key: string): number {
  return map.items.findIndex((pair) => keyText(pair.key) === key);
}

function comesFromMerge(map: YAMLMap, key: string): boolean {
  return map.items.some((pair) => keyText(pair.key) === '<<') && key !== '<<';
}

/** An anchor on a path, or in the value at its end, that others may use. */
function anchorOn(contents: unknown, path: readonly string[]): string | undefined {
  let node = contents;
  let found: string | undefined;
  for (const key of path) {
    if (!isMap(node)) break;
    node = node.items.find((pair) => keyText(pair.key) === key)?.value;
    found = anchorOf(node) ?? found;
  }
  const inside = (one: unknown): string | undefined => {
    const items = isMap(one) ? one.items.map(({ value }) => value) : isSeq(one) ? one.items : [];
    return items.map((item) => anchorOf(item) ?? inside(item)).find((name) => name !== undefined);
  };
  return found ?? inside(node);
}

function anchorOf(node: unknown): string | undefined {
  return (node as { anchor?: string } | null | undefined)?.anchor;
}

/** Adds an entry to a map. */
function insert(
  map: YAMLMap | null,
  entry: KeyValue,
  how: { readonly order: readonly string[]; readonly work: Work },
): void {
  const { order, work } = how;
  const { text, splices } = work;
  if (map === null) {
    const lines = renderEntries([entry]).replaceAll('\n', breakAt(text, 0));
    splices.push({
      from: text.length,
      to: text.length,
      text: text === '' || text.endsWith('\n') ? lines : `${breakAt(text, 0)}${lines}`,
    });
    return;
  }
  const items = tokensOf(map);
  if (items === undefined) throw unusual(map, work);
  const place = order.indexOf(entry.key);
  const keys = map.items.map((pair) => keyText(pair.key) ?? '');
  const before =
    place === -1
      ? keys.length - 1
      : keys.findLastIndex((key) => key === '<<' || (order.includes(key) && order.indexOf(key) < place));
  if (map.flow === true) {
    const written = inOneLine({ is: 'map', entries: [entry] }, { isFlow: true })
      .slice(1, -1)
      .trim();
    const previous = items[before];
    const [first] = items;
    if (previous !== undefined) splices.push({ from: itemEnd(previous), to: itemEnd(previous), text: `, ${written}` });
    else if (first !== undefined) splices.push({ from: itemStart(first), to: itemStart(first), text: `${written}, ` });
    else {
      const [start, end] = [map.range?.[0] ?? 0, map.range?.[1] ?? 0];
      if (text.slice(start + 1, end - 1).trim() !== '') throw refused(work, 'its braces hold a comment only', start);
      splices.push({ from: start, to: end, text: `{ ${written} }` });
    }
    return;
  }
  const [first] = items;
  if (first === undefined) throw unusual(map, work);
  const start = itemStart(first);
  const column = start - lineStart(text, start);
  const end = breakAt(text, start);
  const lines = indentedBy(column, renderEntries([entry])).replaceAll('\n', end);
  const previous = items[before];
  if (previous === undefined) {
    putBefore(start, lines, work);
    return;
  }
  const at = lineEnd(text, itemEnd(previous));
  if (at > 0 && text[at - 1] !== '\n') splices.push({ from: at, to: at, text: `${end}${lines.slice(0, -end.length)}` });
  else splices.push({ from: at, to: at, text: lines });
}

/** Puts indented lines before an entry, which may stand behind the sign of a list. */
function putBefore(start: number, lines: string, { text, splices }: Work): void {
  const from = lineStart(text, start);
  const column = start - from;
  const isFirst = text.slice(from, start).trim() === '';
  if (isFirst) splices.push({ from, to: from, text: lines });
  else splices.push({ from: start, to: start, text: `${lines.slice(column)}${' '.repeat(column)}` });
}

/** Removes entries of a map or a list that follow each other. */
function remove(node: YAMLMap | YAMLSeq, first: number, last: number, work: Work): void {
  const { text, splices } = work;
  const items = tokensOf(node) ?? [];
  const [item, end] = [items[first], items[last]];
  if (item === undefined || end === undefined) throw unusual(node, work);
  const [from, to] = [itemStart(item), itemEnd(end)];
  const [previous, next] = [items[first - 1], items[last + 1]];
  if (previous === undefined && next === undefined) {
    // What is left is an empty map, and not nothing.
    const sign = isMap(node) ? '{}' : '[]';
    if (node.flow === true) splices.push({ from: node.range?.[0] ?? from, to: node.range?.[1] ?? to, text: sign });
    else splices.push({ from, to: withoutBreak(text, to), text: sign });
  } else if (node.flow === true) {
    if (next !== undefined) splices.push({ from, to: itemStart(next), text: '' });
    else if (previous !== undefined) splices.push({ from: itemEnd(previous), to, text: '' });
  } else if (text.slice(lineStart(text, from), from).trim() !== '') {
    // It stands behind the sign of a list, and the next one gets its place.
    splices.push({ from, to: next === undefined ? to : itemStart(next), text: '' });
  } else {
    const [start, stop] = [lineStart(text, from), lineEnd(text, to)];
    // Behind the last line there may be no line break: then the line before it ends the file in the same way.
    const isOpen = stop === text.length && !text.endsWith('\n');
    splices.push({ from: isOpen ? withoutBreak(text, start) : start, to: stop, text: '' });
  }
}

/** Removes entries of these numbers, in any order. */
function removeAll(node: YAMLMap | YAMLSeq, indexes: ReadonlySet<number>, work: Work): void {
  for (let first = 0; first < node.items.length; first++) {
    if (!indexes.has(first)) continue;
    let last = first;
    while (indexes.has(last + 1)) last += 1;
    remove(node, first, last, work);
    first = last;
  }
}

function unusual(node: YAMLMap | YAMLSeq, work: Work): Stop {
  return refused(work, 'it is written in an unusual way', node.range?.[0]);
}

/** Replaces the value of an entry of a map or list. */
function replace(node: YAMLMap | YAMLSeq, index: number, value: Value, work: Work): void {
  const entry = node.items[index];
  const old = (isMap(node) ? (entry as YAMLMap['items'][number]).value : entry) as ParsedNode | null | undefined;
  const item = tokensOf(node)?.[index];
  if (item === undefined) {
    throw unusual(node, work);
  }
  const entries = entriesOf(value);
  if (isMap(old) && entries?.some(({ key }) => indexOf(old, key) !== -1) === true) {
    if (indexOf(old, '<<') !== -1) throw refused(work, 'it has a merge key (<<)', old.range?.[0]);
    replaceMap(old, entries, work);
    return;
  }
  const values = listOf(value);
  if (isSeq(old) && old.items.length > 0 && values !== undefined && values.length > 0) {
    replaceList(old, values, work);
    return;
  }
  refuseExpressions(old, work);
  if (isScalar(old) && old.tag !== undefined && !old.tag.startsWith('tag:yaml.org'))
    throw refused(work, 'it has a tag', old.range?.[0]);
  replaceWhole({ node, item, old }, value, work);
}

function replaceMap(map: YAMLMap, entries: readonly KeyValue[], work: Work): void {
  const keys = entries.map(({ key }) => key);
  for (const { key, value } of entries) {
    const index = indexOf(map, key);
    if (index === -1) insert(map, { key, value }, { order: keys, work });
    else if (!isAlready(map.items[index]?.value, value)) replace(map, index, value, work);
  }
  const leaving = map.items.flatMap((pair, index) => (keys.includes(keyText(pair.key) ?? '') ? [] : [index]));
  for (const index of leaving) refuseExpressions(map.items[index]?.value, work);
  removeAll(map, new Set(leaving), work);
}

function replaceList(list: YAMLSeq, values: readonly Value[], work: Work): void {
  const olds = list.items;
  let start = 0;
  while (start < Math.min(olds.length, values.length) && isAlready(olds[start], values[start] ?? plainly(null)))
    start += 1;
  let end = 0;
  while (
    end < Math.min(olds.length, values.length) - start &&
    isAlready(olds.at(-1 - end), values.at(-1 - end) ?? plainly(null))
  ) {
    end += 1;
  }
  const [leaving, coming] = [olds.length - start - end, values.length - start - end];
  for (let at = start; at < start + Math.min(leaving, coming); at++)
    replace(list, at, values[at] ?? plainly(null), work);
  for (let at = start + coming; at < start + leaving; at++) refuseExpressions(olds[at], work);
  if (leaving > coming) remove(list, start + coming, start + leaving - 1, work);
  if (coming > leaving) insertItems(list, start + leaving, values.slice(start + leaving, start + coming), work);
}

/** Adds items to a list, before the one of an index. */
function insertItems(list: YAMLSeq, index: number, values: readonly Value[], work: Work): void {
  const { text, splices } = work;
  const items = tokensOf(list);
  if (items === undefined) throw unusual(list, work);
  const previous = items[index - 1];
  const next = items[index];
  if (list.flow === true || items.length === 0) {
    const written = values.map((value) => inOneLine(value, { isFlow: true })).join(', ');
    if (previous !== undefined) splices.push({ from: itemEnd(previous), to: itemEnd(previous), text: `, ${written}` });
    else if (next !== undefined) splices.push({ from: itemStart(next), to: itemStart(next), text: `${written}, ` });
    else splices.push({ from: list.range?.[0] ?? 0, to: list.range?.[1] ?? 0, text: `[${written}]` });
    return;
  }
  const [first] = items;
  const start = first === undefined ? 0 : itemStart(first);
  const column = start - lineStart(text, start);
  const end = breakAt(text, start);
  const rendered = renderEntries([{ key: 'v', value: { is: 'list', items: values } }]);
  const lines = indentedBy(column, rendered.slice(rendered.indexOf('\n') + 1).replaceAll(/^ {2}/gm, '')).replaceAll(
    '\n',
    end,
  );
  if (previous === undefined) {
    putBefore(start, lines, work);
    return;
  }
  const at = lineEnd(text, itemEnd(previous));
  if (text[at - 1] !== '\n') splices.push({ from: at, to: at, text: `${end}${lines.slice(0, -end.length)}` });
  else splices.push({ from: at, to: at, text: lines });
}

/** Whether a value is written as it shall be. */
function isAlready(node: unknown, value: Value): boolean {
  const json = jsonOf(value);
  if (isAlias(node) || hasAlias(node)) return false;
  return same(plainJson(node), json);
}

function hasAlias(node: unknown): boolean {
  if (isAlias(node)) return true;
  if (isMap(node)) return node.items.some(({ key, value }) => hasAlias(value) || keyText(key) === '<<');
  return isSeq(node) && node.items.some(hasAlias);
}

function plainJson(node: unknown): Json {
  if (isMap(node))
    return Object.fromEntries(node.items.map(({ key, value }) => [keyText(key) ?? '', plainJson(value)]));
  if (isSeq(node)) return node.items.map(plainJson);
  return isScalar(node) ? (node.value as Json) : null;
}

function refuseExpressions(node: unknown, work: Work): void {
  if (isMap(node)) {
    for (const { value } of node.items) refuseExpressions(value, work);
  } else if (isSeq(node)) {
    for (const item of node.items) refuseExpressions(item, work);
  } else if (isScalar(node) && typeof node.value === 'string') {
    const { parts, unclosed } = parseExpressions(node.value, expressionSources);
    const first = parts.find((part) => typeof part === 'object');
    if (unclosed === undefined && first === undefined) return;
    const name = unclosed?.name ?? (first?.source.name || '');
    throw refused(
      work,
      `it is written with the expression \${${name}:…}`,
      node.range?.[0],
      'Change by hand what the expression gives.',
    );
  }
}

interface Place {
  readonly node: YAMLMap | YAMLSeq;
  readonly item: CST.CollectionItem;
  readonly old: ParsedNode | null | undefined;
}

/** Replaces a value by another one that is written anew. */
function replaceWhole({ node, item, old }: Place, value: Value, work: Work): void {
  const { text, splices } = work;
  const start = itemStart(item);
  const column = start - lineStart(text, start);
  const isFlow = node.flow === true;
  const end = breakAt(text, start);
  const token = item.value;
  const string = stringOf(value);
  if (token?.type === 'block-scalar' && string !== undefined && fitsBlock(string)) {
    replaceBlockText(token, { string, column, isFolded: isScalar(old) && old.type === Scalar.BLOCK_FOLDED }, work);
    return;
  }
  // A text that has its line breaks as escapes keeps them so.
  const isEscaped = isScalar(old) && old.type === Scalar.QUOTE_DOUBLE && String(old.value).includes('\n');
  const isText = string?.includes('\n') === true && !isEscaped && fitsBlock(string);
  const isLong = !isFlow && (string === undefined ? isFilled(value) : isText);
  if (token === undefined || token === null || (token.type === 'scalar' && token.source === '')) {
    const sign = signOf(item);
    if (isLong) putBelow({ from: sign, to: sign, lead: '' }, value, { column, end, work });
    else
      splices.push({
        from: sign,
        to: sign,
        text: `${isMap(node) && item.sep === undefined ? ':' : ''} ${inOneLine(value, { isFlow })}`,
      });
    return;
  }
  const isBlock = token.type === 'block-map' || token.type === 'block-seq';
  const [one] = isBlock ? (token.items as CST.CollectionItem[]) : [];
  const from = one === undefined ? token.offset : itemStart(one);
  const to = withoutBreak(text, endOf(token));
  const sign = signOf(item);
  const isBelow = isBlock && text.slice(sign, from).trim() === '';
  if (isLong) putBelow(isBelow ? { from: sign, to, lead: '' } : { from, to, lead: ' ' }, value, { column, end, work });
  else {
    const style = isScalar(old) ? old.type : undefined;
    const written = inOneLine(value, { style, isFlow });
    splices.push(isBelow ? { from: sign, to, text: ` ${written}` } : { from, to, text: written });
  }
}

/** Puts a value of several lines below the line on which its key stands. */
function putBelow(
  { from, to, lead }: { readonly from: number; readonly to: number; readonly lead: string },
  value: Value,
  { column, end, work }: { readonly column: number; readonly end: string; readonly work: Work },
): void {
  const { text, splices } = work;
  const rendered = renderEntries([{ key: 'v', value }]);
  const [first = '', ...rest] = rendered.slice(0, -1).split('\n');
  const sign = first.slice(2).trim();
  const lines = rest.map((line) => (line === '' ? '' : ' '.repeat(column) + line)).join(end);
  // A comment behind the old value stays behind the key.
  const stop = lineEnd(text, to);
  const behind = text.slice(to, stop).replace(/\r?\n$/, '');
  const isOnOwnLine = lead !== '' && text.slice(lineStart(text, from), from).trim() === '';
  const head = sign === '' ? '' : `${lead === '' ? ' ' : ''}${sign}`;
  if (behind.trim() === '' || isOnOwnLine) splices.push({ from, to, text: `${head}${end}${lines}` });
  else {
    splices.push({ from: head === '' && text[from - 1] === ' ' ? from - 1 : from, to, text: head });
    const isOpen = text[stop - 1] !== '\n';
    splices.push({ from: stop, to: stop, text: isOpen ? `${end}${lines}` : `${lines}${end}` });
  }
}

/** Replaces the text of a block; the lines at its start and its end that stay the same keep their bytes. */
function replaceBlockText(
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

/** The tree with the change. */
function expected(node: MapNode, path: readonly string[], value: Value | undefined): MapNode {
  const [key, ...rest] = path;
  if (key === undefined) return node;
  const entries = new Map<string, Entry>(node.entries);
  const present = node.entries.get(key);
  if (value === undefined && rest.length === 0) entries.delete(key);
  else {
    const below = present?.node.is === 'map' ? present.node : { ...node, entries: new Map<string, Entry>() };
    const fresh = rest.length === 0 && value !== undefined ? treeOf(value) : undefined;
    entries.set(key, { keyAt: present?.keyAt ?? node.at, node: fresh ?? expected(below, rest, value) });
  }
  return { ...node, entries };
}
