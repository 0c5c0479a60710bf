import { attributeName } from '../kind/attribute.ts';
import type { Profile } from '../api/contract.ts';
import type { Kind } from '../kind/kind.ts';
import { profileOf } from '../kind/profile.ts';
import { servedName, shownValue } from '../kind/wire.ts';
import type { Pair, StateRecord, Stored } from './record.ts';
import { atAddress } from './edit.ts';
import type { State, StateStore } from './state.ts';

/**
 * A store whose states have the words of the kinds: a state that was written in the words of another profile is read as if
 * `moved:` gave each object its address in this one. `check` gets the profile that a state remembers. What it remembers is that
 * of the kinds; the standard one only where it was found out (`isFound`), and is not a matter of course. Never throws.
 */
export function storeInWords(
  store: StateStore,
  kinds: readonly Kind[],
  { check, isFound }: { readonly check: (remembered: Profile) => void; readonly isFound: boolean },
): StateStore {
  const profile = profileOf(kinds);
  const kept = new WeakMap<State, State>();
  /** The same state for the same one: whoever compares them takes another one for a change. */
  const once = (state: State, make: (state: State) => State): State => {
    const made = kept.get(state) ?? make(state);
    kept.set(state, made);
    return made;
  };
  const remembering = (state: State): State =>
    once(state, ({ profile: before, ...rest }) => {
      const isKept = profile !== 'standard' || isFound || before !== undefined;
      return isKept ? { ...rest, profile } : state;
    });
  return {
    ...store,
    read: async (how) => {
      const state = await store.read(how);
      if (state === undefined) return undefined;
      if (state.profile !== undefined) check(state.profile);
      return once(state, () => stateInWords(state, kinds));
    },
    append: (base, address, content) => store.append(remembering(base), address, content),
    write: (state) => store.write(remembering(state)),
    rotateKey: (state) => store.rotateKey(remembering(state)),
  };
}

/** A state with the names of kinds and the addresses of their objects as the kinds have them. Never throws. */
export function stateInWords(state: State, kinds: readonly Kind[]): State {
  const byOther = new Map(kinds.flatMap((kind) => (kind.also === undefined ? [] : [[kind.also, kind] as const])));
  const { resources } = state;
  const moved = new Map<string, string>();
  for (const [address, record] of Object.entries(resources)) {
    const kind = byOther.get(record.kind);
    if (kind === undefined || !address.startsWith(record.kind)) continue;
    const to = kind.section + address.slice(record.kind.length);
    if (!Object.hasOwn(resources, to)) moved.set(address, to);
  }
  if (moved.size === 0) return state;
  const meant = (address: string): string => moved.get(address) ?? address;
  const entries = Object.entries(resources).map(([address, record]): [string, StateRecord] => {
    const { kind, dependsOn } = record;
    const to = meant(address);
    const named = moved.has(address) ? (byOther.get(kind)?.kind ?? kind) : kind;
    return [to, { ...atAddress(record, address, to), kind: named, dependsOn: dependsOn.map(meant) }];
  });
  const deployments = Object.entries(state.deployments).map(([address, deploys]) => [meant(address), deploys] as const);
  return { ...state, resources: Object.fromEntries(entries), deployments: Object.fromEntries(deployments) };
}

/** A record with the names of fields and the words of values as users read them; for people only. Never throws. */
export function shownRecord(record: StateRecord, kinds: readonly Kind[]): StateRecord {
  const kind = kinds.find((one) => one.kind === record.kind);
  if (kind?.names === undefined) return record;
  const pairs = Object.entries(record.pairs).map(([name, pair]): [string, Pair] => {
    const [, field = name, key = ''] = /^([^[]*)(\[.*)?$/s.exec(name) ?? [];
    const shown = (stored: Stored): Stored =>
      'digest' in stored ? stored : { value: shownValue(kind.fields[field] ?? {}, stored.value) };
    const words = { ...pair, wanted: shown(pair.wanted), answered: shown(pair.answered) };
    return [`${attributeName({ field: servedName(kind, field) })}${key}`, words];
  });
  return { ...record, pairs: Object.fromEntries(pairs) };
}
