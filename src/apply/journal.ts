import { partAddress } from '../kind/address.ts';
import { same } from '../formats/json.ts';
import type { Content } from '../state/record.ts';
import type { Deploys, StateRecord } from '../state/record.ts';
import type { State, StateStore } from '../state/state.ts';
import type { Wave } from '../state/wave.ts';

/** When something that is saved is on the disk: at once; before anything that is saved after it, and soon; or at the end. */
type How = 'with the next' | 'with the rest';

/** What a run saves: what the state is to hold, announced before it is sent. */
export interface Journal {
  /** Everything as this run wrote it last, on the disk or about to be. */
  wave(): Wave;
  /** The record of an address as this run wrote it last, else as it was before; null: this run removed it. */
  now(address: string): StateRecord | null | undefined;
  /**
   * Keeps a record; it is on the disk when this resolves. One that cannot be written is as if it never was: what it
   * announces is not sent, and what it says is found by the next run. With a record that is removed go its deployments.
   *
   * @throws {Stop} when the store refuses it; never for one that was not waited for.
   */
  save(address: string, record: StateRecord | null, how?: How): Promise<void>;
  /** Keeps the deployments of a service in the same way; null: the state is to hold none. */
  saveDeploys(service: string, deploys: Deploys | null, how?: How): Promise<void>;
  /** Keeps the record of a service and its deployments: both, or none of them. */
  saveService(
    service: string,
    content: { readonly record: StateRecord; readonly deploys: Deploys | null },
    how?: How,
  ): Promise<void>;
}

/** Opens the journal of a run on a state. Never throws. */
export function openJournal(store: StateStore, base: State): Journal {
  const contents = new Map<string, Content | null>();
  const durable = new Map<string, Content | null>();
  const put = async (saved: Wave, how: How | undefined): Promise<void> => {
    for (const [address, content] of saved) contents.set(address, content); // at once: what is saved next goes on from it
    const append = () => Promise.all(saved.map(([address, content]) => store.append(base, address, content)));
    // A store that fails refuses every later record too: then nothing is sent that goes on from this one.
    if (how === 'with the next') append().catch(() => undefined);
    try {
      if (how === undefined) await append();
      for (const [address, content] of saved) durable.set(address, content);
    } catch (error) {
      for (const [address] of saved) {
        const last = durable.get(address);
        if (last === undefined) contents.delete(address);
        else contents.set(address, last);
      }
      throw error;
    }
  };
  /** The deployments of a service, where they are not saved so already. */
  const changed = (service: string, deploys: Deploys | null): Wave => {
    const address = partAddress(service, 'deployment');
    const before = contents.has(address) ? contents.get(address) : (base.deployments[service] ?? null);
    return same(before, deploys) ? [] : [[address, deploys]];
  };
  return {
    wave: () => [...contents],
    // Only deployments stand at addresses of deployments.
    now: (address) => (contents.has(address) ? (contents.get(address) as StateRecord | null) : base.resources[address]),
    save: (address, record, how) =>
      put(record === null ? [...changed(address, null), [address, null]] : [[address, record]], how),
    saveDeploys: (service, deploys, how) => put(changed(service, deploys), how),
    saveService: (service, { record, deploys }, how) => put([[service, record], ...changed(service, deploys)], how),
  };
}
