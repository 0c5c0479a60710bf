import { callForge, callForgeJson, ForgeError } from './call-forge.ts';
import { readPages } from './pages.ts';
import type { Repository } from './repository.ts';

/** A comment of a pull request, as the forge lists it. */
interface Comment {
  readonly id: number;
  readonly body: string;
  readonly author: Author;
}

/**
 * Whether an account is that of the tokens that a runner gets by itself, which may not ask who they are. A name is no proof:
 * people register names, but neither a bot of GitHub nor the id of the account that Gitea and Forgejo make themselves.
 */
const isAutomatic: Readonly<Record<Repository['name'], (author: Author) => boolean>> = {
  github: ({ login, type }) => login === 'github-actions[bot]' && type === 'Bot',
  gitlab: () => false,
  gitea: ({ login, id }) => (login === 'gitea-actions' || login === 'forgejo-actions') && id === -2,
};

/**
 * Writes the one comment of a pull request that has the first line of a text: replaces the comment that this account
 * wrote earlier, or writes a new one. A comment of another account is left alone, also with that line: its author could
 * change it afterwards.
 *
 * @throws {ForgeError}
 */
export async function writeComment(forge: Repository, pull: number, text: string): Promise<void> {
  const firstLine = text.slice(0, text.indexOf('\n') + 1);
  const isOwn = await ownAccount(forge);
  const comments = await listComments(forge, pull);
  const present = comments.find((one) => isOwn(one.author) && one.body.startsWith(firstLine));
  if (present?.body === text) return;
  const json = { body: text };
  if (present === undefined) await callForge(forge, { method: 'POST', path: listOf(forge, pull), json });
  else if (forge.name === 'gitlab') {
    await callForge(forge, { method: 'PUT', path: `${listOf(forge, pull)}/${present.id}`, json });
  } else {
    await callForge(forge, { method: 'PATCH', path: `${forge.repository}/issues/comments/${present.id}`, json });
  }
}

function listOf({ name, repository }: Repository, pull: number): string {
  return `${repository}/${name === 'gitlab' ? `merge_requests/${pull}/notes` : `issues/${pull}/comments`}`;
}

/** Recognises the account of the token by its id: a name can be given up, and registered by another. */
async function ownAccount(forge: Repository): Promise<(author: Author) => boolean> {
  try {
    const { id } = (await callForgeJson(forge, { method: 'GET', path: '/user' })) as Author;
    return (author) => typeof id === 'number' && author.id === id;
  } catch (error) {
    if (error instanceof ForgeError && (error.status === 403 || error.status === 404)) return isAutomatic[forge.name];
    throw error;
  }
}

async function listComments(forge: Repository, pull: number): Promise<readonly Comment[]> {
  const keyOf = (row: unknown): number => readComment(row).id;
  return (await readPages(forge, listOf(forge, pull), { perPage: 100, maxPages: 100, keyOf })).map(readComment);
}

/** An account, as far as it is read. GitHub and Gitea name an author `user`, GitLab `author`. */
interface Author {
  readonly id?: unknown;
  readonly login?: unknown;
  /** Of GitHub: `User`, `Bot`. */
  readonly type?: unknown;
}

function readComment(row: unknown): Comment {
  const { id, body, user, author } = row as { id?: unknown; body?: unknown; user?: Author; author?: Author };
  return { id: Number(id), body: String(body ?? ''), author: user ?? author ?? {} };
}
