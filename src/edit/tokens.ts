import type { CST, YAMLMap, YAMLSeq } from 'yaml';

/** The tokens of the entries of a map or list; undefined where they are not those of its nodes, one by one. */
export function tokensOf(node: YAMLMap | YAMLSeq): readonly CST.CollectionItem[] | undefined {
  const { srcToken } = node as { srcToken?: CST.Token };
  const items = srcToken !== undefined && 'items' in srcToken ? entriesIn(srcToken) : [];
  return items.length === node.items.length ? items : undefined;
}

/** The entries of a token, without comments behind the last one. */
function entriesIn(token: CST.BlockMap | CST.BlockSequence | CST.FlowCollection): readonly CST.CollectionItem[] {
  return (token.items as CST.CollectionItem[]).filter(
    ({ start, key, sep, value }) =>
      (key ?? value ?? sep) !== undefined || start.some(({ type }) => type === 'seq-item-ind'),
  );
}

const blank: ReadonlySet<string> = new Set(['space', 'newline', 'comment', 'comma']);

/** The offset of the first word of an entry. */
export function itemStart({ start, key, sep, value }: CST.CollectionItem): number {
  return start.find(({ type }) => !blank.has(type))?.offset ?? (key ?? sep?.[0] ?? value)?.offset ?? 0;
}

/** The offset behind the last word of an entry; of the text of a block, behind its last line. */
export function itemEnd(item: CST.CollectionItem): number {
  return item.value === undefined ? signOf(item) : endOf(item.value);
}

/** The offset behind the sign before a value: the colon, or the hyphen of a list; without one, behind the key. */
export function signOf({ start, key, sep }: CST.CollectionItem): number {
  const sign = (sep ?? (key ? [] : start)).findLast(({ type }) => !blank.has(type));
  return sign === undefined ? (key ? endOf(key) : 0) : sign.offset + sign.source.length;
}

/** The offset behind the last word of a value; of the text of a block, behind its last line. */
export function endOf(token: CST.Token): number {
  if (token.type === 'block-map' || token.type === 'block-seq') {
    const last = entriesIn(token).at(-1);
    return last === undefined ? token.offset : itemEnd(last);
  }
  if (token.type === 'flow-collection') {
    const sign = token.end.findLast(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end');
    return (sign?.offset ?? token.offset) + 1;
  }
  const props = token.type === 'block-scalar' ? token.props : [];
  return props.reduce((sum, prop) => sum + sourceOf(prop).length, token.offset) + sourceOf(token).length;
}

/** Whether an entry ends with the text of a block that keeps the empty lines behind it: `|+`. */
export function keepsLines({ value }: CST.CollectionItem): boolean {
  if (value?.type === 'block-map' || value?.type === 'block-seq') {
    const last = entriesIn(value).at(-1);
    return last !== undefined && keepsLines(last);
  }
  if (value?.type !== 'block-scalar') return false;
  return value.props.some((prop) => prop.type === 'block-scalar-header' && prop.source.includes('+'));
}

/** The text of a token. */
export function sourceOf(token: CST.Token): string {
  return 'source' in token ? token.source : '';
}

/** The offset of the start of a line. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** The offset behind the line break of the line on which something ends. */
export function lineEnd(text: string, end: number): number {
  if (end > 0 && text[end - 1] === '\n') return end;
  const line = text.indexOf('\n', end);
  return line === -1 ? text.length : line + 1;
}

/** An offset without the line break before it. */
export function withoutBreak(text: string, offset: number): number {
  if (text[offset - 1] !== '\n') return offset;
  return offset - (text[offset - 2] === '\r' ? 2 : 1);
}

/** The line break of the line of an offset, else the first one of the text. */
export function breakAt(text: string, offset: number): string {
  const next = text.indexOf('\n', offset);
  const end = next === -1 ? text.indexOf('\n') : next;
  return text[end - 1] === '\r' ? '\r\n' : '\n';
}
