import { join } from 'node:path';
import { stop } from '../../diagnostics/diagnostic.ts';
import { reasonOf } from '../../diagnostics/disk-errors.ts';
import { type Disk, nodeDisk, remedyForState, throughDraft } from '../disk.ts';
import { type LeaseEntry, parseEntry } from '../lease-entry.ts';
import type { Register, Seen } from '../register.ts';

/**
 * A lease in the folder `lease` beside the state. Each version is a file named by its number; the highest one counts. A
 * file gets its name when it is complete, and each name is given once. Old files are removed later.
 */
export function folderRegister(folder: string, about: { readonly disk?: Disk; readonly of: string }): Register {
  const { disk = nodeDisk, of } = about;
  const location = join(folder, 'lease');
  return {
    of,
    look: () => look(disk, location).catch(unreadable(location)),
    isNewest: async ({ version }) => String(await newest(disk, location).catch(unreadable(location))) === version,
    swap: (seen, entry) => swap(disk, location, { seen, entry }).catch(unwritable(location)),
  };
}

async function look(disk: Disk, location: string): Promise<Seen | undefined> {
  for (let attempt = 1; ; attempt++) {
    const version = await newest(disk, location);
    if (version === 0) return undefined;
    const path = join(location, String(version));
    try {
      // A file torn by a loss of power names no holder; the loss ended the holder anyway.
      const entry = parseEntry(await disk.read(path)) ?? { counter: version, holder: null, past: null };
      return { entry, version: String(version), ageMs: await disk.ageOf(path) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 100) throw error; // a newer one is there
    }
  }
}

async function swap(
  disk: Disk,
  location: string,
  { seen, entry }: { seen: Seen | undefined; entry: LeaseEntry },
): Promise<Seen | undefined> {
  const version = Number(seen?.version ?? 0) + 1;
  const path = join(location, String(version));
  const draft = `${path}.${entry.holder?.id ?? 'nobody'}`;
  await disk.makeFolder(location);
  try {
    await throughDraft(disk, { draft, text: JSON.stringify(entry) }, () => disk.link(draft, path));
  } catch (error) {
    // ENOENT: faster runs removed the draft as a leftover.
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  // The name may be free again because it was given before and removed: then newer ones exist.
  if ((await newest(disk, location)) !== version) {
    await disk.remove(path);
    return undefined;
  }
  await removeOld(disk, location, version).catch(() => undefined);
  return { entry, version: String(version), ageMs: 0 };
}

async function newest(disk: Disk, location: string): Promise<number> {
  const names = await disk.list(location).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return Math.max(0, ...names.filter((name) => /^\d+$/.test(name)).map(Number));
}

/** Keeps two, so that a run that lists the folder at the same time finds one. */
async function removeOld(disk: Disk, location: string, version: number): Promise<void> {
  for (const name of await disk.list(location)) {
    if (Number.parseInt(name, 10) < version - 1) await disk.remove(join(location, name));
  }
}

/** A run reads its lock from its beginning to its end: what it sent before is reported with its result. */
function unreadable(location: string): (error: unknown) => never {
  return (error) => {
    const message = `the lock ${location} cannot be read (${reasonOf(error)})`;
    throw stop('state', 'state-unusable', message, {
      remedy: `${remedyForState(error)} Then run again.`,
      cause: error,
    });
  };
}

/** Only a run that begins reports that: one that cannot renew its lock loses it. */
function unwritable(location: string): (error: unknown) => never {
  return (error) => {
    const message = `the lock ${location} cannot be made (${reasonOf(error)})`;
    throw stop('state', 'state-unusable', message, {
      remedy: `${remedyForState(error)} Nothing was changed.`,
      cause: error,
    });
  };
}
