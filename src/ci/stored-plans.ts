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

async function fetchArtifact(forge: Forge, manifest: string, merged?: MergedPull): Promise<Buffer | undefined> {
  const path = `${forge.repository}/actions/artifacts?per_page=100&name=${artifactName(manifest)}`;
  const answer = (await callForgeJson(forge, { method: 'GET', path })) as { artifacts?: readonly Artifact[] };
  // A pull request from a fork may upload artifacts of any name.
  const own = (answer.artifacts ?? [])
    .filter(({ expired, workflow_run: run }) => !expired && run?.head_repository_id !== undefined)
    .filter(({ workflow_run: run }) => run?.head_repository_id === run?.repository_id)
    .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
  const ofHead = (head = '') => own.find(({ workflow_run: run }) => head !== '' && run?.head_sha === head);
  const newest = ofHead(forge.commit) ?? ofHead(merged?.head) ?? own[0];
  if (newest === undefined) return undefined;
  const archive = `${forge.repository}/actions/artifacts/${newest.id}/zip`;
  return readSingleFile(await callForge(forge, { method: 'GET', path: archive }), planFileName);
}
