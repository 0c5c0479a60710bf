import { basename, dirname, join } from 'node:path';
import { sleep } from '../../api/sleep.ts';
import { reasonOf } from '../../diagnostics/disk-errors.ts';
import { type Disk, type DiskFile, nodeDisk, remedyForState } from '../disk.ts';
import type { Authenticity } from '../authenticity.ts';
import { isSealed } from '../formats.ts';
import { type KeySource, keyFile } from '../key-sources.ts';
import type { LeaseContext } from '../lease.ts';
import type { StateStorage, Writer } from '../storage.ts';
import { parseState } from '../parse.ts';
import type { State, StateStore } from '../state.ts';
import { storeOver } from '../store.ts';
import { unusable } from '../unusable.ts';
import {
  type Wave,
  chained,
  linePartsOf,
  parseWave,
  chainReader,
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
const gathering = { minMs: 1, betweenMs: 10 };

/** A state in a folder, as this process knows it. */
interface Open {
  readonly disk: Disk;
  readonly file: string;
  readonly journal: string;
  handle: DiskFile | undefined;
  /** The serial of the state that the journal continues. */
  serial: number | undefined;
  /** The MAC of the last record in the journal. */
  last: string;
  /** Resolves when the disk may be synced again. */
  rested: Promise<void>;
}

/** The storage of such a state. */
export function folderStorage(folder: string, disk: Disk): StateStorage {
  const [file, journal] = [join(folder, 'state.json'), join(folder, 'state.journal')];
  const open: Open = { disk, file, journal, handle: undefined, serial: undefined, last: '', rested: Promise.resolve() };
  return {
    location: file,
    lease: folderRegister(folder, { disk, of: `the state ${file}` }),
    documents: folderDocuments(join(folder, 'documents'), disk),
    isShared: false,
    load: async (authenticity) => {
      await close(open);
      open.serial = undefined;
      return load(open, authenticity);
    },
    begin: (base, writer) => begin(open, base, writer),
    gather: async () => {
      await Promise.all([open.rested, sleep(gathering.minMs)]);
    },
    add: (wave, writer) => add(open, wave, writer),
    save: (state, writer) => save(open, state, writer),
    remove: async ({ confirm }) => {
      await close(open);
      await confirm();
      // A journal alone would be read as a state.
      for (const path of [journal, file]) await disk.remove(path).catch(failing(path, 'cannot be removed'));
    },
    close: () => close(open),
  };
}

async function close(open: Open): Promise<void> {
  const { handle } = open;
  open.handle = undefined;
  await handle?.close().catch(() => undefined); // its content was synced, or reported as lost
}

/** Begins a journal. That of an unfinished run stays until the new one is complete. */
async function begin(open: Open, base: State, writer: Writer): Promise<void> {
  const { disk, journal } = open;
  await close(open);
  const { parts, mac } = writer.authenticity.seal(base);
  const file = { parts: linePartsOf(parts), ...writer };
  open.handle = await putFile(disk, journal, file).catch(failing(journal, 'cannot be written'));
  [open.serial, open.last] = [base.serial, mac];
}

async function add(open: Open, wave: Wave, { authenticity, confirm }: Writer): Promise<void> {
  open.rested = sleep(gathering.betweenMs);
  await confirm();
  try {
    const { text, mac } = chained(writeWave(wave), { previous: open.last, authenticity });
    await open.handle?.append(writeLine(text));
    await open.handle?.sync();
    open.last = mac;
  } catch (error) {
    throw failed(open.journal, 'cannot be written', { error });
  }
  await confirm(); // a run that took the lock since may have read the journal before this line
}

async function save(open: Open, state: State, writer: Writer): Promise<void> {
  const { disk, file, journal } = open;
  // A leftover journal that continues this very version would be applied to it.
  if (open.serial === state.serial) await begin(open, state, writer);
  await close(open);
  const parts = withEnd(writer.authenticity.seal(state, 'lines').parts);
  const handle = await putFile(disk, file, { parts, ...writer }).catch(
    failing(file, 'cannot be written; it is as it was before'),
  );
  await handle.close().catch(() => undefined);
  open.serial = undefined;
  await disk.remove(journal).catch((error: unknown) => {
    const rest =
      'Nothing was overwritten that counts. Remove it, or run again: it is older than the state, and not read any more.';
    throw failed(journal, 'cannot be removed; the state itself is saved', { error, rest });
  });
  await removeLeft(disk, file, journal).catch(() => undefined);
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
async function load({ disk, file, journal }: Open, authenticity: Authenticity): Promise<State | undefined> {
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
    throw failed(path, 'cannot be read', { error, rest: 'Then run again. Nothing was overwritten.' });
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
  const read = chainReader(format, { previous: mac, authenticity });
  const parse = isOld && !isSealed(format) ? readOldLine : readJson;
  for (const [index, line] of rest.entries()) {
    const whole = isOld ? line : readLine(line);
    const record = whole === undefined ? undefined : read(whole);
    if (whole !== undefined && record === undefined) {
      throw authenticity.forged(path, `has a record in line ${index + 2} that does not follow the one before it`);
    }
    const wave = parseWave(record === undefined ? undefined : parse(record), format);
    if (wave === undefined) {
      const isProven = whole !== undefined && isSealed(format);
      if (torn || isProven || index < rest.length - 1) throw unusable(path, `is damaged in line ${index + 2}`);
      break;
    }
    waves.push(wave);
  }
  return { is: 'read', state: withWaves(base, waves) };
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

function failed(path: string, what: string, { error, rest = again }: { error: unknown; rest?: string }) {
  return unusable(path, `${what} (${reasonOf(error)})`, { remedy: `${remedyForState(error)} ${rest}`, cause: error });
}

const again = 'Then run again. Nothing was overwritten: what was begun is in the journal, and found then.';

/** Describes a failure of the disk; other errors pass unchanged. */
function failing(path: string, what: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Error && 'code' in error ? failed(path, what, { error }) : error;
  };
}
