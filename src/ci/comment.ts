import { callForge, callForgeJson, ForgeError } from './call.ts';
import type { Forge } from './forge.ts';

/** A comment of a pull request, as the forge lists it. */
interface Comment {
  readonly id: number;
  readonly body: string;
  readonly author: string;
}

/** Most comments in one answer, and most answers that are read. */
const perPage = 100;
const mostPages = 100;

/** The accounts of the tokens that a runner gets by itself; those may not ask who they are. */
const automatic: Readonly<Record<Forge['name'], readonly string[]>> = {
  github: ['github-actions[bot]'],
  gitlab: [],
  gitea: ['gitea-actions', 'forgejo-actions'],
};

/**
 * Writes the one comment of a pull request that has the first line of a text: replaces the comment that this account
 * wrote earlier, or writes a new one. A comment of another account is left alone, also with that line: its author could
 * change it afterwards.
 *
 * @throws {ForgeError}
 */
export async function writeComment(forge: Forge, pull: number, text: string): Promise<void> {
  const marker = text.slice(0, text.indexOf('\n') + 1);
  const own = await ownNames(forge);
  const comments = await listComments(forge, pull);
  const present = comments.find((one) => own.includes(one.author) && one.body.startsWith(marker));
  if (present?.body === text) return;
  const json = { body: text };
  if (present === undefined) await callForge(forge, { method: 'POST', path: listOf(forge, pull), json });
  else if (forge.name === 'gitlab') {
    await callForge(forge, { method: 'PUT', path: `${listOf(forge, pull)}/${present.id}`, json });
  } else {
    await callForge(forge, { method: 'PATCH', path: `${forge.repository}/issues/comments/${present.id}`, json });
  }
}

function listOf({ name, repository }: Forge, pull: number): string {
  return `${repository}/${name === 'gitlab' ? `merge_requests/${pull}/notes` : `issues/${pull}/comments`}`;
}

async function ownNames(forge: Forge): Promise<readonly string[]> {
  try {
    const user = (await callForgeJson(forge, { method: 'GET', path: '/user' })) as Author;
    return [nameOf(user)];
  } catch (error) {
    if (error instanceof ForgeError && (error.status === 403 || error.status === 404)) return automatic[forge.name];
    throw error;
  }
}

async function listComments(forge: Forge, pull: number): Promise<readonly Comment[]> {
  const found = new Map<number, Comment>();
  for (let page = 1; page <= mostPages; page++) {
    const query = `?page=${page}&${forge.name === 'gitea' ? 'limit' : 'per_page'}=${perPage}`;
    const rows = await callForgeJson(forge, { method: 'GET', path: listOf(forge, pull) + query });
    const comments = Array.isArray(rows) ? rows.map(readComment) : [];
    const before = found.size;
    for (const comment of comments) found.set(comment.id, comment);
    // Some servers have a smaller page, and some answer every page with all comments.
    if (comments.length === 0 || found.size === before) break;
  }
  return [...found.values()];
}

/** GitHub and Gitea name the author `user.login`, GitLab `author.username`. */
interface Author {
  readonly login?: unknown;
  readonly username?: unknown;
}

function readComment(row: unknown): Comment {
  const { id, body, user, author } = row as { id?: unknown; body?: unknown; user?: Author; author?: Author };
  return { id: Number(id), body: String(body ?? ''), author: nameOf(user ?? author) };
}

function nameOf(author: Author | undefined): string {
  return String(author?.login ?? author?.username ?? '');
}
