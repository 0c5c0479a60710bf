import { stateInWords } from './words.ts';
import type { StateKey } from '../secrets/state-key.ts';
import { newStateKey } from '../secrets/state-key.ts';
import type { Authenticity } from './authenticity.ts';
import { authenticityOf } from './authenticity.ts';
import { withoutUnusedKeys, withRotatedKey } from './digests.ts';
import { withCheckedNames } from './documents.ts';
import { findHolder } from './holder.ts';
import type { KeySource, Unsealed } from './keys.ts';
import type { Version } from './lease-entry.ts';
import { largestSerial } from './lease-entry.ts';
import type { Lease, LeaseContext } from './lease.ts';
import { leaseContext } from './lease.ts';
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

/**
 * A store over the storage of a backend; `keys` says where its key is from. Records that arrive during a write go together with the next wave. Never throws;
 * its methods reject with a `Stop` when the lock is lost or the storage cannot be used.
 */
export function storeOver(
  storage: StateStorage,
  { keys, ...some }: Partial<LeaseContext> & { readonly keys: KeySource },
): StateStore {
  let lease: Lease | undefined;
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let hasBegun = false;
  let broken: { readonly error: unknown } | undefined;
  let context: LeaseContext | undefined;
  const contextNow = () => (context ??= leaseContext(some));
  let known: KnownKey | undefined;
  let isUnsealed = false;
  /** The state as it was read under the lock: only this process writes it meanwhile. */
  let held: State | undefined;

  const findKey = async (): Promise<KnownKey> => {
    if (known !== undefined && !known.isNew) return known;
    const { key, ...found } = await keys.find();
    if (key !== undefined) known = { key, ...found, isNew: false };
    return (known ??= { key: newStateKey(), ...found, isNew: true });
  };

  const authenticate = async (): Promise<Authenticity> => {
    const { key, next, previous, isNew, unsealed } = await findKey();
    const authenticity = authenticityOf(key, {
      next,
      previous,
      keyName: keys.name,
      acceptUnsealed: (location) => {
        if (unsealed === 'never')
          throw withoutMac(location, isNew ? 'no run takes it over by itself' : `there is a key for it (${keys.name})`);
        isUnsealed = true;
      },
    });
    if (!isNew) return authenticity;
    const check = (location: string): never => {
      throw lostKey(location, keys.name);
    };
    return { ...authenticity, check };
  };

  const keepKey = async (): Promise<void> => {
    const { key, isNew, unsealed } = await findKey();
    if (!isNew) return;
    await keys.keep(key, isUnsealed);
    known = { key, isNew: false, unsealed: isUnsealed ? unsealed : 'never' };
  };

  /** The version that was saved last, as the lease knows it. Without the lock, a location that fails knows none. */
  const newestKnown = async (): Promise<Version | undefined> => {
    if (lease !== undefined) return lease.newest();
    return (await storage.lease.look().catch(() => undefined))?.entry.newest;
  };

  const load = async (authenticity: Authenticity): Promise<State | undefined> => {
    const state = await storage.load(authenticity);
    return state === undefined ? undefined : stateInWords(state);
  };

  const writer = async (): Promise<Writer> => {
    await keepKey();
    if (lease === undefined && storage.isShared) throw unusable(storage.location, 'is not written without its lock');
    lease?.check();
    const held = lease;
    return {
      authenticity: await authenticate(),
      counter: held?.counter ?? 0,
      check: () => held?.check(),
      confirm: async () => held?.confirm(),
    };
  };

  const drain = async (base: State): Promise<void> => {
    await Promise.resolve(); // records of the same tick belong to one wave
    while (waiting.length > 0) {
      let batch: Waiting[] = [];
      try {
        // A wave after a torn one would turn the torn one into damage.
        if (broken !== undefined) throw broken.error;
        if (!hasBegun) await storage.begin(base, await writer());
        hasBegun = true;
        await storage.gather?.();
        [batch, waiting] = [waiting, []];
        await storage.add(
          batch.map(({ entry }) => entry),
          await writer(),
        );
        for (const item of batch) item.done();
      } catch (error) {
        broken = { error };
        [batch, waiting] = [[...batch, ...waiting], []];
        for (const item of batch) item.failed(error);
      }
    }
    running = undefined; // here and not in a callback: a record appended in between would wait for ever
  };

  /** Makes the next record begin a new journal. */
  const rest = async (): Promise<void> => {
    await running;
    hasBegun = false;
    broken = undefined;
  };

  const write = async (state: State): Promise<void> => {
    held = undefined;
    await rest();
    if (!(state.serial <= largestSerial))
      throw unusable(storage.location, `cannot be at version ${state.serial}`, { remedy });
    await storage.save(withoutUnusedKeys(state), await writer());
    lease?.note(versionOf(state));
    isUnsealed = false;
    if (known !== undefined) await keys.finish(known.key).catch(() => undefined); // the next write tries again
  };

  return {
    location: storage.location,
    key: async () => (await findKey()).key,
    keyName: keys.name,
    isUnsealed: () => isUnsealed,
    keepKey: async () => {
      await keepKey();
      await keys.removeDrafts();
    },
    read: async ({ acceptsOlder = false, acceptsNone = acceptsOlder } = {}) => {
      if (held !== undefined) return held;
      await rest();
      isUnsealed = false;
      const authenticity = await authenticate();
      const first = await load(authenticity);
      if (first === undefined) {
        if (!acceptsNone) refuseNone(storage.location, await newestKnown());
        return undefined;
      }
      // A rotation was killed after it saved the state: its key counts from now on.
      if (known !== undefined && known.key !== authenticity.key) {
        known = { ...known, key: authenticity.key, previous: known.key };
      }
      const newest = await newestKnown();
      // A run may have saved it between the two.
      const isOlder = isOlderThan(first, newest) && lease === undefined;
      const state = isOlder ? ((await load(await authenticate())) ?? first) : first;
      if (isUnsealed && newest !== undefined && known?.unsealed !== 'always') {
        throw withoutMac(storage.location, 'one that has a MAC was saved here last');
      }
      if (!acceptsOlder) refuseOlder(storage.location, state, newest);
      // The write that a person agrees to notes an older one, and another write may have ended meanwhile.
      if (!isUnsealed && !isOlderThan(state, lease?.newest() ?? newest)) lease?.note(versionOf(state));
      if (lease !== undefined) held = state;
      return state;
    },
    lock: async (request) => {
      held = undefined;
      lease = await takeLease(storage.lease, request, contextNow());
      await keys.removeDrafts();
      return lease;
    },
    newest: newestKnown,
    holder: () => findHolder(storage.lease, contextNow()),
    append: (base, ...entry) =>
      new Promise((done, failed) => {
        held = undefined;
        waiting.push({ entry, done, failed });
        running ??= drain(base);
      }),
    write,
    rotateKey: async (state) => {
      const { key, previous } = await findKey();
      let { serial } = state;
      // The key of the state is still beside the one before it, and what would take its place there is the new one.
      if (previous !== undefined) await write({ ...state, serial: ++serial });
      await keys.finish(key);
      const next = newStateKey();
      await keys.keepNext(next, key);
      known = { key: next, isNew: false, unsealed: 'never' };
      await write({ ...withRotatedKey(state, key, next), serial: serial + 1 });
    },
    documents: withCheckedNames(storage.documents),
    close: async () => {
      held = undefined;
      await running;
      await lease?.release();
      await storage.close();
    },
  };
}

/** @throws {Stop} `state`, when a lease knows a version of a state that is not there. */
function refuseNone(location: string, newest: Version | undefined): void {
  if (newest !== undefined) throw gone(location, newest.serial);
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

/** @throws {Stop} `state`, when a lease knows a newer version, or that of another state. */
function refuseOlder(location: string, state: State, newest: Version | undefined): void {
  if (!isOlderThan(state, newest)) return;
  const { lineage, serial } = state;
  if (lineage !== newest.lineage) throw older(location, 'is another one than the state that was saved here last');
  throw older(location, `is at version ${serial}, and version ${newest.serial} was saved here last`);
}
