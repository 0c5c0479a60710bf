import { stop } from '../diagnostics/diagnostic.ts';
import { type Project, manifestDocument, Stop } from '../index.ts';
import type { Checkouts } from './checkouts.ts';
import { errorText } from './error-text.ts';
import { type Fingerprint, folderOf, pathsOf } from './fingerprint.ts';
import { type Opening, openStack } from './open-stack.ts';
import { problemText } from './problem-text.ts';
import type { PlatformRecord, Records, SourceRecord, StackRecord } from './records/all.ts';
import { RunStopped, watched } from './watch-run.ts';

/** What the runs of a worker share. */
export interface Running extends Opening {
  readonly records: Records;
  readonly checkouts: Checkouts;
  /** Hears of what failed without a run failing by it. */
  readonly onError: (error: unknown) => void;
  /** Names this worker in runs. */
  readonly worker: string;
  /** The site of its platforms; 0: those that are bound to no labels. */
  readonly site: number;
}

/** How a run of a stack ends for the queue: it is over, or something is to be done for the stack in some seconds. */
export type Ending =
  | { readonly is: 'over' }
  | { readonly is: 'again'; readonly as: 'stack' | 'follow'; readonly afterSeconds: number };

/** One stack with the files of a commit. */
export interface StackRun {
  readonly stack: StackRecord;
  readonly source: SourceRecord;
  /** The commit that it wants, also where its files are read at a newer one; of a preview that is to be removed, the one that it was made from. */
  readonly commit: string;
  readonly signal: AbortSignal;
  readonly project: Project;
  /** The digest of what its manifest wants. */
  readonly digest: string;
}

/**
 * Opens the project of a stack at the commit that it wants, or was made from, works, and closes it. Where another run has the lock of
 * its state, it is to be done again as what it is; where its platform is of another site, by a worker of that.
 *
 * @throws what failed, which the row of the stack says then: the queue calls again later
 */
export async function withStack(
  running: Running,
  { stack, as, signal }: { readonly stack: StackRecord; readonly as: 'stack' | 'follow'; readonly signal: AbortSignal },
  work: Work,
): Promise<Ending> {
  const { records, checkouts } = running;
  const commit = stack.ends === null ? stack.wanted : stack.made;
  if (stack.site !== running.site) return { is: 'again', as, afterSeconds: 0 };
  const [source, platform] = await Promise.all([records.source(stack.source), records.platform(stack.platform)]);
  if (source === undefined || platform === undefined || commit === null) return { is: 'over' };
  // The address that this run works at, also where the platform got another one since the stack was read.
  const about = { stack: { ...stack, url: platform.url }, source, as, signal };
  try {
    const at = (read: string, work: Work) =>
      checkouts.at(
        source,
        read,
        (folder, fingerprint) =>
          inFolder(
            running,
            { ...about, commit: stack.ends === null ? commit : read, read, platform, folder, fingerprint },
            work,
          ),
        folderOf(stack.path),
      );
    if (stack.ends !== null) return await atEither(at, { stack, source, commit, signal }, work);
    return await at(stack.read ?? commit, work);
  } catch (error) {
    if (error instanceof RunStopped) return { is: 'over' };
    if (error instanceof Stop && error.failure === 'locked') {
      const { expiresInMs = 5_000 } = error.holder ?? {};
      return { is: 'again', as, afterSeconds: Math.max(1, Math.ceil(expiresInMs / 1_000)) };
    }
    // What its worker stops has not failed: another one does it.
    if (!signal.aborted) {
      const ending = error instanceof Stop ? error.failure : 'failed';
      await records.stackFailed(stack.id, { problem: problemText(error), commit, ending });
    }
    throw error;
  }
}

type Work = (run: StackRun) => Promise<Ending>;

/**
 * Opens a preview that is to be removed at the commit that it was made from, or, where that is gone or cannot be read, at the one that
 * its source has: of its file only the settings count, and its state has its own name.
 *
 * @throws {Stop} `refused`, where neither can be read
 */
async function atEither(
  at: (commit: string, work: Work) => Promise<Ending>,
  { stack: { id, path }, source, commit, signal }: Pick<StackRun, 'stack' | 'source' | 'commit' | 'signal'>,
  work: Work,
): Promise<Ending> {
  let isOpen = false;
  const once: Work = (run) => {
    isOpen = true;
    return work(run);
  };
  try {
    return await at(commit, once);
  } catch (first) {
    if (isOpen || signal.aborted || source.commit === null) throw first;
    return await at(source.commit, once).catch((second: unknown) => {
      if (isOpen || signal.aborted) throw second;
      const message = `the preview ${id} is to be removed, and its file cannot be read at the commit that it was made from, nor at that of the source`;
      const details = [first, second].map(errorText);
      const remedy = `Have git answer, or bring ${path} with preview: back on ${source.ref}, without platform:.`;
      throw stop('refused', 'file-unreadable', `${message}: ${details.join('; ')}`, { remedy });
    });
  }
}

interface Place extends Pick<StackRun, 'stack' | 'source' | 'commit' | 'signal'> {
  readonly as: 'stack' | 'follow';
  readonly platform: PlatformRecord;
  /** The commit whose files are in the folder. */
  readonly read: string;
  readonly folder: string;
  readonly fingerprint: Fingerprint;
}

async function inFolder(running: Running, place: Place, work: Work): Promise<Ending> {
  const { stack, source, commit, as, signal } = place;
  const { platform, folder } = place;
  const { id, path, pull, ends } = stack;
  const open = () => openStack(running, { id, path, pull, platform, folder, destroys: ends !== null });
  const project = await (ends === null ? noted(running, place, open) : open());
  const close = (): void => void project.close().catch(() => undefined);
  signal.addEventListener('abort', close);
  try {
    const { digest } = manifestDocument(project.manifest);
    if (pull === null && !(await hasSameFiles(running, place, project))) return { is: 'again', as, afterSeconds: 0 };
    return await work({ stack, source, commit, signal, project, digest });
  } finally {
    signal.removeEventListener('abort', close);
    await project.close();
  }
}

/** Notes what a stack reads; false: at the commit that is read it has not what it has at the one that it wants. */
async function hasSameFiles(
  { records }: Running,
  { stack, commit, read, fingerprint }: Place,
  { manifest }: Project,
): Promise<boolean> {
  const reads = pathsOf(manifest, stack.path);
  const now = fingerprint({ path: stack.path, reads });
  if (now === stack.fingerprint) return true;
  if (read === commit) await records.reads(stack, { wanted: commit, reads, fingerprint: now });
  else await records.readsOther(stack, read);
  return read === commit;
}

/** Does what comes before a run, such as to read a manifest: a failure of it is that of a plan, for the history and the wave. */
async function noted<T>(running: Running, { stack, commit, signal }: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || (error instanceof Stop && error.failure === 'locked')) throw error;
    const { records, worker } = running;
    const run = await records.beginRun(stack, { kind: 'plan', cause: 'commit', commit, worker });
    return watched(running, { run, signal }, () => Promise.reject(error as Error));
  }
}
