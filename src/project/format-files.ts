import { relative } from 'node:path';
import { type Diagnostic, diagnostic, hasErrors, Stop } from '../diagnostics/diagnostic.ts';
import { formatYaml, wordsOf } from '../edit/format-yaml.ts';
import { sameTree } from '../edit/same-tree.ts';
import { isRootText, loadRoot, pathsOf, yamlLimit } from '../manifest/load.ts';
import { withQuotes } from '../manifest/quote.ts';
import { readTree } from '../manifest/read-tree.ts';
import { itemsOf, nodeAt, position, textOf } from '../manifest/tree.ts';
import type { Workspace } from '../manifest/workspace.ts';
import { openFolder } from './load.ts';
import type { ProjectFolder } from './folder.ts';
import { writeFiles } from './write-files.ts';
import { withoutMark } from '../formats/utf8.ts';

/** A file of a manifest, as it is and formatted. */
interface FormattedFile {
  /** Below the folder of the manifest. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/**
 * Formats files of a manifest: those of absolute paths, or without any the manifest and what it includes. Writes each that
 * differs as a whole, and none if one cannot be read. Reads files as the manifest is read: only below its folder, and
 * none that may hold credentials.
 *
 * @throws {Stop} `manifest`, with what is wrong in the files; `refused`, when one cannot be written
 */
export async function formatFiles(
  options: ProjectFolder,
  paths: readonly string[],
  { writes }: { readonly writes: boolean },
): Promise<readonly FormattedFile[]> {
  // A pinned run does not read what git does not track, lest it gets to the platform; nothing gets there from here.
  const workspace = await openFolder({ ...options, isPinned: false });
  const diagnostics: Diagnostic[] = [];
  const texts = new Map<string, string>();
  const named =
    paths.length > 0
      ? paths.map((path) => relative(options.folder, path))
      : await filesOf(options.file, workspace, { diagnostics, texts });
  const found = await workspace.readAll(named, yamlLimit, asWritten);
  const formatted = [...new Set(named)].flatMap((path): FormattedFile[] => {
    const file = found.get(path) ?? { problem: `there is no file ${path}` };
    if ('problem' in file) {
      const { remedy = 'Name YAML files in the folder of the manifest.' } = file.isPrivate ?? file;
      diagnostics.push(
        diagnostic(file.isPrivate === undefined ? 'file-unreadable' : 'private-source', file.problem, { remedy }),
      );
      return [];
    }
    return formatFile(path, file.text, { diagnostics, texts });
  });
  if (hasErrors(diagnostics)) throw new Stop('manifest', withQuotes(diagnostics, texts, options.kinds));
  const changed = formatted.filter(({ before, after }) => before !== after);
  if (writes) {
    const files = changed.map(({ path, before, after }) => ({ path, content: after, replaces: before }));
    await writeFiles(workspace.root, files, { remedy: 'The file was changed meanwhile: run trueup fmt again.' });
  }
  return formatted;
}

/** What reading files reports, and their texts. */
interface Reading {
  readonly diagnostics: Diagnostic[];
  readonly texts: Map<string, string>;
}

function formatFile(path: string, before: string, { diagnostics, texts }: Reading): FormattedFile[] {
  const text = withoutMark(before);
  const problems: Diagnostic[] = [];
  const tree = readTree(path, text, problems);
  // What names the included files was read before, and its mistakes are reported.
  if (!texts.has(path)) diagnostics.push(...problems);
  texts.set(path, text);
  if (problems.length > 0) return [];
  const after = formatYaml(before);
  const isSame =
    sameTree(tree, readTree(path, withoutMark(after), problems)) &&
    wordsOf(before).join('\0') === wordsOf(after).join('\0');
  if (isSame) return [{ path, before, after }];
  const message = `${path} cannot be formatted without a change of its values`;
  diagnostics.push(diagnostic('file-unwritable', message, { remedy: 'Write each key before a colon, without a ?.' }));
  return [];
}

/** The root file, and the files that it and they include. */
async function filesOf(file: string, workspace: Workspace, { diagnostics, texts }: Reading): Promise<string[]> {
  const files = [file];
  for (const from of files) {
    const tree =
      from === file ? await loadRoot(workspace, file, diagnostics, texts) : await includedTree(from, workspace);
    for (const item of itemsOf(nodeAt(tree, ['include']))) {
      const written = textOf(item);
      if (written === undefined) continue;
      const found = await pathsOf(workspace, from, written);
      if ('problem' in found) {
        const about = { position: position(item.at), remedy: found.remedy };
        diagnostics.push(diagnostic('file-unreadable', `include: ${found.problem}`, about));
        continue;
      }
      const texts = written.includes('*') ? await workspace.readAll(found, yamlLimit, asWritten) : undefined;
      files.push(...found.filter((path) => !files.includes(path) && !isRootText(texts?.get(path))));
    }
  }
  return files;
}

const asWritten = { readsUntracked: true };

/** An included file, where it may name more files; what is wrong in it is reported when it is formatted. */
async function includedTree(path: string, workspace: Workspace) {
  const file = (await workspace.readAll([path], yamlLimit, asWritten)).get(path);
  if (file === undefined || 'problem' in file || !/^["']?include["']?[ \t]*:/m.test(file.text)) return undefined;
  return readTree(path, withoutMark(file.text), []);
}
