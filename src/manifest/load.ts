import { basename, dirname, normalize } from 'node:path';
import { type Diagnostic, type Position, diagnostic } from '../diagnostics/diagnostic.ts';
import { resolveSection } from '../kind/aliases.ts';
import { isMemoryFile, noMemory } from './memory-name.ts';
import { joinEntries } from './assemble/join.ts';
import { reportInto } from './report-at.ts';
import { acceptedKey } from './settings-shape.ts';
import { readTree } from './read-tree.ts';
import { type Entry, type MapNode, type Node, type Place, isEmpty, placeAt, position } from './tree.ts';
import type { FileText, Workspace } from './workspace.ts';
import { withoutMark } from '../formats/utf8.ts';

/** Most bytes of one YAML file. One with 10,000 services has 5 to 9 MB and takes 500 MB of memory. */
export const yamlLimit = 16_000_000;

/** Reads the root file, whose value has to be a map. The text of each file goes into `texts`, by its name. */
export async function loadRoot(
  workspace: Workspace,
  path: string,
  diagnostics: Diagnostic[],
  texts: Map<string, string>,
): Promise<MapNode | undefined> {
  const position = { file: path, line: 1, column: 1 };
  const about = { position, begins: 'trueup: 1', texts };
  const file = isMemoryFile(path) ? { problem: noMemory(path) } : await workspace.read(path, yamlLimit);
  return readMap(path, file, diagnostics, about);
}

/** Files that were parsed: a workspace gives some more than once, such as those that root files share. */
const parsed = new WeakMap<FileText, Node>();

/** The tree of a file, which is parsed once; undefined: it is empty, or has a mistake, which is reported. */
export function treeOf(path: string, file: { readonly text: string }, diagnostics: Diagnostic[]): Node | undefined {
  const before = diagnostics.length;
  const tree = parsed.get(file) ?? readTree(path, withoutMark(file.text), diagnostics);
  if (tree !== undefined && diagnostics.length === before) parsed.set(file, tree);
  return tree;
}

const inWorkspace = 'Name a file of UTF-8 text inside the workspace.';
const withoutLink =
  'Put the file itself in the place of the link, or run Trueup in the folder that the link leads to (-C).';

function readMap(
  path: string,
  file: FileText,
  diagnostics: Diagnostic[],
  about: {
    readonly position: Position;
    readonly begins: string;
    readonly texts: Map<string, string>;
  },
): MapNode | undefined {
  if ('problem' in file) {
    const { remedy = file.isLink === true ? withoutLink : inWorkspace } = file.isPrivate ?? file;
    const code = file.isPrivate === undefined ? 'file-unreadable' : 'private-source';
    diagnostics.push(diagnostic(code, file.problem, { remedy, position: about.position }));
    return undefined;
  }
  const before = diagnostics.length;
  about.texts.set(path, withoutMark(file.text));
  const tree = treeOf(path, file, diagnostics);
  if (diagnostics.length > before) return undefined;
  if (tree?.is === 'map') return withSections(withoutFragments(tree), diagnostics);
  const at = tree === undefined ? { file: path, line: 1, column: 1 } : position(tree.at);
  const what = tree === undefined || isEmpty(tree) ? 'is empty' : 'is not a map';
  const remedy = `Begin it with a key, such as ${about.begins}.`;
  diagnostics.push(diagnostic('wrong-type', `${path} ${what}`, { remedy, position: at }));
  return undefined;
}

/** A file with its sections by their names; two words for one section are one. */
function withSections(tree: MapNode, diagnostics: Diagnostic[]): MapNode {
  if ([...tree.entries.keys()].every((key) => resolveSection(key) === key)) return tree;
  const entries = new Map<string, Entry>();
  for (const [key, entry] of tree.entries) {
    const section = resolveSection(key);
    const present = entries.get(section);
    entries.set(
      section,
      present === undefined ? entry : joinEntries(section, present, entry, 2, reportInto(diagnostics)),
    );
  }
  return { ...tree, entries };
}

/** A file without its `x-…:` keys: they hold anchors for the rest of the file. */
function withoutFragments(tree: MapNode): MapNode {
  return { ...tree, entries: new Map([...tree.entries].filter(([key]) => !key.startsWith('x-'))) };
}

/** What reading files reports, and their texts. */
export interface Loading {
  readonly diagnostics: Diagnostic[];
  readonly texts: Map<string, string>;
}

/** What the reading of included files is asked for. */
interface Included extends Loading {
  readonly workspace: Workspace;
  /** The files that a file includes; reports what is wrong in its list. */
  readonly includeOf: (tree: MapNode) => readonly string[];
  readonly root: MapNode;
  /** The key that a file could begin with. */
  readonly begins: string;
}

/** Reads the files that the root file includes, and those that they include, each once, in the order of their lists. */
export async function loadIncluded(about: Included): Promise<readonly MapNode[]> {
  const found: MapNode[] = [];
  await loadBelow(about.root, [about.root.at.file], { ...about, found, loaded: new Set() });
  return found;
}

