import { constants } from 'node:fs';
import { fstat, readFile, withOpen } from './files.ts';

/**
 * Reads a file of a repository, which may be somebody else's: never waits for a pipe, and reads no device.
 * Undefined: it is no file, or it has more bytes.
 * @throws as `open` does, such as ENOENT
 */
export async function readRegularFile(path: string, mostBytes: number): Promise<Buffer | undefined> {
  return withOpen(path, constants.O_RDONLY | constants.O_NONBLOCK, async (file) => {
    const found = await fstat(file);
    return found.isFile() && found.size <= mostBytes ? readFile(file) : undefined;
  });
}
