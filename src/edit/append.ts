import { type YAMLMap, isMap, isNode, isScalar } from 'yaml';
import { usage } from '../diagnostics/usage.ts';
import { type Entry, indentedBy, renderEntries } from './write-yaml.ts';
import { parseYaml } from '../formats/yaml.ts';
import { breakAt, lineEnd, lineStart } from './tokens.ts';

/**
 * Adds entries to the text of a manifest, each behind the last one of its map. Every other byte stays.
 *
 * @throws {Stop} `usage`, when a map on the way is not written with one key per line: in braces, or by an alias.
 */
export function appendEntries(file: string, text: string, entries: readonly Entry[]): string {
  const { contents } = parseYaml(text, { logLevel: 'silent', prettyErrors: false, schema: 'core' });
  const end = breakAt(text, 0);
  const linesOf = (added: readonly Entry[], column: number) =>
    indentedBy(column, renderEntries(added)).replaceAll('\n', end);
  if (contents === null) return text + (text === '' || text.endsWith('\n') ? '' : end) + linesOf(entries, 0);
  if (!isMap(contents)) throw cannotAppend(file, '');
  let next = text;
  // From the last to the first, so that the offsets of the others stay true; of one place, what stands deeper comes first.
  const places = entries.flatMap((entry) => placesOf(file, text, contents, entry, '')).toReversed();
  for (const { at, column, entry } of places.toSorted((a, b) => b.at - a.at || a.column - b.column)) {
    const isOpen = at > 0 && next[at - 1] !== '\n';
    next = `${next.slice(0, at)}${isOpen ? end : ''}${linesOf([entry], column)}${next.slice(at)}`;
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
  const column = start - lineStart(text, start);
  if (text.slice(start - column, start).trim() !== '') throw cannotAppend(file, path);
  return [{ at: endOf(text, last), column, entry }];
}

/** The offset behind the line on which an item of a map ends. */
function endOf(text: string, { key, value }: YAMLMap['items'][number]): number {
  const range = (isNode(value) ? value.range : undefined) ?? (isNode(key) ? key.range : undefined);
  return lineEnd(text, range?.[1] ?? text.length);
}

function cannotAppend(file: string, path: string) {
  const where = path === '' ? file : `${path} in ${file}`;
  return usage(
    `cannot add lines to ${where}: it is not written with one key per line`,
    'Write it with one key per line.',
  );
}
