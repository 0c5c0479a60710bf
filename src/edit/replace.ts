import { type CST, type ParsedNode, type YAMLMap, type YAMLSeq, isMap, isScalar, isSeq, Scalar } from 'yaml';
import { type Value, plainly, renderEntries } from './write-yaml.ts';
import { parseExpressions } from '../manifest/expression.ts';
import { replaceBlockText } from './block-text.ts';
import { insert, insertItems, remove } from './insert-entry.ts';
import { indexOf, isAlready, keyText } from './nodes.ts';
import { type Work, refused, unusual } from './splices.ts';
import { breakAt, endOf, itemStart, lineEnd, lineStart, signOf, tokensOf, withoutBreak } from './tokens.ts';
import { type KeyValue, entriesOf, fitsBlock, inOneLine, isFilled, jsonOf, listOf, stringOf } from './value-lines.ts';

/** Replaces the value of an entry of a map or list. */
export function replace(node: YAMLMap | YAMLSeq, index: number, value: Value, work: Work): void {
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
  if (value.is !== 'reset') refuseExpressions(old, work);
  if (isScalar(old) && old.tag !== undefined && !old.tag.startsWith('tag:yaml.org'))
    throw refused(work, 'it has a tag', old.range?.[0]);
  removeTag(item, old, value, work);
  replaceWhole({ node, item, old }, value, work);
}

/** Removes a tag that the new value does not have, such as `!!str` before a number, with the blanks on one side of it. */
function removeTag({ start, key, sep }: CST.CollectionItem, old: Place['old'], value: Value, { splices }: Work): void {
  const before = sep ?? (key ? [] : start);
  const at = before.findIndex(({ source }) => source.startsWith('!'));
  const tag = before[at];
  if (tag === undefined || old?.tag === tagOf(value)) return;
  const [lead, previous, next] = [before[at - 2], before[at - 1], before[at + 1]];
  const end = tag.offset + tag.source.length;
  if (previous?.type === 'space' && lead?.type !== 'newline')
    splices.push({ from: previous.offset, to: end, text: '' });
  else splices.push({ from: tag.offset, to: next?.type === 'space' ? end + next.source.length : end, text: '' });
}

/** The tag that a value has without one; undefined: none of YAML. */
function tagOf(value: Value): string | undefined {
  if (value.is === 'reset') return undefined;
  const json = jsonOf(value);
  const name = Array.isArray(json) ? 'seq' : json === null ? 'null' : Number.isInteger(json) ? 'int' : typeof json;
  return `tag:yaml.org,2002:${tags.get(name) ?? name}`;
}

const tags: ReadonlyMap<string, string> = new Map([
  ['string', 'str'],
  ['boolean', 'bool'],
  ['number', 'float'],
  ['object', 'map'],
]);

function replaceMap(map: YAMLMap, entries: readonly KeyValue[], work: Work): void {
  const keys = entries.map(({ key }) => key);
  for (const { key, value } of entries) {
    const index = indexOf(map, key);
    if (index !== -1 && !isAlready(map.items[index]?.value, value)) replace(map, index, value, work);
  }
  const leaving = map.items.flatMap((pair, index) => (keys.includes(keyText(pair.key) ?? '') ? [] : [index]));
  for (const index of leaving) refuseExpressions(map.items[index]?.value, work);
  const coming = entries.filter(({ key }) => indexOf(map, key) === -1);
  if (coming.length + leaving.length > 0) insert(map, coming, { order: keys, leaving: new Set(leaving), work });
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
  const rest = olds.flatMap((_, at) => (at >= start + coming && at < start + leaving ? [at] : []));
  for (const at of rest) refuseExpressions(olds[at], work);
  if (leaving > coming) remove(list, new Set(rest), work);
  if (coming > leaving) insertItems(list, start + leaving, values.slice(start + leaving, start + coming), work);
}

function refuseExpressions(node: unknown, work: Work): void {
  if (isMap(node)) {
    for (const { value } of node.items) refuseExpressions(value, work);
  } else if (isSeq(node)) {
    for (const item of node.items) refuseExpressions(item, work);
  } else if (isScalar(node) && typeof node.value === 'string') {
    const { parts, unclosed } = parseExpressions(node.value);
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

/** Replaces a value by another one that is written as a whole. */
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
        text: `${isMap(node) && !hasColon(item) ? ':' : ''} ${inOneLine(value, { isFlow })}`,
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
    splices.push(
      isBelow
        ? { from: sign, to, text: ` ${written}` }
        : { from, to, text: isFlow ? written : blanksBefore(from, column, text) + written },
    );
  }
}

/** Whether a colon stands behind a key: in braces, and behind a `?`, there may be none. */
function hasColon({ sep = [] }: CST.CollectionItem): boolean {
  return sep.some(({ type }) => type === 'map-value-ind');
}

/** Blanks before a value that takes the place of a list in the column of its key: no other value may stand there. */
function blanksBefore(from: number, column: number, text: string): string {
  const own = from - lineStart(text, from);
  return own > column ? '' : ' '.repeat(column + 2 - own);
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
  const head = sign === '' ? '' : `${lead === '' ? ' ' : blanksBefore(from, column, text)}${sign}`;
  // No blank stays at the end of the line of the key.
  const line = lineStart(text, from);
  const bare = line + text.slice(line, from).trimEnd().length;
  const start = head !== '' ? from : isOnOwnLine ? withoutBreak(text, bare) : bare;
  const blanks = behind.trim() === '' ? behind.length : 0;
  if (behind.trim() === '' || (isOnOwnLine && head === ''))
    splices.push({ from: start, to: to + blanks, text: `${head}${end}${lines}` });
  else {
    splices.push({ from: start, to, text: head });
    const isOpen = text[stop - 1] !== '\n';
    splices.push({ from: stop, to: stop, text: isOpen ? `${end}${lines}` : `${lines}${end}` });
  }
}
