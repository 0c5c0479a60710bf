import { type Node, isMap, isScalar, isSeq } from 'yaml';
import type { Position } from '../diagnostics/diagnostic.ts';
import { type Place, position } from './tree.ts';
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

/** Where a line of a value stands: in the file that the value names, or below the `|` of a text of several lines. */
export function placeInFile(
  { text, line, column, place }: { text: string; line: number; column: number; place: Place },
  { texts, beside }: Texts,
): Position | undefined {
  const source = texts.get(place.file)?.slice(place.offset, place.end) ?? '';
  const file = fileAt(place, { texts, beside });
  if (file !== undefined) return { file, line, column };
  if (!source.startsWith('|')) return undefined;
  const [written, meant] = [source.split('\n').map((one) => one.replace(/\r$/, '')), text.split('\n')];
  const [there = '', wanted = ''] = [written[line], meant[line - 1]];
  // An expression may stand for several lines, and so move those behind it.
  const isMoved = meant.slice(0, line).some((one, index) => {
    const same = written[index + 1] ?? '';
    return !same.endsWith(one) && !same.includes('${');
  });
  if (wanted === '' || isMoved) return undefined;
  const indent = there.search(/\S/) - wanted.search(/\S/);
  if (!there.slice(indent).startsWith(wanted.slice(0, column - 1))) return undefined;
  return { file: place.file, line: position(place).line + line, column: indent + column };
}

/** Finds the line and column of a value in a text of YAML by its path, or those of the nearest one around it. */
export function pathsIn(text: string) {
  const contents = yamlNodes(text);
  return (path: readonly (string | number)[]) => placeOfPath(text, contents, path);
}

function placeOfPath(
  text: string,
  contents: Node | undefined,
  path: readonly (string | number)[],
): { readonly line: number; readonly column: number } {
  let node: Node | null | undefined = contents;
  let offset = 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else if (isSeq(node)) {
      // A list in place of a map: `- KEY=value`.
      const item =
        typeof step === 'number'
          ? node.items[step]
          : node.items.find((one) => isScalar(one) && isEntry(one.value, step));
      if (item === undefined) break;
      node = item as Node;
      offset = node.range?.[0] ?? offset;
    } else break;
  }
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

function isEntry(value: unknown, key: string): boolean {
  return typeof value === 'string' && (value === key || value.startsWith(`${key}=`));
}
