import { callForge, callForgeJson, ForgeError } from './call.ts';
import type { Forge } from './forge.ts';
import { readSingleFile } from './zip.ts';

/** The name of a plan file, also in its artifact. */
export const planFileName = 'plan.trueup';

/** The name of the artifact, or of the package, that holds the plan of a manifest. */
export function artifactName(manifest: string): string {
  return `trueup-plan-${manifest}`;
}

/**
 * Stores a plan for the pipeline that applies it: as a file of a generic package. On GitHub the action uploads an
 * artifact instead, for which there is no endpoint.
 *
 * @throws {ForgeError}
 */
export async function storePlan(forge: Forge, manifest: string, plan: Uint8Array): Promise<void> {
  const path = packagePath(forge, manifest);
  if (path === undefined) return;
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

/** Fetches the newest stored plan of a manifest; undefined: there is none. @throws {ForgeError} */
export async function fetchPlan(forge: Forge, manifest: string): Promise<Buffer | undefined> {
  const path = packagePath(forge, manifest);
  if (path === undefined) return fetchArtifact(forge, manifest);
  try {
    return await callForge(forge, { method: 'GET', path, headers: forge.storeHeaders ?? {} });
  } catch (error) {
    if (error instanceof ForgeError && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * GitLab: https://docs.gitlab.com/user/packages/generic_packages/. Forgejo and Gitea:
 * https://forgejo.org/docs/latest/user/packages/generic/
 */
function packagePath({ packages }: Forge, manifest: string): string | undefined {
  return packages === undefined ? undefined : `${packages}/trueup-plan/${manifest}/${planFileName}`;
}

/** An artifact: https://docs.github.com/en/rest/actions/artifacts */
interface Artifact {
  readonly id: number;
  readonly expired: boolean;
  readonly created_at: string;
  readonly workflow_run?: { readonly repository_id?: number; readonly head_repository_id?: number } | null;
}

async function fetchArtifact(forge: Forge, manifest: string): Promise<Buffer | undefined> {
  const path = `${forge.repository}/actions/artifacts?per_page=100&name=${artifactName(manifest)}`;
  const answer = (await callForgeJson(forge, { method: 'GET', path })) as { artifacts?: readonly Artifact[] };
  // A pull request from a fork may upload artifacts of any name.
  const [newest] = (answer.artifacts ?? [])
    .filter(({ expired, workflow_run: run }) => !expired && run?.head_repository_id !== undefined)
    .filter(({ workflow_run: run }) => run?.head_repository_id === run?.repository_id)
    .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
  if (newest === undefined) return undefined;
  const archive = `${forge.repository}/actions/artifacts/${newest.id}/zip`;
  return readSingleFile(await callForge(forge, { method: 'GET', path: archive }), planFileName);
}
