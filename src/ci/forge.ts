import { withoutSlash } from '../api/slash.ts';
import { usage } from '../diagnostics/usage.ts';
import type { Environment } from '../project/folder.ts';
import { isGiteaRun, isRepositoryName } from '../project/forge-variables.ts';

/** The pull request of a pipeline; GitLab calls it a merge request. */
interface PullRequest {
  readonly number: number;
  /** Its commits come from another repository, so its author may be a stranger. */
  readonly isFork: boolean;
}

/** The forge that runs a pipeline, as its environment describes it. `gitea` is Gitea and Forgejo. */
export interface Forge {
  readonly name: 'github' | 'gitlab' | 'gitea';
  /** The address of its REST API, without a slash at the end. */
  readonly api: string;
  /** The address of the generic packages that hold stored plans; undefined: it has artifacts. */
  readonly packages?: string;
  /** The path of the repository below the API: `/repos/shop/infra`, `/projects/12`. */
  readonly repository: string;
  readonly commit: string;
  readonly pull?: PullRequest;
  /** The token that writes comments. */
  readonly token?: string;
  /** The headers that read and write stored plans. */
  readonly storeHeaders?: Readonly<Record<string, string>>;
}

/**
 * Reads the forge from the variables that its runner sets; undefined: no known forge runs this.
 *
 * @param event the text of the file that GITHUB_EVENT_PATH names; empty where there is none
 * @throws {Stop} `usage`, when a run for a pull request does not tell which
 */
export function readForge(env: Environment, event: string): Forge | undefined {
  if (env['GITLAB_CI'] === 'true') return gitlab(env);
  if (env['GITHUB_ACTIONS'] === 'true') return github(env, event);
  return undefined;
}

/** https://docs.gitlab.com/ci/variables/predefined_variables/ */
function gitlab(env: Environment): Forge | undefined {
  const { CI_API_V4_URL: api = '', CI_PROJECT_ID: project = '', CI_COMMIT_SHA: commit = '' } = env;
  if (!isAddress(api) || !/^\d+$/.test(project)) return undefined;
  const number = readNumber(env['CI_MERGE_REQUEST_IID']);
  const isFork = env['CI_MERGE_REQUEST_SOURCE_PROJECT_ID'] !== env['CI_MERGE_REQUEST_PROJECT_ID'];
  const token = given(env['TRUEUP_FORGE_TOKEN']);
  const jobToken = given(env['CI_JOB_TOKEN']);
  return {
    name: 'gitlab',
    api: withoutSlash(api),
    packages: `${withoutSlash(api)}/projects/${project}/packages/generic`,
    repository: `/projects/${project}`,
    commit,
    ...(number === undefined ? {} : { pull: { number, isFork } }),
    ...(token === undefined ? {} : { token }),
    ...(jobToken === undefined ? {} : { storeHeaders: { 'job-token': jobToken } }),
  };
}

/**
 * https://docs.github.com/en/actions/reference/workflows-and-actions/variables. Forgejo and Gitea set the same variables,
 * and one of their own.
 */
function github(env: Environment, event: string): Forge | undefined {
  const { GITHUB_API_URL: api = '', GITHUB_REPOSITORY: repository = '', GITHUB_SHA: commit = '' } = env;
  if (!isAddress(api) || !isRepositoryName(repository)) return undefined;
  const isGitea = isGiteaRun(env);
  const pull = readPull(event);
  if (pull === undefined && ofPulls.includes(env['GITHUB_EVENT_NAME'] ?? '')) {
    throw usage(
      'cannot tell whose pull request this is: GITHUB_EVENT_PATH names no event of one',
      'Let this step read the file of GITHUB_EVENT_PATH, such as by a volume of its container.',
    );
  }
  const token = given(env['TRUEUP_FORGE_TOKEN']);
  const { GITHUB_SERVER_URL: server = '' } = env;
  const owner = repository.split('/')[0] ?? '';
  return {
    name: isGitea ? 'gitea' : 'github',
    api: withoutSlash(api),
    ...(isGitea && isAddress(server) ? { packages: `${withoutSlash(server)}/api/packages/${owner}/generic` } : {}),
    repository: `/repos/${repository}`,
    commit,
    ...(pull === undefined ? {} : { pull }),
    ...(token === undefined ? {} : { token }),
    ...(isGitea && token !== undefined ? { storeHeaders: { authorization: `token ${token}` } } : {}),
  };
}

/** Events of a pull request. Without its event, one of a fork would look like a branch. */
const ofPulls = ['pull_request', 'pull_request_target', 'pull_request_sync'];

/** The member `pull_request` of an event: https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request */
function readPull(event: string): PullRequest | undefined {
  let content: unknown;
  try {
    content = JSON.parse(event === '' ? 'null' : event);
  } catch {
    return undefined;
  }
  interface Side {
    readonly repo?: { readonly full_name?: unknown } | null;
  }
  const pull = (content as { pull_request?: { number?: unknown; head?: Side; base?: Side } } | null)?.pull_request;
  if (typeof pull?.number !== 'number' || !Number.isSafeInteger(pull.number)) return undefined;
  const [head, base] = [pull.head?.repo?.full_name, pull.base?.repo?.full_name];
  // The repository of the commits was deleted: it was another one.
  return { number: pull.number, isFork: head === undefined || head !== base };
}

/** A variable that is set and not empty: pipelines pass what they do not have as an empty variable. */
function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function readNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function isAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}
