import type { StateRecord } from '../state/record.ts';
import type { State, StateStore } from '../state/state.ts';

/** The records of a run: what the state is to hold, announced before it is sent. */
export interface Journal {
  /** Every record as this run wrote it last, on the disk or about to be. */
  readonly records: ReadonlyMap<string, StateRecord | null>;
  /** The record of an address as this run wrote it last, else as it was before; null: this run removed it. */
  now(address: string): StateRecord | null | undefined;
  /**
   * Keeps a record; it is on the disk when this resolves. One that cannot be written is as if it never was: what it
   * announces is not sent, and what it says is found by the next run. A record goes `with the rest` at the end, or `with the
   * next`: before anything that is saved after it, and soon.
   *
   * @throws {Stop} when the store refuses it; never for one that was not waited for.
   */
  save(address: string, content: StateRecord | null, how?: 'with the next' | 'with the rest'): Promise<void>;
}

/** Opens the journal of a run on a state. Never throws. */
export function openJournal(store: StateStore, base: State): Journal {
  const records = new Map<string, StateRecord | null>();
  const durable = new Map<string, StateRecord | null>();
  return {
    records,
    now: (address) => (records.has(address) ? records.get(address) : base.resources[address]),
    save: async (address, content, how) => {
      records.set(address, content); // at once: what is saved next goes on from it
      // A store that fails refuses every later record too: then nothing is sent that goes on from this one.
      if (how === 'with the next') store.append(base, address, content).catch(() => undefined);
      try {
        if (how === undefined) await store.append(base, address, content);
        durable.set(address, content);
      } catch (error) {
        const last = durable.get(address);
        if (last === undefined) records.delete(address);
        else records.set(address, last);
        throw error;
      }
    },
  };
}
