import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Stop, stop } from '../diagnostics/diagnostic.ts';
import { reasonOf, remedyForDisk } from '../diagnostics/disk-errors.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { makeFolders, readNoPipe } from '../state/disk.ts';
import { type Drafts, removeDrafts, withDrafts } from './drafts.ts';
import { isLink } from '../files/regular-file.ts';
import { leavesWorkspace } from './links.ts';
import { withoutMark } from '../formats/utf8.ts';

/** A file that is to be written below a folder. */
export interface NewFile {
  /** Below the folder, with `/`. */
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Only this user can read it. */
  readonly isPrivate?: boolean;
  /** The content that it replaces; another content is not overwritten. */
  readonly replaces?: string | Uint8Array;
  /** The remedy where it has another content by now: `force` does not overwrite that. */
  readonly ifChanged?: string;
}

/**
 * Writes files below a folder, all or none: each as a draft first, then each renamed, in this order. A file that has its
 * content already stays, unless others can read it and must not. A run that is killed leaves files of which the last one,
 * which names them, is missing, and drafts that `withDrafts` keeps out of git.
 *
 * @throws {Stop} `refused`, when a file is there already, or leads out of the folder; nothing was written then.
 */
export async function writeFiles(
  folder: string,
  files: readonly NewFile[],
  { force = false, remedy }: { readonly force?: boolean; /** Where one is there. */ readonly remedy?: string } = {},
): Promise<void> {
  const found = await Promise.all(files.map(async (file) => ({ file, is: await findAt(folder, file) })));
  const isKept = ({ file }: { readonly file: NewFile }) => !force || file.ifChanged !== undefined;
  const links = found.filter(({ is }) => is === 'link');
  const taken = found.filter((one) => one.is === 'other' && isKept(one));
  if (links.length > 0 || taken.length > 0)
    throw refused(links.length > 0 ? links : taken, { areLinks: links.length > 0, remedy });
  const open = found.filter(({ is }) => is !== 'same').map(({ file, is }) => ({ ...file, isNew: is === 'none' }));
  if (open.length === 0) {
    await removeDrafts(folder);
    return;
  }
  const undo: { readonly of: string; readonly back: () => Promise<void> }[] = [];
  const stay: string[] = [];
  let path = '';
  try {
    await makeFolders(folder);
    const work = async ({ write }: Drafts) => {
      const drafts: { readonly from: string; readonly path: string; readonly isNew: boolean }[] = [];
      for (const { content, isNew, isPrivate = false, ...file } of open) {
        path = file.path;
        await makeFolders(dirname(join(folder, path)));
        const mode = isPrivate ? 0o600 : ((await modeAt(join(folder, path))) ?? newMode());
        drafts.push({ from: await write(content, mode), path, isNew });
      }
      // Drafts take long: another run may have written meanwhile.
      const now = await Promise.all(open.map(async (file) => ({ file, is: await findAt(folder, file) })));
      const isOther = ({ file, is }: (typeof now)[number]) =>
        is !== 'same' && is !== (file.isNew ? 'none' : 'replaced');
      const changed = now.filter((one) => isOther(one) && isKept(one));
      if (changed.length > 0) throw refused(changed, { areLinks: false, remedy });
      for (const { from, isNew, ...file } of drafts) {
        path = file.path;
        const place = join(folder, path);
        const before = isNew ? undefined : await readNoPipe(place);
        await rename(from, place);
        const back = async () => {
          if (before === undefined) return rm(place, { force: true });
          return rename(await write(before, (await modeAt(place)) ?? newMode()), place);
        };
        undo.push({ of: path, back });
      }
    };
    const orUndo = async (drafts: Drafts) =>
      work(drafts).catch(async (error: unknown) => {
        for (const { back, of } of undo.toReversed()) await back().catch(() => stay.push(of));
        throw error;
      });
    await withDrafts(folder, orUndo, { isAlone: true });
  } catch (error) {
    if (error instanceof Stop) throw error;
    const changed = stay.length === 0 ? 'nothing was changed' : `${someOf(stay)} is changed already`;
    throw stop('refused', 'file-unwritable', `cannot write ${join(folder, path)}: ${reasonOf(error)}; ${changed}`, {
      remedy: remedyForDisk(error) ?? 'Move what is in its place away, or choose another folder.',
      cause: error,
    });
  }
}

/** The rights of a file that is replaced; undefined: there is none. */
async function modeAt(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true ? found.mode & 0o777 : undefined;
}

/** The rights of a new file, as this user wants them. */
function newMode(): number {
  return 0o644 & ~process.umask();
}

/** What stands at the place of a file: nothing, the same, another file that may be replaced, one that may not, or a link. */
async function findAt(folder: string, { path, content, isPrivate = false, replaces }: NewFile) {
  const place = join(folder, path);
  if (leavesWorkspace(folder, place)) return 'link' as const;
  const seen = await lstat(place).catch(() => undefined);
  if (seen === undefined) return 'none' as const;
  if (!seen.isFile()) return seen.isSymbolicLink() ? ('link' as const) : ('other' as const);
  const present = await readFile(place);
  if (present.equals(bytesOf(content))) return isPrivate && (seen.mode & 0o077) !== 0 ? 'replaced' : 'same';
  return replaces !== undefined && present.equals(bytesOf(replaces)) ? ('replaced' as const) : ('other' as const);
}

