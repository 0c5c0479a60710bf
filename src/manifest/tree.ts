import { LineCounter } from 'yaml';
import { once } from '../api/once.ts';
import type { Position } from '../diagnostics/diagnostic.ts';
import type { YamlEntry, YamlMap, YamlNode, YamlScalar } from '../formats/yaml-node.ts';

/** A YAML value that knows where it stands. Aliases are followed and merge keys are merged. */
export type Node = YamlNode<Place>;
export type ScalarNode = YamlScalar<Place>;
export type MapNode = YamlMap<Place>;
export type Entry = YamlEntry<Place>;

/** Where the lines of a text begin. */
interface Lines {
  readonly lineStarts: readonly number[];
  readonly linePos: (offset: number) => { readonly line: number; readonly col: number };
}

/** The lines of a text; they are counted when the first position is needed. */
export function linesOf(text: string): Lines {
  const counted = once(() => {
    const lines = new LineCounter();
    lines.addNewLine(0);
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines.addNewLine(end + 1);
    return lines;
  });
  return {
    get lineStarts() {
      return counted().lineStarts;
    },
    linePos: (offset) => counted().linePos(offset),
  };
}

/** A place in a file; `position` counts its line and column when it is read. */
export interface Place {
  readonly file: string;
  readonly offset: number;
  /** The offset behind its last character; left out where that is not known. */
  readonly end?: number | undefined;
  readonly lines: Lines;
  /** The uses of templates that led there, the innermost first. */
  readonly via?: readonly Place[] | undefined;
  /** The place in a template where the value of a parameter stands as a whole. */
  readonly hole?: Place | undefined;
  /** The value that it stands over: of a template, or of a block that `changes:` changes. */
  readonly over?: Place | undefined;
}

/** The position of a place. */
export function position(place: Place): Position {
  const { via = [] } = place;
  const found = positionOf(place);
  return via.length === 0 ? found : { ...found, uses: via.map(position) };
}

function positionOf({ file, offset, end, lines }: Place): Position {
  const pos = lines.linePos(offset);
  const [line, column] = [Math.max(pos.line, 1), Math.max(pos.col, 1)];
  const nextLine = lines.lineStarts[line] ?? Infinity;
  return end === undefined || end <= offset || end >= nextLine
    ? { file, line, column }
    : { file, line, column, endColumn: column + end - offset };
}

/** Tells whether a key has no value. */
export function isEmpty(node: Node): boolean {
  return node.is === 'scalar' && node.value === null;
}

/** The entries of a map; none of anything else. */
export function entriesOf(node: Node | undefined): MapNode['entries'] {
  return node?.is === 'map' ? node.entries : noEntries;
}

const noEntries: MapNode['entries'] = new Map();

/** The items of a list; none of anything else. */
export function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.is === 'list' ? node.items : [];
}

/** A scalar that is text; undefined for anything else. */
export function textOf(node: Node | undefined): string | undefined {
  return node?.is === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

/** Visits a value and all values in it. */
export function eachNode(node: Node, visit: (node: Node) => void): void {
  visit(node);
  if (node.is === 'list') for (const item of node.items) eachNode(item, visit);
  else if (node.is === 'map') for (const { node: inner } of node.entries.values()) eachNode(inner, visit);
}

function below(node: Node | undefined, step: PropertyKey): Node | undefined {
  return entriesOf(node).get(String(step))?.node ?? itemsOf(node)[Number(step)];
}

/** The value at a path of keys and numbers of items; undefined where there is none. */
export function nodeAt(tree: Node | undefined, path: readonly PropertyKey[]): Node | undefined {
  return path.reduce<Node | undefined>(below, tree);
}

/** The innermost value that a path leads to. */
function nearestAt(tree: Node, [step, ...rest]: readonly PropertyKey[]): Node {
  const next = step === undefined ? undefined : below(tree, step);
  return next === undefined ? tree : nearestAt(next, rest);
}

/** The place of the innermost value that a path leads to. */
export function placeAt(tree: Node, path: readonly PropertyKey[]): Place {
  return nearestAt(tree, path).at;
}

/** The place of the key that a path leads to, else of the innermost value. */
export function keyPlaceAt(tree: Node, path: readonly PropertyKey[]): Place {
  const entries = entriesOf(nearestAt(tree, path.slice(0, -1)));
  return entries.get(String(path.at(-1)))?.keyAt ?? placeAt(tree, path);
}
