import { basename, dirname, join } from 'node:path';
import { sleep } from '../../api/sleep.ts';
import type { Disk, DiskFile } from '../disk.ts';
import { nodeDisk, reasonOf } from '../disk.ts';
import type { Authenticity } from '../authenticity.ts';
import { isSealed } from '../formats.ts';
import type { KeySource } from '../keys.ts';
import { keyFile } from '../keys.ts';
import type { LeaseContext } from '../lease.ts';
import type { StateStorage, Writer } from '../storage.ts';
import { parseState } from '../parse.ts';
import type { State, StateStore } from '../state.ts';
import { storeOver } from '../store.ts';
import { unusable } from '../unusable.ts';
import type { Wave } from '../wave.ts';
import {
  chained,
  linePartsOf,
  parseWave,
  readChained,
  readJson,
  readLine,
  withEnd,
  withWaves,
  writeLine,
  writeWave,
} from '../wave.ts';
import { folderDocuments } from './folder-documents.ts';
import { folderRegister } from './folder-register.ts';
import { putFile } from './put-file.ts';

/**
 * A state in a folder: `state.json`, replaced atomically at the end of a run, and `state.journal`, to which
 * every record is appended durably during the run. A killed run leaves the journal, and the next run reads both.
 * Without `keys` the key is in the file `key` beside them, which the first run makes. Opens nothing yet. Never throws.
 */
export function localStore(
  folder: string,
  { disk = nodeDisk, ...some }: Partial<LeaseContext> & { readonly disk?: Disk; readonly keys?: KeySource } = {},
): StateStore {
  return storeOver(folderStorage(folder, disk), { keys: keyFile({ folder, disk }, { mayMake: true }), ...some });
}

/** How long a wave takes records at least, and the time from one wave to the next at least. Milliseconds. */
const gathering = { leastMs: 1, betweenMs: 5 };

/** The storage of such a state. */
export function folderStorage(folder: string, disk: Disk): StateStorage {
  const file = join(folder, 'state.json');
  const journal = join(folder, 'state.journal');
  let open: DiskFile | undefined;
  /** The serial of the state that the journal continues. */
  let serial: number | undefined;
  /** The MAC of the last record in the journal. */
  let last = '';
  /** Resolves when the disk may be synced again. */
  let rested = Promise.resolve();

  const close = async (): Promise<void> => {
    const handle = open;
    open = undefined;
    await handle?.close().catch(() => undefined); // its content was synced, or reported as lost
  };

  /** Begins a journal. That of an unfinished run stays until the new one is complete. */
  const begin = async (base: State, writer: Writer): Promise<void> => {
    await close();
    const { parts, mac } = writer.authenticity.seal(base);
    open = await putFile(disk, journal, { parts: linePartsOf(parts), ...writer });
    [serial, last] = [base.serial, mac];
  };

  return {
    location: file,
    lease: folderRegister(folder, { disk, of: `the state ${file}` }),
    documents: folderDocuments(join(folder, 'documents'), disk),
    isShared: false,
    load: async (authenticity) => {
      await close();
      serial = undefined;
      return load(disk, { file, journal }, authenticity);
    },
    begin: (base, writer) => begin(base, writer).catch(failing(journal, 'cannot be written')),
    gather: async () => {
      await Promise.all([rested, sleep(gathering.leastMs)]);
    },
    add: async (wave, { authenticity, confirm }) => {
      rested = sleep(gathering.betweenMs);
      await confirm();
      try {
        const { text, mac } = chained(writeWave(wave), { previous: last, authenticity });
        await open?.append(writeLine(text));
        await open?.sync();
        last = mac;
      } catch (error) {
        throw failed(journal, 'cannot be written', { error });
      }
      await confirm(); // a run that took the lock since may have read the journal before this line
    },
    save: async (state, writer) => {
      // A leftover journal that continues this very version would be applied to it.
      if (serial === state.serial) await begin(state, writer).catch(failing(journal, 'cannot be written'));
      await close();
      const parts = withEnd(writer.authenticity.seal(state, 'lines').parts);
      const handle = await putFile(disk, file, { parts, ...writer }).catch(
        failing(file, 'cannot be written; it is as it was before'),
      );
      await handle.close().catch(() => undefined);
      serial = undefined;
      await disk.remove(journal).catch((error: unknown) => {
        const remedy =
          'Nothing was overwritten that counts. Remove it, or run again: it is older than the state, and not read any more.';
        throw failed(journal, 'cannot be removed; the state itself is saved', { error, remedy });
      });
      await removeLeft(disk, file, journal).catch(() => undefined);
    },
    close,
  };
}

