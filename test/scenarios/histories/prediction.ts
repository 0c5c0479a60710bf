import { means, plain } from '../../../src/kind/codecs.ts';
import type { Json, Row } from '../../../src/formats/json.ts';
import { canonical } from '../../../src/formats/json.ts';
import type { Kind } from '../../../src/kind/kind.ts';
import { fieldOf, linkOf, nullOf } from '../../support/random-manifest.ts';
import type { Block, Declared } from './declared.ts';
import { movedAddress } from './declared.ts';
import type { Snapshot } from './platform.ts';
import { isDataMount, isListed, rowsOf, valueIn } from './platform.ts';
import type { Memories, Memory } from './run.ts';
import { wantedFields } from './wanted.ts';

/** What an apply has to find on the platform, and what it has to refuse, whatever the plan says. */
export interface Prediction {
  /** Codes and addresses. */
  readonly errors: ReadonlySet<string>;
  /** Objects by address, of what is found. */
  readonly objects: ReadonlyMap<string, Row>;
  readonly adopted: ReadonlySet<string>;
  /** Addresses whose objects are replaced. */
  readonly replaced: ReadonlySet<string>;
}

/** What is remembered, under the addresses that `moved:` gives it. */
export function movedMemory(memory: Memories, { moved }: Pick<Declared, 'moved'>): Memories {
  return new Map([...memory].map(([address, one]) => [movedAddress(address, moved), one]));
}

/** What is known while a prediction is made. */
interface Predicting {
  readonly declared: Declared;
  readonly snapshot: Snapshot;
  readonly memory: Memories;
  /** Objects that no block can take over. */
  readonly claimed: ReadonlySet<string>;
  readonly errors: Set<string>;
  readonly objects: Map<string, Row>;
  readonly adopted: Set<string>;
  readonly replaced: Set<string>;
  /** The first address that an object was found for. */
  readonly finders: Map<string, string>;
}

/** Predicts an apply of a manifest. */
export function predict(declared: Declared, before: Memories, snapshot: Snapshot): Prediction {
  const memory = movedMemory(before, declared);
  const { blocks, byAddress } = declared;
  // What is let go of and stays may be taken over at once.
  const claimed = new Set(
    [...memory].flatMap(([address, { kind, id, intended }]) =>
      intended === undefined && (byAddress.has(address) || kind.operations.delete !== undefined) ? [id] : [],
    ),
  );
  const input: Predicting = {
    declared,
    snapshot,
    memory,
    claimed,
    errors: new Set(),
    objects: new Map(),
    adopted: new Set(),
    replaced: new Set(),
    finders: new Map(),
  };
  for (const block of blocks) predictBlock(input, block);
  predictRemovals(input);
  for (const address of takenFromUsers(input)) input.errors.add(`cannot-change ${address}`);
  return input;
}

function predictBlock(input: Predicting, block: Block): void {
  const { declared, snapshot, memory, errors, objects, replaced } = input;
  const { kind, address, parent } = block;
  const known = memory.get(address);
  const wanted = wantedFields(declared, block, () => undefined);
  const isKnown = known !== undefined && known.intended === undefined;
  const row = (isKnown ? rowsOf(snapshot, kind).get(known.id) : undefined) ?? findByKey(input, block, wanted);
  if (row === undefined && kind.operations.create === undefined) errors.add(`cannot-create ${address}`);
  if (row === undefined) return;
  objects.set(address, row);
  if (kind.lifecycle?.provided?.allows === 'nothing' && isDataMount(snapshot, row))
    errors.add(`cannot-change ${address}`);
  const protect = () => {
    if (block.options.protect === true || known?.protect === true) errors.add(`protected ${address}`);
  };
  if (parent !== undefined && replaced.has(parent.address) && isBelow(input, block, row)) {
    protect();
    return;
  }
  const unlessReplaced = predictImmovable(input, block, { wanted, row });
  if (replaced.has(address)) protect();
  else for (const error of unlessReplaced) errors.add(error);
}

