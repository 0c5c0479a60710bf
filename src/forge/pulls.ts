import { callForgeJson, ForgeError } from './call-forge.ts';
import { type Repository, readCommit } from './repository.ts';

/** A pull request as the forge has it now. */
export interface PullState {
  readonly isOpen: boolean;
  /** The last commit of its branch. */
  readonly head: string;
}

/** Reads a pull request. @throws {ForgeError} also for an answer without state or commit */
export async function readPull(forge: Repository, number: number): Promise<PullState> {
  const path = `${listOf(forge)}/${number}`;
  const row = (await callForgeJson(forge, { method: 'GET', path })) as Row | null;
  const head = readCommit(forge.name === 'gitlab' ? row?.sha : row?.head?.sha);
  const state = row?.state;
  if (typeof state !== 'string' || head === undefined) {
    throw new ForgeError(200, `the forge answered GET ${path} without the state and the commit of a pull request`);
  }
  return { isOpen: state === openState(forge), head };
}

/** Most pull requests in one answer, and most answers that are read. */
const perPage = 50;
const maxPages = 200;

/**
 * Reads the numbers of all open pull requests. What closes meanwhile moves the others to earlier pages, so the list is read
 * twice.
 *
 * @throws {ForgeError} also for an answer that is no list, and where there are too many pages: the list would have gaps
 */
export async function listOpenPulls(forge: Repository): Promise<readonly number[]> {
  const found = new Set<number>();
  for (let round = 0; round < 2; round++) for (const number of await listOnce(forge)) found.add(number);
  return [...found].toSorted((a, b) => a - b);
}

async function listOnce(forge: Repository): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for (let page = 1; page <= maxPages; page++) {
    const size = `${forge.name === 'gitea' ? 'limit' : 'per_page'}=${perPage}`;
    const path = `${listOf(forge)}?state=${openState(forge)}&${size}&page=${page}`;
    const rows = await callForgeJson(forge, { method: 'GET', path });
    if (!Array.isArray(rows)) throw new ForgeError(200, `the forge answered GET ${listOf(forge)} without a list`);
    const before = found.size;
    for (const row of rows as readonly (Row | null)[]) found.add(numberOf(row, path));
    // Some servers have smaller pages, and some answer each page with all.
    if (rows.length === 0 || found.size === before) return found;
  }
  throw new ForgeError(200, `the forge has more than ${maxPages} pages of open pull requests`);
}

/** A pull request of GitHub, Forgejo and Gitea, or a merge request of GitLab, as far as it is read. */
interface Row {
  readonly number?: unknown;
  readonly iid?: unknown;
  readonly state?: unknown;
  readonly sha?: unknown;
  readonly head?: { readonly sha?: unknown } | null;
}

function numberOf(row: Row | null, path: string): number {
  const number = row?.iid ?? row?.number;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw new ForgeError(200, `the forge answered GET ${path} with a row without a number`);
}

function listOf({ name, repository }: Repository): string {
  return `${repository}/${name === 'gitlab' ? 'merge_requests' : 'pulls'}`;
}

function openState({ name }: Repository): string {
  return name === 'gitlab' ? 'opened' : 'open';
}
