import { stop } from '../../diagnostics/diagnostic.ts';
import { type Clock, systemClock } from '../clock.ts';
import { parseEntry } from '../lease-entry.ts';
import type { LeaseContext } from '../lease.ts';
import type { StateStorage, Writer } from '../storage.ts';
import type { Authenticity } from '../authenticity.ts';
import type { KeySource } from '../key-sources.ts';
import { type ReadState, checkState, parseSealed, refuseNewer } from '../parse.ts';
import type { Register } from '../register.ts';
import type { State, StateStore } from '../state.ts';
import { storeOver } from '../store.ts';
import { lockLost, unusable } from '../unusable.ts';
import {
  type Wave,
  chained,
  parseWave,
  chainReader,
  readJson,
  readLine,
  withEnd,
  withWaves,
  writeLine,
  writeWave,
} from '../wave.ts';
import { type Bucket, type BucketLocation, openBucket } from './s3-client.ts';

/**
 * A state in a bucket of a store with conditional writes: `state.json`, `lease.json`, and an object for each wave, named by
 * the counter of its writer and its number. `state.json` names the waves that complete it. Each run writes it again when it
 * begins, so that late waves of an earlier run do not count. Sends nothing yet. Never throws.
 */
export function s3Store(where: BucketLocation, some: Partial<LeaseContext> & { readonly keys: KeySource }): StateStore {
  return storeOver(s3Storage(where, some.clock ?? systemClock), some);
}

/** The content of `state.json`. */
interface Head {
  readonly state: State;
  /** Its waves are those of this counter, from this number on. */
  readonly counter: number;
  readonly from: number;
}

/** Number of objects read or removed at a time. */
const atOnce = 16;

const stateName = 'state.json';

/** A state in a bucket, as this process knows it. */
interface Open {
  readonly bucket: Bucket;
  readonly location: string;
  /** The tag of `state.json`, if known; `none`: it does not exist. */
  etag: string | undefined;
  /** The waves that were read; a save removes them. */
  old: readonly string[];
  own: { readonly counter: number; from: number; next: number };
  /** The MAC of the last wave of this writer. */
  last: string;
}

/** The storage of such a state; `clock` is for the pauses between attempts. */
export function s3Storage(where: BucketLocation, clock: Clock): StateStorage {
  const bucket = openBucket(where, clock);
  const location = bucket.locationOf(stateName);
  const open: Open = { bucket, location, etag: undefined, old: [], own: { counter: 0, from: 0, next: 0 }, last: '' };
  return {
    location,
    lease: s3Register(bucket),
    documents: {
      put: async (document, text) => void (await bucket.put(documentName(document), text, { over: 'any' })),
      get: async (document) => (await bucket.get(documentName(document)))?.text,
      remove: (document) => removeAll(bucket, [documentName(document)]),
      list: () => bucket.list(documentName('')),
    },
    isShared: true,
    load: (authenticity) => load(open, authenticity),
    begin: (base, writer) => putHead(open, base, writer),
    add: (wave, writer) => add(open, wave, writer),
    save: async (state, writer) => {
      await putHead(open, state, writer);
      await removeEach(bucket, wavesKnown(open));
    },
    remove: async ({ confirm }) => {
      await confirm();
      open.etag = undefined;
      // The state first: without it nothing reads its waves, which a kill may leave.
      await removeAll(bucket, [stateName]);
      await removeEach(bucket, wavesKnown(open));
    },
    close: () => Promise.resolve(),
  };
}

/** The waves that were read or written, for their removal. */
function wavesKnown(open: Open): readonly string[] {
  const { own, old } = open;
  const added = Array.from({ length: own.next - own.from }, (_, index) => waveName(own.counter, own.from + index));
  open.old = [];
  own.from = own.next;
  return [...old, ...added];
}

/** Removes objects; a failure leaves them. */
async function removeEach(bucket: Bucket, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += atOnce) {
    await Promise.all(names.slice(at, at + atOnce).map((name) => bucket.remove(name)));
  }
}

/** Removes objects. @throws {Stop} `state`, when the store keeps one */
async function removeAll(bucket: Bucket, names: readonly string[]): Promise<void> {
  await removeEach(bucket, names);
  for (const name of names) {
    if ((await bucket.get(name)) === undefined) continue;
    const remedy = 'Give the access key the right s3:DeleteObject, and run again.';
    throw unusable(bucket.locationOf(name), 'cannot be removed', { remedy });
  }
}

async function load(open: Open, authenticity: Authenticity): Promise<State | undefined> {
  const { bucket, location } = open;
  for (let attempt = 1; ; attempt++) {
    const object = await bucket.get(stateName);
    open.etag = object?.etag ?? 'none';
    if (object === undefined) return undefined;
    const head = parseHead({ location, text: object.text }, authenticity);
    const { waves, missing } = await wavesOf(bucket, head, authenticity);
    if (missing !== undefined) {
      // A run that ends or begins removes waves, and those that it has just written may be seen out of order.
      if (attempt < 3) continue;
      throw authenticity.forged(location, `lacks ${missing} of its journal, and has a later one`);
    }
    open.old = waves.map((_, index) => waveName(head.counter, head.from + index));
    return withWaves(head.state, waves);
  }
}

