import { ApiError } from './error-answers.ts';
import { repositories, type Repository } from './fixtures.ts';
import type { Json, Row } from './json-rows.ts';

/** The four kinds of git host. */
export type ProviderKind = 'gitea' | 'github' | 'gitlab' | 'bitbucket';

/** Whether a provider is as complete as it must be to show in the list of its kind. */
export function isComplete(kind: ProviderKind, row: Row): boolean {
  switch (kind) {
    case 'github':
      return hasAll(row, ['githubAppId', 'githubPrivateKey', 'githubInstallationId']);
    case 'gitlab':
      return hasAll(row, ['accessToken', 'refreshToken']);
    case 'gitea':
      return hasAll(row, ['clientId', 'clientSecret']);
    case 'bitbucket':
      return true;
    default:
      return kind satisfies never;
  }
}

/** The repositories a git host shows to a provider: those of its groups where it names some, comma-separated. */
export function repositoriesFor(kind: ProviderKind, row: Row, groupName = ''): readonly Repository[] {
  if (!isLetIn(kind, row)) throw new ApiError('BAD_REQUEST', 'Failed to fetch repositories: Unauthorized');
  const groups = groupName.toLowerCase().split(',');
  return repositories.filter(({ owner }) => groups.some((group) => owner.startsWith(group.trim())));
}

/** The branches of the repository that a query means; refused where the git host has no such repository. */
export function branchesFor(
  kind: ProviderKind,
  row: Row,
  isMeant: (repository: Repository) => boolean,
): Repository['branches'] {
  const found = repositoriesFor(kind, row).find(isMeant);
  if (found === undefined) throw new ApiError('BAD_REQUEST', 'Failed to fetch branches: Not Found');
  return found.branches;
}

/** Means a repository by its owner and name. */
export function called(owner: Json | undefined, name: Json | undefined): (repository: Repository) => boolean {
  return (repository) => repository.owner === owner && repository.name === name;
}

/** Whether a git host knows who is asking. */
function isLetIn(kind: ProviderKind, row: Row): boolean {
  switch (kind) {
    case 'github':
    case 'gitlab':
      return isComplete(kind, row);
    case 'gitea':
      return hasAll(row, ['accessToken']);
    case 'bitbucket':
      return hasAll(row, ['apiToken']) || hasAll(row, ['appPassword']);
    default:
      return kind satisfies never;
  }
}

function hasAll(row: Row, columns: readonly string[]): boolean {
  return columns.every((column) => Boolean(row[column]));
}

/** What disconnecting a git source writes: bitbucketRepositorySlug stays, and so does what an image needs. */
export const disconnected: Row = {
  ...Object.fromEntries(
    [
      ['repository', 'owner', 'branch', 'githubId'],
      ['gitlabRepository', 'gitlabOwner', 'gitlabBranch', 'gitlabBuildPath', 'gitlabId'],
      ['gitlabProjectId', 'gitlabPathNamespace'],
      ['bitbucketRepository', 'bitbucketOwner', 'bitbucketBranch', 'bitbucketBuildPath', 'bitbucketId'],
      ['giteaRepository', 'giteaOwner', 'giteaBranch', 'giteaBuildPath', 'giteaId'],
      ['customGitUrl', 'customGitBranch', 'customGitBuildPath', 'customGitSSHKeyId'],
      ['watchPaths'],
    ]
      .flat()
      .map((column) => [column, null]),
  ),
  buildPath: '/',
  triggerType: 'push',
  enableSubmodules: false,
};
