import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';

const holderSchema = z.object({ pid: z.number(), host: z.string(), purpose: z.string(), since: z.string() });
type Holder = z.output<typeof holderSchema>;

/** Keeps a second run out of a folder. A lock whose process is gone is taken over. */
export async function acquireLock(folder: string, purpose: string): Promise<{ release: () => Promise<void> }> {
  const path = join(folder, 'lock');
  try {
    await mkdir(folder, { recursive: true });
    for (let attempt = 0; attempt < 20; attempt++) {
      const taken = await claim(path, purpose);
      if (taken !== undefined) return taken;
      const present = await readLock(path);
      if (present === undefined) continue; // just released
      const { holder } = present;
      if (holder !== undefined && (holder.host !== hostname() || isAlive(holder.pid))) throw heldBy(holder);
      await removeStale(path, present);
    }
  } catch (error) {
    throw error instanceof Stop ? error : unusable(path, error);
  }
  throw locked(`the lock ${path} is being taken by somebody else`);
}

/** Makes the lock, when there is none. */
async function claim(path: string, purpose: string): Promise<{ release: () => Promise<void> } | undefined> {
  const draft = `${path}.${randomUUID()}`;
  const holder: Holder = { pid: process.pid, host: hostname(), purpose, since: new Date().toISOString() };
  try {
    // Linked and not written in place, so that nobody ever sees a lock without its holder.
    await writeFile(draft, JSON.stringify(holder), { mode: 0o600 });
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const mine = await readLock(path);
  return {
    release: async () => {
      const present = await readLock(path);
      // Somebody may have removed it by hand, and another run may be in.
      if (present?.identity === mine?.identity) await rm(path, { force: true });
    },
  };
}

/**
 * Removes a lock whose holder is gone. Of all who see this very lock only one may: who makes the file named after it.
 * Otherwise one could remove what another has just put in its place.
 */
async function removeStale(path: string, stale: Lock): Promise<void> {
  const mark = `${path}.over-${stale.identity}`;
  try {
    await writeFile(mark, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20)); // the other is about to be done
    return;
  }
  try {
    const present = await readLock(path);
    if (present?.identity === stale.identity) await rm(path, { force: true });
  } finally {
    await rm(mark, { force: true });
  }
}

interface Lock {
  /** undefined: nobody can be read out of it, as after a loss of power. */
  readonly holder: Holder | undefined;
  /** Tells this lock from any other that was or will be at its path. */
  readonly identity: string;
}

async function readLock(path: string): Promise<Lock | undefined> {
  let handle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { ino, birthtimeNs, mtimeNs } = await handle.stat({ bigint: true });
    return { holder: parseHolder(await handle.readFile('utf8')), identity: `${ino}-${birthtimeNs}-${mtimeNs}` };
  } finally {
    await handle.close();
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function heldBy({ pid, host, purpose, since }: Holder): Stop {
  return locked(`the state is locked by process ${pid} on ${host}, which runs ${purpose} since ${since}`);
}

function locked(message: string): Stop {
  return new Stop('locked', [
    diagnostic('locked', message, {
      remedy: 'Wait for it to end. If it is gone for good, delete the file named lock beside the state.',
    }),
  ]);
}

function unusable(path: string, cause: unknown): Stop {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown reason';
  return new Stop(
    'state',
    [
      diagnostic('state-unusable', `the lock ${path} cannot be made (${code})`, {
        remedy: 'The state needs a folder that can be written. Nothing was changed.',
      }),
    ],
    { cause },
  );
}
