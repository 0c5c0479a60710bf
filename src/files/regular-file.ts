import { constants, lstatSync } from 'node:fs';
import { close, fstat, open, readFile } from './read.ts';

/**
 * Opens a file of a repository, which may be another person's, for some work: never waits for a pipe, and reads no device.
 * Undefined: it is no file.
 * @throws as `open` does, such as ENOENT
 */
export async function withRegularFile<T>(
  path: string,
  work: (file: number, size: number) => Promise<T>,
): Promise<T | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await fstat(file);
    return found.isFile() ? await work(file, found.size) : undefined;
  } finally {
    await close(file);
  }
}

/** Reads such a file as a whole. Undefined: it is no file, or it has more bytes. @throws as `open` does, such as ENOENT */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer | undefined> {
  return withRegularFile(path, async (file, size) => (size <= maxBytes ? readFile(file) : undefined));
}

/** Whether a path is a link, also to nothing. One that cannot be reached is none: what uses it fails with the reason. Never throws. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