/** Looks at the fields that only a new object can have otherwise; gives the errors that hold unless there is one. */
function predictImmovable(
  { memory, adopted, errors, replaced }: Predicting,
  { kind, address }: Block,
  { wanted, row }: { readonly wanted: Readonly<Record<string, Json | undefined>>; readonly row: Row },
): Set<string> {
  const unlessReplaced = new Set<string>();
  for (const [name, value] of Object.entries(wanted)) {
    const { onChange, codec = plain } = fieldOf(kind, name);
    const isFixed = kind.kind === 'environment' && row.isDefault === true && name === 'name';
    const refuses = isFixed || (typeof onChange === 'object' && 'refuse' in onChange);
    if ((!refuses && onChange !== 'replace') || value === undefined) continue;
    const observed = valueIn(kind, name, row);
    if (means(codec, value, observed)) continue;
    const pair = adopted.has(address) ? undefined : memory.get(address)?.pairs[name];
    if (pair === undefined) unlessReplaced.add(`cannot-change ${address}`);
    else if (pair.wanted === canonical(codec.normal(value))) continue;
    else if (refuses || pair.answered !== canonical(codec.normal(observed))) errors.add(`cannot-change ${address}`);
    else replaced.add(address);
  }
  return unlessReplaced;
}

/** What a block is, by its natural key, when it is not remembered. */
function findByKey(
  input: Predicting,
  block: Block,
  wanted: Readonly<Record<string, Json | undefined>>,
): Row | undefined {
  const { snapshot, claimed, memory, errors, adopted, finders } = input;
  const { kind, address, parent } = block;
  const key = keyOf(block, wanted);
  const isFree = ([id, row]: [string, Row]) =>
    !claimed.has(id) && isListed(kind, row) && (parent === undefined || isBelow(input, block, row));
  const free = [...rowsOf(snapshot, kind)].filter(isFree);
  // A create without an answer made the object with all that it sent; the key alone can be that of anybody's object.
  const known = memory.get(address);
  const intended = free.filter(([, row]) => known !== undefined && isAsSent(known, row));
  const found = intended.length > 0 ? intended : free.filter(([, row]) => bears(kind, row, key));
  if (found.length > 1) errors.add(`ambiguous ${address}`);
  const row = found.length === 1 ? found[0]?.[1] : undefined;
  if (row === undefined) return undefined;
  // What shows only after somebody did something may be anybody's, unless the create was answered.
  const isAnybodys =
    kind.identity.listedOnce !== undefined && Object.keys(memory.get(address)?.pairs ?? {}).length === 0;
  if (intended.length === 0 || isAnybodys) adopted.add(address);
  // One object cannot be two of ours.
  const id = String(row[kind.identity.id]);
  const first = finders.get(id);
  if (first === undefined) finders.set(id, address);
  else errors.add(`ambiguous ${first}`);
  return row;
}

/** Whether an object bears the key of what a run was about to make when it ended before it knew what became of that. */
export function isAsIntended({ kind, intended }: Pick<Memory, 'kind' | 'intended'>, row: Row): boolean {
  if (intended === undefined || !bears(kind, row, intended.key)) return false;
  return intended.parentId === undefined || Object.values(row).includes(intended.parentId);
}

/** Whether an object is in all that the create sent what a run was about to make. */
export function isAsSent(memory: Pick<Memory, 'kind' | 'intended' | 'pairs'>, row: Row): boolean {
  if (memory.kind.identity.listedOnce !== undefined) return isAsIntended(memory, row) && isAsAnswered(memory, row);
  return isAsIntended(memory, row) && bears(memory.kind, row, memory.intended?.says ?? {});
}

/** Whether an object that is listed late has all that its answered create sent. */
function isAsAnswered({ kind, pairs }: Pick<Memory, 'kind' | 'pairs'>, row: Row): boolean {
  return Object.entries(pairs).every(([name, { wanted }]) => {
    const { codec = plain } = fieldOf(kind, name);
    return canonical(codec.normal(valueIn(kind, name, row))) === wanted;
  });
}

