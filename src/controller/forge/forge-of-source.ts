import { ForgeError, callForge } from '../../forge/call-forge.ts';
import { repositoryAt } from '../../forge/repository-at.ts';
import type { Repository } from '../../forge/repository.ts';
import { problemText } from '../problem-text.ts';
import type { SourceRecord } from '../records/all.ts';
import { readNamedSecret } from '../secret-file.ts';
import type { Running } from '../run-stack.ts';
import { isOfDatabase } from '../transaction.ts';
import type { Pusher } from './push-branch.ts';

/** What the work at forges needs. */
export interface AtForge extends Running {
  readonly pusher: Pusher;
}

/** The repository of a source at its forge. */
export type SourceForge = Repository & Pick<ReturnType<typeof repositoryAt>, 'links'>;

/**
 * Works with the forge of a source, with the token that its file has now; where it names no forge or no token, there is nothing to
 * do. A forge that does not answer, or takes no more requests, is left alone for as long as it says, or a minute. What the database
 * refuses is not noted of the forge.
 *
 * @throws what is no {ForgeError}
 */
export async function withForge(
  { records }: Pick<AtForge, 'records'>,
  id: string,
  work: (forge: SourceForge, source: SourceRecord) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const source = await records.source(id);
  if (source === undefined || source.forge === 'none' || source.forgeTokenFile === null) return;
  if (await records.forgeRests(id)) return;
  const { url, forge, forgeTokenFile } = source;
  try {
    const token = await readNamedSecret(forgeTokenFile);
    await work({ ...repositoryAt({ url, forge }), token }, source);
    await records.forgeAnswered(id);
  } catch (error) {
    signal?.throwIfAborted();
    if (isOfDatabase(error)) throw error;
    // A token that lost its rights is looked at by a person.
    const isRefused = error instanceof ForgeError && (error.status === 401 || error.status === 403);
    const waitSeconds = error instanceof ForgeError ? error.waitSeconds : undefined;
    await records.forgeAnswered(id, problemText(error), waitSeconds ?? (isRefused ? 600 : 60));
    if (!(error instanceof ForgeError)) throw error;
  }
}

/**
 * Why a forge does not take one request. It takes others: it still gives the repository.
 *
 * @throws what is no refusal of a forge, and what keeps it from taking any request
 */
export async function refusalOf(forge: Repository, error: unknown): Promise<string> {
  if (!(error instanceof ForgeError) || error.status === 429 || error.waitSeconds !== undefined) throw error;
  await callForge(forge, { method: 'GET', path: forge.repository });
  return problemText(error);
}
