import { usage } from '../diagnostics/usage.ts';
import type { Repository } from './repository.ts';

/** A repository, by the address that git has for it. */
interface Address {
  readonly url: string;
  /** The program of the forge. */
  readonly forge: 'github' | 'gitlab' | 'forgejo';
}

/** A repository, and the beginning of links to files of a commit of it, to pull requests, and to what one commit has over another. */
interface RepositoryAt extends Omit<Repository, 'token'> {
  /** With `/` at its end; the commit comes behind it. */
  readonly links: string;
  /** With `/` at its end; the number comes behind it. */
  readonly pulls: string;
  /** With `/` at its end; `BASE...COMMIT` comes behind it. */
  readonly compares: string;
}

/**
 * Where the API of a forge has a repository, by the address that git has for it. The token goes to the host of that address, or for
 * github.com to its API, over https.
 *
 * @throws {Stop} `usage`
 */
export function repositoryAt({ url, forge }: Address): RepositoryAt {
  const { origin, path } = placeOf(url) ?? {};
  const [, prefix = '', name = ''] = /^((?:.+\/)?)([^/]+\/[^/]+)$/.exec(path ?? '') ?? [];
  if (origin === undefined || path === undefined || name === '') {
    const remedy = 'Write https://HOST/OWNER/NAME.git or git@HOST:OWNER/NAME.git.';
    throw usage(`${url} is no address of a repository at a forge`, remedy);
  }
  if (forge === 'gitlab') {
    const page = `${origin}/${path}/-`;
    return {
      name: 'gitlab',
      api: `${origin}/api/v4`,
      repository: `/projects/${encodeURIComponent(path)}`,
      links: `${page}/blob/`,
      pulls: `${page}/merge_requests/`,
      compares: `${page}/compare/`,
    };
  }
  const compares = `${origin}/${path}/compare/`;
  const repository = `/repos/${name.split('/').map(encodeURIComponent).join('/')}`;
  // Forgejo may be in a folder of its host, and its repositories are never in one.
  if (forge === 'forgejo') {
    const [links, pulls] = [`${origin}/${path}/src/commit/`, `${origin}/${path}/pulls/`];
    return { name: 'gitea', api: `${origin}/${prefix}api/v1`, repository, links, pulls, compares };
  }
  const api = origin === 'https://github.com' ? 'https://api.github.com' : `${origin}/api/v3`;
  const [links, pulls] = [`${origin}/${path}/blob/`, `${origin}/${path}/pull/`];
  return { name: 'github', api, repository, links, pulls, compares };
}

/** The web server of an address of git, and the path there without `.git`. */
function placeOf(url: string): { readonly origin: string; readonly path: string } | undefined {
  const [, host, rest] = /^(?:[\w.+-]+@)?([\w.-]+):(?!\/\/)\/?(.+)$/.exec(url) ?? [];
  if (host !== undefined && rest !== undefined) return { origin: `https://${host}`, path: plainPath(rest) };
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, origin, pathname } = new URL(url);
  if (protocol === 'ssh:') return { origin: `https://${hostname}`, path: plainPath(pathname) };
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLocal);
  return isSafe ? { origin, path: plainPath(pathname) } : undefined;
}

function plainPath(path: string): string {
  return path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
}
