import { basename, normalize } from 'node:path';
import { type Diagnostic, type Position, diagnostic } from '../diagnostics/diagnostic.ts';
import { resolveSection } from '../kind/aliases.ts';
import { isMemoryFile, noMemory } from './memory-name.ts';
import { missingBlank, shownKey } from './problem.ts';
import { type Report, reportInto } from './report.ts';
import { acceptedKey, includedKeys } from './settings-shape.ts';
import { type Entry, type MapNode, isEmpty, itemAt, position, readTree } from './tree.ts';
import type { FileText, Workspace } from './workspace.ts';

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
    const { remedy } = file.isPrivate ?? { remedy: 'Name a file of UTF-8 text inside the workspace.' };
    const code = file.isPrivate === undefined ? 'file-unreadable' : 'private-source';
    diagnostics.push(diagnostic(code, file.problem, { remedy, position: about.position }));
    return undefined;
  }
  const before = diagnostics.length;
  const text = file.text.replace(/^\uFEFF/, '');
  about.texts.set(path, text);
  const tree = readTree(path, text, diagnostics);
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
      present === undefined ? entry : mergeEntries(section, present, entry, 2, reportInto(diagnostics)),
    );
  }
  return { ...tree, entries };
}

/** A file without its `x-…:` keys: they hold anchors for the rest of the file. */
function withoutFragments(tree: MapNode): MapNode {
  return { ...tree, entries: new Map([...tree.entries].filter(([key]) => !key.startsWith('x-'))) };
}

/** The sections of a file: all, and those that have sections below them. */
interface SectionNames {
  readonly sections: readonly string[];
  readonly nested: ReadonlySet<string>;
}

interface Loading {
  readonly diagnostics: Diagnostic[];
  readonly texts: Map<string, string>;
}

/** Reads the included files and merges them into the root. What two files define is an error. */
export async function loadIncludes(
  workspace: Workspace,
  root: MapNode,
  include: readonly string[],
  { sections, nested }: SectionNames,
  { diagnostics, texts }: Loading,
): Promise<MapNode> {
  let merged = root;
  const loaded = new Set<string>();
  const report = reportInto(diagnostics);
  const isRoot = (path: string) => normalize(path) === root.at.file;
  const named = await Promise.all(
    include.map(async (pattern) => (pattern.includes('*') ? withoutMemories(workspace, pattern) : [pattern])),
  );
  const files = await workspace.readAll(
    named.flatMap((found) => ('problem' in found ? [] : found.filter((path) => !isRoot(path)))),
    yamlLimit,
    // What git does not track may be included: blocks of one developer, whose text is not shown. A pinned run has none.
    { readsUntracked: true },
  );
  for (const [index, pattern] of include.entries()) {
    const at = itemAt(root, 'include', index);
    const refuse = (message: string, remedy: string) => report('file-unreadable', `include: ${message}`, at, remedy);
    const found = named[index] ?? [];
    if ('problem' in found) {
      refuse(found.problem, 'Name files of the workspace. * stands for a part of a file name.');
      continue;
    }
    // A pattern that also matches the root does not mean it.
    const paths = pattern.includes('*') ? found.filter((path) => !isRoot(path)) : found;
    if (paths.length === 0) {
      const remedy =
        'Restore the file, or remove the entry: applying without it deletes the resources that it declared.';
      refuse(`no file matches ${pattern}`, remedy);
    }
    for (const path of paths) {
      if (isRoot(path)) refuse(`${path} includes itself`, 'Remove the entry.');
      const file = files.get(path);
      if (file === undefined || loaded.has(normalize(path))) continue;
      loaded.add(normalize(path));
      const begins = `${sections[0] ?? 'variables'}:`;
      const tree = readMap(path, file, diagnostics, { position: position(at), begins, texts });
      if (tree === undefined) continue;
      const added = withoutUnknown(tree, [...sections, ...includedKeys], root.at.file, report);
      merged = mergeMaps(merged, added, (key) => (nested.has(key) ? 0 : 2), report);
    }
  }
  return merged;
}

/** An included file without the keys that it cannot have, which are reported. */
function withoutUnknown(tree: MapNode, allowed: readonly string[], root: string, report: Report): MapNode {
  const known = [...tree.entries].filter(([key, { keyAt, node }]) => {
    if (allowed.includes(key)) return true;
    const remedy =
      missingBlank(key, isEmpty(node)) ?? `Move it to ${root}. An included file takes ${allowed.join(', ')}.`;
    report('unknown-key', `an included file has no key ${shownKey(key, isEmpty(node))}`, keyAt, remedy);
    return false;
  });
  return { ...tree, entries: new Map(known) };
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

/**
 * Sections are merged, and of those that have sections below them the blocks and these; two definitions of one block contradict.
 * `depthOf`: how deep the map of a key counts as standing.
 */
function mergeMaps(into: MapNode, from: MapNode, depthOf: (key: string) => number, report: Report): MapNode {
  const entries = new Map<string, Entry>(into.entries);
  for (const [key, entry] of from.entries) {
    const present = entries.get(key);
    entries.set(key, present === undefined ? entry : mergeEntries(key, present, entry, depthOf(key), report));
  }
  return { ...into, entries };
}

function mergeEntries(key: string, present: Entry, added: Entry, depth: number, report: Report): Entry {
  const a = present.node;
  const b = added.node;
  if (a.is === 'map' && b.is === 'map' && depth < 3)
    return { keyAt: present.keyAt, node: mergeMaps(a, b, () => depth + 1, report) };
  if (a.is === 'list' && b.is === 'list')
    return { keyAt: present.keyAt, node: { ...a, items: [...a.items, ...b.items] } };
  // A key with nothing below it is reported where it stands, when its block is read.
  if (depth < 2 && (isEmpty(a) || isEmpty(b))) return isEmpty(b) ? added : present;
  const { file, line, column } = position(present.keyAt);
  const message = `${shownKey(key, isEmpty(b))} is already defined in ${file}:${line}:${column}`;
  report('defined-twice', message, added.keyAt, 'Keep one of the two.');
  return present;
}
