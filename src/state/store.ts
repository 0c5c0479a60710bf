import { withCheckedNames } from './documents.ts';
import { findHolder } from './holder.ts';
import type { Lease, LeaseContext } from './lease.ts';
import { leaseContext } from './lease.ts';
import type { StateStorage, Writer } from './storage.ts';
import type { StateRecord } from './record.ts';
import type { State, StateStore } from './state.ts';
import { takeLease } from './take-lease.ts';
import { unusable } from './unusable.ts';

/** A record that is not durable yet. */
interface Waiting {
  readonly address: string;
  readonly record: StateRecord | null;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * A store over the storage of a backend. Records that arrive during a write go together with the next wave. Never throws;
 * its methods reject with a `Stop` when the lock is lost or the storage cannot be used.
 */
export function storeOver(storage: StateStorage, some: Partial<LeaseContext> = {}): StateStore {
  let lease: Lease | undefined;
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let hasBegun = false;
  let broken: { readonly error: unknown } | undefined;
  let context: LeaseContext | undefined;
  const contextNow = () => (context ??= leaseContext(some));

  const writer = (): Writer => {
    if (lease === undefined && storage.isShared) throw unusable(storage.location, 'is not written without its lock');
    lease?.check();
    const held = lease;
    return {
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
        if (!hasBegun) await storage.begin(base, writer());
        hasBegun = true;
        [batch, waiting] = [waiting, []];
        await storage.add(
          batch.map(({ address, record }) => [address, record] as const),
          writer(),
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

  return {
    location: storage.location,
    read: async () => {
      await rest();
      return storage.load();
    },
    lock: async (request) => {
      lease = await takeLease(storage.lease, request, contextNow());
      return lease;
    },
    holder: () => findHolder(storage.lease, contextNow()),
    append: (base, address, record) =>
      new Promise((done, failed) => {
        waiting.push({ address, record, done, failed });
        running ??= drain(base);
      }),
    write: async (state) => {
      await rest();
      await storage.save(state, writer());
    },
    documents: withCheckedNames(storage.documents),
    close: async () => {
      await running;
      await lease?.release();
      await storage.close();
    },
  };
}
