import type { Environment } from './folder.ts';

/** Returns true where Forgejo or Gitea runs a pipeline: they set the variables of GitHub too, and have other addresses. */
export function isGiteaRun(env: Environment): boolean {
  return env['GITEA_ACTIONS'] === 'true' || env['FORGEJO_ACTIONS'] === 'true';
}

/** Returns true for `owner/name`. */
export function isRepositoryName(text: string): boolean {
  return /^[\w.-]+\/[\w.-]+$/.test(text);
}

/** Returns true for an address without user, query and fragment, of which Markdown, HTML and chats take nothing for a sign. */
export function isPlainAddress(text: string): boolean {
  return /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[A-Za-z0-9._~%+-]*)*$/.test(text) && URL.canParse(text);
}
