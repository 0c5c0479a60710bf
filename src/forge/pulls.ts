import { ForgeError, callForge, callForgeJson } from './call-forge.ts';
import { readPages } from './pages.ts';
import { type Repository, readCommit } from './repository.ts';

/** A pull request as the forge has it now; GitLab calls it a merge request. */
export interface PullState {
  /** It is neither closed nor merged. GitLab locks one while it merges it, and that may fail. */
  readonly isOpen: boolean;
  /** The last commit of its branch. */
  readonly head: string;
}

/** Reads a pull request. @throws {ForgeError} also for an answer without state or commit */
export async function readPull(forge: Repository, number: number): Promise<PullState> {
  const path = pathOf(forge, number);
  const row = (await callForgeJson(forge, { method: 'GET', path })) as PullRow | null;
  const head = readCommit(forge.name === 'gitlab' ? row?.sha : row?.head?.sha);
  const state = row?.state;
  if (typeof state !== 'string' || head === undefined) {
    throw new ForgeError(200, `the forge answered GET ${path} without the state and the commit of a pull request`);
  }
  return { isOpen: state !== 'closed' && state !== 'merged', head };
}

/** A pull request that is open. */
export interface OpenPull {
  readonly number: number;
  /** Its commits come from another repository, or from no branch: its author may be a stranger. */
  readonly isFork: boolean;
  /** The last commit of its branch; undefined: the forge does not say. */
  readonly head: string | undefined;
  /** The names of its branch, and of the one that it is to be merged into. */
  readonly branch: string;
  readonly base: string;
  /** The name of who opened it at the forge; undefined: the forge does not say. */
  readonly author?: string | undefined;
}

/**
 * Reads all open pull requests, by number. What closes meanwhile moves the others to earlier pages, so the list is read twice.
 *
 * @throws {ForgeError} also for an answer that is no list, and where there are too many pages: the list would have gaps
 */
export async function listOpenPulls(forge: Repository): Promise<readonly OpenPull[]> {
  const found = new Map<number, OpenPull>();
  const path = `${pathOf(forge)}?state=${openState(forge)}`;
  const paging = { perPage: 50, maxPages: 200, keyOf: (row: unknown) => numberOf(row as PullRow | null, path) };
  for (let round = 0; round < 2; round++) {
    for (const row of await readPages(forge, path, paging)) {
      const number = numberOf(row as PullRow, path);
      found.set(number, { number, author: readAuthor(row as PullRow), ...readSides(forge, row as PullRow) });
    }
  }
  return [...found.values()].toSorted((a, b) => a.number - b.number);
}

function readAuthor({ user, author }: PullRow): string | undefined {
  const name = user?.login ?? author?.username;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** The text of a pull request. */
export interface PullText {
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

/**
 * Opens a pull request of a branch of the repository itself. Gives its number.
 *
 * @throws {ForgeError} 409 or 422, where the branch has one that is open
 */
export async function openPull(
  forge: Repository,
  { branch, base, title, body }: PullText & Pick<OpenPull, 'branch' | 'base'>,
): Promise<number> {
  const json =
    forge.name === 'gitlab'
      ? { source_branch: branch, target_branch: base, title, description: body }
      : { head: branch, base, title, body };
  const path = pathOf(forge);
  return numberOf((await callForgeJson(forge, { method: 'POST', path, json })) as PullRow | null, path);
}

/** Gives a pull request another text. @throws {ForgeError} */
export async function editPull(forge: Repository, number: number, { title, body }: PullText): Promise<void> {
  await change(forge, number, forge.name === 'gitlab' ? { title, description: body } : { title, body });
}

/** Closes a pull request, which is not merged. @throws {ForgeError} */
export async function closePull(forge: Repository, number: number): Promise<void> {
  await change(forge, number, forge.name === 'gitlab' ? { state_event: 'close' } : { state: 'closed' });
}

async function change(forge: Repository, number: number, json: unknown): Promise<void> {
  const method = forge.name === 'gitlab' ? 'PUT' : 'PATCH';
  await callForge(forge, { method, path: pathOf(forge, number), json });
}

/** A file that a pull request changes, as the forge lists it: by its names after and before. */
interface FileRow {
  readonly filename?: unknown;
  readonly previous_filename?: unknown;
  readonly new_path?: unknown;
  readonly old_path?: unknown;
}

/** Reads the paths of the files that a pull request changes, adds or removes. @throws {ForgeError} */
export async function changedFiles(forge: Repository, number: number): Promise<ReadonlySet<string>> {
  const path = `${pathOf(forge, number)}/${forge.name === 'gitlab' ? 'diffs' : 'files'}`;
  const rows = (await readPages(forge, path, { perPage: 100, maxPages: 100, keyOf: JSON.stringify })) as FileRow[];
  const names = rows.flatMap((row) => [row.filename, row.previous_filename, row.new_path, row.old_path]);
  return new Set(names.filter((name) => typeof name === 'string'));
}

/** A pull request of GitHub, Forgejo and Gitea, or a merge request of GitLab, as far as it is read. */
export interface PullRow {
  readonly number?: unknown;
  readonly iid?: unknown;
  readonly state?: unknown;
  readonly sha?: unknown;
  readonly head?: Side | null;
  readonly base?: Side | null;
  readonly user?: { readonly login?: unknown } | null;
  readonly author?: { readonly username?: unknown } | null;
  readonly source_branch?: unknown;
  readonly target_branch?: unknown;
  readonly source_project_id?: unknown;
  readonly target_project_id?: unknown;
}

interface Side {
  readonly ref?: unknown;
  readonly sha?: unknown;
  readonly repo?: { readonly full_name?: unknown } | null;
}

/** Reads where the commits of a pull request come from, and where they are to go. */
export function readSides({ name }: Pick<Repository, 'name'>, row: PullRow): Omit<OpenPull, 'number'> {
  if (name === 'gitlab') {
    const { source_project_id: from, target_project_id: to, source_branch: branch, target_branch: base, sha } = row;
    return {
      isFork: from === undefined || from === null || from !== to,
      head: readCommit(sha),
      branch: textOf(branch),
      base: textOf(base),
    };
  }
  const { head, base } = row;
  const [from, to] = [head?.repo?.full_name, base?.repo?.full_name];
  const branch = textOf(head?.ref);
  // The repository of the commits was deleted: it was another one. Whoever may read a repository of Forgejo or Gitea may push
  // there for a pull request, with no branch and no fork.
  const isFork = from === undefined || from !== to || branch.startsWith('refs/');
  return { isFork, head: readCommit(head?.sha), branch, base: textOf(base?.ref) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The highest number of a pull request: the database and the pages of the controller take no higher one. */
const maxNumber = 999_999_999;

function numberOf(row: PullRow | null, path: string): number {
  const number = row?.iid ?? row?.number;
  if (typeof number === 'number' && Number.isInteger(number) && number > 0 && number <= maxNumber) return number;
  const range = `from 1 to ${maxNumber}`;
  throw new ForgeError(200, `the forge answered ${path} with a row without a number of a pull request, ${range}`);
}

function pathOf({ name, repository }: Repository, number?: number): string {
  const list = `${repository}/${name === 'gitlab' ? 'merge_requests' : 'pulls'}`;
  return number === undefined ? list : `${list}/${number}`;
}

function openState({ name }: Repository): string {
  return name === 'gitlab' ? 'opened' : 'open';
}
