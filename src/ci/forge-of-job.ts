import { withoutSlash } from '../api/slash.ts';
import type { Stop } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import { type PullRow, readSides } from '../forge/pulls.ts';
import type { Repository } from '../forge/repository.ts';
import type { Environment } from '../project/folder.ts';
import { printable } from '../render/printable.ts';
import { isGiteaRun, isRepositoryName } from '../project/pipeline-run.ts';

/** The pull request of a pipeline; GitLab calls it a merge request. */
interface PullRequest {
  readonly number: number;
  /** Its commits come from another repository, so its author may be a stranger. */
  readonly isFork: boolean;
  /** The last commit of its branch, when this run was started. */
  readonly head: string | undefined;
}

/** The forge that runs a pipeline, as its environment describes it, with the repository of the pipeline. */
export interface Forge extends Repository {
  /** The address of the generic packages that hold stored plans; undefined: it has artifacts. */
  readonly packages: string | undefined;
  readonly commit: string;
  readonly pull: PullRequest | undefined;
  /** The headers that read and write stored plans. */
  readonly storeHeaders: Readonly<Record<string, string>> | undefined;
}

/**
 * Reads the forge from the variables that its runner sets; undefined: no known forge runs this.
 *
 * @param event the text of the file that GITHUB_EVENT_PATH names; empty where there is none
 * @throws {Stop} `usage`, when a run for a pull request does not say which, or when strangers can start runs for its event
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
  const source = env['CI_PIPELINE_SOURCE'];
  if (number === undefined && !isOne(source, ofMembers.gitlab)) throw ofOthers(`CI_PIPELINE_SOURCE ${shown(source)}`);
  const from = given(env['CI_MERGE_REQUEST_SOURCE_PROJECT_ID']);
  const isFork = from === undefined || from !== env['CI_MERGE_REQUEST_PROJECT_ID'];
  const token = given(env['TRUEUP_FORGE_TOKEN']);
  const jobToken = given(env['CI_JOB_TOKEN']);
  return {
    name: 'gitlab',
    api: withoutSlash(api),
    packages: `${withoutSlash(api)}/projects/${project}/packages/generic`,
    repository: `/projects/${project}`,
    commit,
    pull:
      number === undefined
        ? undefined
        : { number, isFork, head: given(env['CI_MERGE_REQUEST_SOURCE_BRANCH_SHA']) ?? commit },
    token,
    storeHeaders: jobToken === undefined ? undefined : { 'job-token': jobToken },
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
  const content = readEvent(event);
  const eventName = env['GITHUB_EVENT_NAME'];
  // A comment and a review of any account have the pull request in their event, too.
  const pull = isOne(eventName, ofPulls) ? readPull(content) : undefined;
  if (pull === undefined && isOne(eventName, ofPulls)) {
    throw usage(
      'cannot tell whose pull request this is: GITHUB_EVENT_PATH names no event of one',
      'Let this step read the file of GITHUB_EVENT_PATH, such as by a volume of its container.',
    );
  }
  if (pull === undefined && !isOne(eventName, ofMembers.github) && !isRunOfMember(eventName, content))
    throw ofOthers(`the event ${shown(eventName)}`);
  const token = given(env['TRUEUP_FORGE_TOKEN']);
  const { GITHUB_SERVER_URL: server = '' } = env;
  const owner = repository.split('/')[0] ?? '';
  return {
    name: isGitea ? 'gitea' : 'github',
    api: withoutSlash(api),
    repository: `/repos/${repository}`,
    commit,
    packages: isGitea && isAddress(server) ? `${withoutSlash(server)}/api/packages/${owner}/generic` : undefined,
    pull,
    token,
    storeHeaders: isGitea && token !== undefined ? { authorization: `token ${token}` } : undefined,
  };
}

/** Events of a pull request. Without its event, one of a fork would look like a branch. */
const ofPulls = ['pull_request', 'pull_request_target', 'pull_request_sync'];

/**
 * What only members of a repository start, or its own schedule: a run for anything else may work on what a stranger wrote.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows and
 * https://docs.gitlab.com/ci/jobs/job_rules/#ci_pipeline_source-predefined-variable
 */
const ofMembers = {
  github: ['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'merge_group', 'release', 'deployment'],
  gitlab: ['push', 'schedule', 'web', 'webide', 'api', 'trigger', 'pipeline', 'parent_pipeline', 'chat'],
} as const;

/** An event, as far as it is read. */
interface Event {
  readonly pull_request?: PullRow;
  readonly workflow_run?: {
    readonly event?: unknown;
    readonly head_repository?: { readonly full_name?: unknown } | null;
  };
  readonly repository?: { readonly full_name?: unknown };
}

function readEvent(text: string): Event | undefined {
  try {
    return (JSON.parse(text === '' ? 'null' : text) as Event | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Whether a run follows another run, which a member started in the repository itself. */
function isRunOfMember(name: string | undefined, event: Event | undefined): boolean {
  const run = event?.workflow_run;
  const from = run?.head_repository?.full_name;
  return (
    name === 'workflow_run' &&
    from !== undefined &&
    from === event?.repository?.full_name &&
    isOne(run?.event, ofMembers.github)
  );
}

function isOne(value: unknown, words: readonly string[]): boolean {
  return typeof value === 'string' && words.includes(value);
}

function shown(word: string | undefined): string {
  return word === undefined || word === '' ? 'that is not set' : printable(word.slice(0, 64));
}

function ofOthers(what: string): Stop {
  return usage(
    `this run was started by ${what}: people outside of the repository may have chosen what it works on`,
    'Run trueup-ci for pull requests, pushes, schedules and runs that members start: docs/pipelines.md.',
  );
}

/** The member `pull_request` of an event: https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request */
function readPull(event: Event | undefined): PullRequest | undefined {
  const pull = event?.pull_request;
  if (typeof pull?.number !== 'number' || !Number.isSafeInteger(pull.number)) return undefined;
  const { isFork, head } = readSides({ name: 'github' }, pull);
  return { number: pull.number, isFork, head };
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
