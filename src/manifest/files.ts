import * as fs from 'node:fs';
import { promisify } from 'node:util';

/** Reads of files. Node takes 2 ms to load `node:fs/promises`, which a run that only reads needs for nothing else. */

export const readFile = promisify(fs.readFile);
export const readdir = promisify(fs.readdir);
export const stat = promisify(fs.stat);

/** As `node:fs/promises` has it: the system resolves the links. */
export const realpath = promisify(fs.realpath.native);

/**
 * Opens a file and gives its descriptor to some work, then closes it.
 * @throws as `open` does, such as ENOENT
 */
export async function withOpen<T>(path: string, flags: number, work: (file: number) => Promise<T>): Promise<T> {
  const file = await open(path, flags);
  try {
    return await work(file);
  } finally {
    await close(file);
  }
}

/** Reads the type and the size of an open file. */
export const fstat = promisify(fs.fstat);

const open = promisify(fs.open);
const close = promisify(fs.close);
