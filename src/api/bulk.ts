import { attempts } from './attempts.ts';
import type { BatchAnswer, BatchItem, ItemAnswer } from './batch.ts';
import { divide } from './batch.ts';
import { whyToWait } from './circuit-breaker.ts';
import { PlatformError } from './errors.ts';
import { versionOperation } from './published.ts';

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
  readonly send: (items: readonly BatchItem[], signal: AbortSignal | undefined) => Promise<BatchAnswer>;
  /** Called at most once, when bulk reads are turned off; with the reason, as a clause. */
  readonly onOff: (why: string) => void;
}

interface Answered {
  readonly data: unknown;
}

/** A read that waits for its answer. */
interface Waiting extends BulkRead {
  readonly resolve: (answer: Promise<Answered> | Answered | undefined) => void;
}

/**
 * Makes bulk reads. The first batch is a trial: one of its reads is also sent alone, and both answers have to be equal.
 * Some batches are sent beside it, so that others need not wait; without that proof their answers are not used.
 * Every surprise turns bulk reads off for good. Never throws.
 */
export function createBulk({ send, onOff }: BulkOptions): Bulk {
  let state: 'untried' | 'trial' | 'on' | 'off' = 'untried';
  let queue: Waiting[] = [];
  let isScheduled = false;
  let reason = 'the run is over';

  const turnOff = (why: string): void => {
    if (state !== 'off') {
      reason = why;
      onOff(why);
    }
    state = 'off';
  };

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
    const beside = rest.filter(({ length }) => length > 1).slice(0, attempts.batch.mostBesideTrial);
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
    const first = batch.find(isComparable);
    const plain = first?.alone().then((data) => ({ data }));
    first?.resolve(plain);
    const [items = [], single] = await Promise.all([ask(batch), plain?.catch(() => undefined)]);
    // Where the batch has nothing for that read, another one is sent alone.
    const place = batch.findIndex((read, index) => isComparable(read) && items[index] !== undefined);
    const [compared, item] = [batch[place], items[place]];
    if (state === 'trial') state = 'untried'; // unless two answers are equal
    if (state === 'untried' && compared !== undefined && item !== undefined) {
      const isEqual = (data: unknown): boolean => areEqual(data, item.data);
      const alone = () => compared.alone().then(isEqual, () => false);
      // It may have been changed between the two.
      if ((compared === first && isEqual(single?.data)) || (await alone())) state = 'on';
      else turnOff(`a batch answers ${compared.path} otherwise than a single read`);
    }
    deliver(batch, items);
  }

  async function answer(batch: readonly Waiting[]): Promise<void> {
    if (state !== 'on' || batch.length === 1) return sendAlone(batch);
    deliver(batch, await ask(batch));
  }

  /** The answers to a batch, translated; undefined when there are none. */
  async function ask(batch: readonly Waiting[]): Promise<readonly ItemAnswer[] | undefined> {
    const signal = batch.find((read) => read.signal !== undefined)?.signal;
    try {
      const answer = await send(batch, signal);
      if (answer.is === 'items') {
        return answer.items.map((item, index) => item && { data: batch[index]?.translate(item.data) });
      }
      turnOff(answer.why);
    } catch (error) {
      if (!(error instanceof PlatformError)) turnOff('the answer to a batch cannot be translated');
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

/** Whether two answers to a read prove something: that about the caller may count uses of the key, and a version says little. */
function isComparable({ path }: BatchItem): boolean {
  return path !== 'user.get' && path !== versionOperation;
}
