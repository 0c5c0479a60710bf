import { parse as parseDotenv } from 'dotenv';
import equal from 'fast-deep-equal';
import { plain } from '../../../src/kind/codecs.ts';
import type { Json } from '../../../src/formats/json.ts';
import { canonical } from '../../../src/formats/json.ts';
import { readAddress } from '../../../src/kind/address.ts';
import type { Kind } from '../../../src/kind/kind.ts';
import { kinds } from '../../../src/resources/index.ts';
import type { Digest } from '../../../src/secrets/digest.ts';
import { digestsOf } from '../../../src/state/digests.ts';
import { pendingCreate } from '../../../src/state/pending-operation.ts';
import type { StateRecord, Stored } from '../../../src/state/record.ts';
import type { State } from '../../../src/state/state.ts';
import { testKey } from '../../support/state-key.ts';
import type { Snapshot } from './platform.ts';
import { columnOf, idsIn, isListed, look, rowsOf, valueIn } from './platform.ts';
import { isAsSent, keyOf, movedMemory } from './prediction.ts';
import type { Episode, Intended, Memories, Memory, Pair, Run } from './run.ts';
import { idAt } from './run.ts';
import type { OutputIn } from './wanted.ts';
import { wantedFields, wantedVariables } from './wanted.ts';

/**
 * What is to be remembered when a run was left half done. How far it got, the state says; but that is what was
 * remembered before, or what the run was to do, and nothing else.
 */
export function recall(run: Run, episode: Episode): Memories {
  const { state } = run.made.store;
  const after = look(run.made.emulator);
  // Parents before children.
  const records = Object.entries(state?.resources ?? {}).toSorted(([a], [b]) => a.length - b.length);
  const claimed = new Set([...records.flatMap(([, { id }]) => id ?? []), ...run.deeds.map(({ id }) => id)]);
  const isUnbegun = ([address, { id }]: [string, StateRecord]) =>
    id !== null && readAddress(address).part !== undefined && state?.resources[readAddress(address).block]?.id === id;
  const outputIn: OutputIn = (block, from) => {
    const value = rowsOf(after, block.kind).get(state?.resources[block.address]?.id ?? '')?.[from];
    return typeof value === 'string' ? value : undefined;
  };
  const memory = new Map<string, Memory>();
  for (const entry of records) {
    const [address, record] = entry;
    const kind = kinds.find((one) => one.kind === record.kind);
    if (kind === undefined || state === undefined || isUnbegun(entry)) continue;
    const creation = { address, kind, state, record, above: memory, outputIn };
    const intended = record.id === null ? intentionOf(run, episode, creation) : undefined;
    const made = intended === undefined ? undefined : madeUnseen({ kind, intended }, { after, claimed });
    const about = { run, episode, address, kind, state, record, id: record.id ?? made ?? '', after, outputIn };
    memory.set(address, {
      kind,
      id: about.id,
      protect: record.options.protect === true,
      ...pairsOf(about),
      envKeys: Object.keys(record.pairs).flatMap((name) => {
        const key = /^env\[(.*)\]$/.exec(name)?.[1];
        return key === undefined ? [] : [JSON.parse(key) as string];
      }),
      taken: takenOf(about),
      intended,
    });
  }
  return memory;
}

/** What is known of one record. */
interface Recalling {
  readonly run: Run;
  readonly episode: Episode;
  readonly address: string;
  readonly kind: Kind;
  readonly state: State;
  readonly record: StateRecord;
  readonly id: string;
  readonly after: Snapshot;
  readonly outputIn: OutputIn;
}

function pairsOf(about: Recalling): Pick<Memory, 'pairs' | 'sets'> {
  const { run, episode, address, kind, record, id, after, outputIn } = about;
  const block = episode.declared.byAddress.get(address);
  const known = movedMemory(run.memory, episode.declared).get(address);
  const wanted = block === undefined ? {} : wantedFields(episode.declared, block, outputIn);
  const rows = [rowsOf(episode.before, kind).get(id), rowsOf(after, kind).get(id)];
  const pairs: Record<string, Pair> = {};
  const sets: Record<string, readonly string[]> = {};
  for (const [name, pair] of Object.entries(settledIn(record, kind))) {
    const field = kind.fields[name];
    if (field === undefined) continue; // a key of a map
    if (field.growsByItself === true) {
      sets[name] = 'value' in pair.wanted ? idsIn(pair.wanted.value) : [];
      continue;
    }
    const old = known?.pairs[name];
    const form = (value: Json) => canonical((field.codec ?? plain).normal(value));
    const value = wanted[name];
    const wishes = [...(old === undefined ? [] : [old.wanted]), ...(value === undefined ? [] : [form(value)])];
    const seen = [
      ...(old === undefined ? [] : [old.answered]),
      ...rows.flatMap((row) => (row === undefined ? [] : [form(valueIn(kind, name, row))])),
      ...run.deeds.flatMap(({ id: touched, column, value: theirs }) =>
        touched === id && column !== undefined && column === columnOf(kind, name, rows[1] ?? {})
          ? [form(valueIn(kind, name, { ...rows[1], [column]: theirs }))]
          : [],
      ),
      ...wishes,
    ];
    const digest = digestsOf(testKey, about.state)(address, name);
    const wish = storedAs(digest, pair.wanted, wishes);
    // Of an object that is gone nobody can tell any more what it was.
    if (!wishes.includes(wish ?? '') && rows[1] !== undefined && value !== undefined) {
      throw new Error(`the state says that ${address}.${name} was wanted to be ${JSON.stringify(pair.wanted)}`);
    }
    pairs[name] = { wanted: wish ?? '', answered: storedAs(digest, pair.answered, seen) ?? '' };
  }
  return { pairs, sets };
}

