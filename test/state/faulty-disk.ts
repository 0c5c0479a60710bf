import type { Disk, DiskFile } from '../../src/state/disk.ts';

/** Disks that fail, as seen by one process. */

/** Comes before each operation; what it gives comes instead of the operation, and what it throws is its failure. */
export type Hook = (operation: Operation, work: () => Promise<unknown>) => Promise<unknown>;

/** An operation of a disk, and the file that it is about. */
export interface Operation {
  readonly name: Exclude<keyof Disk, 'nameBeside'> | keyof DiskFile;
  readonly path: string;
  /** What it appends. */
  readonly text?: string;
  /** Appends only the beginning. */
  readonly tear?: (length: number) => Promise<void>;
}

/** A disk with a hook before each of its operations. */
export function hooked(disk: Disk, hook: Hook): Disk {
  const on = <T>(operation: Operation, work: () => Promise<T>) => hook(operation, work) as Promise<T>;
  return {
    nameBeside: disk.nameBeside,
    makeFolder: (path) => on({ name: 'makeFolder', path }, () => disk.makeFolder(path)),
    read: (path) => on({ name: 'read', path }, () => disk.read(path)),
    readPrivate: (path) => on({ name: 'readPrivate', path }, () => disk.readPrivate(path)),
    list: (path) => on({ name: 'list', path }, () => disk.list(path)),
    rename: (from, to) => on({ name: 'rename', path: to }, () => disk.rename(from, to)),
    link: (from, to) => on({ name: 'link', path: to }, () => disk.link(from, to)),
    remove: (path) => on({ name: 'remove', path }, () => disk.remove(path)),
    syncFolder: (path) => on({ name: 'syncFolder', path }, () => disk.syncFolder(path)),
    ageOf: (path) => on({ name: 'ageOf', path }, () => disk.ageOf(path)),
    create: async (path) => {
      const file = await on({ name: 'create', path }, () => disk.create(path));
      return {
        append: (text) =>
          on({ name: 'append', path, text, tear: (length) => file.append(text.slice(0, length)) }, () =>
            file.append(text),
          ),
        sync: () => on({ name: 'sync', path }, () => file.sync()),
        close: () => on({ name: 'close', path }, () => file.close()),
      };
    },
  };
}

/** What a disk says when it fails. */
export function diskError(code: string): Error {
  return Object.assign(new Error(`${code}: it failed`), { code });
}
