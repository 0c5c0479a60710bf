import { basename, dirname } from 'node:path';
import type { Disk } from '../../src/state/disk.ts';
import { diskError } from './faulty-disk.ts';

/** A disk in memory that can lose power: what was not synced may be lost then, in any way that a real one loses it. */

/** What is there of what was not synced when the power comes back. */
export type Survives = 'nothing' | 'everything' | 'names' | 'contents' | 'half';

interface Content {
  text: string;
  synced: string;
}

/** Makes such a disk. */
export function losingDisk(): { readonly disk: Disk; readonly lose: (survives: Survives) => void } {
  /** The names as programs see them, and as they are after a loss of power. */
  let names = new Map<string, Content>();
  let synced = new Map<string, Content>();
  let drafts = 0;

  const contentOf = (path: string): Content => {
    const content = names.get(path);
    if (content === undefined) throw diskError('ENOENT');
    return content;
  };
  const promised =
    <A extends readonly unknown[], T>(work: (...about: A) => T) =>
    (...about: A): Promise<T> =>
      Promise.resolve().then(() => work(...about));

  const disk: Disk = {
    nameBeside: (path) => `${path}.${++drafts}.tmp`,
    makeFolder: promised(() => undefined),
    read: promised((path) => contentOf(path).text),
    readPrivate: promised((path) => contentOf(path).text),
    list: promised((path) => [...names.keys()].filter((name) => dirname(name) === path).map((name) => basename(name))),
    create: promised((path) => {
      const content: Content = { text: '', synced: '' };
      names.set(path, content);
      return {
        append: promised((text: string) => {
          content.text += text;
        }),
        sync: promised(() => {
          content.synced = content.text;
        }),
        close: promised(() => undefined),
      };
    }),
    rename: promised((from, to) => {
      names.set(to, contentOf(from));
      names.delete(from);
    }),
    link: promised((from, to) => {
      if (names.has(to)) throw diskError('EEXIST');
      names.set(to, contentOf(from));
    }),
    remove: promised((path) => void names.delete(path)),
    syncFolder: promised((path) => {
      for (const name of new Set([...names.keys(), ...synced.keys()])) {
        if (dirname(name) !== path) continue;
        const content = names.get(name);
        if (content === undefined) synced.delete(name);
        else synced.set(name, content);
      }
    }),
    ageOf: promised(() => 3_600_000),
  };

  return {
    disk,
    lose: (survives) => {
      const kept = survives === 'nothing' || survives === 'contents' ? synced : names;
      for (const content of kept.values()) {
        const isKept = survives === 'everything' || survives === 'contents';
        const half = content.synced.length + Math.floor((content.text.length - content.synced.length) / 2);
        content.text = isKept
          ? content.text
          : content.text.slice(0, survives === 'half' ? half : content.synced.length);
        content.synced = content.text;
      }
      names = new Map(kept);
      synced = new Map(kept);
    },
  };
}
