import { stop } from '../diagnostics/diagnostic.ts';
import { callForge, callForgeJson, ForgeError } from '../forge/call-forge.ts';
import type { Forge } from './forge-of-job.ts';
import { readSingleFile } from './zip.ts';

/** The name of a plan file, also in its artifact. */
export const planFileName = 'plan.trueup';

/** The name of the artifact, or of the package, that holds the plan of a manifest. */
export function artifactName(manifest: string): string {
  return `trueup-plan-${manifest}`;
}

/** A pull request that was merged. */
export interface MergedPull {
  readonly number: number;
  /** The last commit of its branch, where the forge returns it. */
  readonly head?: string | undefined;
  /** The account that opened it, where the forge returns it. */
  readonly author?: string | undefined;
}

/**
 * Stores a plan for the pipeline that applies it: as files of a generic package. On GitHub the action uploads an
 * artifact instead, for which there is no endpoint.
 *
 * @throws {ForgeError}
 */
export async function storePlan(forge: Forge, manifest: string, plan: Uint8Array): Promise<void> {
  const { packages, pull, commit } = forge;
  if (packages === undefined) return;
  const own = pull === undefined ? fileOf.commit(commit) : fileOf.pull(pull.number);
  for (const file of [own, planFileName]) await storeFile(forge, packagePath(packages, manifest, file), plan);
}

async function storeFile(forge: Forge, path: string, plan: Uint8Array): Promise<void> {
  const headers = forge.storeHeaders ?? {};
  const put = () => callForge(forge, { method: 'PUT', path, bytes: plan, headers });
  try {
    await put();
  } catch (error) {
    // Forgejo and Gitea never replace a file: an earlier run of this pull request stored one.
    if (!(error instanceof ForgeError) || error.status !== 409) throw error;
    await callForge(forge, { method: 'DELETE', path, headers });
    await put();
  }
}

/**
 * Fetches the newest stored plan of a manifest: the one of the applied commit itself, else that of the pull request that
 * was merged, which its reviewers saw, else any. undefined: there is none.
 *
 * @throws {ForgeError} @throws {Stop} `refused`, when artifacts of forks stand before one that may be there
 */
export async function fetchPlan(forge: Forge, manifest: string, merged?: MergedPull): Promise<Buffer | undefined> {
  const { packages, commit } = forge;
  if (packages === undefined) return fetchArtifact(forge, manifest, merged);
  const ofPull = merged === undefined ? [] : [fileOf.pull(merged.number)];
  for (const file of [fileOf.commit(commit), ...ofPull, planFileName]) {
    const found = await fetchFile(forge, packagePath(packages, manifest, file));
    if (found !== undefined) return found;
  }
  return undefined;
}

async function fetchFile(forge: Forge, path: string): Promise<Buffer | undefined> {
  try {
    return await callForge(forge, { method: 'GET', path, headers: forge.storeHeaders ?? {} });
  } catch (error) {
    if (error instanceof ForgeError && error.status === 404) return undefined;
    throw error;
  }
}

/** The files of a package: two pull requests can have the same content, and plans that differ. */
const fileOf = {
  commit: (commit: string) => `commit-${commit}.trueup`,
  pull: (number: number) => `pull-${number}.trueup`,
} as const;

/**
 * GitLab: https://docs.gitlab.com/user/packages/generic_packages/. Forgejo and Gitea:
 * https://forgejo.org/docs/latest/user/packages/generic/
 */
function packagePath(packages: string, manifest: string, file: string): string {
  return `${packages}/trueup-plan/${manifest}/${file}`;
}

/** An artifact: https://docs.github.com/en/rest/actions/artifacts */
interface Artifact {
  readonly id: number;
  readonly name: string;
  readonly expired: boolean;
  readonly created_at: string;
  readonly workflow_run?: {
    readonly repository_id?: number;
    readonly head_repository_id?: number;
    /** Of a pull request, the last commit of its branch. */
    readonly head_sha?: string;
  } | null;
}

/** A run of a workflow: https://docs.github.com/en/rest/actions/workflow-runs */
interface Run {
  readonly id: number;
  readonly head_sha?: string;
  readonly repository?: { readonly id?: number };
  readonly head_repository?: { readonly id?: number } | null;
}