/** Writes the head; it contains all waves before the next one. */
async function putHead(open: Open, state: State, { authenticity, counter, check, confirm }: Writer): Promise<void> {
  const { bucket, location } = open;
  if (open.etag === undefined) await load(open, authenticity);
  await confirm();
  if (open.own.counter !== counter) open.own = { counter, from: 0, next: 0 };
  const head: Head = { counter, from: open.own.next, state };
  const sealed = authenticity.seal(head);
  const text = withEnd(sealed.parts).join('');
  let written = await bucket.put(stateName, text, { over: open.etag ?? 'none', check });
  if (written === undefined) {
    // The write may have taken effect without an answer.
    const now = await bucket.get(stateName, check);
    if (now?.text !== text) throw lockLost(`the state ${location}`, 'another run wrote it');
    written = now.etag;
  }
  open.etag = written;
  open.last = sealed.mac;
}

async function add(open: Open, wave: Wave, { authenticity, counter, check, confirm }: Writer): Promise<void> {
  const { bucket } = open;
  // Only this writer uses its counter, and each name once: a repetition is harmless.
  const name = waveName(counter, open.own.next++);
  const { text, mac } = chained(writeWave(wave), { previous: open.last, authenticity });
  await bucket.put(name, writeLine(text), { over: 'any', check });
  // A run that took the lock since may have begun without this wave; remove it, so that no other run reads it.
  await confirm().catch(async (error: unknown) => {
    await bucket.remove(name);
    throw error;
  });
  open.last = mac;
}

function waveName(counter: number, number: number): string {
  return `journal/${counter}/${String(number).padStart(6, '0')}`;
}

function documentName(document: string): string {
  return `documents/${document}`;
}

/** Reads the waves of a state; their numbers have no gaps. `missing` names a wave that is not there, before one that is. */
async function wavesOf(
  bucket: Bucket,
  { counter, from, format, mac }: ReadHead,
  authenticity: Authenticity,
): Promise<{ readonly waves: readonly Wave[]; readonly missing: string | undefined }> {
  const waves: Wave[] = [];
  const read = chainReader(format, { previous: mac, authenticity });
  for (;;) {
    const first = from + waves.length;
    const names = Array.from({ length: atOnce }, (_, index) => waveName(counter, first + index));
    const objects = await Promise.all(names.map((name) => bucket.get(name)));
    for (const [index, object] of objects.entries()) {
      const name = names[index] ?? '';
      if (object === undefined) {
        return { waves, missing: objects.slice(index).some((later) => later !== undefined) ? name : undefined };
      }
      const line = readLine(object.text.trimEnd());
      const text = line === undefined ? undefined : read(line);
      if (line !== undefined && text === undefined)
        throw authenticity.forged(bucket.locationOf(name), 'does not follow the record before it');
      const wave = parseWave(readJson(text), format);
      if (wave === undefined) throw unusable(bucket.locationOf(name), 'is damaged');
      waves.push(wave);
    }
  }
}

/** The head as it was read; its waves have the format it was written in. */
type ReadHead = Head & ReadState;

function parseHead(about: { readonly location: string; readonly text: string }, authenticity: Authenticity): ReadHead {
  const stateIn = (content: unknown) => (content as Record<string, unknown> | null)?.state;
  const { content, mac } = parseSealed(about, authenticity, stateIn);
  const { counter, from, state } = (content ?? {}) as Record<string, unknown>;
  const { location } = about;
  if (typeof counter !== 'number' || typeof from !== 'number') throw unusable(location, 'is not a state of Trueup');
  return { counter, from, ...checkState(location, state, authenticity), mac };
}

/** The counter of a head; only a number that was not given yet relies on it. */
function counterIn(location: string, text: string): number {
  const { counter, state } = (readJson(text) ?? {}) as { readonly counter?: unknown; readonly state?: unknown };
  refuseNewer(location, state);
  if (typeof counter !== 'number') throw unusable(location, 'is not a state of Trueup');
  return counter;
}

const leaseName = 'lease.json';

function s3Register(bucket: Bucket): Register {
  return {
    of: `the state ${bucket.locationOf(stateName)}`,
    look: async () => {
      const object = await bucket.get(leaseName);
      if (object === undefined) return undefined;
      const entry = parseEntry(object.text, bucket.redact);
      if (entry === undefined) throw unusable(bucket.locationOf(leaseName), 'is no lease of Trueup');
      return { entry, version: object.etag, ageMs: object.ageMs };
    },
    lastCounter: async () => {
      // Waves are named by counters: a counter given twice would bring back the waves of a killed run.
      const object = await bucket.get(stateName);
      return object === undefined ? 0 : counterIn(bucket.locationOf(stateName), object.text);
    },
    isNewest: async ({ version }, check) => (await bucket.get(leaseName, check))?.etag === version,
    swap: async (seen, entry) => {
      const etag = await bucket.put(leaseName, JSON.stringify(entry), { over: seen?.version ?? 'none' });
      return etag === undefined ? undefined : { entry, version: etag, ageMs: 0 };
    },
    prove: async (mine) => {
      const name = `probe-${mine.entry.holder?.id ?? 'nobody'}`;
      try {
        const etag = await race(bucket, name, 'none');
        if (etag !== undefined) await race(bucket, name, etag);
      } finally {
        await bucket.remove(name);
      }
    },
  };
}

/**
 * Writes an object several times at once under one condition that only the first can meet. Some stores ignore conditions,
 * or check first and write later: a lease would keep no run out there.
 */
async function race(bucket: Bucket, name: string, over: string): Promise<string | undefined> {
  const tries = Array.from({ length: 4 }, (_, index) => bucket.put(name, String(index) + over, { over }));
  const written = (await Promise.all(tries)).filter((etag) => etag !== undefined);
  if (written.length > 1) {
    const message = `the store of ${bucket.locationOf(name)} does not heed the conditions of writes (If-None-Match, If-Match)`;
    const remedy = 'Use a store that does: docs/state.md names some. Nothing was changed.';
    throw stop('state', 'state-unusable', message, { remedy });
  }
  return written[0];
}
