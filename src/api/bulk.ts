import { attempts } from './attempts.ts';
import { type BatchAnswer, type BatchItem, type ItemAnswer, divide } from './batch.ts';
import { whyToWait } from './circuit-breaker.ts';
import { PlatformError } from './platform-error.ts';
import { versionOperation } from './platform-version.ts';

/** Reads that are asked for at about the same time, in as few requests as the platform allows. */
export interface Bulk {
  /**
   * Reads together with the reads that others ask for now. Undefined: the read has to be sent alone, because the batch
   * has an error or nothing for it, or because bulk reads are off.
   *
   * @throws whatever `alone` throws: one read of the first batch is sent alone as well.
   */
  read(read: BulkRead): Promise<Answered | undefined>;
  /** How it is with them. Never throws. */
  status(): BulkStatus;
  /** Ends bulk reads without a word: the run is over. Never throws. */
  end(): void;
}

/** `on`: a batch answered as a single read does. `off`: something in an answer was a surprise, which the clause names. */
export type BulkStatus = { readonly is: 'untried' | 'on' } | { readonly is: 'off'; readonly why: string };

/** One read that may go in a batch. */
export interface BulkRead extends BatchItem {
  readonly signal: AbortSignal | undefined;
  /** Puts an answer of the wire into the names of Trueup. */
  readonly translate: (data: unknown) => unknown;
  /** Sends the read alone; again and again where that can help. */
  readonly alone: () => Promise<unknown>;
}

/** The surroundings of bulk reads. */
export interface BulkOptions {
  /**
   * Sends a batch when the platform takes requests.
   *
   * @throws {PlatformError} when the platform gives no answer that can be read, or takes no requests.
   */
  readonly send: (items: readonly BatchItem[], signal: AbortSignal | undefined) => Promise<BatchAnswer | BatchRefusal>;
  /** Called at most once, when bulk reads are turned off; with the reason, as a clause. */
  readonly onOff: (why: string) => void;
}

/** The refusal of a batch (401 or 429) by a platform that takes a single request right after it. */
export interface BatchRefusal {
  readonly is: 'refused';
  readonly status: number | undefined;
}

interface Answered {
  readonly data: unknown;
}

/** A read that waits for its answer. */
interface Waiting extends BulkRead {
  readonly resolve: (answer: Promise<Answered> | Answered | undefined) => void;
}

/**
 * Makes bulk reads. The first batch is a trial: one of its reads is also sent alone, and both answers have to be equal. A
 * trial during which the data changed is followed by another one.
 * Some batches are sent beside it, so that others need not wait; without that proof their answers are not used.
 * Every surprise turns bulk reads off for good. Never throws.
 */
