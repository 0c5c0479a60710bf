import { ApiError } from './errors.ts';
import { textOf, type Row } from './json.ts';
import type { Store } from './store.ts';

/** The members that must be set before a compose of a git source can be cloned. */
const gitSource: Readonly<Record<string, readonly string[]>> = {
  git: ['customGitUrl'],
  hubgit: ['hubgitId', 'repository', 'owner'],
  labgit: ['labgitId', 'labgitRepository', 'labgitOwner'],
  bucketgit: ['bucketgitId', 'bucketgitRepository', 'bucketgitOwner'],
  selfgit: ['selfgitId', 'selfgitRepository', 'selfgitOwner'],
};

/**
 * The compose file that a fetch brings: the text of a raw compose, and for a git source that is set up the text
 * in `composeFile` too, because no repository is ever reached.
 */
export function fetchSource(store: Store, row: Row): string {
  const missing = (gitSource[textOf(row, 'sourceType')] ?? []).some((member) => (row[member] ?? '') === '');
  if (missing) throw new ApiError('INTERNAL_SERVER_ERROR', 'Command execution failed: Repository not found');
  const text = textOf(row, 'composeFile');
  const appName = textOf(row, 'appName');
  if (store.update('composeFile', appName, { text }) === undefined) store.insert('composeFile', { appName, text });
  return text;
}

/** The compose file on disk; undefined before the first fetch or deployment. */
export function sourceOnDisk(store: Store, row: Row): string | undefined {
  const file = store.find('composeFile', row['appName']);
  return file === undefined ? undefined : textOf(file, 'text');
}

/** Whether the files of a compose come from a repository. */
export function isFromGit(row: Row): boolean {
  return row['sourceType'] !== 'raw';
}
