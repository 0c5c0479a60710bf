import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Reads a file of a repository, which may be somebody else's: never waits for a pipe, and reads no device.
 * Undefined: it is no file, or it has more bytes.
 * @throws as `open` does, such as ENOENT
 */
export async function readRegularFile(path: string, mostBytes: number): Promise<Buffer | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    return found.isFile() && found.size <= mostBytes ? await handle.readFile() : undefined;
  } finally {
    await handle.close();
  }
}
