import * as fs from 'node:fs';
import { promisify } from 'node:util';

/** Reads of files. Node takes 2 ms to load `node:fs/promises`, which a run that only reads needs for nothing else. */

export const readFile = promisify(fs.readFile);
export const readdir = promisify(fs.readdir);
export const stat = promisify(fs.stat);

/** As `node:fs/promises` has it: the system resolves the links. */
export const realpath = promisify(fs.realpath.native);

export const open = promisify(fs.open);
export const close = promisify(fs.close);

/** Reads the type and the size of an open file. */
export const fstat = promisify(fs.fstat);

/** Reads a part of an open file. */
export const read = promisify(fs.read);