function bytesOf(content: string | Uint8Array): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
}

/** The file of secrets that `secrets.env.example` and the docs name. */
const usualSecrets = 'secrets.env';

/**
 * The .gitignore of a folder with the lines that keep the state, `secrets.env` and other files of secrets out of git;
 * undefined where it has them. Lines are added at its end only. One that tells parts of `.trueup` apart, such as
 * `.trueup/*`, decides about the state.
 *
 * @throws {Stop} `refused`, when it is a link.
 */
export async function ignoring(folder: string, secretsPaths: readonly string[] = []): Promise<NewFile | undefined> {
  const path = '.gitignore';
  if (isLink(join(folder, path)))
    throw stop('refused', 'file-unwritable', `${path} is a link, and git reads none; nothing was written`, {
      remedy: 'Put a file with its lines in its place: git would take the secrets and the state.',
    });
  const before = await readFile(join(folder, path)).catch(() => undefined);
  const text = withoutMark(before?.toString('utf8') ?? '');
  // As git reads them: blanks at the end count only behind a backslash.
  const present = text.split(/\r?\n/).map((line) => line.replace(/(?:(?<![\\ ])|(?<=\\ )) +$/, ''));
  const missing: string[] = [];
  if (!present.some((line) => stateRule.test(line))) missing.push('.trueup/');
  for (const secretsPath of new Set([usualSecrets, ...secretsPaths])) {
    const line = ignoreLine(secretsPath);
    if (!present.includes(line) && !present.includes(line.slice(1))) missing.push(line);
  }
  if (missing.length === 0) return undefined;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = missing.map((line) => `${line}${end}`).join('');
  if (before === undefined) return { path, content: lines };
  const start = text === '' || text.endsWith('\n') ? '' : end;
  return { path, content: Buffer.concat([before, Buffer.from(`${start}${lines}`)]), replaces: before };
}

/** A line about the whole of `.trueup`, or about what of it is kept. */
const stateRule = /^!?(?:\*\*\/|\/)?\.trueup(?:\/?|\/\*{1,2})$|^!(?:\*\*\/|\/)?\.trueup\//;

function refused(
  found: readonly { readonly file: NewFile }[],
  { areLinks, remedy = exportElsewhere }: { readonly areLinks: boolean; readonly remedy?: string | undefined },
): Stop {
  const paths = found.map(({ file }) => file.path);
  const shown = someOf(paths, 5);
  const message = areLinks ? `${shown}: a link leads elsewhere` : `${shown}: there already, with another content`;
  return stop('refused', 'file-unwritable', `${message}; nothing was written`, {
    remedy: areLinks ? 'Remove the link.' : (found.find(({ file }) => file.ifChanged)?.file.ifChanged ?? remedy),
  });
}

const exportElsewhere =
  'trueup export --out DIR exports into another folder, --unmanaged beside a manifest; --force replaces what is there.';

/**
 * Works on a folder, and removes what a failure leaves of it: the folder itself, and the lock of a local state in it, where
 * neither was there before. Anything else in it stays.
 *
 * @throws whatever `work` throws.
 */
export async function leavingNothing<T>(
  { folder, stateFolder }: { readonly folder: string; readonly stateFolder: string },
  work: () => Promise<T>,
): Promise<T> {
  const [hadFolder, hadState] = [existsSync(folder), existsSync(stateFolder)];
  try {
    return await work();
  } catch (error) {
    // What another run puts there meanwhile is no empty folder.
    if (!hadState) await removeLock(stateFolder).catch(() => undefined);
    if (!hadFolder) await rmdir(folder).catch(() => undefined);
    throw error;
  }
}

/** Removes a lock without a holder, version by version: one that is newer by now stays, and the folder with it. */
async function removeLock(stateFolder: string): Promise<void> {
  const folder = join(stateFolder, 'lease');
  if ((await readdir(stateFolder)).join() !== 'lease') return;
  const versions = (await readdir(folder)).toSorted((a, b) => Number(a) - Number(b));
  const newest = versions.at(-1);
  if (newest === undefined || !/"holder":null/.test(await readFile(join(folder, newest), 'utf8'))) return;
  for (const version of versions) await unlink(join(folder, version));
  await rmdir(folder);
  await rmdir(stateFolder);
}

/** The line of a .gitignore that matches one path below its folder, whatever characters it has. */
export function ignoreLine(path: string): string {
  const escaped = path
    .replaceAll(/[\\[\]*?!#]/g, String.raw`\$&`)
    .replace(/(?<! ) +$/, (blanks) => blanks.replaceAll(' ', String.raw`\ `));
  // No line can hold these.
  return `/${escaped.replaceAll(/[\r\n]/g, '?')}`;
}