/** Whether an object is what an answered create made that is listed only once somebody connected it. */
export function isMadeUnlisted(memory: Memory, row: Row): boolean {
  const isAnswered = memory.kind.identity.listedOnce !== undefined && Object.keys(memory.pairs).length > 0;
  return isAnswered && memory.id === '' && isAsSent(memory, row);
}

/** The natural key of a block, as far as it is known. */
export function keyOf(
  { kind, parent }: Block,
  wanted: Readonly<Record<string, Json | undefined>>,
): Readonly<Record<string, Json>> {
  const { set } = linkOf(kind, parent?.kind);
  const value = (name: string): Json | undefined => {
    const from = set[name];
    return from !== undefined && 'value' in from ? from.value : (wanted[name] ?? nullOf(kind, name)?.value);
  };
  const names = typeof kind.identity.key === 'function' ? kind.identity.key(value) : kind.identity.key;
  return Object.fromEntries(names.map((name) => [name, value(name) ?? null]));
}

/** Whether an object bears a natural key. */
export function bears(kind: Kind, row: Row, key: Readonly<Record<string, Json>>): boolean {
  return Object.entries(key).every(([name, value]) =>
    means(fieldOf(kind, name).codec ?? plain, value, valueIn(kind, name, row)),
  );
}

/** Whether an object is below what the parent of a block is. */
function isBelow({ objects }: Pick<Predicting, 'objects'>, { kind, parent }: Block, row: Row): boolean {
  if (parent === undefined) return true;
  const parentId = objects.get(parent.address)?.[parent.kind.identity.id];
  return parentId !== undefined && row[linkOf(kind, parent.kind).idAt] === parentId;
}

/** What may not go. */
function predictRemovals({ declared: { byAddress }, memory, snapshot, errors }: Predicting): void {
  for (const [address, { kind, id, protect }] of memory) {
    const row = rowsOf(snapshot, kind).get(id);
    if (byAddress.has(address) || row === undefined || row.isDefault === true) continue;
    if (kind.operations.delete === undefined) continue;
    if (protect) errors.add(`protected ${address}`);
    if (memory.size > 1 && ![...memory.keys()].some((one) => byAddress.has(one))) errors.add('deletes-everything ');
  }
}

/** Keys that would go, and that a service keeps which says nothing of its key any more. */
function takenFromUsers({ declared: { blocks, byAddress }, memory, objects, replaced }: Predicting): string[] {
  const going = new Map<string, string>();
  for (const [address, { kind, id }] of memory) {
    if (kind.kind !== 'sshKey') continue;
    if (!byAddress.has(address)) going.set(id, address);
    else if (replaced.has(address)) going.set(id, `${address} (old)`);
  }
  return blocks.flatMap(({ fields, address, parent }) => {
    const row = objects.get(address);
    const isReplaced = replaced.has(address) || (parent !== undefined && replaced.has(parent.address));
    const keeps =
      row !== undefined &&
      !isReplaced &&
      row.sourceType === 'git' &&
      fields.sourceType === 'git' &&
      fields.customGitSSHKeyId === undefined;
    return keeps ? (going.get(String(row.customGitSSHKeyId)) ?? []) : [];
  });
}

/** What a destruction has to refuse. */
export function predictDestruction(memory: Memories, snapshot: Snapshot): Prediction {
  const isProtected = ([, { kind, id, protect }]: [string, Memory]) => {
    const row = rowsOf(snapshot, kind).get(id);
    return protect && row !== undefined && row.isDefault !== true && kind.operations.delete !== undefined;
  };
  const errors = new Set([...memory].filter(isProtected).map(([address]) => `protected ${address}`));
  return { errors, objects: new Map(), adopted: new Set(), replaced: new Set() };
}
