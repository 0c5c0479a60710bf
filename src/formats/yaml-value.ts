import type { YamlEntry, YamlNode } from './yaml-node.ts';

/** Values of YAML that stand in one line, or in brackets: the half of the simple reader that knows no indentation. */

const keyInBrackets = /(?:(<<|[A-Za-z0-9_./$+][^ :#,[\]{}\n]{0,200}|"[^"\\\n]{1,200}"|'[^'\n]{1,200}')): +/y;
const doubleQuoted = /"(?:[^"\\\n]|\\["\\/bfnrt])*"/y;
const singleQuoted = /'(?:[^'\n]|'')*'/y;
const plain = /(?:[^-?:,[\]{}#&*!|>'"%@` ]|-(?=[^ ]))(?:[^ :#]|:(?=[^ ])|(?<=[^ ])#| +(?=[^ #]))*/y;
const plainInBrackets =
  /(?:[^-?:,[\]{}#&*!|>'"%@` \n]|-(?=[^ ,[\]{}\n]))(?:[^ :#,[\]{}\n]|:(?=[^ ,[\]{}\n])|(?<=[^ ])#| +(?=[^ #:,[\]{}\n]))*/y;
const spaces = /[ \n]*/y;
const aliasHere = /\*[\w-]+/y;
/** The tag, and whether a value stands behind it. */
const resetHere = /!reset(?: +(?=[^ #&*!])|(?=[,}\]]|$))/y;

/** Far from the limits of a manifest, so that the parser finds out what is above them. */
export const maxValues = 900_000;
const maxBrackets = 20;

/** A value with an anchor, and the number of values in it and itself. */
export interface Anchored<P> {
  readonly node: YamlNode<P>;
  readonly size: number;
}

/** Makes the place of a value from its first offset and the one behind it. */
export type Placing<P> = (offset: number, end: number) => P;

/** A value that was read from a line; `to` is the column behind it. */
interface Found<P> extends Anchored<P> {
  readonly to: number;
}

interface Reading {
  readonly from: number;
  /** The offset of the line. */
  readonly start: number;
  readonly isInBrackets: boolean;
}

/** Reads values in one line, with brackets in brackets. */
export function valueReader<P>(
  place: Placing<P>,
  anchored: (name: string) => Anchored<P> | undefined,
  keepsMergeKeys: boolean,
) {
  let depth = 0;
  const read = (line: string, { from, start, isInBrackets }: Reading): Found<P> | undefined => {
    const first = line[from];
    if (first === '!') {
      const tag = matchAt(resetHere, line, from);
      if (tag === undefined) return undefined;
      const to = from + tag.length;
      const at = place(start + to, start + to);
      const nothing = { node: { is: 'scalar', value: null, source: '', at }, size: 1, to } as const;
      const isEmpty = line.length === to || (isInBrackets && /[,}\]]/.test(line[to] ?? ''));
      const found = isEmpty ? nothing : read(line, { from: to, start, isInBrackets });
      return found && { ...found, node: { ...found.node, isReset: true } };
    }
    if (first === '{' || first === '[') {
      depth++;
      const found = depth > maxBrackets ? undefined : readBrackets(line, from, start);
      depth--;
      return found;
    }
    if (first === '*') {
      const alias = matchAt(aliasHere, line, from) ?? '';
      const found = anchored(alias.slice(1));
      return found === undefined ? undefined : { node: found.node, size: found.size, to: from + alias.length };
    }
    const isQuoted = first === '"' || first === "'";
    const unquotedHere = isInBrackets ? plainInBrackets : plain;
    const source = matchAt(first === '"' ? doubleQuoted : isQuoted ? singleQuoted : unquotedHere, line, from);
    const value = source === undefined ? undefined : isQuoted ? unquoted(source) : plainValue(source);
    if (source === undefined || value === undefined) return undefined;
    const at = place(start + from, start + from + source.length);
    const node = { is: 'scalar', value, source: isQuoted ? String(value) : source, at } as const;
    return { node, size: 1, to: from + source.length };
  };
  const readBrackets = (line: string, from: number, start: number): Found<P> | undefined => {
    const isList = line[from] === '[';
    const closing = isList ? ']' : '}';
    const entries = new Map<string, YamlEntry<P>>();
    const items: YamlNode<P>[] = [];
    const merged: YamlNode<P>[] = [];
    let size = 1;
    let to = skipSpaces(line, from + 1);
    while (line[to] !== closing) {
      const key = isList ? '' : matchAt(keyInBrackets, line, to);
      const written = key?.slice(0, key.lastIndexOf(':')) ?? '';
      const name = key === undefined ? undefined : nameOf(written);
      const found = read(line, { from: to + (key?.length ?? 0), start, isInBrackets: true });
      if (name === undefined || found === undefined || entries.has(name)) return undefined;
      if (found.node.isReset === true && written === '<<') return undefined;
      if (isList) items.push(found.node);
      else if (written === '<<' && !keepsMergeKeys) merged.push(found.node);
      else entries.set(name, { keyAt: place(start + to, start + to + written.length), node: found.node });
      size += found.size;
      if (size > maxValues) return undefined;
      to = skipSpaces(line, found.to);
      if (line[to] === closing) break;
      if (line[to] !== ',') return undefined;
      to = skipSpaces(line, to + 1);
    }
    to++;
    if (!mergeInto(entries, merged)) return undefined;
    const at = place(start + from, start + to);
    return { node: isList ? { is: 'list', items, at } : { is: 'map', entries, at }, size, to };
  };
  return read;
}

function matchAt(pattern: RegExp, line: string, from: number): string | undefined {
  pattern.lastIndex = from;
  return pattern.exec(line)?.[0];
}

function skipSpaces(line: string, from: number): number {
  return from + (matchAt(spaces, line, from)?.length ?? 0);
}

/** Adds what merge keys bring; what a map has itself counts. Whether they bring maps only. */
export function mergeInto<P>(entries: Map<string, YamlEntry<P>>, merged: readonly YamlNode<P>[]): boolean {
  if (merged.length === 0) return true;
  const own = new Set(entries.keys());
  for (const node of merged) {
    for (const from of node.is === 'list' ? node.items : [node]) {
      if (from.is !== 'map') return false;
      for (const [name, entry] of from.entries) if (!own.has(name) && !entries.has(name)) entries.set(name, entry);
    }
  }
  return true;
}

/** The name of a key; undefined where it is no text. */
export function nameOf(key: string): string | undefined {
  if (key.startsWith('"') || key.startsWith("'")) return key.slice(1, -1);
  const value = plainValue(key);
  return typeof value === 'string' ? value : undefined;
}

function unquoted(source: string): string {
  const inner = source.slice(1, -1);
  if (source.startsWith("'")) return inner.replaceAll("''", "'");
  return inner.includes('\\') ? (JSON.parse(source) as string) : inner; // its escapes are those of JSON
}

/** The value of a text without quotes; undefined for a form of numbers that is rare. */
function plainValue(source: string): string | number | boolean | null | undefined {
  if (!/^[-+.\d~nNtTfF]/.test(source)) return source;
  if (/^(?:~|null|Null|NULL)$/.test(source)) return null;
  if (/^(?:true|True|TRUE)$/.test(source)) return true;
  if (/^(?:false|False|FALSE)$/.test(source)) return false;
  if (/^[-+]?\d+$/.test(source)) return Number.parseInt(source, 10);
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(source)) return Number.parseFloat(source);
  return /^(?:0[ox]|[-+]?\.(?:inf|nan)$)/i.test(source) ? undefined : source;
}
