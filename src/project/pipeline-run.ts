import { withoutSlash } from '../api/slash.ts';
import type { Environment } from './folder.ts';

/**
 * The address of the run of a pipeline, as GitHub, GitLab, Forgejo and Gitea name it; undefined: none does, or it is no
 * plain address. https://docs.github.com/en/actions/reference/workflows-and-actions/variables,
 * https://docs.gitlab.com/ci/variables/predefined_variables/
 */
export function pipelineRun(env: Environment): string | undefined {
  const { GITHUB_SERVER_URL: server = '', GITHUB_REPOSITORY: repository = '', CI_PIPELINE_URL: pipeline = '' } = env;
  // The pages of Forgejo and Gitea have the number of the run in its repository.
  const id = env[isGiteaRun(env) ? 'GITHUB_RUN_NUMBER' : 'GITHUB_RUN_ID'] ?? '';
  const isRun = env['GITHUB_ACTIONS'] === 'true' && isRepositoryName(repository) && /^\d+$/.test(id);
  const address = isRun ? `${withoutSlash(server)}/${repository}/actions/runs/${id}` : pipeline;
  return isPlainAddress(address) && address.length <= 500 ? address : undefined;
}

/** Returns true where Forgejo or Gitea runs a pipeline: they set the variables of GitHub too, and have other addresses. */
export function isGiteaRun(env: Environment): boolean {
  return env['GITEA_ACTIONS'] === 'true' || env['FORGEJO_ACTIONS'] === 'true';
}

/** Returns true for `owner/name`. */
export function isRepositoryName(text: string): boolean {
  return /^[\w.-]+\/[\w.-]+$/.test(text);
}

/** Returns true for an address without user, query and fragment that is plain text in Markdown, HTML and chats. */
export function isPlainAddress(text: string): boolean {
  return /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[A-Za-z0-9._~%+-]*)*$/.test(text) && URL.canParse(text);
}
