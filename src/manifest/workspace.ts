import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** What reading gives: the text, or why there is none. */
type FileText = { readonly text: string } | { readonly problem: string };
type FileBytes = { readonly bytes: Uint8Array } | { readonly problem: string };

/** The files of a manifest: everything below the folder of `trueup.yaml`, and nothing else. */
export interface Workspace {
  readonly root: string;
  /** Reads a file by its path below the root, or says why not; `limit` is in bytes. */
  readonly read: (path: string, limit: number) => FileText;
  /** The same for a file that need not be text. */
  readonly readBytes: (path: string, limit: number) => FileBytes;
  /** The path below the root that `path` means when it is written in the file `from`. */
  readonly beside: (from: string, path: string) => string;
  /** Files that a pattern with `*` in its last part names, sorted; or why it can name none. */
  readonly match: (pattern: string) => readonly string[] | { readonly problem: string };
}

/** Opens the folder of a manifest. */
export function openWorkspace(folder: string): Workspace {
  const root = realpathSync(resolve(folder));
  const cache = new Map<string, FileText>();
  return {
    root,
    read: (path, limit) => {
      const name = JSON.stringify([path, limit]);
      const known = cache.get(name);
      if (known !== undefined) return known;
      const result = readInside(root, path, limit);
      cache.set(name, result);
      return result;
    },
    readBytes: (path, limit) => bytesInside(root, path, limit),
    beside: (from, path) => (path === '' || isAbsolute(path) ? path : join(dirname(from), path)),
    match: (pattern) => {
      const [folderPart, last] = [dirname(pattern), basename(pattern)];
      const problem = wayOut(root, pattern);
      if (problem !== undefined) return { problem };
      if (folderPart.includes('*'))
        return { problem: `${pattern} has a * before its last part, where it stands for nothing` };
      const form = new RegExp(`^${last.split('*').map(escapeText).join('[^/]*')}$`);
      try {
        return readdirSync(join(root, folderPart))
          .filter((name) => form.test(name) && (!name.startsWith('.') || last.startsWith('.')))
          .toSorted()
          .map((name) => join(folderPart, name))
          .filter((path) => statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() !== true);
      } catch {
        return [];
      }
    },
  };
}

function readInside(root: string, path: string, limit: number): FileText {
  const file = bytesInside(root, path, limit);
  if ('problem' in file) return file;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file.bytes) };
  } catch {
    return { problem: `${path} is not UTF-8 text` };
  }
}

function bytesInside(root: string, path: string, limit: number): FileBytes {
  if (path === '') return { problem: 'no file is named' };
  const problem = wayOut(root, path);
  if (problem !== undefined) return { problem };
  try {
    // A link inside the workspace may lead out of it: what counts is where the file really is.
    const real = realpathSync(join(root, path));
    if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) return { problem: outside(path) };
    const stat = statSync(real);
    if (!stat.isFile()) return { problem: `${path} is not a file` };
    if (stat.size > limit) return { problem: `${path} has ${stat.size} bytes; at most ${limit} can be used` };
    return { bytes: readFileSync(real) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { problem: `there is no file ${path}` };
    return { problem: `${path} cannot be read (${code ?? 'unknown reason'})` };
  }
}

function wayOut(root: string, path: string): string | undefined {
  if (isAbsolute(path)) return `${path} is an absolute path; files are named relative to the file that uses them`;
  const way = relative(root, resolve(root, path));
  return way === '..' || way.startsWith(`..${sep}`) ? outside(path) : undefined;
}

function outside(path: string): string {
  return `${path} lies outside the workspace, the folder of trueup.yaml`;
}

function escapeText(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
