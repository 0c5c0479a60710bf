import { type CST, type YAMLMap, type YAMLSeq, isMap } from 'yaml';
import { type Value, indentedBy, renderEntries } from './write-yaml.ts';
import { keyText } from './nodes.ts';
import { type Work, refused, unusual } from './splices.ts';
import { breakAt, itemEnd, itemStart, lineEnd, lineStart, tokensOf, withoutBreak } from './tokens.ts';
import { type KeyValue, inOneLine } from './value-lines.ts';

/** Adds an entry to a map; without a map, at the end of the text. */
export function insert(
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
    if (putInLine(items, before + 1, written, work)) return;
    const [start, end] = [map.range?.[0] ?? 0, map.range?.[1] ?? 0];
    if (text.slice(start + 1, end - 1).trim() !== '') throw refused(work, 'its braces hold a comment only', start);
    splices.push({ from: start, to: end, text: `{ ${written} }` });
    return;
  }
  const [first] = items;
  if (first === undefined) throw unusual(map, work);
  putLines({ first, previous: items[before] }, renderEntries([entry]), work);
}

/** Puts a text between the entries of braces or brackets, before the one of an index. Returns false where there are none. */
function putInLine(items: readonly CST.CollectionItem[], index: number, written: string, { splices }: Work): boolean {
  const [previous, next] = [items[index - 1], items[index]];
  if (previous !== undefined) splices.push({ from: itemEnd(previous), to: itemEnd(previous), text: `, ${written}` });
  else if (next !== undefined) splices.push({ from: itemStart(next), to: itemStart(next), text: `${written}, ` });
  return previous !== undefined || next !== undefined;
}

/** Puts lines behind an entry, else before the first one, and indents them as that one. */
function putLines(
  { first, previous }: { readonly first: CST.CollectionItem; readonly previous: CST.CollectionItem | undefined },
  rendered: string,
  work: Work,
): void {
  const { text, splices } = work;
  const start = itemStart(first);
  const end = breakAt(text, start);
  const lines = indentedBy(start - lineStart(text, start), rendered).replaceAll('\n', end);
  if (previous === undefined) {
    putBefore(start, lines, work);
    return;
  }
  const at = lineEnd(text, itemEnd(previous));
  if (text[at - 1] !== '\n') splices.push({ from: at, to: at, text: `${end}${lines.slice(0, -end.length)}` });
  else splices.push({ from: at, to: at, text: lines });
}

/** Adds items to a list, before the one of an index. */
export function insertItems(list: YAMLSeq, index: number, values: readonly Value[], work: Work): void {
  const items = tokensOf(list);
  if (items === undefined) throw unusual(list, work);
  const [first] = items;
  if (list.flow === true || first === undefined) {
    const written = values.map((value) => inOneLine(value, { isFlow: true })).join(', ');
    if (putInLine(items, index, written, work)) return;
    work.splices.push({ from: list.range?.[0] ?? 0, to: list.range?.[1] ?? 0, text: `[${written}]` });
    return;
  }
  const rendered = renderEntries([{ key: 'v', value: { is: 'list', items: values } }]);
  const lines = rendered.slice(rendered.indexOf('\n') + 1).replaceAll(/^ {2}/gm, '');
  putLines({ first, previous: items[index - 1] }, lines, work);
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
export function remove(node: YAMLMap | YAMLSeq, first: number, last: number, work: Work): void {
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
export function removeAll(node: YAMLMap | YAMLSeq, indexes: ReadonlySet<number>, work: Work): void {
  for (let first = 0; first < node.items.length; first++) {
    if (!indexes.has(first)) continue;
    let last = first;
    while (indexes.has(last + 1)) last += 1;
    remove(node, first, last, work);
    first = last;
  }
}
