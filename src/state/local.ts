import { open, readFile, rename, rm, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { acquireLock } from './lock.ts';
import type { State, StateRecord, StateStore } from './state.ts';
import { recordSchema, stateSchema } from './state.ts';

/**
 * A state in a folder: `state.json`, replaced atomically at the end of a run, and `state.journal`, to which
 * every record is appended durably while the run goes on. A killed run leaves the journal, and the next one reads both.
 */
export function localStore(folder: string): StateStore {
  const file = join(folder, 'state.json');
  const journalFile = join(folder, 'state.journal');
  const journal = appender(journalFile);
  return {
    place: file,
    read: async () => {
      await journal.close();
      const saved = await readText(file);
      const state = saved === undefined ? undefined : parseState(file, saved);
      const lines = await readText(journalFile);
      return lines === undefined ? state : replay(journalFile, lines, state);
    },
    lock: (purpose) => acquireLock(folder, purpose),
    append: (base, address, record) => journal.append(base, { address, record }),
    write: async (state) => {
      await journal.close();
      await replaceFile(file, `${JSON.stringify(state, null, 1)}\n`);
      await rm(journalFile, { force: true }).catch((error: unknown) => {
        throw unusable(journalFile, 'cannot be removed', error);
      });
    },
  };
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`, error);
  }
}

function parseState(path: string, text: string): State {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw unusable(path, 'is not valid JSON', error);
  }
  const result = stateSchema.safeParse(content);
  if (result.success) return result.data;
  const version = (content as { formatVersion?: unknown } | null)?.formatVersion;
  throw unusable(
    path,
    typeof version === 'number' && version > 1
      ? `has format ${version}, which a newer Trueup wrote`
      : `is not a state of Trueup: ${result.error.issues[0]?.path.join('.') ?? ''} ${result.error.issues[0]?.message ?? ''}`,
  );
}

/** Applies the records of a run that did not end; its last line may be torn, any other may not. */
function replay(path: string, text: string, saved: State | undefined): State | undefined {
  const lines = text.split('\n');
  const torn = lines.pop() !== ''; // every whole line ends in a line feed
  const [first, ...rest] = lines;
  if (first === undefined) return saved;
  const base = parseState(path, first);
  if (saved !== undefined && saved.lineage !== base.lineage) {
    throw unusable(path, `belongs to another state: its lineage is ${base.lineage} and not ${saved.lineage}`);
  }
  // The state was replaced and the journal not yet removed: it holds nothing new.
  if (saved !== undefined && saved.serial > base.serial) return saved;
  if (saved !== undefined && saved.serial < base.serial) {
    throw unusable(
      path,
      `goes on from version ${base.serial}, and the state beside it is the older version ${saved.serial}`,
    );
  }
  // A journal begins with every record there was, so what is not in it is gone.
  const resources = new Map<string, StateRecord>();
  for (const [index, line] of rest.entries()) {
    const parsed = parseLine(line);
    if (parsed === undefined) {
      if (torn || index < rest.length - 1) throw unusable(path, `is damaged in line ${index + 2}`);
      break;
    }
    if (parsed.record === null) resources.delete(parsed.address);
    else resources.set(parsed.address, parsed.record);
  }
  return { ...base, resources: Object.fromEntries(resources) };
}

function parseLine(line: string): { address: string; record: StateRecord | null } | undefined {
  try {
    const { address, record } = JSON.parse(line) as { address: unknown; record: unknown };
    if (typeof address !== 'string') return undefined;
    return { address, record: record === null ? null : recordSchema.parse(record) };
  } catch {
    return undefined;
  }
}

/** Appends lines durably; lines that wait while the disk works go together with the next write. */
function appender(path: string) {
  let waiting: { line: string; done: () => void; failed: (error: unknown) => void }[] = [];
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  let isRunning = false;
  let running: Promise<void> | undefined;
  let broken: { readonly error: unknown } | undefined;

  const drain = async (base: State): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        // After a line that may be torn no other can be written: it would make the torn one a damaged one.
        if (broken !== undefined) throw broken.error;
        handle ??= await begin(path, base);
        await handle.appendFile(batch.map((item) => item.line).join(''));
        await handle.datasync();
        for (const item of batch) item.done();
      } catch (error) {
        broken = { error };
        for (const item of batch) item.failed(unusable(path, 'cannot be written', error));
      }
    }
    isRunning = false; // here and not in a callback: what is appended in between would wait for ever
  };

  return {
    append: (base: State, content: { address: string; record: StateRecord | null }) =>
      new Promise<void>((done, failed) => {
        waiting.push({ line: `${JSON.stringify(content)}\n`, done, failed });
        if (isRunning) return;
        isRunning = true;
        running = drain(base);
      }),
    /** What is appended next begins a new journal. */
    close: async () => {
      await running;
      const open = handle;
      handle = undefined;
      broken = undefined;
      await open?.close();
    },
  };
}

/** Begins a journal from what was read, which holds the records of an unfinished run: those stay until this one is whole. */
async function begin(path: string, base: State) {
  const folder = dirname(path);
  const temporary = temporaryOf(path);
  await mkdir(folder, { recursive: true });
  const records = Object.entries(base.resources).map(([address, record]) => ({ address, record }));
  const lines = [{ ...base, resources: {} }, ...records].map((line) => `${JSON.stringify(line)}\n`);
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  try {
    handle = await open(temporary, 'w', 0o600);
    await handle.appendFile(lines.join(''));
    await handle.sync();
    await rename(temporary, path);
    await syncFolder(folder);
    return handle;
  } catch (error) {
    await handle?.close();
    await discard(temporary);
    throw error;
  }
}

/** Makes new names in a folder survive a loss of power. */
async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function temporaryOf(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

/** Removes a file if it can be removed; why it was not written matters more. */
async function discard(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}

/** Replaces a file as a whole: after a crash it is the old one or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  const temporary = temporaryOf(path);
  try {
    await mkdir(folder, { recursive: true });
    const handle = await open(temporary, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
    await syncFolder(folder);
  } catch (error) {
    await discard(temporary);
    throw unusable(path, 'cannot be written; it is as it was before', error);
  }
}

function unusable(path: string, what: string, cause?: unknown): Stop {
  return new Stop(
    'state',
    [
      diagnostic('state-unusable', `the state ${path} ${what}`, {
        remedy:
          'Nothing was overwritten. Restore the file from a copy, or move it away and adopt what exists with --adopt.',
      }),
    ],
    { cause },
  );
}