/** What the state holds as settled: of what shows at once when it was made, what a create said that got no answer. */
function settledIn(record: StateRecord, { identity }: Kind): StateRecord['pairs'] {
  const said = Object.entries((identity.listedOnce === undefined ? pendingCreate(record)?.says : undefined) ?? {});
  return { ...Object.fromEntries(said.map(([name, wanted]) => [name, { wanted, answered: wanted }])), ...record.pairs };
}

/** What was changed by hand while it was written, and is settled as that. */
function takenOf({ run, episode, address, kind, state, record, id, after, outputIn }: Recalling): Memory['taken'] {
  const block = episode.declared.byAddress.get(address);
  const row = rowsOf(after, kind).get(id);
  const known = movedMemory(run.memory, episode.declared).get(address);
  if (block === undefined || row === undefined) return {};
  const fields = wantedFields(episode.declared, block, outputIn);
  const variables = wantedVariables(episode.declared, block, outputIn);
  const now = parseDotenv(String(row.env ?? ''));
  const taken: Record<string, Pair> = {};
  for (const [part, pair] of Object.entries(record.pairs)) {
    const [, name = '', quoted] = /^([^[]*)(?:\[(.*)\])?$/.exec(part) ?? [];
    const key = quoted === undefined ? undefined : (JSON.parse(quoted) as string);
    const { codec = plain } = kind.fields[name] ?? {};
    const form = (value: Json | undefined) =>
      canonical(key === undefined ? codec.normal(value ?? null) : (value ?? null));
    const wanted = form(key === undefined ? fields[name] : variables[key]);
    const answered = form(key === undefined ? valueIn(kind, name, row) : now[key]);
    const column = columnOf(kind, name, row);
    const isTouched = run.deeds.some((deed) => deed.id === id && deed.column === column);
    const isSettled =
      storedAs(digestsOf(testKey, state)(address, part), pair.answered, [answered]) === answered && wanted !== answered;
    // That a variable is gone is no other form of it; Trueup may report it as ignored.
    const isForm = key === undefined || now[key] !== undefined || pair.ignored !== undefined;
    if (isSettled && isForm && (isTouched || known?.taken[part] !== undefined)) taken[part] = { wanted, answered };
  }
  return taken;
}

/** Which of some values the state holds. */
function storedAs(digest: Digest, stored: Stored, values: readonly string[]): string | undefined {
  if ('value' in stored) return canonical(stored.value);
  return values.find((value) => digest(value, stored.digest) === stored.digest);
}

/** What a run was about to make: what the block says, or what a run before it was about to make. */
function intentionOf(
  run: Run,
  { declared }: Episode,
  about: Pick<Recalling, 'address' | 'kind' | 'state' | 'record' | 'outputIn'> & { readonly above: Memories },
): Intended | undefined {
  const { address, above, outputIn } = about;
  const { parent } = about.record;
  const pending = pendingCreate(about.record);
  const known = movedMemory(run.memory, declared).get(address)?.intended;
  const block = declared.byAddress.get(address);
  const wanted = block === undefined ? {} : wantedFields(declared, block, () => undefined);
  const parentId = parent === null ? undefined : (idAt(run, parent) ?? above.get(parent)?.id);
  const now = block === undefined ? undefined : { parentId, key: keyOf(block, wanted) };
  const isNoted = (one: Pick<Intended, 'key'> | undefined) => one !== undefined && equal(one.key, pending?.key);
  const intended = [now, known].find(isNoted) ?? known ?? now;
  if (intended === undefined) return undefined;
  const fields = block === undefined ? {} : wantedFields(declared, block, outputIn);
  return { ...intended, says: sentIn(about, [fields, known?.says ?? {}]) };
}

/** The values that a create sent, by the state, of those that it can have been. */
function sentIn(
  { address, kind, state, record }: Pick<Recalling, 'address' | 'kind' | 'state' | 'record'>,
  possible: readonly Readonly<Record<string, Json | undefined>>[],
): Intended['says'] {
  if (kind.identity.listedOnce !== undefined) return {};
  return Object.fromEntries(
    Object.entries(pendingCreate(record)?.says ?? {}).flatMap(([name, stored]) => {
      const digest = digestsOf(testKey, state)(address, name);
      const form = (value: Json) => canonical((kind.fields[name]?.codec ?? plain).normal(value));
      const values = possible.flatMap(({ [name]: value }) => (value === undefined ? [] : [value]));
      const sent = values.find((value) => storedAs(digest, stored, [form(value)]) === form(value));
      return sent === undefined ? [] : [[name, sent]];
    }),
  );
}

/** The object that a create made of which its run heard nothing, when there is one with all that it sent. */
function madeUnseen(
  { kind, intended }: Pick<Memory, 'kind' | 'intended'>,
  { after, claimed }: { readonly after: Snapshot; readonly claimed: ReadonlySet<string> },
): string | undefined {
  const found = [...rowsOf(after, kind)].filter(
    ([id, row]) => !claimed.has(id) && isListed(kind, row) && isAsSent({ kind, intended, pairs: {} }, row),
  );
  return found.length === 1 ? found[0]?.[0] : undefined;
}
