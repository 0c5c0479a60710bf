import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path/posix';
import { once } from '../api/once.ts';
import { globMatcher, matchesGlob } from '../formats/glob.ts';
import { groupBy } from '../kind/group.ts';
import type { Manifest } from '../index.ts';
import { contentOf } from '../library/manifest-handle.ts';

/** A file of a commit. */
export interface CommitFile {
  readonly path: string;
  /** The digest of its content in git. */
  readonly id: string;
  readonly isLink: boolean;
}

/** A root file with what its manifest asked of the repository: paths, and patterns with `*` in their last part. */
interface Asked {
  readonly path: string;
  readonly reads: readonly string[];
}

/**
 * The fingerprint of what a commit has for a root file: two commits with one fingerprint have the same files there, and none that the
 * other lacks. It depends on the folder of the root file alone, which has all that it may read.
 */
export type Fingerprint = (asked: Asked) => string;

/** Takes fingerprints of a commit with these files. All links of a folder count, as each may lead to one of the paths. */
export function fingerprintIn(files: readonly CommitFile[]): Fingerprint {
  const ids = once(() => new Map(files.map(({ path, id }) => [path, id])));
  const names = once(() => groupBy(files.map(({ path }) => [dirname(path), basename(path)])));
  const links = once(() => files.filter(({ isLink }) => isLink));
  const at = (path: string): unknown => {
    // A file may have a name with `*`.
    const id = ids().get(path) ?? null;
    return isPattern(path) ? [id, (names().get(dirname(path)) ?? []).filter(globMatcher(basename(path)))] : id;
  };
  return ({ path, reads }) => {
    const folder = folderOf(path);
    const below = links().filter((link) => folder === '' || link.path.startsWith(`${folder}/`));
    const found = [...new Set(reads)].toSorted().map((one) => [one, at(one)]);
    return digestOf([found, below.map((link) => [link.path, link.id])]);
  };
}

/** The folder of a root file, which has all that it may read; empty: that of the repository. */
export function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === '.' ? '' : folder;
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** What a manifest asked of a commit: paths and patterns below the root of the repository. `path`: that of its root file. */
export function pathsOf(manifest: Manifest, path: string): readonly string[] {
  return [...contentOf(manifest).manifest.asked].map((asked) => join(dirname(path), asked)).toSorted();
}

/** Whether files that changed are among paths and patterns. */
export function areAmong(changed: Iterable<string>, paths: readonly string[]): boolean {
  const [patterns, names] = [paths.filter(isPattern), new Set(paths)];
  const fits = (file: string, pattern: string): boolean =>
    dirname(file) === dirname(pattern) && matchesGlob(basename(pattern), basename(file));
  return [...changed].some((file) => names.has(file) || patterns.some((pattern) => fits(file, pattern)));
}

function isPattern(path: string): boolean {
  return path.includes('*');
}
