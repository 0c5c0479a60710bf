import { basename, dirname } from 'node:path';
import type { Disk } from '../../../src/state/disk.ts';
import { diskError } from '../../state/faulty-disk.ts';

/** The files of a disk at one moment, and when each was written. */
export type Files = ReadonlyMap<string, { readonly text: string; readonly at: number }>;

/** A disk in memory that keeps what a process wrote to it, whatever becomes of the process. */
export interface MemoryDisk {
  readonly disk: Disk;
  readonly files: () => Files;
}

/** Makes a disk with some files; `step` comes before each operation that changes anything, and is told of it. */
export function memoryDisk(
  begin: Files,
  {
    now,
    step = () => Promise.resolve(),
  }: {
    /** Milliseconds. */
    readonly now: () => number;
    readonly step?: (change: { readonly path: string; readonly appended?: string }) => Promise<void>;
  },
): MemoryDisk {
  const files = new Map(begin);
  let drafts = 0;
  const fileAt = (path: string) => {
    const file = files.get(path);
    if (file === undefined) throw diskError('ENOENT');
    return file;
  };
  const disk: Disk = {
    nameBeside: (path) => `${path}.${++drafts}.tmp`,
    makeFolder: () => Promise.resolve(),
    read: (path) => promised(() => fileAt(path).text),
    readPrivate: (path) => promised(() => fileAt(path).text),
    list: (path) =>
      promised(() => [...files.keys()].filter((name) => dirname(name) === path).map((name) => basename(name))),
    create: async (created) => {
      await step({ path: created });
      let file = { text: '', at: now() };
      files.set(created, file);
      const pathOf = () => [...files].find(([, one]) => one === file)?.[0]; // it may have been renamed
      return {
        append: async (appended) => {
          await step({ path: pathOf() ?? created, appended });
          const path = pathOf();
          file = { text: file.text + appended, at: now() };
          if (path !== undefined) files.set(path, file);
        },
        sync: () => Promise.resolve(),
        close: () => Promise.resolve(),
      };
    },
    rename: async (from, to) => {
      await step({ path: to });
      files.set(to, fileAt(from));
      files.delete(from);
    },
    link: async (from, to) => {
      await step({ path: to });
      if (files.has(to)) throw diskError('EEXIST');
      files.set(to, fileAt(from));
    },
    remove: async (path) => {
      await step({ path });
      files.delete(path);
    },
    syncFolder: () => Promise.resolve(),
    ageOf: (path) => promised(() => now() - fileAt(path).at),
  };
  return { disk, files: () => new Map(files) };
}

function promised<T>(work: () => T): Promise<T> {
  return Promise.resolve().then(work);
}
