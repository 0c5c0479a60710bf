import { type StateKey, isSameMac, newStateKey, parseStateKey } from '../secrets/state-key.ts';
import { reasonOf } from '../diagnostics/disk-errors.ts';
import { type Disk, remedyForState, throughDraft } from './disk.ts';
import { keyProblem } from './unusable.ts';

/** Where the key of a state is from. */
export interface KeySource {
  /** For messages: `TRUEUP_STATE_KEY`, or a path. */
  readonly name: string;
  /** The key, where there is one. @throws {Stop} `state`, when there is none and none may be made. */
  readonly find: () => Promise<FoundKey>;
  /** The key for a state that has none yet: that of the state which moves there. Left out: a new one. */
  readonly first?: () => Promise<StateKey>;
  /** Keeps a new key durably; `isForUnsealed`: the state has no MAC yet. @throws {Stop} `state` */
  readonly keep: (key: StateKey, isForUnsealed: boolean) => Promise<void>;
  /** From now on the state has a MAC of this key. */
  readonly finish: (key: StateKey) => Promise<void>;
  /** Removes what killed runs left of keys that they wrote. Never throws. */
  readonly removeDrafts: () => Promise<void>;
  /** Keeps the next key durably, beside the present one, which proves it. @throws {Stop} `state` */
  readonly keepNext: (next: StateKey, present: StateKey) => Promise<void>;
}

/**
 * Whether a state without a MAC is read: never; as long as the lease knows no version that was saved with one (there is no
 * key yet, or a run was killed while it migrated the state); or always, because a person says so.
 */
export type Unsealed = 'never' | 'at first' | 'always';

/** What a source of a key has. */
interface FoundKey {
  /** Undefined where there is none yet, and one may be made. */
  readonly key: StateKey | undefined;
  /** The key that a rotation was about to give the state, when it was killed. */
  readonly next?: StateKey | undefined;
  readonly unsealed: Unsealed;
}

/** The remedy for a state without its key. */
const howToGiveKey =
  'Set TRUEUP_STATE_KEY to the key of this state. If it never had one, trueup state key makes it, and trueup state key ' +
  '--print shows it for a pipeline.';

/** A key that is given as text. @throws {Stop} `state`, when the text is no key; never with the text. */
export function givenKey(text: string, name: string, about: { readonly unsealed?: Unsealed } = {}): KeySource {
  const key = parseStateKey(text.trim());
  if (key === undefined) {
    const what = text === '' ? 'is set and empty' : 'is no key of a state, or not the whole of one';
    throw keyProblem(`${name} ${what}`, 'Set it to the whole line that trueup state key --print shows, or unset it.');
  }
  return {
    name,
    find: () => Promise.resolve({ key, unsealed: about.unsealed === 'always' ? 'always' : 'never' }),
    keep: () => Promise.resolve(),
    finish: () => Promise.resolve(),
    removeDrafts: () => Promise.resolve(),
    keepNext: () => {
      const message = `the key of ${name} cannot be rotated there: the new one would be lost if this run was killed`;
      const remedy = 'Put it into the key file beside the state (mode 0600), unset TRUEUP_STATE_KEY, and rotate.';
      return Promise.reject(keyProblem(message, remedy));
    },
  };
}

/** A key in a file beside a state. */
export function keyFile(
  { folder, disk }: { readonly folder: string; readonly disk: Disk },
  about: {
    /** A first run makes the key: no other place has to know it. */
    readonly mayMake: boolean;
    /** Where there is no key. `at first` by default. */
    readonly unsealed?: Unsealed;
    /** Called with the text of each key. */
    readonly addSecret?: (text: string) => void;
  },
): KeySource {
  const path = `${folder}/key`;
  /** The key while a state without a MAC is migrated. */
  const draft = `${folder}/key.migrating`;
  const coming = `${folder}/key.next`;
  const known = (key: StateKey): StateKey => {
    about.addSecret?.(key.text());
    return key;
  };
  return {
    name: path,
    find: async () => {
      const key = await readKey(disk, path);
      const found = key ?? (await readKey(disk, draft));
      if (found !== undefined) {
        const next = await readNext(disk, coming, found);
        const unsealed = about.unsealed === 'always' ? 'always' : key === undefined ? 'at first' : 'never';
        return { key: known(found), unsealed, next: next === undefined ? undefined : known(next) };
      }
      if (about.mayMake) return { key: undefined, unsealed: about.unsealed ?? 'at first' };
      throw keyProblem(`there is no key for the state: neither TRUEUP_STATE_KEY nor ${path}`, howToGiveKey);
    },
    keep: (key, isForUnsealed) => writeKey(disk, { folder, path: isForUnsealed ? draft : path }, known(key).text()),
    finish: async (key) => {
      const drafted = await readText(disk, draft);
      if (drafted?.trim() === key.text()) await disk.rename(draft, path);
      else if (drafted !== undefined) await disk.remove(draft);
      const next = await readText(disk, coming);
      if (next !== undefined) {
        if (next.startsWith(`${key.text()} `)) await putOver(disk, path, `${key.text()}\n`);
        await disk.syncFolder(folder);
        await disk.remove(coming);
      }
      if (drafted !== undefined || next !== undefined) await disk.syncFolder(folder);
    },
    removeDrafts: () => removeDrafts(disk, folder).catch(() => undefined),
    keepNext: async (next, present) => {
      await disk.remove(coming);
      await writeKey(disk, { folder, path: coming }, `${known(next).text()} ${proofOf(next, present)}`);
    },
  };
}