interface Descent extends Included {
  readonly found: MapNode[];
  /** The normal paths of the files that were read. */
  readonly loaded: Set<string>;
}

/** Reads what a file includes. `above`: the normal paths of the files that lead to it, and its own. */
async function loadBelow(tree: MapNode, above: readonly string[], descent: Descent): Promise<void> {
  const { workspace, loaded, diagnostics } = descent;
  const report = reportInto(diagnostics);
  const include = descent.includeOf(tree);
  const named = await Promise.all(include.map(async (pattern) => pathsOf(workspace, tree.at.file, pattern)));
  const files = await workspace.readAll(
    named.flatMap((found) => ('problem' in found ? [] : found.filter((path) => !above.includes(normalize(path))))),
    yamlLimit,
    // What git does not track may be included: blocks of one developer, whose text is not shown. A pinned run has none.
    { readsUntracked: true },
  );
  for (const [index, pattern] of include.entries()) {
    const at = placeAt(tree, ['include', index]);
    const refuse = (message: string, remedy: string) => report('file-unreadable', `include: ${message}`, at, remedy);
    const found = named[index] ?? [];
    if ('problem' in found) {
      refuse(found.problem, found.remedy ?? 'Name files of the workspace. * stands for a part of a file name.');
      continue;
    }
    const isPattern = pattern.includes('*');
    // A pattern that also matches its own file, or a root file, does not mean it.
    const paths = isPattern
      ? found.filter((path) => !above.includes(normalize(path)) && !isRootText(files.get(path)))
      : found;
    if (paths.length === 0) {
      const remedy =
        'Restore the file, or remove the entry: applying without it deletes the resources that it declared.';
      refuse(`no file matches ${pattern}`, remedy);
    }
    for (const path of paths) {
      const circle = above.indexOf(normalize(path));
      if (circle !== -1) refuse(circleOf([...above.slice(circle), path]), 'Remove the entry.');
      const file = files.get(path);
      if (file === undefined || loaded.has(normalize(path))) continue;
      loaded.add(normalize(path));
      await loadOne(path, file, { at, above, isPattern, refuse }, descent);
    }
  }
}

/** The entry of a list that names a file. */
interface Naming {
  readonly at: Place;
  readonly above: readonly string[];
  readonly isPattern: boolean;
  readonly refuse: (message: string, remedy: string) => void;
}

async function loadOne(
  path: string,
  file: FileText,
  { at, above, isPattern, refuse }: Naming,
  descent: Descent,
): Promise<void> {
  const { diagnostics, texts, begins, found } = descent;
  const tree = readMap(path, file, diagnostics, { position: position(at), begins, texts });
  if (tree === undefined) return;
  const isRoot = tree.entries.get('trueup');
  if (isRoot !== undefined) {
    texts.delete(path);
    if (isPattern) return;
    const message = `${path} is a root file: it has trueup: on line ${position(isRoot.keyAt).line}`;
    refuse(message, 'Move what both files need into a file without trueup:, and include that one in both.');
    return;
  }
  found.push(tree);
  if (tree.entries.has('include')) await loadBelow(tree, [...above, normalize(path)], descent);
}

function circleOf(files: readonly string[]): string {
  const [first = '', ...others] = files;
  return others.length === 1
    ? `${files.at(-1)} includes itself`
    : `${first} includes ${others.join(', which includes ')}`;
}

/** Whether a text is that of a root file, as far as a line can show; also of one with a mistake. */
export function isRootText(file: FileText | undefined): boolean {
  return file !== undefined && 'text' in file && /^\uFEFF?trueup[ \t]*:(?:\s|$)/m.test(file.text);
}

/** The files that an entry of `include:` in a file names. */
export async function pathsOf(workspace: Workspace, from: string, entry: string): ReturnType<Workspace['match']> {
  const pattern = dirname(from) === '.' ? entry : workspace.beside(from, entry);
  return pattern.includes('*') ? withoutMemories(workspace, pattern) : [pattern];
}

/** The files that a pattern names, without memories of `trueup drift` and files of accepted drift: they hold no blocks. */
async function withoutMemories(workspace: Workspace, pattern: string): ReturnType<Workspace['match']> {
  const found = await workspace.match(pattern);
  if ('problem' in found) return found;
  const isOther = await Promise.all(found.map(async (path) => isMemoryFile(path) || holdsAcceptances(workspace, path)));
  return found.filter((_, at) => isOther[at] !== true);
}

/** Whether a file holds accepted drift, and nothing else. */
async function holdsAcceptances(workspace: Workspace, path: string): Promise<boolean> {
  if (!/^accepted(?:\..*)?\.yaml$/.test(basename(path))) return false;
  const file = await workspace.readBytes(path, yamlLimit);
  if ('problem' in file) return false;
  const tree = readTree(path, new TextDecoder().decode(file.bytes), []);
  if (tree?.is !== 'map') return false;
  const keys = [...tree.entries.keys()];
  return keys.includes(acceptedKey) && keys.every((key) => [acceptedKey, 'accepted'].includes(key));
}
