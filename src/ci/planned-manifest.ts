import { createHash } from 'node:crypto';
import { relative, resolve } from 'node:path';
import { usage } from '../diagnostics/usage.ts';
import { trackedBelow } from '../git/tracked.ts';
import { isMemoryFile } from '../manifest/memory-name.ts';
import { findPlace } from '../project/folder.ts';
import type { CiOptions } from './ci-options.ts';

/** The manifest that a pipeline plans or applies. */
export interface PlannedManifest {
  /** The path of its folder in the repository, with a slash at its end; empty at the root. */
  readonly prefix: string;
  /** Its own path in the repository. */
  readonly path: string;
  /** Names the manifest in its repository: the same in every commit. */
  readonly name: string;
  /** Digest of the path of the folder, the name of the manifest, and of every file that git tracks in the folder, but memories of drift. */
  readonly content: string;
}

/**
 * Identifies the manifest by its content, not by its commit: a merge, a squash and a rebase of a pull request make other
 * commits of the same content. `-C infra -f a.yaml` and `-f infra/a.yaml` are the same manifest. Runs no program.
 *
 * @throws {Stop} `usage`, when its folder is in no git repository.
 */
export async function identifyManifest(cwd: string, { folder, file }: CiOptions): Promise<PlannedManifest> {
  const place = findPlace(resolve(cwd, folder), file);
  const tracked = await trackedBelow(place.folder).catch(() => undefined);
  if (tracked === undefined) {
    const around = relative(cwd, place.folder);
    throw usage(
      `cannot read the index of git around ${around === '' ? '.' : around}`,
      'Check the repository out before this step.',
    );
  }
  const files = [...tracked.digests].filter(([path]) => !isMemoryFile(path)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const path = `${tracked.prefix}${place.file}`;
  return { prefix: tracked.prefix, path, name: digest([path]), content: digest([path, ...files.flat()]) };
}

/** 160 bits, in hexadecimal: short enough for the name of an artifact. */
function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}
