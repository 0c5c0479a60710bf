import { ApiError } from './errors.ts';
import { textOf, type Row } from './json.ts';

/** The columns of applications and compose stacks that must be set before their repository can be cloned. */
const needed: Readonly<Record<string, readonly string[]>> = {
  git: ['customGitUrl'],
  hubgit: ['hubgitId', 'repository', 'owner'],
  labgit: ['labgitId', 'labgitRepository', 'labgitOwner'],
  bucketgit: ['bucketgitId', 'bucketgitRepository', 'bucketgitOwner'],
  selfgit: ['selfgitId', 'selfgitRepository', 'selfgitOwner'],
};

/** Refuses to clone a source that is not set up; no repository is ever reached. */
export function checkRepository(row: Row): void {
  const missing = (needed[textOf(row, 'sourceType')] ?? []).some((column) => (row[column] ?? '') === '');
  if (missing) throw new ApiError('INTERNAL_SERVER_ERROR', 'Command execution failed: Repository not found');
}