/** Rows in one answer, and most answers of one list that are read: GitHub ends a search for runs behind 1,000. */
const perPage = 100;
const maxPages = 10;

/**
 * Whoever opens a pull request can upload any number of artifacts of any name, and start runs of any public commit. A fork
 * starts no run by a push to the repository, by hand, or in the name of another author: those are searched first.
 */
async function fetchArtifact(forge: Forge, manifest: string, merged?: MergedPull): Promise<Buffer | undefined> {
  const name = artifactName(manifest);
  const found = await findArtifact(forge, name, merged);
  if (found === undefined) return undefined;
  const archive = `${forge.repository}/actions/artifacts/${found.id}/zip`;
  return readSingleFile(await callForge(forge, { method: 'GET', path: archive }), planFileName);
}

async function findArtifact(forge: Forge, name: string, merged?: MergedPull): Promise<Artifact | undefined> {
  const { commit } = forge;
  const { head = '', author = '' } = merged ?? {};
  const ofName = (page: number) => listArtifacts(forge, 'artifacts', { name, page });
  let rows = await ofName(1);
  if (rows.length < perPage) {
    const own = newestFirst(rows);
    const ofHead = (sha: string) => own.find(({ workflow_run: run }) => sha !== '' && run?.head_sha === sha);
    return ofHead(commit) ?? ofHead(head) ?? own[0];
  }
  const searches = [
    { head_sha: commit, event: 'workflow_dispatch' },
    { head_sha: commit, event: 'push' },
    { head_sha: commit },
    ...(author === '' ? [] : [{ head_sha: head, actor: author }]),
    { head_sha: head },
  ];
  for (const search of searches.filter((one) => one.head_sha !== '')) {
    const found = await findInRuns(forge, name, search);
    if (found !== undefined) return found;
  }
  for (let page = 1; page <= maxPages; page++) {
    const [newest] = newestFirst(rows);
    if (newest !== undefined || rows.length < perPage) return newest;
    rows = await ofName(page + 1);
  }
  const message = `forks uploaded too many artifacts ${name} to find one of another commit; nothing was sent`;
  const remedy = 'Run the plan job for this commit, review it, and run this job again.';
  throw stop('refused', 'plan-outdated', message, { remedy });
}

/** The newest artifact of a name that the runs of a search uploaded. */
async function findInRuns(
  forge: Forge,
  name: string,
  search: Readonly<Record<string, string>> & { readonly head_sha: string },
): Promise<Artifact | undefined> {
  const found: Artifact[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const answer = (await getPage(forge, 'runs', { ...search, page })) as { workflow_runs?: readonly Run[] };
    const runs = answer.workflow_runs ?? [];
    for (const { id, head_sha: sha, repository, head_repository: from } of runs) {
      if (sha !== search.head_sha || from?.id === undefined || from.id !== repository?.id) continue;
      found.push(...(await listArtifacts(forge, `runs/${id}/artifacts`, { name, page: 1 })));
    }
    if (runs.length < perPage) break;
  }
  return newestFirst(found.filter((one) => one.name === name))[0];
}

async function listArtifacts(
  forge: Forge,
  list: string,
  query: Readonly<Record<string, string | number>>,
): Promise<readonly Artifact[]> {
  const answer = (await getPage(forge, list, query)) as { artifacts?: readonly Artifact[] };
  return answer.artifacts ?? [];
}

function getPage(forge: Forge, list: string, query: Readonly<Record<string, string | number>>): Promise<unknown> {
  const words = Object.entries({ per_page: perPage, ...query }).map(([key, value]): [string, string] => [
    key,
    String(value),
  ]);
  return callForgeJson(forge, {
    method: 'GET',
    path: `${forge.repository}/actions/${list}?${new URLSearchParams(words).toString()}`,
  });
}

/** The artifacts that runs of the repository itself uploaded, and no run of a fork. */
function newestFirst(artifacts: readonly Artifact[]): Artifact[] {
  const isOwn = ({ expired, workflow_run: run }: Artifact) =>
    !expired && run?.head_repository_id !== undefined && run.head_repository_id === run.repository_id;
  return artifacts.filter(isOwn).toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
}
