import { callForge, callForgeJson, ForgeError } from './call.ts';
import type { Forge } from './forge.ts';
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
  /** The last commit of its branch, where the forge tells it. */
  readonly head?: string;
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
 * @throws {ForgeError}
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
  readonly expired: boolean;
  readonly created_at: string;
  readonly workflow_run?: {
    readonly repository_id?: number;
    readonly head_repository_id?: number;
    /** Of a pull request, the last commit of its branch. */
    readonly head_sha?: string;
  } | null;
}

/** Artifacts in one answer, and most answers that are read: whoever opens a pull request can upload some of any name. */
const perPage = 100;
const maxPages = 50;

/** @throws {ForgeError} also where artifacts of forks fill so many answers that a plan behind them would be missed. */
async function fetchArtifact(forge: Forge, manifest: string, merged?: MergedPull): Promise<Buffer | undefined> {
  const heads = [forge.commit, merged?.head ?? ''].filter((head) => head !== '');
  const own: Artifact[] = [];
  for (let page = 1; ; page++) {
    if (page > maxPages) throw new ForgeError(0, `the forge lists too many artifacts ${artifactName(manifest)}`);
    const path = `${forge.repository}/actions/artifacts?per_page=${perPage}&page=${page}&name=${artifactName(manifest)}`;
    const answer = (await callForgeJson(forge, { method: 'GET', path })) as { artifacts?: readonly Artifact[] };
    const artifacts = answer.artifacts ?? [];
    own.push(...artifacts.filter(isOwn));
    // That of the commit itself goes before all others.
    if (artifacts.length < perPage || own.some((one) => one.workflow_run?.head_sha === heads[0])) break;
  }
  const newest = own.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
  const ofHead = (head: string) => newest.find(({ workflow_run: run }) => run?.head_sha === head);
  const found = [...heads.map(ofHead), ...newest].find((one) => one !== undefined);
  if (found === undefined) return undefined;
  const archive = `${forge.repository}/actions/artifacts/${found.id}/zip`;
  return readSingleFile(await callForge(forge, { method: 'GET', path: archive }), planFileName);
}

/** Whether a run of the repository itself uploaded an artifact, and not one of a fork. */
function isOwn({ expired, workflow_run: run }: Artifact): boolean {
  return !expired && run?.head_repository_id !== undefined && run.head_repository_id === run.repository_id;
}
