import { failed } from './error-answers.ts';
import { textOf, type Row } from './json-rows.ts';

/** The columns of applications and compose stacks that must be set before their repository can be cloned. */
const needed: Readonly<Record<string, readonly string[]>> = {
  git: ['customGitUrl'],
  github: ['githubId', 'repository', 'owner'],
  gitlab: ['gitlabId', 'gitlabRepository', 'gitlabOwner'],
  bitbucket: ['bitbucketId', 'bitbucketRepository', 'bitbucketOwner'],
  gitea: ['giteaId', 'giteaRepository', 'giteaOwner'],
};

/** Refuses to clone a source that is not set up; no repository is ever reached. */
export function checkRepository(row: Row): void {
  const missing = (needed[textOf(row, 'sourceType')] ?? []).some((column) => (row[column] ?? '') === '');
  if (missing) throw failed('Command execution failed: Repository not found');
}
