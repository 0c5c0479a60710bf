import { ForgeError, callForge } from './call-forge.ts';
import { defined } from '../formats/json.ts';
import type { Repository } from './repository.ts';

/** What is said of a commit, by a name: the last one with that name counts. */
export interface CommitStatus {
  readonly commit: string;
  /** Such as `trueup/infra/trueup.yaml`. */
  readonly context: string;
  readonly state: 'pending' | 'success' | 'failure';
  readonly description: string;
  /** The page that says more. */
  readonly url: string | undefined;
}

/** Most characters of a description, at each of the forges. */
const maxDescription = 140;

/**
 * Says something of a commit. https://docs.github.com/en/rest/commits/statuses, https://docs.gitlab.com/api/commits/ and
 * `repoCreateStatus` of Forgejo and Gitea. GitLab refuses what is
 * pending already, whose description stays.
 *
 * @throws {ForgeError}
 */
export async function writeStatus(forge: Repository, status: CommitStatus): Promise<void> {
  const { commit, context, state, url } = status;
  const description =
    status.description.length <= maxDescription
      ? status.description
      : `${status.description.slice(0, maxDescription - 1)}…`;
  const path = `${forge.repository}/statuses/${commit}`;
  const about = { description, ...defined({ target_url: url }) };
  const json =
    forge.name === 'gitlab'
      ? { state: state === 'failure' ? 'failed' : state, name: context, ...about }
      : { state, context, ...about };
  await callForge(forge, { method: 'POST', path, json }).catch((error: unknown) => {
    const isThere =
      forge.name === 'gitlab' && state === 'pending' && error instanceof ForgeError && error.status === 400;
    if (!isThere) throw error;
  });
}