/** Removes the drafts of killed runs. */
async function removeLeft(disk: Disk, ...files: readonly string[]): Promise<void> {
  for (const file of files) {
    const [folder, start] = [dirname(file), `${basename(file)}.`];
    const left = (await disk.list(folder)).filter((name) => name.startsWith(start) && name.endsWith('.tmp'));
    for (const name of left) await disk.remove(join(folder, name));
  }
}

/** Reads both files; another run may write them at the same time. */
async function load(
  disk: Disk,
  { file, journal }: { readonly file: string; readonly journal: string },
  authenticity: Authenticity,
): Promise<State | undefined> {
  for (let attempt = 1; ; attempt++) {
    const text = await readText(disk, file);
    const saved = text === undefined ? undefined : parseState({ location: file, text }, authenticity).state;
    const lines = await readText(disk, journal);
    if (lines === undefined) return saved;
    const replayed = replay({ path: journal, text: lines, saved }, authenticity);
    if (replayed.is === 'read') return replayed.state;
    // A run that ends replaces the state, and the next one begins another journal.
    if (attempt === 3) throw unusable(journal, replayed.why);
  }
}

async function readText(disk: Disk, path: string): Promise<string | undefined> {
  try {
    return await disk.read(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failed(path, 'cannot be read', { error, remedy: 'Fix that, and run again. Nothing was overwritten.' });
  }
}

type Replayed =
  | { readonly is: 'read'; readonly state: State | undefined }
  | { readonly is: 'newer'; readonly why: string };

interface JournalText {
  readonly path: string;
  readonly text: string;
  /** The state beside it. */
  readonly saved: State | undefined;
}

/** Applies the waves of an unfinished run; only the last one may be torn. */
function replay({ path, text, saved }: JournalText, authenticity: Authenticity): Replayed {
  const lines = text.split('\n');
  const torn = lines.pop() !== ''; // every whole line ends in a line feed
  const [first, ...rest] = lines;
  if (first === undefined) return { is: 'read', state: saved };
  const isOld = first.startsWith('{'); // before there were checksums
  const content = isOld ? first : readLine(first);
  if (content === undefined) throw unusable(path, 'is damaged in line 1');
  const { state: base, format, mac } = parseState({ location: path, text: content }, authenticity);
  if (saved !== undefined && saved.lineage !== base.lineage) {
    throw unusable(path, `belongs to another state: its lineage is ${base.lineage} and not ${saved.lineage}`);
  }
  // The run replaced the state and did not remove the journal: it holds nothing new.
  if (saved !== undefined && saved.serial > base.serial) return { is: 'read', state: saved };
  if (saved !== undefined && saved.serial < base.serial) {
    const why = `goes on from version ${base.serial}, and the state beside it is the older version ${saved.serial}`;
    return { is: 'newer', why };
  }
  const waves: Wave[] = [];
  let previous = mac;
  for (const [index, line] of rest.entries()) {
    const whole = isOld ? line : readLine(line);
    if (whole !== undefined && isSealed(format)) {
      const record = readChained(whole, { previous, authenticity });
      if (record === undefined) {
        throw authenticity.forged(path, `has a record in line ${index + 2} that does not follow the one before it`);
      }
      previous = record.mac;
      waves.push(parseWave(readJson(record.text), format) ?? damaged(path, index + 2));
      continue;
    }
    const wave = parseWave(isOld ? readOldLine(line) : readJson(whole), format);
    if (wave === undefined) {
      if (torn || index < rest.length - 1) damaged(path, index + 2);
      break;
    }
    waves.push(wave);
  }
  return { is: 'read', state: withWaves(base, waves) };
}

function damaged(path: string, line: number): never {
  throw unusable(path, `is damaged in line ${line}`);
}

/** Reads a line without a checksum, as the first versions wrote it: one record. */
function readOldLine(line: string): unknown {
  try {
    const { address, record } = JSON.parse(line) as { address: unknown; record: unknown };
    return [[address, record]];
  } catch {
    return undefined;
  }
}

function failed(path: string, what: string, { error, remedy = again }: { error: unknown; remedy?: string }) {
  return unusable(path, `${what} (${reasonOf(error)})`, { remedy, cause: error });
}

const again =
  'Make room, or repair the disk, and run again. Nothing was overwritten: what was begun is in the journal, and found then.';

/** Describes a failure of the disk; other errors pass unchanged. */
function failing(path: string, what: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Error && 'code' in error ? failed(path, what, { error }) : error;
  };
}
