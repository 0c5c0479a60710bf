import { Document, Scalar, YAMLSeq } from 'yaml';
import { type Entry, type Value, escaped, isClear, nodeOf, plainly, renderEntries, visible } from './write-yaml.ts';
import { type Json, isObject } from '../formats/json.ts';
import { toJson } from '../formats/yaml-node.ts';
import { readTree } from '../manifest/read-tree.ts';
import { type Node, nodeAt } from '../manifest/tree.ts';

/** A key with its value. */
export type KeyValue = Pick<Entry, 'key' | 'value'>;

/** How a value stood that is replaced: its quotes, or its block. */
type Style = Scalar.Type | undefined;

/** The text of a value on one line, as it stands in braces or behind a key. Line breaks in it become escapes. */
export function inOneLine(
  value: Value,
  { style, isFlow }: { readonly style?: Style; readonly isFlow: boolean },
): string {
  const node = nodeOf(value);
  if (node instanceof Scalar && typeof node.value === 'string') {
    node.type =
      node.value.includes('\n') || !isClear(node.value) ? Scalar.QUOTE_DOUBLE : (quotesOf(style) ?? Scalar.PLAIN);
  }
  const list = new YAMLSeq();
  list.items.push(node);
  list.flow = isFlow || !(node instanceof Scalar);
  const text = visible(new Document(list, { schema: 'core' }).toString(endless)).trimEnd();
  return list.flow ? text.slice(1, -1).trim() : text.slice(2);
}

const endless = {
  lineWidth: 0,
  flowCollectionPadding: true,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

function quotesOf(style: Style): Style {
  return style === Scalar.QUOTE_DOUBLE || style === Scalar.QUOTE_SINGLE ? style : undefined;
}

/** A text as a block: the sign and its indicators, and the lines. `columns`: how much deeper they stand than their parent. */
export function asBlock(text: string, columns: number): { readonly header: string; readonly lines: readonly string[] } {
  const chomping = !text.endsWith('\n') ? '-' : text.endsWith('\n\n') ? '+' : '';
  const isIndented = /^\n*[ \t]|^\n/.test(text);
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return { header: `|${isIndented ? String(columns) : ''}${chomping}`, lines };
}

/** Returns true for a text that a block can hold, whatever follows; one that ends with empty lines takes those behind it. */
export function fitsBlock(text: string): boolean {
  return isClear(text) && /\S/.test(text) && !text.endsWith('\n\n');
}

/** The entries of a value that is a map. */
export function entriesOf(value: Value): readonly KeyValue[] | undefined {
  if (value.is === 'map') return value.entries;
  if (value.is !== 'plain' || !isObject(value.value)) return undefined;
  return Object.entries(value.value).map(([key, one]) => ({ key, value: plainly(one) }));
}

/** The items of a value that is a list. */
export function listOf(value: Value): readonly Value[] | undefined {
  if (value.is === 'list') return value.items;
  return value.is === 'plain' && Array.isArray(value.value) ? (value.value as readonly Json[]).map(plainly) : undefined;
}

/** A value as the tree of a manifest holds it. */
export function jsonOf(value: Value): Json {
  const node = treeOf(value);
  return node === undefined ? null : toJson(node);
}

/** A value as it is read. */
export function treeOf(value: Value): Node | undefined {
  return nodeAt(readTree('', renderEntries([{ key: 'v', value }]), []), ['v']);
}

/** Returns true for a map or a list that is not empty. */
export function isFilled(value: Value): boolean {
  const json = jsonOf(value);
  return Array.isArray(json) ? json.length > 0 : isObject(json) && Object.keys(json).length > 0;
}

/** A value that is a text, as it is written. */
export function stringOf(value: Value): string | undefined {
  if (value.is === 'expression') return value.text;
  return value.is === 'plain' && typeof value.value === 'string' ? escaped(value.value) : undefined;
}