/** A new key for each process, for a state that no other process reads. Never throws. */
export function keyInMemory(): KeySource {
  return givenKey(newStateKey().text(), 'the key in memory');
}

/** The MAC of the next key: whoever can write the folder and does not have the present key cannot give the state another. */
function proofOf(next: StateKey, present: StateKey): string {
  return present.stateMac(next.text(), 'the next key');
}

/** The key that a rotation was about to give the state; one without the proof is none. */
async function readNext(disk: Disk, path: string, present: StateKey): Promise<StateKey | undefined> {
  const [text = '', proof = ''] = ((await readText(disk, path)) ?? '').trim().split(' ');
  const next = parseStateKey(text);
  return next !== undefined && isSameMac(proof, proofOf(next, present)) ? next : undefined;
}

const restoreKey =
  'Restore a copy of it. If no copy is left, move it away with state.json and the journal beside it, in a database delete ' +
  'its rows, and make a new one: trueup state rebuild.';

async function readKey(disk: Disk, path: string): Promise<StateKey | undefined> {
  const text = await readText(disk, path);
  if (text === undefined) return undefined;
  const key = parseStateKey(text.trim());
  if (key !== undefined) return key;
  throw keyProblem(`${path} holds no key of a state, or not the whole of one`, restoreKey);
}

async function readText(disk: Disk, path: string): Promise<string | undefined> {
  try {
    return await disk.readPrivate(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const why = code === 'ENOTPRIVATE' ? 'it is a link, no file, or other users can read it' : reasonOf(error);
    const remedy =
      code === 'ENOTPRIVATE'
        ? 'If only you can have written it, make it a file that only you can read (chmod 600).'
        : `${remedyForState(error)} Then run again. Nothing was changed.`;
    throw keyProblem(`the key ${path} cannot be used (${why})`, remedy, error);
  }
}

/** Writes a key completely or not at all, and never over another one. */
async function writeKey(
  disk: Disk,
  { folder, path }: { readonly folder: string; readonly path: string },
  text: string,
): Promise<void> {
  try {
    await disk.makeFolder(folder);
    await ignoreKeys(disk, `${folder}/.gitignore`);
    await putNew(disk, path, `${text}\n`);
    await disk.syncFolder(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw keyProblem(`another run made the key ${path} at the same time; nothing was sent`, 'Run it again.', error);
    }
    const remedy = `${remedyForState(error)} Then run again. Nothing was changed.`;
    throw keyProblem(`the key ${path} cannot be written (${reasonOf(error)})`, remedy, error);
  }
}

/**
 * Removes the drafts of keys, and of the file that ignores them. The number of a process that is gone soon belongs to another
 * one, so that it does not tell which are in use: a run that lacks its draft makes another.
 */
async function removeDrafts(disk: Disk, folder: string): Promise<void> {
  for (const name of await disk.list(folder)) {
    if (/^(?:key|\.gitignore)\..*?\d+-[0-9a-f]+\.tmp$/.test(name)) await disk.remove(`${folder}/${name}`);
  }
}

/** The files beside a state that are for one machine alone. The state itself may be in git. */
const ignored = ['*.tmp', 'documents/', 'emulator.json*', 'lease/', 'state.journal', 'key*'];

/** Has git ignore the keys, whatever else stands in the file: its last line counts. */
async function ignoreKeys(disk: Disk, path: string): Promise<void> {
  const present = await disk.read(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  if (present.trimEnd().split('\n').at(-1) === 'key*') return;
  const before = present === '' || present.endsWith('\n') ? present : `${present}\n`;
  await putOver(disk, path, `${before}${ignored.join('\n')}\n`);
}

/** Makes a file as a whole; rejects with EEXIST when it is there. */
function putNew(disk: Disk, path: string, text: string): Promise<void> {
  return put(disk, { path, text }, disk.link);
}

/** Makes or replaces a file as a whole. */
function putOver(disk: Disk, path: string, text: string): Promise<void> {
  return put(disk, { path, text }, disk.rename);
}

async function put(
  disk: Disk,
  { path, text }: { readonly path: string; readonly text: string },
  name: (from: string, to: string) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const draft = disk.nameBeside(path);
    try {
      await throughDraft(disk, { draft, text }, () => name(draft, path));
      return;
    } catch (error) {
      // Another run may take the draft for that of a run that was killed.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 3) throw error;
    }
  }
}
