import { once } from '../../api/once.ts';
import { type BeatingClock, systemClock } from '../clock.ts';
import type { LeaseEntry } from '../lease-entry.ts';
import { type KeySource, keyInMemory } from '../key-sources.ts';
import type { LeaseContext } from '../lease.ts';
import type { StateStorage } from '../storage.ts';
import type { Register } from '../register.ts';
import type { State, StateStore } from '../state.ts';
import { storeOver } from '../store.ts';

/** A state that lives as long as the process, for tests and experiments. */
export interface MemoryStore extends StateStore {
  /** The result of `read`. */
  state: State | undefined;
  /** Number of writes as a whole. */
  readonly writes: number;
}

/** Creates a store in memory; two stores with the same memory share a state. Never throws. */
export function memoryStore(
  initial?: State,
  some: Partial<LeaseContext> & { readonly memory?: Memory; readonly keys?: KeySource } = {},
): MemoryStore {
  const { memory = createMemory(some.clock ?? systemClock) } = some;
  if (initial !== undefined) memory.state = initial;
  let writes = 0;
  const store = storeOver(memory.storage, { ...some, keys: some.keys ?? memory.keys });
  return {
    ...store,
    write: async (state) => {
      await store.write(state);
      writes++;
    },
    get state() {
      return memory.state;
    },
    set state(state) {
      memory.state = state;
      if (state === undefined) memory.forgetNewest();
    },
    get writes() {
      return writes;
    },
  };
}

/** The memory that stores can share. */
export interface Memory {
  state: State | undefined;
  /** Makes the lock forget the version that was saved last, as if there had never been a state. */
  readonly forgetNewest: () => void;
  readonly storage: StateStorage;
  readonly keys: KeySource;
}

/** Creates an empty memory. Never throws. */
export function createMemory(clock: BeatingClock): Memory {
  const texts = new Map<string, string>();
  const keys = once(keyInMemory);
  const { forgetNewest, ...lease } = memoryRegister(clock);
  const memory: Memory = {
    state: undefined,
    forgetNewest,
    get keys() {
      return keys();
    },
    storage: {
      location: 'memory',
      lease,
      documents: {
        put: (name, text) => Promise.resolve(void texts.set(name, text)),
        get: (name) => Promise.resolve(texts.get(name)),
        remove: (name) => Promise.resolve(void texts.delete(name)),
        list: () => Promise.resolve([...texts.keys()]),
      },
      isShared: false,
      load: () => Promise.resolve(memory.state),
      begin: async (base, { confirm }) => {
        await confirm();
        // Waves change a copy: the state that was read stays unchanged.
        memory.state = { ...base, resources: { ...base.resources }, deployments: { ...base.deployments } };
      },
      add: async (wave, { confirm }) => {
        await confirm();
        const { resources = {}, deployments = {} } = memory.state ?? {};
        for (const [address, content, part] of wave) {
          if (content === null || part === 'deployments') put(deployments, address, content);
          if (part !== 'deployments') put(resources, address, content);
        }
      },
      save: async (state, { confirm }) => {
        await confirm();
        memory.state = structuredClone(state);
      },
      remove: async ({ confirm }) => {
        await confirm();
        memory.state = undefined;
      },
      close: () => Promise.resolve(),
    },
  };
  return memory;
}

function put(all: Record<string, unknown>, address: string, content: object | null): void {
  if (content === null) delete all[address];
  // Assignment would set the prototype for the address __proto__.
  else {
    const value = structuredClone(content);
    Object.defineProperty(all, address, { value, enumerable: true, writable: true, configurable: true });
  }
}

function memoryRegister(clock: BeatingClock): Register & Pick<Memory, 'forgetNewest'> {
  let present: { readonly entry: LeaseEntry; readonly version: number; readonly at: number } | undefined;
  const seen = () => {
    if (present === undefined) return undefined;
    const { entry, version, at } = present;
    return { entry, version: String(version), ageMs: clock.monotonic() - at };
  };
  return {
    of: 'the state in memory',
    look: () => Promise.resolve(seen()),
    forgetNewest: () => {
      if (present === undefined) return;
      const { newest: _, ...entry } = present.entry;
      present = { ...present, entry };
    },
    isNewest: ({ version }) => Promise.resolve(version === seen()?.version),
    swap: (before, entry) => {
      const version = present?.version ?? 0;
      if (Number(before?.version ?? 0) !== version) return Promise.resolve(undefined);
      present = { entry, version: version + 1, at: clock.monotonic() };
      return Promise.resolve(seen());
    },
  };
}
