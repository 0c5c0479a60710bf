import type { Document, ParsedNode, YAMLMap } from 'yaml';
import { isMap, isNode, isScalar, parseDocument } from 'yaml';
import { usage } from '../diagnostics/usage.ts';
import type { Entry } from './yaml.ts';
import { indentedBy, renderEntries } from './yaml.ts';

/**
 * Adds entries to the text of a manifest, each behind the last one of its map. Every other byte stays.
 *
 * @throws {Stop} `usage`, when a map on the way is written in braces, or comes from an alias.
 */
export function appendEntries(file: string, text: string, entries: readonly Entry[]): string {
  const document: Document.Parsed<ParsedNode> = parseDocument(text, { logLevel: 'silent', schema: 'core' });
  const { contents } = document;
  if (contents === null) return text + (text === '' || text.endsWith('\n') ? '' : '\n') + renderEntries(entries);
  if (!isMap(contents)) throw cannotAppend(file, '');
  let next = text;
  // From the last to the first, so that the offsets of the others stay true; of one place, what stands deeper comes first.
  const places = entries.flatMap((entry) => placesOf(file, text, contents, entry, '')).toReversed();
  for (const { at, column, entry } of places.toSorted((a, b) => b.at - a.at || a.column - b.column)) {
    const lines = indentedBy(column, renderEntries([entry]));
    const isOpen = at > 0 && next[at - 1] !== '\n';
    next = `${next.slice(0, at)}${isOpen ? '\n' : ''}${lines}${next.slice(at)}`;
  }
  return next;
}

/** An entry that is added to a map, and where. */
interface Insertion {
  readonly at: number;
  readonly column: number;
  readonly entry: Entry;
}

function placesOf(file: string, text: string, map: YAMLMap, entry: Entry, path: string): Insertion[] {
  const pair = map.items.find(({ key }) => isScalar(key) && (key.value === entry.key || key.source === entry.key));
  const below = path === '' ? entry.key : `${path}.${entry.key}`;
  if (pair !== undefined && entry.value.is === 'map') {
    const { value } = pair;
    if (!isMap(value)) throw cannotAppend(file, below);
    return entry.value.entries.flatMap((one) => placesOf(file, text, value, one, below));
  }
  const first = map.items[0]?.key;
  const last = map.items.at(-1);
  if (map.flow === true || !isNode(first) || last === undefined) throw cannotAppend(file, path);
  const start = first.range?.[0] ?? 0;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  if (text.slice(lineStart, start).trim() !== '') throw cannotAppend(file, path);
  return [{ at: endOf(text, last), column: start - lineStart, entry }];
}

/** The offset behind the line on which an item of a map ends. */
function endOf(text: string, { key, value }: YAMLMap['items'][number]): number {
  const range = (isNode(value) ? value.range : undefined) ?? (isNode(key) ? key.range : undefined);
  const end = range?.[1] ?? text.length;
  if (end > 0 && text[end - 1] === '\n') return end;
  const line = text.indexOf('\n', end);
  return line === -1 ? text.length : line + 1;
}

function cannotAppend(file: string, path: string) {
  const where = path === '' ? file : `${path} in ${file}`;
  return usage(
    `cannot add lines to ${where}: it is written in braces, or comes from an alias`,
    'Write it with one key per line.',
  );
}
