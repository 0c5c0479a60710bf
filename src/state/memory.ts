import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { State, StateRecord, StateStore } from './state.ts';

/** A state that lives as long as the process; for tests and for trying things out. */
export function memoryStore(initial?: State): StateStore & { state: State | undefined; writes: number } {
  let appended: Record<string, StateRecord> | undefined;
  let holder: string | undefined;
  const store = {
    place: 'memory',
    state: initial,
    writes: 0,
    read: () => {
      appended = undefined;
      return Promise.resolve(store.state);
    },
    lock: (purpose: string) => {
      if (holder !== undefined) {
        return Promise.reject(
          new Stop('locked', [
            diagnostic('locked', `the state is locked by this process, which runs ${holder}`, {
              remedy: 'Wait for it to end.',
            }),
          ]),
        );
      }
      holder = purpose;
      let isHeld = true;
      const release = () => {
        if (isHeld) holder = undefined;
        isHeld = false;
        return Promise.resolve();
      };
      return Promise.resolve({ release });
    },
    append: (base: State, address: string, record: StateRecord | null) => {
      // The records are those of the base: it may have other addresses than what was saved.
      if (appended === undefined || store.state?.resources !== appended) {
        appended = { ...base.resources };
        store.state = { ...base, resources: appended };
      }
      if (record === null) delete appended[address];
      else appended[address] = structuredClone(record);
      return Promise.resolve();
    },
    write: (state: State) => {
      appended = undefined;
      store.state = structuredClone(state);
      store.writes++;
      return Promise.resolve();
    },
  };
  return store;
}
