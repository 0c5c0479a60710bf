import { defined } from '../formats/json.ts';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Diagnostic, Stop, stop } from '../diagnostics/diagnostic.ts';
import { type Memory, memoryLimit, memoryText, parseMemory } from './drift-memory.ts';
import {
  type AcceptedDrift,
  acceptedLimit,
  acceptedName,
  acceptedText,
  parseAccepted,
} from '../manifest/accepted-drift.ts';
import { memoryFile } from '../manifest/memory-name.ts';
import type { DriftSettings } from '../manifest/settings.ts';
import { openWorkspace } from '../manifest/workspace.ts';
import type { StateStore } from '../state/state.ts';
import type { RootPlace } from '../project/folder.ts';
import { writeFiles } from '../project/write-files.ts';

/** The place where `trueup drift` remembers findings. */
export interface MemoryStore {
  /** Where it is, for people. */
  readonly location: string;
  /** @throws {Stop} `manifest`, when it cannot be used. */
  readonly read: () => Promise<Memory>;
  /**
   * Replaces the memory that was read last, as a whole or not at all. Gives whether something changed.
   *
   * @throws {Stop} `refused` or `state`, when it cannot be written.
   */
  readonly write: (memory: Memory) => Promise<boolean>;
}

/** The memory of a project: in a file beside the manifest, or beside the state. */
export function memoryStore(
  settings: DriftSettings | undefined,
  options: RootPlace,
  { documents, location }: Pick<StateStore, 'documents' | 'location'>,
): MemoryStore {
  const name = memoryFile(options.file);
  const { folder } = options;
  if (settings?.memory === 'state') {
    return remembering({
      name: 'drift.yaml',
      location: `drift.yaml beside the state ${location}`,
      get: () => documents.get('drift.yaml'),
      put: (text) => documents.put('drift.yaml', text),
    });
  }
  return remembering({
    name,
    location: name,
    get: () => readFileOf(folder, name, { limit: memoryLimit, code: 'drift-memory' }),
    put: async (content, replaces) => {
      try {
        await writeFiles(folder, [{ path: name, content, ...defined({ replaces }) }]);
      } catch (error) {
        if (!(error instanceof Stop)) throw error;
        const remedy = 'Run trueup drift again. --no-remember compares without writing the memory.';
        throw new Stop(
          error.failure,
          error.diagnostics.map((item) => ({ ...item, remedy })),
          { cause: error },
        );
      }
    },
  });
}

interface Place {
  readonly name: string;
  readonly location: string;
  readonly get: () => Promise<string | undefined>;
  readonly put: (text: string, before: string | undefined) => Promise<void>;
}

function remembering({ name, location, get, put }: Place): MemoryStore {
  let before: string | undefined;
  return {
    location,
    read: async () => {
      before = await get();
      return before === undefined ? [] : parseMemory(name, before);
    },
    write: async (memory) => {
      const text = memoryText(before, memory);
      if (text === undefined) return false;
      await put(text, before);
      before = text;
      return true;
    },
  };
}

/**
 * Adds entries to the file of accepted drift of a manifest. Gives the name of the file.
 *
 * @throws {Stop} `manifest`, when the file cannot be used; `refused`, when it cannot be written
 */
export async function writeAccepted({ folder, file }: RootPlace, added: readonly AcceptedDrift[]): Promise<string> {
  const path = acceptedName(file);
  const before = await readFileOf(folder, path, { limit: acceptedLimit, code: 'accepted-drift' });
  const mistakes: Diagnostic[] = [];
  if (before !== undefined) parseAccepted(path, before, mistakes);
  if (mistakes.length > 0) throw new Stop('manifest', mistakes);
  const content = acceptedText(before, added);
  await writeFiles(folder, [{ path, content, ...defined({ replaces: before }) }]);
  return path;
}

/** Reads a file beside the manifest, which may belong to another user; undefined: there is none. */
async function readFileOf(
  folder: string,
  name: string,
  { limit, code }: { readonly limit: number; readonly code: 'drift-memory' | 'accepted-drift' },
): Promise<string | undefined> {
  const found = await lstat(join(folder, name)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  const file = found.isSymbolicLink()
    ? { problem: `${name} is a link, and Trueup would write where it leads` }
    : await (await openWorkspace(folder)).read(name, limit);
  if ('text' in file) return file.text;
  const { remedy = 'Put a file in its place, or remove it: trueup drift makes a new one.' } = file;
  throw stop('manifest', code, file.problem, { remedy });
}
