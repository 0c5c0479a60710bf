import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isBelowFolder } from '../files/below.ts';
import { type Environment, findPlace } from '../project/folder.ts';
import { isGiteaRun, isPlainAddress, isRepositoryName } from '../project/pipeline-run.ts';
import type { ReviewSite } from '../render/report-links.ts';
import { type FileOptions, usage } from './settle-options.ts';
import type { Process } from './process.ts';

/** The options that choose where a report is read. */
type SiteOptions = Pick<FileOptions, 'directory' | 'file' | 'linkBase' | 'marker'>;

/**
 * Reads where a report is read: from options, else from what the runner of GitHub, GitLab, Forgejo or Gitea says of the
 * commit. A report about several root files is not the one of any of them.
 * @throws {Stop} `usage`
 */
export function readReviewSite(
  options: SiteOptions,
  { env, cwd }: Pick<Process, 'env' | 'cwd'>,
  files: 'all' | readonly string[] = [],
): ReviewSite {
  const { folder, file } = findPlace(resolve(cwd(), options.directory ?? '.'), options.file);
  const root = repositoryOf(folder) ?? checkoutOf(folder, env) ?? folder;
  const path = relative(root, folder).split(sep).join('/');
  const inside = path === '' ? '' : `${path}/`;
  const named = files === 'all' ? '*' : files.length < 2 ? file : files.join('\0');
  return {
    key: options.marker === undefined ? usualKey(inside + named, env) : readMarker(options.marker),
    folder: inside,
    file,
    links: options.linkBase === undefined ? forgeLinks(env) : { base: readBase('--link-base', options.linkBase) },
  };
}

/** The nearest folder that has a `.git`. */
function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  return dirname(folder) === folder ? undefined : repositoryOf(dirname(folder));
}

/** The folder that a runner checks a repository out into. */
function checkoutOf(folder: string, { GITHUB_WORKSPACE, CI_PROJECT_DIR }: Environment): string | undefined {
  const root = GITHUB_WORKSPACE ?? CI_PROJECT_DIR ?? '';
  return root !== '' && (root === folder || isBelowFolder(root, folder)) ? root : undefined;
}

/** The same for each run of a manifest with the same platform and state, whether the run succeeds or not. */
function usualKey(path: string, { TRUEUP_URL, TRUEUP_STATE_URL = '' }: Environment): string {
  const known = [path, TRUEUP_URL ?? '', withoutCredentials(TRUEUP_STATE_URL)];
  return createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 16);
}

/** The parts of the location of a state that choose it. */
function withoutCredentials(text: string): string {
  if (!URL.canParse(text)) return '';
  const { protocol, host, pathname, searchParams } = new URL(text);
  return JSON.stringify([protocol, host, pathname, searchParams.get('schema'), searchParams.get('name')]);
}

function readMarker(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text) && !text.includes('--')) return text;
  throw usage('--marker must have 1 to 64 letters, digits, ".", "_" or single "-", and begin with a letter or digit');
}

/** The links that the runner of a forge makes possible. Unset variables make none. */
function forgeLinks(env: Environment): ReviewSite['links'] {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_SHA, CI_PROJECT_URL, CI_COMMIT_SHA } = env;
  if (isSet(GITHUB_SERVER_URL) && isSet(GITHUB_REPOSITORY) && isSet(GITHUB_SHA)) {
    const server = readBase('GITHUB_SERVER_URL', GITHUB_SERVER_URL);
    if (!isRepositoryName(GITHUB_REPOSITORY)) throw hostile('GITHUB_REPOSITORY', 'owner/name');
    const base = `${server}${GITHUB_REPOSITORY}/${isGiteaRun(env) ? 'src/commit' : 'blob'}/`;
    return { base, commit: readCommitId('GITHUB_SHA', GITHUB_SHA) };
  }
  if (!isSet(CI_PROJECT_URL) || !isSet(CI_COMMIT_SHA)) return undefined;
  const base = `${readBase('CI_PROJECT_URL', CI_PROJECT_URL)}-/blob/`;
  return { base, commit: readCommitId('CI_COMMIT_SHA', CI_COMMIT_SHA) };
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** The value may hold a password, so no message shows it. */
function readBase(name: string, text: string): string {
  if (!isPlainAddress(text)) throw hostile(name, 'an http or https address without user, query and fragment');
  return text.endsWith('/') ? text : `${text}/`;
}

function readCommitId(name: string, text: string): string {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) return text;
  throw hostile(name, 'the id of a commit, 40 or 64 hexadecimal digits');
}

function hostile(name: string, what: string): Error {
  const remedy = name.startsWith('--') ? undefined : `Unset ${name}, or give --link-base.`;
  return usage(`${name} must be ${what}`, remedy);
}
