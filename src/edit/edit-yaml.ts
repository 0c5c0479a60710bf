import { type ParsedNode, type YAMLMap, isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Value } from './write-yaml.ts';
import { parseYaml } from '../formats/yaml.ts';
import { readTree } from '../manifest/read-tree.ts';
import { type Entry, type MapNode, type Node, linesOf } from '../manifest/tree.ts';
import { insert, remove } from './insert-entry.ts';
import { indexOf, keyText } from './nodes.ts';
import { replace } from './replace.ts';
import { sameTree } from './same-tree.ts';
import { type About, type Splice, type Work, refused, spliced } from './splices.ts';
import { treeOf } from './value-lines.ts';
import { splitMark } from '../formats/utf8.ts';

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
  const [mark, start] = splitMark(text);
  let body = start;
  for (const edit of edits) body = editOne(file, body, edit);
  return mark + body;
}

function editOne(file: string, text: string, edit: Edit): string {
  const reading = readText(file, text);
  const next = made(reading, [edit], splicesOf(reading, edit));
  if (next !== undefined) return next;
  const about: About = { file, text, path: edit.path };
  const shared = anchorOn(reading.contents, edit.path);
  if (shared === undefined) throw refused(about, 'it is written in an unusual way', keyOn(reading.contents, edit.path));
  throw refused(about, `others share it by the anchor &${shared.anchor}`, shared.offset);
}

/** Edits of one text that are made together. */
export interface Edits {
  /**
   * Adds an edit. Returns false for one that has to be made alone: it touches an earlier one, or a value with an anchor.
   *
   * @throws {Stop} `refused`, as `editYaml`
   */
  readonly add: (edit: Edit) => boolean;
  /** The text with all edits; undefined: they cannot be made together. */
  readonly text: () => string | undefined;
}

/** Collects edits of a text without a byte order mark, which is read once for all of them. */
export function editTogether(file: string, text: string): Edits {
  const reading = readText(file, text);
  const edits: Edit[] = [];
  const splices: Splice[] = [];
  return {
    add: (edit) => {
      const own = splicesOf(reading, edit);
      const touches = own.some((one) => splices.some(({ from, to }) => one.from <= to && from <= one.to));
      if (touches || anchorOn(reading.contents, edit.path) !== undefined) return false;
      edits.push(edit);
      splices.push(...own);
      return true;
    },
    text: () => made(reading, edits, splices),
  };
}

/** A text as its nodes, which know their places, and as the tree of its values. */
interface Reading {
  readonly file: string;
  readonly text: string;
  readonly contents: ParsedNode | null;
  readonly tree: Node | undefined;
}

function readText(file: string, text: string): Reading {
  const contents = read(text);
  const empty: MapNode = { is: 'map', entries: new Map(), at: { file, offset: 0, lines: linesOf('') } };
  return { file, text, contents, tree: contents === null ? empty : readTree(file, text, []) };
}

/** The replacements that make an edit. @throws {Stop} `refused` */
function splicesOf({ file, text, contents }: Reading, edit: Edit): readonly Splice[] {
  const about: About = { file, text, path: edit.path };
  if (contents !== null && !isMap(contents)) throw refused(about, 'the file is not a map');
  const splices: Splice[] = [];
  change(contents, edit, { ...about, splices });
  return splices;
}

/** The text after edits; undefined: it does not have the old values but for these edits. */
function made({ file, text, tree }: Reading, edits: readonly Edit[], splices: readonly Splice[]): string | undefined {
  if (tree?.is !== 'map') return undefined;
  const next = spliced(text, splices);
  const goal = edits.reduce((node, { path, value }) => expected(node, path, value), tree);
  return sameTree(goal, readTree(file, next, []), { anyOrder: true }) ? next : undefined;
}

function read(text: string): ParsedNode | null {
  return parseYaml(text, {
    keepSourceTokens: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    schema: 'core',
    resolveKnownTags: false,
  }).contents;
}

function change(contents: YAMLMap | null, { path, value, order = [] }: Edit, work: Work): void {
  let map = contents;
  for (const [depth, key] of path.entries()) {
    const rest = path.slice(depth + 1);
    const index = map === null ? -1 : indexOf(map, key);
    if (map === null || index === -1) {
      if (value === undefined) {
        const isMerged = map !== null && comesFromMerge(map, key);
        throw refused(work, isMerged ? 'it comes from a merge key (<<)' : 'it is not written there', startOf(map));
      }
      if (map !== null && rest.length > 0 && comesFromMerge(map, key)) {
        throw refused(
          work,
          `${key} comes from a merge key (<<)`,
          startOf(map),
          `Write ${key} in the block itself, or change the fragment.`,
        );
      }
      insert(map, [{ key, value: nested(rest, value) }], { order: rest.length > 0 ? [] : order, work });
      return;
    }
    const node = map.items[index]?.value;
    if (rest.length === 0) {
      if (value === undefined) remove(map, new Set([index]), work);
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

function comesFromMerge(map: YAMLMap, key: string): boolean {
  return map.items.some((pair) => keyText(pair.key) === '<<') && key !== '<<';
}

/** An anchor on a path, or in the value at its end, that others may use, and where its value begins. */
function anchorOn(contents: unknown, path: readonly string[]): Anchored | undefined {
  let node = contents;
  let found: Anchored | undefined;
  for (const key of path) {
    if (!isMap(node)) break;
    node = node.items.find((pair) => keyText(pair.key) === key)?.value;
    found = anchorOf(node) ?? found;
  }
  const inside = (one: unknown): Anchored | undefined => {
    const items = isMap(one) ? one.items.map(({ value }) => value) : isSeq(one) ? one.items : [];
    return items.map((item) => anchorOf(item) ?? inside(item)).find((name) => name !== undefined);
  };
  return found ?? inside(node);
}

/** The place of the last key of a path that is there. */
function keyOn(contents: unknown, path: readonly string[]): number {
  let [node, at] = [contents, 0];
  for (const key of path) {
    const pair = isMap(node) ? node.items.find((one) => keyText(one.key) === key) : undefined;
    if (pair === undefined) break;
    if (isScalar(pair.key)) at = pair.key.range?.[0] ?? at;
    node = pair.value;
  }
  return at;
}

interface Anchored {
  readonly anchor: string;
  readonly offset: number;
}

function anchorOf(node: unknown): Anchored | undefined {
  const { anchor, range } = (node ?? {}) as Partial<Pick<ParsedNode, 'range'>> & { readonly anchor?: string };
  return anchor === undefined ? undefined : { anchor, offset: range?.[0] ?? 0 };
}

/** A tree with the change. */
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
