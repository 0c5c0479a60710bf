import { same } from '../formats/json.ts';
import type { Deploys, Entry, StateRecord } from '../state/record.ts';
import type { State, StateStore } from '../state/state.ts';
import type { Wave } from '../state/wave.ts';

/** When something that is saved is on the disk: at once; before anything that is saved after it, and soon; or at the end. */
type How = 'with the next' | 'with the rest';

/** What the state is to hold at an address; `gone`: nothing, neither a record nor deployments. What is left out stays. */
type Content = 'gone' | { readonly record?: StateRecord | undefined; readonly deploys?: Deploys | null | undefined };

/** What a run saves: what the state is to hold, announced before it is sent. */
export interface Journal {
  /** Everything as this run wrote it last, on the disk or about to be. */
  wave(): Wave;
  /** The record of an address as this run wrote it last, else as it was before; null: this run removed it. */
  now(address: string): StateRecord | null | undefined;
  /**
   * Keeps all of a content or nothing of it; it is on the disk when this resolves. One that cannot be written is as if it
   * never was: what it announces is not sent, and what it says is found by the next run.
   *
   * @throws {Stop} when the store refuses it; never for one that was not waited for.
   */
  save(address: string, content: Content, how?: How): Promise<void>;
}

/** Names what an entry replaces: the record of an address has that name. */
const keyOf = ([address, , part]: Entry): string => (part === undefined ? address : `${part} of ${address}`);

/** Opens the journal of a run on a state. Never throws. */
export function openJournal(store: StateStore, base: State): Journal {
  const latest = new Map<string, Entry>();
  const durable = new Map<string, Entry>();
  const waiting = new Set<string>(); // what is written at the end, and what a kill before that loses
  const put = async (saved: Wave, how: How | undefined): Promise<void> => {
    for (const entry of saved) latest.set(keyOf(entry), entry); // at once: what is saved next goes on from it
    const append = () => Promise.all(saved.map((entry) => store.append(base, ...entry)));
    // A store that fails refuses every later record too: then nothing is sent that goes on from this one.
    if (how === 'with the next') append().catch(() => undefined);
    try {
      if (how === undefined) await append();
      for (const entry of saved) {
        durable.set(keyOf(entry), entry);
        if (how === 'with the rest') waiting.add(keyOf(entry));
        else waiting.delete(keyOf(entry));
      }
    } catch (error) {
      for (const entry of saved) {
        const last = durable.get(keyOf(entry));
        if (last === undefined) latest.delete(keyOf(entry));
        else latest.set(keyOf(entry), last);
      }
      throw error;
    }
  };
  /** The deployments of a service, where they are not saved so already, or only at the end. */
  const changed = (service: string, deploys: Deploys | null): Wave => {
    const entry = [service, deploys, 'deployments'] as const;
    const [, before = base.deployments[service] ?? null] = latest.get(keyOf(entry)) ?? [];
    return same(before, deploys) && !waiting.has(keyOf(entry)) ? [] : [entry];
  };
  return {
    wave: () => [...latest.values()],
    now: (address) => {
      const entry = latest.get(address);
      return entry === undefined ? base.resources[address] : (entry[1] as StateRecord | null); // the key is that of a record
    },
    save: (address, content, how) => {
      if (content === 'gone') return put([...changed(address, null), [address, null]], how);
      const { record, deploys } = content;
      const own: Wave = record === undefined ? [] : [[address, record]];
      return put(deploys === undefined ? own : [...own, ...changed(address, deploys)], how);
    },
  };
}
