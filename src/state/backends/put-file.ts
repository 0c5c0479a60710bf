import { dirname } from 'node:path';
import type { Disk, DiskFile } from '../disk.ts';

/** Replaces a file as a whole by a text in parts: after a crash it is the old one or the new one. The new one stays open. */
export async function putFile(
  disk: Disk,
  path: string,
  { parts, confirm }: { readonly parts: readonly string[]; readonly confirm?: () => Promise<void> },
): Promise<DiskFile> {
  const folder = dirname(path);
  const temporary = disk.nameBeside(path);
  await disk.makeFolder(folder);
  let handle: DiskFile | undefined;
  try {
    handle = await disk.create(temporary);
    for (const part of parts) await handle.append(part);
    await handle.sync();
    await confirm?.();
    await disk.rename(temporary, path);
    await disk.syncFolder(folder);
    return handle;
  } catch (error) {
    await handle?.close().catch(() => undefined);
    await disk.remove(temporary).catch(() => undefined); // the first error matters more
    throw error;
  }
}
