import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Keeps a file up to date with a text that changes. */
export interface Saver {
  /** Says that the text has changed. */
  mark(): void;
  /** Resolves when everything marked before this call is on disk. */
  saved(): Promise<void>;
}

interface Waiting {
  readonly version: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Makes a saver. Changes that come while a save runs share the next one. */
export function createSaver(file: string, text: () => string): Saver {
  let current = 0;
  let onDisk = 0;
  let isSaving = false;
  let waiting: Waiting[] = [];

  async function save(): Promise<void> {
    if (isSaving) return;
    isSaving = true;
    while (onDisk < current) {
      const version = current;
      try {
        await writeAtomically(file, text());
        onDisk = version;
        settle(version, ({ resolve }) => resolve());
      } catch (error) {
        // Also who waits for a change that came meanwhile: only the next change tries again.
        settle(current, ({ reject }) => reject(error));
        break;
      }
    }
    isSaving = false;
  }

  function settle(version: number, tell: (one: Waiting) => void): void {
    const due = waiting.filter((one) => one.version <= version);
    waiting = waiting.filter((one) => one.version > version);
    for (const one of due) tell(one);
  }

  return {
    mark() {
      current += 1;
      // Not at once: one operation may change many rows.
      setImmediate(() => void save());
    },
    saved() {
      if (onDisk >= current) return Promise.resolve();
      const version = current;
      return new Promise((resolve, reject) => {
        waiting.push({ version, resolve, reject });
        setImmediate(() => void save());
      });
    },
  };
}

/** Replaces a file so that at every instant it holds the old text or the new one, readable by its owner only. */
async function writeAtomically(file: string, text: string): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  // The name in the folder is only safe once the folder is.
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
