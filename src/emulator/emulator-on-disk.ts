import { lstat, mkdir, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fromDocument } from '../api/translate.ts';
import { document } from '../api/vocabulary.ts';
import { createEmulator, type Emulator, type EmulatorOptions } from './emulator.ts';
import { interruptDeployments } from './restart.ts';
import { createSaver } from './saver.ts';
import { type Row, isMap } from './json-rows.ts';
import { newRow, tableNames } from './tables.ts';
import { emptyWorld, seedWorld, type World } from './world.ts';

/**
 * Opens an emulator that keeps its world in one JSON file. A POST is answered only after a save that contains what
 * it did. Without the file it starts from `options.world`. One process at a time may have a file open.
 *
 * @throws {Error} when the file cannot be read, or cannot be written where that is needed, or holds no world of the emulator.
 */
export async function openEmulator(
  path: string,
  options: EmulatorOptions = {},
): Promise<Emulator & { close(): Promise<void> }> {
  const file = resolve(path);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const { world: stored, isOpen } = await readWorld(file);
  const world = stored ?? options.world ?? seedWorld();

  const emulator = createEmulator({ ...options, world });
  const saver = createSaver(file, () => JSON.stringify(world));
  if (interruptDeployments(world) || stored === undefined || isOpen) {
    saver.mark();
    await saver.saved();
  }

  const { send } = emulator;
  const act = emulator.act.bind(emulator);
  return Object.assign(emulator, {
    onCommit: () => saver.mark(),
    send: async (...[request, about]: Parameters<typeof send>) => {
      const answer = await send(request, about);
      if (request.method === 'POST') await saver.saved();
      return answer;
    },
    act: async (operation: string, input?: Record<string, unknown>) => {
      const answer = await act(operation, input);
      await saver.saved();
      return answer;
    },
    close: async () => {
      await saver.saved();
      emulator.onCommit = undefined;
      emulator.restart();
    },
  });
}

/** The world in a file; undefined when there is no file. `isOpen`: others may read it, and it holds passwords. */
async function readWorld(file: string): Promise<{ readonly world: World | undefined; readonly isOpen: boolean }> {
  let text: string;
  let isOpen: boolean;
  try {
    // A link leads to a file of another folder, reading a pipe waits, and a device has no end.
    const found = await lstat(file);
    if (!found.isFile()) throw new Error('it is not a regular file');
    isOpen = (found.mode & 0o077) !== 0 && process.platform !== 'win32';
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { world: undefined, isOpen: false };
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The error of the parser quotes the text.
    throw new Error(`${file} does not hold the world of an emulator: not valid JSON`);
  }
  try {
    return { world: asWorld(value), isOpen };
  } catch (cause) {
    throw new Error(`${file} does not hold the world of an emulator: ${(cause as Error).message}`, { cause });
  }
}

function asWorld(value: unknown): World {
  if (!isMap(value)) throw new Error('not an object');
  if (value['formatVersion'] !== 1) throw new Error(`format version ${String(value['formatVersion'])}, expected 1`);
  const stored = value['tables'];
  const counters = value['counters'];
  if (!isMap(stored) || !isMap(counters)) throw new Error('"tables" or "counters" is missing');
  const world = emptyWorld();
  const uniqueConfigKey = counters['uniqueConfigKey'];
  if (typeof uniqueConfigKey === 'number') world.counters.uniqueConfigKey = uniqueConfigKey;
  for (const table of tableNames) {
    // Earlier versions kept it in the words of the API document.
    const rows = fromDocument(stored[table] ?? stored[document.groups[table] ?? table] ?? {});
    if (!isMap(rows) || !Object.values(rows).every(isMap)) throw new Error(`"${table}" is not a table`);
    // Columns that its version did not have get their defaults.
    const completed = Object.entries(rows as Record<string, Row>).map(([id, row]) => [
      id,
      { ...newRow(table, row), ...row },
    ]);
    world.tables[table] = Object.fromEntries(completed) as World['tables'][typeof table];
  }
  return world;
}
