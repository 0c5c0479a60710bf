import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { isoTime } from '../state/clock.ts';
import { commonFolder, resolveHead } from './commit.ts';
import { gitEnvironment } from './run-git.ts';
import { readRepositories, readText, repositoryAround } from './repository.ts';

/** The commit that changed a line last. */
interface LineCommit {
  readonly is: 'committed';
  /** The digest of the commit, in hexadecimal. */
  readonly commit: string;
  readonly author: string;
  /** When its author made it: an ISO date in UTC. */
  readonly date: string;
  /** The first line of its message. */
  readonly subject: string;
}

/** Where a line comes from. */
export type LineOrigin = LineCommit | { readonly is: 'not committed' };

/** The longest that git may take. Milliseconds. */
const limitMs = 10_000;
/** Most bytes that git may say about one line. */
const maxBytes = 1024 * 1024;

/**
 * Finds the commit that changed a line of a file last, with `git blame`. The repository may belong to another user, so git never
 * sees its `.git`: it runs in an empty folder of its own, with a configuration of Trueup's, and reads nothing of the
 * repository but its objects. Undefined: there is no repository around it, no git, or git does not know. Never throws.
 * @param file a path that exists
 * @param text the text of the file
 * @param line counts from 1
 */
export async function lineOrigin(file: string, text: string, line: number): Promise<LineOrigin | undefined> {
  try {
    const real = await realpath(file);
    const { root, git, head = '' } = (await repositoryAround(dirname(real), readRepositories())) ?? {};
    if (root === undefined || git === undefined) return undefined;
    const common = await commonFolder(git);
    const id = await resolveHead(head, common);
    if (id === undefined) return undefined;
    const path = relative(root, real).split(sep).join('/');
    return await inOwnFolder({ id, common }, (folder) => blame({ folder, common, root, path, text, line }));
  } catch {
    return undefined;
  }
}

/** Makes a repository without objects whose HEAD is a commit, and removes it after the work. */
async function inOwnFolder<T>(
  { id, common }: { readonly id: string; readonly common: string },
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'trueup-blame-'));
  try {
    for (const name of ['git/objects', 'git/refs', 'tree']) await mkdir(join(folder, name), { recursive: true });
    const format =
      id.length === 64
        ? '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n'
        : '[core]\n\trepositoryformatversion = 0\n';
    await writeFile(join(folder, 'git/config'), format);
    await writeFile(join(folder, 'git/HEAD'), `${id}\n`);
    // Without it, the history of a shallow clone ends in commits that are missing.
    const shallow = await readText(join(common, 'shallow'), maxBytes);
    if (shallow !== undefined && /^[0-9a-f\n]+$/.test(shallow)) await writeFile(join(folder, 'git/shallow'), shallow);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Blame {
  readonly folder: string;
  /** The folder with the objects of the repository. */
  readonly common: string;
  /** The folder at which the work tree of the repository begins. */
  readonly root: string;
  /** The path of the file in the repository. */
  readonly path: string;
  readonly text: string;
  readonly line: number;
}

async function blame({ folder, common, root, path, text, line }: Blame): Promise<LineOrigin | undefined> {
  const place = `${line},${line}`;
  // Where git converts line ends, the repository has others than the file.
  const ends = text.includes('\r\n') ? ['-w'] : [];
  const args = ['blame', '--porcelain', '--no-textconv', ...ends, '-L', place, '--contents', '-', '--', path];
  const env = {
    ...(await gitEnvironment(root, folder)),
    GIT_DIR: join(folder, 'git'),
    GIT_WORK_TREE: join(folder, 'tree'),
    GIT_OBJECT_DIRECTORY: join(common, 'objects'),
    GIT_ALLOW_PROTOCOL: 'none',
  };
  return new Promise((resolve) => {
    const options = {
      cwd: join(folder, 'tree'),
      env,
      timeout: limitMs,
      maxBuffer: maxBytes,
      encoding: 'utf8',
    } as const;
    const child = execFile('git', args, options, (error, stdout, stderr) => {
      if (error === null) resolve(parseOrigin(stdout));
      else resolve(/^fatal: no such path /m.test(stderr) ? { is: 'not committed' } : undefined);
    });
    child.stdin?.on('error', () => {}).end(text);
  });
}

/** Reads what `git blame --porcelain` says about one line. */
function parseOrigin(porcelain: string): LineOrigin | undefined {
  const [first = '', ...lines] = porcelain.split('\n');
  const commit = /^([0-9a-f]{40}|[0-9a-f]{64}) /.exec(first)?.[1];
  if (commit === undefined) return undefined;
  if (/^0+$/.test(commit)) return { is: 'not committed' };
  const about = (name: string) => lines.find((one) => one.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
  const date = isoTime(Number(about('author-time')) * 1000).slice(0, 10);
  return { is: 'committed', commit, author: about('author'), date, subject: about('summary') };
}
