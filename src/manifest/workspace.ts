import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** The text of a file, or why it cannot be used. */
export type FileText = { readonly text: string } | { readonly problem: string };
type FileBytes = { readonly bytes: Uint8Array } | { readonly problem: string };

/** The files of a manifest: everything below the folder of `trueup.yaml`, and nothing else. Remembers no content. */
export interface Workspace {
  readonly root: string;
  /** Reads a file by its path below the root; `limit` is in bytes. */
  readonly read: (path: string, limit: number) => Promise<FileText>;
  /** Reads files side by side, each path once; `limit` is in bytes per file. */
  readonly readAll: (paths: Iterable<string>, limit: number) => Promise<ReadonlyMap<string, FileText>>;
  /** Reads a file that need not be text. */
  readonly readBytes: (path: string, limit: number) => Promise<FileBytes>;
  /** The path below the root that `path` means when it is written in the file `from`. */
  readonly beside: (from: string, path: string) => string;
  /** Files that a pattern with `*` in its last part names, sorted; or why it can name none. */
  readonly match: (pattern: string) => Promise<readonly string[] | { readonly problem: string }>;
}

/** Most files that are open at once. */
const openAtOnce = 16;

/**
 * Opens the folder of a manifest.
 * @throws when the folder does not exist
 */
export async function openWorkspace(folder: string): Promise<Workspace> {
  const root = await realpath(resolve(folder));
  return {
    root,
    read: (path, limit) => readText(root, path, limit),
    readAll: async (paths, limit) => {
      const texts = new Map<string, FileText>();
      const left = new Set(paths).values();
      const readLeft = async () => {
        for (const path of left) texts.set(path, await readText(root, path, limit));
      };
      await Promise.all(Array.from({ length: openAtOnce }, readLeft));
      return texts;
    },
    readBytes: (path, limit) => readInside(root, path, limit),
    beside: (from, path) => (path === '' || isAbsolute(path) ? path : join(dirname(from), path)),
    match: (pattern) => match(root, pattern),
  };
}

async function match(root: string, pattern: string): Promise<readonly string[] | { readonly problem: string }> {
  const [folder, last] = [dirname(pattern), basename(pattern)];
  const problem = wayOut(root, pattern);
  if (problem !== undefined) return { problem };
  if (folder.includes('*')) {
    return { problem: `${pattern} has a * before its last part` };
  }
  const form = new RegExp(`^${last.split('*').map(escapeText).join('[^/]*')}$`);
  try {
    const named = (await readdir(join(root, folder), { withFileTypes: true })).filter(
      ({ name }) => form.test(name) && (!name.startsWith('.') || last.startsWith('.')),
    );
    const isFolder = await Promise.all(
      named.map(async (entry) =>
        entry.isSymbolicLink() ? leadsToFolder(join(root, folder, entry.name)) : entry.isDirectory(),
      ),
    );
    return named
      .filter((_, index) => isFolder[index] !== true)
      .map(({ name }) => join(folder, name))
      .toSorted();
  } catch {
    return [];
  }
}

async function leadsToFolder(link: string): Promise<boolean> {
  return stat(link).then(
    (target) => target.isDirectory(),
    () => false,
  );
}

async function readText(root: string, path: string, limit: number): Promise<FileText> {
  const file = await readInside(root, path, limit);
  if ('problem' in file) return file;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file.bytes) };
  } catch {
    return { problem: `${path} is not UTF-8 text` };
  }
}

async function readInside(root: string, path: string, limit: number): Promise<FileBytes> {
  if (path === '') return { problem: 'no file is named' };
  const problem = wayOut(root, path);
  if (problem !== undefined) return { problem };
  try {
    // A link inside the workspace may lead out of it: what counts is where the file really is.
    const real = await realpath(join(root, path));
    if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) return { problem: outside(path) };
    const found = await stat(real);
    if (!found.isFile()) return { problem: `${path} is not a file` };
    if (found.size > limit) return { problem: `${path} has ${found.size} bytes; the limit is ${limit}` };
    return { bytes: await readFile(real) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { problem: `there is no file ${path}` };
    return { problem: `${path} cannot be read (${code ?? 'unknown reason'})` };
  }
}

function wayOut(root: string, path: string): string | undefined {
  if (isAbsolute(path)) return `${path} is an absolute path; paths are relative to the file that uses them`;
  const way = relative(root, resolve(root, path));
  return way === '..' || way.startsWith(`..${sep}`) ? outside(path) : undefined;
}

function outside(path: string): string {
  return `${path} is outside the workspace, the folder of trueup.yaml`;
}

function escapeText(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