export function createBulk({ send, onOff }: BulkOptions): Bulk {
  let state: 'untried' | 'trial' | 'on' | 'off' = 'untried';
  let queue: Waiting[] = [];
  let isScheduled = false;
  let reason = 'the run is over';
  /** Comparisons during which the data changed. */
  let changes = 0;

  const turnOff = (why: string): void => {
    if (state !== 'off') {
      reason = why;
      onOff(why);
    }
    state = 'off';
  };

  const isOff = (): boolean => state === 'off';

  /** The reads of this moment, and of all promises that are settled already, go together. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      flush();
    });
  }

  function flush(): void {
    if (state === 'trial') return; // its end flushes
    const waiting = queue;
    queue = [];
    const [usual, ...others] = new Set(waiting.flatMap(({ signal }) => signal ?? []));
    // What no signal ends may wait with what one ends: it is sent alone after that.
    const groups = [waiting.filter(({ signal }) => signal === undefined || signal === usual)];
    for (const other of others) groups.push(waiting.filter(({ signal }) => signal === other));
    const batches = groups.flatMap((reads) => divide(reads));
    const trial =
      state === 'untried' ? batches.find((batch) => batch.length > 1 && batch.some(isComparable)) : undefined;
    if (trial === undefined) {
      for (const batch of batches) void answer(batch);
      return;
    }
    const rest = batches.filter((batch) => batch !== trial);
    const beside = rest.filter(({ length }) => length > 1).slice(0, attempts.batch.maxBesideTrial);
    queue = rest.filter((batch) => !beside.includes(batch)).flat();
    state = 'trial';
    void tryOut(trial, beside).then(flush);
  }

  /** Sends the first batch, and others at the same time; their answers count once it has proved that they do. */
  async function tryOut(trial: readonly Waiting[], beside: readonly (readonly Waiting[])[]): Promise<void> {
    const proof = compare(trial);
    const asked = beside.map((batch) => ({ batch, items: ask(batch) }));
    await proof;
    for (const { batch, items } of asked) {
      if (state === 'untried') queue.push(...batch);
      else void items.then((answers) => deliver(batch, answers));
    }
  }

  /** Sends the first batch, and one of its reads alone, which gets the answer of that. */
  async function compare(batch: readonly Waiting[]): Promise<void> {
    const comparable = batch.filter(isComparable);
    // After a comparison that proved nothing, another read is compared, where there is one.
    const first = comparable[changes % comparable.length];
    const plain = first?.alone().then((data) => ({ data }));
    first?.resolve(plain);
    const [items = [], single] = await Promise.all([ask(batch), plain?.catch(() => undefined)]);
    // Where the batch has nothing for that read, another one is sent alone.
    const has = (read: Waiting | undefined): boolean => read !== undefined && items[batch.indexOf(read)] !== undefined;
    const compared = has(first) ? first : comparable.find(has);
    const isProved = compared !== undefined && compared === first && areEqual(single, items[batch.indexOf(compared)]);
    // The trial goes on meanwhile: another one would end before this one, and what ends bulk reads then would not last.
    const proved = isProved || compared === undefined || isOff() ? items : await compareAgain(batch, compared, items);
    if (state === 'trial') state = compared === undefined || proved === undefined ? 'untried' : 'on';
    deliver(batch, proved);
  }

  /**
   * Compares a batch with a single read after it, and a second batch with single reads before and after it. Only two equal
   * single reads prove that the batch between them is wrong: otherwise the object was changed meanwhile.
   */
  async function compareAgain(
    batch: readonly Waiting[],
    read: Waiting,
    earlier: readonly ItemAnswer[],
  ): Promise<readonly ItemAnswer[] | undefined> {
    const alone = (): Promise<ItemAnswer> =>
      read.alone().then(
        (data) => ({ data }),
        () => undefined,
      );
    const place = batch.indexOf(read);
    const before = await alone();
    if (before === undefined || areEqual(before, earlier[place])) return before && earlier;
    if (!areEqual(before, before)) {
      turnOff(`the answer to ${read.path} nests too deeply to be compared with that of a batch`);
      return undefined;
    }
    const items = await ask(batch);
    const item = items?.[place];
    if (item === undefined) return undefined;
    const after = await alone();
    if (areEqual(item, before) || areEqual(item, after)) return items;
    if (areEqual(before, after)) {
      turnOff(`a batch answers ${read.path} otherwise than a single read`);
    } else if (after !== undefined) {
      changes += 1;
      if (changes === attempts.batch.maxChanges)
        turnOff(`the data changed during each of ${changes} comparisons of a batch with single reads`);
    }
    return undefined;
  }

  async function answer(batch: readonly Waiting[]): Promise<void> {
    if (state !== 'on' || batch.length === 1) return sendAlone(batch);
    deliver(batch, await ask(batch));
  }

  /** The answers to a batch, translated; undefined when there are none. */
  async function ask(batch: readonly Waiting[]): Promise<readonly ItemAnswer[] | undefined> {
    const signal = batch.find((read) => read.signal !== undefined)?.signal;
    try {
      for (let refusals = 1; ; refusals += 1) {
        const answer = await send(batch, signal);
        if (answer.is === 'items') {
          return answer.items.map((item, index) => item && { data: batch[index]?.translate(item.data) });
        }
        if (answer.is === 'surprise') turnOff(answer.why);
        else if (refusals === attempts.batch.maxRefusals)
          turnOff(`the platform refuses batches (${answer.status}) and takes single requests`);
        if (isOff()) return undefined;
      }
    } catch (error) {
      // A platform that takes no requests now, and a run that ends, say nothing about batches.
      const isAbout = error instanceof PlatformError && whyToWait(error) === undefined && signal?.aborted !== true;
      if (isAbout) turnOff(error.sentence);
    }
    return undefined;
  }

  function deliver(batch: readonly Waiting[], items: readonly ItemAnswer[] = []): void {
    for (const [index, read] of batch.entries()) {
      read.resolve(state === 'on' ? items[index] : undefined);
    }
  }

  function sendAlone(reads: readonly Waiting[]): void {
    for (const read of reads) read.resolve(undefined);
  }

  return {
    read: async (read) =>
      state === 'off'
        ? undefined
        : new Promise((resolve) => {
            queue.push({ ...read, resolve });
            schedule();
          }),
    status: () => (state === 'off' ? { is: 'off', why: reason } : { is: state === 'on' ? 'on' : 'untried' }),
    end: () => {
      state = 'off';
    },
  };
}

/** Whether two answers are equal. One that nests too deeply to be compared equals none. */
function areEqual(one: unknown, other: unknown): boolean {
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch {
    return false;
  }
}

/** Whether two answers to a read prove something: those about the caller may count uses of the key, and a version says little. */
function isComparable({ path }: BatchItem): boolean {
  return !['user.get', 'user.getBackups', versionOperation].includes(path);
}
