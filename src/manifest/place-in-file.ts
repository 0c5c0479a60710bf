import { type Node, type YAMLMap, type YAMLSeq, isMap, isScalar, isSeq } from 'yaml';
import { onceFor } from '../api/once.ts';
import type { Position } from '../diagnostics/diagnostic.ts';
import { type Place, linesOf, position } from './tree.ts';
import type { Workspace } from './workspace.ts';
import { yamlNodes } from './yaml-nodes.ts';

/** The texts of a manifest, and where its files lie. */
interface Texts {
  readonly texts: ReadonlyMap<string, string>;
  readonly beside: Workspace['beside'];
}

/** The file whose text is a value: `${file:…}` is all of it. */
export function fileAt(place: Place, { texts, beside }: Texts): string | undefined {
  const source = texts.get(place.file)?.slice(place.offset, place.end) ?? '';
  const path = /^(["']?)\$\{file:([^}]+)\}\1\s*$/.exec(source)?.[2];
  return path === undefined ? undefined : beside(place.file, path);
}

/** Finds where lines of a value stand: in the file that the value names, or below the `|` of a text of several lines. */
export function placesInFile({ text, place }: { readonly text: string; readonly place: Place }, sources: Texts) {
  const source = sources.texts.get(place.file)?.slice(place.offset, place.end) ?? '';
  const file = fileAt(place, sources);
  const isBlock = file === undefined && source.startsWith('|');
  const written = isBlock ? source.split('\n').map((one) => one.replace(/\r$/, '')) : [];
  const meant = isBlock ? text.split('\n') : [];
  // An expression may stand for several lines, and so move those behind it.
  const moved = meant.findIndex((one, index) => {
    const same = written[index + 1] ?? '';
    return !same.endsWith(one) && !same.includes('${');
  });
  return ({ line, column }: LineAndColumn): Position | undefined => {
    if (file !== undefined) return { file, line, column };
    const [there = '', wanted = ''] = [written[line], meant[line - 1]];
    if (wanted === '' || (moved !== -1 && moved < line)) return undefined;
    const indent = there.search(/\S/) - wanted.search(/\S/);
    if (!there.slice(indent).startsWith(wanted.slice(0, column - 1))) return undefined;
    return { file: place.file, line: position(place).line + line, column: indent + column };
  };
}

interface LineAndColumn {
  readonly line: number;
  readonly column: number;
}

/** Finds the line and column of a value in a text of YAML by its path, or those of the nearest one around it. */
export function pathsIn(text: string): (path: readonly (string | number)[]) => LineAndColumn {
  const contents = yamlNodes(text);
  const lines = linesOf(text);
  return (path) => {
    const { line, col } = lines.linePos(offsetOf(contents, path));
    return { line, column: col };
  };
}

function offsetOf(contents: Node | undefined, path: readonly (string | number)[]): number {
  let node: Node | null | undefined = contents;
  let offset = 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = pairsOf(node).get(String(step));
      if (pair === undefined) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else if (isSeq(node)) {
      const item = typeof step === 'number' ? node.items[step] : entriesOf(node).get(step);
      if (item === undefined) break;
      node = item as Node;
      offset = node.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}

/** The first pair of each key. */
const pairsOf = onceFor(
  ({ items }: YAMLMap) =>
    new Map(items.toReversed().flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : []))),
);

/** The items of a list in place of a map, such as `- KEY=value`, by their keys. */
const entriesOf = onceFor(
  ({ items }: YAMLSeq) =>
    new Map(
      items
        .toReversed()
        .flatMap((item) =>
          isScalar(item) && typeof item.value === 'string' ? [[item.value.split('=', 1)[0], item]] : [],
        ),
    ),
);
