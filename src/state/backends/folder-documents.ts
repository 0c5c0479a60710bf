import { join } from 'node:path';
import { type Disk, reasonOf } from '../disk.ts';
import type { Documents } from '../named-documents.ts';
import { unusable } from '../unusable.ts';
import { putFile } from './put-file.ts';

/** Documents as files in a folder. */
export function folderDocuments(folder: string, disk: Disk): Documents {
  const failing = (path: string, what: string) => (error: unknown) => {
    const remedy = 'Fix that, and run again. Nothing was overwritten.';
    throw unusable(path, `${what} (${reasonOf(error)})`, { remedy, cause: error });
  };
  const orNone = (path: string, what: string) => (error: unknown) =>
    (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : failing(path, what)(error);
  return {
    put: async (name, text) => {
      const path = join(folder, name);
      const handle = await putFile(disk, path, { parts: [text] }).catch(failing(path, 'cannot be written'));
      await handle.close().catch(() => undefined); // its content is synced
    },
    get: (name) => disk.read(join(folder, name)).catch(orNone(join(folder, name), 'cannot be read')),
    remove: (name) => disk.remove(join(folder, name)).catch(failing(join(folder, name), 'cannot be removed')),
    list: async () => (await disk.list(folder).catch(orNone(folder, 'cannot be read'))) ?? [],
  };
}
