import { Document, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { type Json, isObject } from '../formats/json.ts';
import { expressionSources } from '../manifest/sources/all.ts';

/** A value as it is written into a manifest. */
export type Value =
  /** A value of the platform: expressions in its texts are escaped. */
  | { readonly is: 'plain'; readonly value: Json }
  /** Text with expressions of ours. */
  | { readonly is: 'expression'; readonly text: string }
  | { readonly is: 'list'; readonly items: readonly Value[] }
  /** Names in brackets, in lines of at most 110 characters. */
  | { readonly is: 'words'; readonly words: readonly string[] }
  | { readonly is: 'map'; readonly entries: readonly Entry[] }
  /** Takes out what stands below. */
  | { readonly is: 'reset' };

/** A key with its value. */
export interface Entry {
  readonly key: string;
  readonly value: Value;
  /** A comment at the end of the line. */
  readonly comment?: string;
  /** A comment on a line of its own, before the key. */
  readonly before?: string;
}

/** A value of the platform. */
export function plainly(value: Json): Value {
  return { is: 'plain', value };
}

/** A text of the platform as a manifest writes it: what looks like an expression stays text. */
export function escaped(text: string): string {
  return text.includes('${') ? text.replaceAll(opening, (found) => `$${found}`) : text;
}

const opening = new RegExp(String.raw`\$\{(?:${expressionSources.map(({ name }) => name).join('|')}):`, 'g');

/** Text that no manifest can hold: the character NUL, or half of a surrogate pair. */
export function isUnstorable(text: string): boolean {
  return /\0|\p{Surrogate}/u.test(text);
}

/** Writes entries as a YAML map that reads back byte for byte; '' for none. Ends with a line break. */
export function renderEntries(entries: readonly Entry[]): string {
  if (entries.length === 0) return '';
  const map = mapOf(entries);
  quoteLast(map);
  const document = new Document(map, { schema: 'core' });
  const text = visible(document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER }));
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Puts the last text in quotes where it ends with empty lines: as a block it would take empty lines that follow. */
function quoteLast(node: unknown): void {
  if (node instanceof YAMLMap) quoteLast(node.items.at(-1)?.value);
  else if (node instanceof YAMLSeq) quoteLast(node.items.at(-1));
  else if (node instanceof Scalar && String(node.value).endsWith('\n\n')) node.type = Scalar.QUOTE_DOUBLE;
}

/** Indents the lines of a text, and none that are empty. Only LF ends a line of YAML, U+2028 does not. */
export function indentedBy(columns: number, text: string): string {
  return text.replaceAll(/(?<![^\n])(?=[^\n])/g, ' '.repeat(columns));
}

type Node = Scalar | YAMLMap | YAMLSeq;

function mapOf(entries: readonly Entry[]): YAMLMap {
  const map = new YAMLMap();
  for (const { key, value, comment, before } of entries) {
    const node = nodeOf(value);
    if (comment !== undefined) node.comment = ` ${comment}`;
    const name = keyOf(key);
    if (before !== undefined) name.commentBefore = ` ${before}`;
    map.items.push(new Pair(name, node));
  }
  if (entries.length === 0) map.flow = true;
  return map;
}

/** A value as a node of the YAML library. */
export function nodeOf(value: Value): Node {
  switch (value.is) {
    case 'plain':
      return plainNode(value.value);
    case 'expression':
      return textNode(value.text);
    case 'list':
      return listOf(value.items.map(nodeOf));
    case 'words':
      return new Words(value.words);
    case 'map':
      return mapOf(value.entries);
    case 'reset':
      return new Reset();
    default:
      return value satisfies never;
  }
}

/** The tag alone: behind the tag of a scalar without a value the library writes a blank. */
class Reset extends YAMLSeq {
  override flow = true;

  override toString(): string {
    return '!reset';
  }
}

function plainNode(value: Json): Node {
  if (typeof value === 'string') return textNode(escaped(value));
  if (Array.isArray(value)) return listOf((value as readonly Json[]).map(plainNode));
  if (!isObject(value)) return new Scalar(value);
  return mapOf(Object.entries(value).map(([key, item]) => ({ key, value: plainly(item) })));
}

/** A list of names that fills its lines, as people write one. */
class Words extends YAMLSeq {
  constructor(words: readonly string[]) {
    super();
    this.flow = true;
    this.items.push(...words.map((word) => new Scalar(word)));
  }

  override toString({ indent = '' }: { readonly indent?: string } = {}): string {
    const lines: string[] = [];
    let line = '';
    for (const item of this.items) {
      const word = String((item as Scalar).value);
      if (line !== '' && indent.length + line.length + word.length > 106) {
        lines.push(line);
        line = '';
      }
      line += line === '' ? word : `, ${word}`;
      if (item !== this.items.at(-1)) continue;
      lines.push(line);
    }
    const inner = `\n${indent}  `;
    return lines.length < 2 ? `[${line}]` : `[${inner}${lines.join(`,${inner}`)},\n${indent}]`;
  }
}

function listOf(items: readonly Node[]): YAMLSeq {
  const list = new YAMLSeq();
  list.items.push(...items);
  if (items.length === 0) list.flow = true;
  return list;
}

/** Returns true for text that a block or plain scalar keeps as it is, and that shows in the order in which it is read. */
export function isClear(text: string): boolean {
  return keepable.test(text) && !/\p{Bidi_Control}/u.test(text);
}

const keepable = /^[\t\n\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u;

/** YAML whose reviewer sees the order of its letters: characters that change it stand in double quotes, and become escapes. */
export function visible(yaml: string): string {
  return yaml.replaceAll(/\p{Bidi_Control}/gu, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function textNode(text: string): Scalar {
  const node = new Scalar(text);
  if (!isClear(text)) node.type = Scalar.QUOTE_DOUBLE;
  else if (text.includes('\n')) node.type = /\S/.test(text) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
  return node;
}

function keyOf(key: string): Scalar {
  const node = new Scalar(key);
  if (!/^[A-Za-z0-9_./-][A-Za-z0-9_./@ -]*$/.test(key) || key.trim() !== key) node.type = Scalar.QUOTE_DOUBLE;
  return node;
}
