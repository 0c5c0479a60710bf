import { join } from 'node:path';
import { reasonOf } from '../../diagnostics/disk-errors.ts';
import { type Disk, remedyForState } from '../disk.ts';
import type { Documents } from '../named-documents.ts';
import { unusable } from '../unusable.ts';
import { putFile } from './put-file.ts';

const dayMs = 86_400_000;

/** Documents as files in a folder. */
export function folderDocuments(folder: string, disk: Disk): Documents {
  const failing = (path: string, what: string) => (error: unknown) => {
    const remedy = `${remedyForState(error)} Then run again. Nothing was overwritten.`;
    throw unusable(path, `${what} (${reasonOf(error)})`, { remedy, cause: error });
  };
  const orNone = (path: string, what: string) => (error: unknown) =>
    (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : failing(path, what)(error);
  return {
    put: async (name, text) => {
      const path = join(folder, name);
      const handle = await putFile(disk, path, { parts: [text] }).catch(failing(path, 'cannot be written'));
      await handle.close().catch(() => undefined); // its content is synced
      await removeLeft(disk, folder).catch(() => undefined);
    },
    get: (name) => disk.read(join(folder, name)).catch(orNone(join(folder, name), 'cannot be read')),
    remove: (name) => disk.remove(join(folder, name)).catch(failing(join(folder, name), 'cannot be removed')),
    list: async () => (await disk.list(folder).catch(orNone(folder, 'cannot be read'))) ?? [],
  };
}

/** Removes the drafts of killed runs. No lock guards documents: a draft that another run writes is younger than a day. */
async function removeLeft(disk: Disk, folder: string): Promise<void> {
  const drafts = (await disk.list(folder)).filter((name) => name.endsWith('.tmp'));
  for (const path of drafts.map((name) => join(folder, name))) {
    if ((await disk.ageOf(path)) > dayMs) await disk.remove(path);
  }
}
