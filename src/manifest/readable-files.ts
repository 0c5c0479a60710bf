import { realpathSync } from 'node:fs';
import { join, normalize, relative, sep } from 'node:path';
import { shellWord } from '../diagnostics/shell-word.ts';
import { matchesGlob } from '../formats/glob.ts';
import { readRepositories } from '../git/repository.ts';
import { indexEntries, isContentOf, tracksBelow, unreadableIndex } from '../git/tracked.ts';
import { credentialRule, isEnvFile } from './private-names.ts';

/** Which files of a workspace a run may read: by their names, and by what git tracks. */

/** The reason why a file cannot be used; with a remedy where the file may hold secrets. */
export interface FileProblem {
  readonly problem: string;
  readonly isPrivate?: { readonly remedy: string };
  /** The next step, where the disk shows it. */
  readonly remedy?: string | undefined;
  /** There is none yet, at a path that may be used. */
  readonly isMissing?: true;
  /** A link leads out of the workspace. */
  readonly isLink?: true;
}

/** A file of the workspace: the real path of the folder with the last name that was written, and the real path. */
export interface FilePlace {
  readonly named: string;
  readonly real: string;
  /** The reason why it is read only where git tracks it. */
  readonly doubt?: FileProblem;
}

/** The files that a run may read. */
export interface FileLimit {
  /** The reason why the run is pinned: of what git tracks it reads only the content that git tracks; undefined: it is not. */
  readonly why?: string | undefined;
  /** Patterns of paths below the root, with `/`: files that git need not track. */
  readonly allowed: readonly string[];
}

/** Refuses a file by one of its names; a doubt ends where git tracks the file. */
export function refusedByName(
  path: string,
  names: readonly string[],
  purpose: 'a source of secrets' | { readonly limit: FileLimit },
): { readonly problem: FileProblem; readonly isDoubt: boolean } | undefined {
  let doubt: FileProblem | undefined;
  for (const file of names) {
    const name = withSlashes(file);
    const rule = credentialRule(name);
    if (rule === undefined) continue;
    const { glob, readBy } = rule;
    const isRead =
      purpose === 'a source of secrets'
        ? readBy === 'git' || isEnvFile(glob)
        : readBy !== 'nothing' && purpose.limit.allowed.includes(name);
    if (isRead) continue;
    const another = 'Write ${secret:NAME} for a secret. Give a file without credentials another name';
    const remedy =
      readBy === 'nothing' || purpose === 'a source of secrets'
        ? `${another}.`
        : `${another}, or set TRUEUP_FILE_ALLOW=${allowing(purpose.limit, [name])}.`;
    const problem = { problem: `${leading(path, file)} may hold credentials (rule: ${glob})`, isPrivate: { remedy } };
    if (readBy !== 'git') return { problem, isDoubt: false };
    doubt ??= problem;
  }
  return doubt === undefined ? undefined : { problem: doubt, isDoubt: true };
}

/** Refuses what its name puts in doubt, where git is not asked. */
export const doubts: Inspect = (_path, { doubt }) => doubt;

/** Finds why a file must not be read, or without that why its content must not be used. */
export type Inspect = (path: string, place: FilePlace, bytes?: Uint8Array) => FileProblem | undefined;

/**
 * Refuses what git does not track: this machine has it, and whoever wrote the manifest may not know it. In a pinned run also
 * content that is not the one that git tracks: the pipeline made it. Outside of a repository, and in a folder in which git
 * tracks nothing yet, only a pinned run refuses it.
 */
export async function inspectTracked(root: string, places: readonly FilePlace[], limit: FileLimit): Promise<Inspect> {
  const repositoryAt = readRepositories();
  if (places.length === 0 || (limit.why === undefined && !(await tracksBelow(root, repositoryAt)))) return doubts;
  const entries = await indexEntries(
    places.map(({ real }) => real),
    { root, repositoryAt },
  );
  const isAllowed = (file: string) => limit.allowed.some((pattern) => matchesGlob(pattern, withSlashes(file)));
  const untracked = places
    .filter(({ real }) => entries.get(real)?.is === 'untracked')
    .map(({ real }) => relative(root, real))
    .filter((file) => !isAllowed(file));
  return (path, { real }, bytes) => {
    const file = relative(root, real);
    if (isAllowed(file)) return undefined;
    const entry = entries.get(real) ?? { is: 'untracked' };
    const name = leading(path, file);
    const refused = (problem: string, ...remedies: readonly string[]) => ({
      problem: limit.why === undefined ? problem : `${problem}; only tracked files are read, because ${limit.why}`,
      isPrivate: { remedy: ['Write ${secret:NAME} for a secret.', ...remedies].join(' ') },
    });
    if (entry.is === 'unreadable') {
      const { problem, remedy } = unreadableIndex(file);
      return refused(problem, remedy, ...(limit.why === undefined ? [] : [allowIt]));
    }
    if (limit.why === undefined) {
      if (entry.is === 'tracked') return undefined;
      const others = untracked.length > maxNamed ? [file] : [...new Set(untracked)].toSorted();
      const allow = `TRUEUP_FILE_ALLOW=${allowing(limit, others)}`;
      return refused(
        `${name} is not tracked by git and may hold secrets of this machine`,
        `For files without secrets: ${gitAdd(root, others)}, or set ${allow}.`,
      );
    }
    if (entry.is === 'untracked') {
      return refused(
        `${name} is not tracked by git and may hold secrets of the pipeline`,
        'Commit a file without secrets. In a checkout without .git, give --no-pinned or set TRUEUP_PINNED=false.',
        allowIt,
      );
    }
    if (bytes === undefined || isContentOf(bytes, entry.digest)) return undefined;
    return refused(`${name} differs from the file that git tracks and may hold secrets of the pipeline`, allowIt);
  };
}

const allowIt = 'For a file without secrets that the pipeline makes, add its path to TRUEUP_FILE_ALLOW.';

/** Most files that one command adds to git. */
const maxNamed = 20;

/** The command that adds files of a folder to git, from the current folder. */
function gitAdd(root: string, files: readonly string[]): string {
  const git = root === process.cwd() ? ['git'] : ['git', '-C', root];
  return [...git, 'add', ...files].map(shellWord).join(' ');
}

/**
 * The command that adds new files to git, so that a run that is not pinned reads them; undefined: it reads them as they are.
 * @param files paths below the folder
 */
export async function addToGit(folder: string, files: readonly string[]): Promise<string | undefined> {
  const root = realpathSync.native(folder);
  const repositoryAt = readRepositories();
  if (!(await tracksBelow(root, repositoryAt))) return undefined;
  const entries = await indexEntries(
    files.map((file) => join(root, file)),
    { root, repositoryAt },
  );
  const isTracked = [...entries.values()].every(({ is }) => is === 'tracked');
  return isTracked ? undefined : gitAdd(root, [...new Set(files.map((file) => file.split(/[\\/]/, 1)[0] ?? file))]);
}

/** The value of TRUEUP_FILE_ALLOW that allows more files, as a word of a shell. */
function allowing({ allowed }: FileLimit, files: readonly string[]): string {
  return shellWord([...allowed, ...files.map(withSlashes)].join(','));
}

function withSlashes(path: string): string {
  return path.split(sep).join('/');
}

/** Names a file, and where the link leads by which it was written. */
function leading(path: string, file: string): string {
  return file === normalize(path) ? path : `${path} leads to ${file}, which`;
}
