import { type CST, type YAMLMap, type YAMLSeq, isMap } from 'yaml';
import { changeFlow } from './change-flow.ts';
import { type Value, indentedBy, renderEntries } from './write-yaml.ts';
import { keyText } from './nodes.ts';
import { type Work, refused, unusual } from './splices.ts';
import { breakAt, itemEnd, itemStart, keepsLines, lineEnd, lineStart, tokensOf, withoutBreak } from './tokens.ts';
import { type KeyValue, inOneLine } from './value-lines.ts';

/** Adds entries to a map, and removes those of the numbers of `leaving`; without a map, at the end of the text. */
export function insert(
  map: YAMLMap | null,
  entries: readonly KeyValue[],
  how: { readonly order: readonly string[]; readonly leaving?: ReadonlySet<number>; readonly work: Work },
): void {
  const { order, leaving = new Set<number>(), work } = how;
  const { text, splices } = work;
  if (map === null) {
    const lines = renderEntries(entries).replaceAll('\n', breakAt(text, 0));
    splices.push({
      from: text.length,
      to: text.length,
      text: text === '' || text.endsWith('\n') ? lines : `${breakAt(text, 0)}${lines}`,
    });
    return;
  }
  if (map.flow === true) {
    const coming = entries.map((entry) => ({
      index: placeOf(map, entry.key, order),
      written: inOneLine({ is: 'map', entries: [entry] }, { isFlow: true })
        .slice(1, -1)
        .trim(),
    }));
    if (map.items.length > 0) {
      changeFlow(map, { coming, leaving }, work);
      return;
    }
    const [start, end] = [map.range?.[0] ?? 0, map.range?.[1] ?? 0];
    if (text.slice(start + 1, end - 1).trim() !== '') throw refused(work, 'its braces hold a comment only', start);
    splices.push({ from: start, to: end, text: `{ ${coming.map(({ written }) => written).join(', ')} }` });
    return;
  }
  const items = tokensOf(map);
  const first = items?.[0];
  if (items === undefined || first === undefined) throw unusual(map, work);
  for (const entry of entries)
    putLines({ first, previous: items[placeOf(map, entry.key, order) - 1] }, renderEntries([entry]), work);
  remove(map, leaving, work);
}

/** The number of the entry before which a key belongs by the usual order; of none, behind the last one. */
function placeOf(map: YAMLMap, key: string, order: readonly string[]): number {
  const place = order.indexOf(key);
  const keys = map.items.map((pair) => keyText(pair.key) ?? '');
  if (place === -1) return keys.length;
  return keys.findLastIndex((one) => one === '<<' || (order.includes(one) && order.indexOf(one) < place)) + 1;
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

/** Adds items to a list that has some, before the one of an index. */
export function insertItems(list: YAMLSeq, index: number, values: readonly Value[], work: Work): void {
  if (list.flow === true) {
    const coming = values.map((value) => ({ index, written: inOneLine(value, { isFlow: true }) }));
    changeFlow(list, { coming }, work);
    return;
  }
  const items = tokensOf(list);
  const first = items?.[0];
  if (items === undefined || first === undefined) throw unusual(list, work);
  const rendered = renderEntries([{ key: 'v', value: { is: 'list', items: values } }]);
  const lines = rendered.slice(rendered.indexOf('\n') + 1).replaceAll(/(?<![^\n]) {2}/g, '');
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

/** Removes the entries of these numbers. */
export function remove(node: YAMLMap | YAMLSeq, leaving: ReadonlySet<number>, work: Work): void {
  if (node.flow === true) {
    changeFlow(node, { leaving }, work);
    return;
  }
  for (let first = 0; first < node.items.length; first++) {
    if (!leaving.has(first)) continue;
    let last = first;
    while (leaving.has(last + 1)) last += 1;
    removeLines(node, first, last, work);
    first = last;
  }
}

/** Removes entries of a block that follow each other. */
function removeLines(node: YAMLMap | YAMLSeq, first: number, last: number, work: Work): void {
  const { text, splices } = work;
  const items = tokensOf(node) ?? [];
  const [item, end] = [items[first], items[last]];
  if (item === undefined || end === undefined) throw unusual(node, work);
  const [from, to] = [itemStart(item), itemEnd(end)];
  const [start, stop] = [lineStart(text, from), lineEnd(text, to)];
  if (first === 0 && items[last + 1] === undefined) {
    // What is left is an empty map, and not nothing.
    splices.push({ from, to: withoutBreak(text, to), text: isMap(node) ? '{}' : '[]' });
  } else if (text.slice(start, from).trim() !== '') {
    // It stands behind the sign of a list, and the next one gets its place, with the comments above that.
    splices.push({ from, to: stop + text.slice(stop).search(/\S/), text: '' });
  } else {
    const previous = items[first - 1];
    if (previous !== undefined && keepsLines(previous)) {
      // Empty lines behind it would be lines of the text above it.
      const [behind = ''] = /^(?:[ \t]*\r?\n)*/.exec(text.slice(stop)) ?? [];
      splices.push({ from: start, to: stop + behind.length, text: '' });
      return;
    }
    // Behind the last line there may be no line break: then the line before it ends the file in the same way.
    const isOpen = stop === text.length && !text.endsWith('\n');
    splices.push({ from: isOpen ? withoutBreak(text, start) : start, to: stop, text: '' });
  }
}
