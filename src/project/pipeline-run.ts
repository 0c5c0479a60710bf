import type { Environment } from './folder.ts';

/**
 * The address of the run of a pipeline, as GitHub, GitLab, Forgejo and Gitea name it; undefined: none does, or it is no
 * plain address. https://docs.github.com/en/actions/reference/workflows-and-actions/variables,
 * https://docs.gitlab.com/ci/variables/predefined_variables/
 */
export function pipelineRun(env: Environment): string | undefined {
  const { GITHUB_SERVER_URL: server = '', GITHUB_REPOSITORY: repository = '', CI_PIPELINE_URL: pipeline = '' } = env;
  // Forgejo and Gitea set the variables of GitHub too, and their pages have the number of the run in its repository.
  const isGitea = env['GITEA_ACTIONS'] === 'true' || env['FORGEJO_ACTIONS'] === 'true';
  const id = env[isGitea ? 'GITHUB_RUN_NUMBER' : 'GITHUB_RUN_ID'] ?? '';
  const isRun = env['GITHUB_ACTIONS'] === 'true' && /^[\w.-]+\/[\w.-]+$/.test(repository) && /^\d+$/.test(id);
  const address = isRun ? `${server.replace(/\/+$/, '')}/${repository}/actions/runs/${id}` : pipeline;
  // Nothing that Markdown or a chat could take for something else.
  const isPlain = /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[A-Za-z0-9._~%+-]*)*$/.test(address) && URL.canParse(address);
  return isPlain && address.length <= 500 ? address : undefined;
}
