import type { Position } from '../diagnostics/diagnostic.ts';
import { type Place, position } from './tree.ts';
import type { Workspace } from './workspace.ts';

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
  if (!source.startsWith('|') || source.includes('${')) return undefined;
  const [written = '', wanted = ''] = [source.split('\n')[line], text.split('\n')[line - 1]];
  const isSame = wanted !== '' && written.replace(/\r$/, '').endsWith(wanted);
  const start = position(place).line;
  return isSame
    ? { file: place.file, line: start + line, column: written.replace(/\r$/, '').length - wanted.length + column }
    : undefined;
}
