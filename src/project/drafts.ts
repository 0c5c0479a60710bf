import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readdir, rm, rmdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../api/sleep.ts';
import { isLeftBy } from '../state/host.ts';

/** A folder for drafts of files, beside them. */
export interface Drafts {
  /** Writes a draft that only this user can read, unless `mode` says otherwise, and gives its path. It is on the disk then. */
  readonly write: (content: string | Uint8Array, mode?: number) => Promise<string>;
}

/**
 * Gives `work` a folder for drafts, and removes it afterwards. git ignores it. `isAlone`: one run of this machine at a time
 * does such work in `folder`.
 *
 * @throws whatever `work` throws, and errors of the file system.
 */
export async function withDrafts<T>(
  folder: string,
  work: (drafts: Drafts) => Promise<T>,
  { isAlone = false } = {},
): Promise<T> {
  const inFolder = async (own: string): Promise<T> => {
    await writeDurably(join(own, '.gitignore'), '*\n', 0o600);
    let count = 0;
    return work({
      write: async (content, mode = 0o600) => {
        const path = join(own, String(++count));
        await writeDurably(path, content, mode);
        return path;
      },
    });
  };
  return inDraftFolder(folder, inFolder, { isAlone });
}

/**
 * Gives `work` a new folder in `folder`, and removes it afterwards. Only this user can enter it, so what a killed run leaves
 * there is in no commit; the next run that writes into `folder` removes it. `isAlone`: as `withDrafts` has it.
 *
 * @throws whatever `work` throws, and errors of the file system.
 */
export async function inDraftFolder<T>(
  folder: string,
  work: (own: string) => Promise<T>,
  { isAlone = false } = {},
): Promise<T> {
  await removeDrafts(folder);
  const name = await makeOwn(folder, isAlone);
  const own = join(folder, name);
  try {
    return await work(own);
  } finally {
    await rm(own, { recursive: true, force: true }).catch(() => undefined);
    inUse.delete(name);
  }
}

/**
 * Makes the folder of this run, and gives its name. Alone, it takes it away again while another run has one: of two that make
 * theirs at the same time, at least one finds the other. It waits 5 s at most, because drafts take milliseconds: what is there
 * longer may belong to a killed run, whose pid another program has by now.
 */
async function makeOwn(folder: string, isAlone: boolean): Promise<string> {
  for (const until = Date.now() + 5_000; ;) {
    const name = `${start}${process.pid}-${thisHost()}-${randomUUID().slice(0, 8)}`;
    inUse.add(name);
    try {
      // Neither a link nor a folder that is there already.
      await mkdir(join(folder, name), { mode: 0o700 });
      if (!isAlone || Date.now() >= until || !(await hasOthers(folder, name))) return name;
      await rmdir(join(folder, name));
    } catch (error) {
      inUse.delete(name);
      throw error;
    }
    inUse.delete(name);
    await sleep(10 + Math.random() * 40);
  }
}

/** Whether another run of this machine has drafts in a folder. */
async function hasOthers(folder: string, own: string): Promise<boolean> {
  return (await readdir(folder)).some((name) => {
    const [, pid = '', of] = form.exec(name) ?? [];
    return name !== own && of === thisHost() && (inUse.has(name) || !isLeftBy(Number(pid)));
  });
}

const start = '.trueup-draft-';
const form = /^\.trueup-draft-(\d+)-([0-9a-f]{8})-[0-9a-f]{8}$/;
/** The folders that runs of this process use. */
const inUse = new Set<string>();
const dayMs = 86_400_000;

function thisHost(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

/**
 * Removes the drafts of killed runs: of processes of this machine that are gone, and what is older than a day, because another
 * program may have the pid by then. Never throws.
 */
export async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid = '', of = ''] = form.exec(name) ?? [];
    if (pid === '' || inUse.has(name)) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory() !== true) continue;
    const isLeft = (of === thisHost() && isLeftBy(Number(pid))) || Date.now() - found.mtimeMs > dayMs;
    if (isLeft) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function writeDurably(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(content);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
