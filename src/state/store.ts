import { once } from '../api/once.ts';
import { stateInWords } from './former-words.ts';
import { type StateKey, newStateKey } from '../secrets/state-key.ts';
import { type Authenticity, authenticityOf } from './authenticity.ts';
import { withoutUnusedKeys, withRotatedKey } from './digests.ts';
import { withCheckedNames } from './named-documents.ts';
import { findHolder } from './holder.ts';
import type { KeySource, Unsealed } from './key-sources.ts';
import { type Version, largestNumber } from './lease-entry.ts';
import { type Lease, type LeaseContext, leaseContext } from './lease.ts';
import type { StateStorage, Writer } from './storage.ts';
import type { Entry } from './record.ts';
import type { State, StateStore } from './state.ts';
import { takeLease } from './take-lease.ts';
import { gone, lostKey, older, unusable, withoutMac } from './unusable.ts';

/** What is not durable yet. */
interface Waiting {
  readonly entry: Entry;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** The key of a state, as this process uses it. */
interface KnownKey {
  readonly key: StateKey;
  readonly isNew: boolean;
  /** The key that a rotation was about to give the state, when it was killed. */
  readonly next?: StateKey | undefined;
  /** The key before such a rotation, once the state has the next one. */
  readonly previous?: StateKey | undefined;
  readonly unsealed: Unsealed;
}

/** A store while it is open. */
interface Open {
  readonly storage: StateStorage;
  readonly keys: KeySource;
  known: KnownKey | undefined;
  lease: Lease | undefined;
  /** The state that was read last has no MAC. */
  isUnsealed: boolean;
  /** The state as it was read under the lock: only this process writes it meanwhile. */
  held: State | undefined;
  /** The version that this process saved last under the lock, or is about to save. */
  saved: Version | undefined;
  waiting: Waiting[];
  running: Promise<void> | undefined;
  /** A journal was begun. */
  hasBegun: boolean;
  /** Why the journal takes no more: a wave after a torn one would turn the torn one into damage. */
  broken: { readonly error: unknown } | undefined;
}

/**
 * A store over the storage of a backend; `keys` says where its key is from. Records that arrive during a write go together with the next wave. Never throws;
 * its methods reject with a `Stop` when the lock is lost or the storage cannot be used.
 */
export function storeOver(
  storage: StateStorage,
  { keys, ...some }: Partial<LeaseContext> & { readonly keys: KeySource },
): StateStore {
  const contextNow = once(() => leaseContext(some));
  const open: Open = {
    storage,
    keys,
    known: undefined,
    lease: undefined,
    isUnsealed: false,
    held: undefined,
    saved: undefined,
    waiting: [],
    running: undefined,
    hasBegun: false,
    broken: undefined,
  };
  return {
    location: storage.location,
    key: async () => (await findKey(open)).key,
    keyName: keys.name,
    isUnsealed: () => open.isUnsealed,
    keepKey: async () => {
      await keepKey(open);
      await keys.removeDrafts();
    },
    read: async (how) => open.held ?? read(open, how),
    lock: async (request) => {
      [open.held, open.saved] = [undefined, undefined];
      open.lease = await takeLease(storage.lease, request, contextNow());
      await keys.removeDrafts();
      return open.lease;
    },
    newest: () => newestKnown(open),
    holder: () => findHolder(storage.lease, contextNow()),
    append: (base, ...entry) =>
      new Promise((done, failed) => {
        refuseOutdated(open, base);
        open.held = undefined;
        open.waiting.push({ entry, done, failed });
        open.running ??= drain(open, base);
      }),
    write: (state) => write(open, state),
    rotateKey: (state) => rotateKey(open, state),
    remove: () => remove(open),
    documents: withCheckedNames(storage.documents),
    close: async () => {
      open.held = undefined;
      await open.running;
      await open.lease?.release();
      await storage.close();
    },
  };
}

async function findKey(open: Open): Promise<KnownKey> {
  if (open.known !== undefined && !open.known.isNew) return open.known;
  const { key, ...found } = await open.keys.find();
  if (key !== undefined) open.known = { key, ...found, isNew: false };
  return (open.known ??= { key: (await open.keys.first?.()) ?? newStateKey(), ...found, isNew: true });
}

/** Keeps a new key durably. */
async function keepKey(open: Open): Promise<void> {
  const { key, isNew, unsealed } = await findKey(open);
  if (!isNew) return;
  await open.keys.keep(key, open.isUnsealed);
  open.known = { key, isNew: false, unsealed: open.isUnsealed ? unsealed : 'never' };
}

async function rotateKey(open: Open, state: State): Promise<void> {
  const { key, previous } = await findKey(open);
  let { serial } = state;
  // The key of the state is still beside the one before it, and what would take its place there is the new one.
  if (previous !== undefined) await write(open, { ...state, serial: ++serial });
  await open.keys.finish(key);
  const next = newStateKey();
  await open.keys.keepNext(next, key);
  open.known = { key: next, isNew: false, unsealed: 'never' };
  await write(open, { ...withRotatedKey(state, key, next), serial: serial + 1 });
}

async function authenticate(open: Open): Promise<Authenticity> {
  const { name: keyName } = open.keys;
  const { key, next, previous, isNew, unsealed } = await findKey(open);
  const authenticity = authenticityOf(key, {
    next,
    previous,
    keyName,
    acceptUnsealed: (location) => {
      if (unsealed === 'never')
        throw withoutMac(location, isNew ? 'no run takes it over by itself' : `there is a key for it (${keyName})`);
      open.isUnsealed = true;
    },
  });
  if (!isNew) return authenticity;
  const check = (location: string): never => {
    throw lostKey(location, keyName);
  };
  return { ...authenticity, check };
}

/** The version that was saved last, as the lease knows it. Without the lock, a location that fails knows none. */
async function newestKnown({ lease, storage }: Open): Promise<Version | undefined> {
  if (lease !== undefined) return lease.newest();
  return (await storage.lease.look().catch(() => undefined))?.entry.newest;
}

async function load({ storage }: Open, authenticity: Authenticity): Promise<State | undefined> {
  const state = await storage.load(authenticity);
  return state === undefined ? undefined : stateInWords(state);
}

/** Reads the state; keeps it while this process has the lock. */
async function read(open: Open, how: Parameters<StateStore['read']>[0] = {}): Promise<State | undefined> {
  const { acceptsOlder = false, acceptsNone = acceptsOlder } = how;
  const { location } = open.storage;
  await endJournal(open);
  open.isUnsealed = false;
  const authenticity = await authenticate(open);
  const first = await load(open, authenticity);
  if (first === undefined && acceptsNone) return undefined;
  // A rotation was killed after it saved the state: its key counts from now on.
  if (open.known !== undefined && open.known.key !== authenticity.key) {
    open.known = { ...open.known, key: authenticity.key, previous: open.known.key };
  }
  const newest = await newestKnown(open);
  const { lease } = open;
  // A run may have saved it between the two.
  const isLate = lease === undefined && newest !== undefined && (first === undefined || isOlderThan(first, newest));
  const state = isLate ? ((await load(open, await authenticate(open))) ?? first) : first;
  if (state === undefined) {
    if (newest !== undefined) throw gone(location, newest.serial);
    return undefined;
  }
  if (open.isUnsealed && newest !== undefined && open.known?.unsealed !== 'always') {
    throw withoutMac(location, 'one that has a MAC was saved here last');
  }
  if (!acceptsOlder) refuseOlder(location, state, newest);
  // The write that a person agrees to notes an older one, and another write may have ended meanwhile.
  if (!open.isUnsealed && !isOlderThan(state, lease?.newest() ?? newest)) lease?.note(versionOf(state));
  if (lease !== undefined) open.held = state;
  return state;
}

async function write(open: Open, state: State): Promise<void> {
  const { storage, keys, saved } = open;
  open.held = undefined;
  if (!(state.serial <= largestNumber))
    throw unusable(storage.location, `cannot be at version ${state.serial}`, { remedy });
  open.saved = versionOf(state); // at once: a record that comes meanwhile would begin its journal beside the save
  try {
    await endJournal(open);
    await storage.save(withoutUnusedKeys(state), await writerOf(open));
  } catch (error) {
    open.saved = saved;
    throw error;
  }
  open.lease?.note(versionOf(state));
  open.isUnsealed = false;
  if (open.known !== undefined) await keys.finish(open.known.key).catch(() => undefined); // the next write tries again
}

async function remove(open: Open): Promise<void> {
  [open.held, open.saved] = [undefined, undefined];
  await endJournal(open);
  await open.storage.remove(holderOf(open));
  open.lease?.note(undefined);
}

async function writerOf(open: Open): Promise<Writer> {
  await keepKey(open);
  const holder = holderOf(open);
  return { authenticity: await authenticate(open), ...holder };
}

function holderOf({ lease, storage }: Open): Omit<Writer, 'authenticity'> {
  if (lease === undefined && storage.isShared) throw unusable(storage.location, 'is not written without its lock');
  lease?.check();
  return { counter: lease?.counter ?? 0, check: () => lease?.check(), confirm: async () => lease?.confirm() };
}

/** Adds what waits to the journal, in waves. */
async function drain(open: Open, base: State): Promise<void> {
  const { storage } = open;
  await Promise.resolve(); // records of the same tick belong to one wave
  while (open.waiting.length > 0) {
    let batch: Waiting[] = [];
    try {
      if (open.broken !== undefined) throw open.broken.error;
      if (!open.hasBegun) await storage.begin(base, await writerOf(open));
      open.hasBegun = true;
      await storage.gather?.();
      [batch, open.waiting] = [open.waiting, []];
      const wave = batch.map(({ entry }) => entry);
      await storage.add(wave, await writerOf(open));
      for (const item of batch) item.done();
    } catch (error) {
      open.broken = { error };
      [batch, open.waiting] = [[...batch, ...open.waiting], []];
      for (const item of batch) item.failed(error);
    }
  }
  open.running = undefined; // here and not in a callback: a record appended in between would wait for ever
}

/** Makes the next record begin a new journal. */
async function endJournal(open: Open): Promise<void> {
  await open.running;
  open.hasBegun = false;
  open.broken = undefined;
}

const remedy =
  'Nothing was written. No number of runs leads there: that version was written into the lock by hand. Find out who can write ' +
  'the place of the state, and remove the lock there: the folder lease, the row of the table lease, or the object.';

function versionOf({ lineage, serial }: State): Version {
  return { lineage, serial };
}

/** Whether a lease knows a newer version, or that of another state. */
function isOlderThan({ lineage, serial }: State, newest: Version | undefined): newest is Version {
  return newest !== undefined && (lineage !== newest.lineage || serial < newest.serial);
}

/** A journal that begins from an older version would take the place of the newer one. @throws {Stop} `state` */
function refuseOutdated({ storage, lease, saved }: Open, base: State): void {
  // Without the lock others may have written since.
  if (lease === undefined || !isOlderThan(base, saved)) return;
  const what = `is at version ${saved.serial}, and the plan was made from version ${base.serial}`;
  throw unusable(storage.location, what, { remedy: 'Nothing more was written. Plan again.' });
}

/** @throws {Stop} `state`, when a lease knows a newer version, or that of another state. */
function refuseOlder(location: string, state: State, newest: Version | undefined): void {
  if (!isOlderThan(state, newest)) return;
  const { lineage, serial } = state;
  if (lineage !== newest.lineage) throw older(location, 'is another one than the state that was saved here last');
  throw older(location, `is at version ${serial}, and version ${newest.serial} was saved here last`);
}
