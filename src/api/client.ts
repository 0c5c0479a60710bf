import { withoutSlash } from './slash.ts';
import { Stop, stop } from '../diagnostics/diagnostic.ts';
import { readData } from './answer.ts';
import { attempts } from './attempts.ts';
import { type BatchAnswer, type BatchItem, batchPath, isKeyRefusal, readBatch } from './batch.ts';
import { type BatchRefusal, type BulkRead, type BulkStatus, createBulk } from './bulk.ts';
import { type Call, fail } from './failed-call.ts';
import { type Pause, createCircuitBreaker, whyToWait } from './circuit-breaker.ts';
import {
  type Contract,
  type Input,
  type Operation,
  type ReadOperation,
  type ServedOperation,
  contracts,
  endpointOf,
} from './contract.ts';
import { lacksRight, PlatformError } from './platform-error.ts';
import { explainRefusal, explainSilence } from './failures.ts';
import { createPatience } from './patience.ts';
import { type KeyLimit, type ReadLimit, limitOfKey } from './key-limit.ts';
import { type Permit, createPermits } from './permits.ts';
import { documentOperation, versionOperation } from './platform-version.ts';
import { buildRequest } from './build-request.ts';
import { sleep as wait } from './sleep.ts';
import { type TakeSlots, ownSlots } from './shared-limits.ts';
import { bareAnswers } from './vocabulary.ts';
import type { Send, WireAnswer, WireRequest } from './wire.ts';

/** Calls operations that read, and no others: a POST does not compile. */
export interface ReadClient {
  /**
   * Calls an operation; the input is checked at run time only.
   *
   * @throws {PlatformError} and {Stop}, as the `call` of a client does.
   */
  invoke(operation: ReadOperation, input: Readonly<Record<string, unknown>>, options?: InvokeOptions): Promise<unknown>;
  /** The operations that the platform serves, and its words. */
  readonly contract: Contract;
  /** Takes another contract from now on: that of what the platform turned out to serve. Never throws. */
  serve(contract: Contract): void;
  /** Requests sent so far, retries included. */
  readonly counts: { reads: number; writes: number };
  /** Replaces the secrets of the run in a text of the platform that becomes part of a sentence. Never throws. */
  readonly redact: (text: string) => string;
}

/** Calls operations of the platform. */
export interface Client extends ReadClient {
  /**
   * Calls an operation; a wrong operation name or member does not compile.
   *
   * @throws {PlatformError} that says whether a write can have taken effect.
   * @throws {Stop} when no write may start any more; the write was not sent.
   */
  call<Op extends Operation>(operation: Op, input: Input<Op>): Promise<unknown>;
  /**
   * The same for code that treats all operations alike; the input is checked at run time only.
   *
   * @throws {PlatformError} and {Stop}, as `call` does.
   */
  invoke(operation: Operation, input: Readonly<Record<string, unknown>>, options?: InvokeOptions): Promise<unknown>;
  /**
   * Runs work on a connection of its own, while the platform takes requests: what the work reads, and the operation that
   * it then calls, wait for no other request. When the platform refuses a request of the work unexecuted (429, or a
   * refused key), the work runs again from its beginning, so that nothing is sent again from an old look.
   *
   * @throws {PlatformError} and {Stop}, as `call` does; and whatever the work throws.
   */
  withConnection<T>(
    operation: Operation,
    work: (own: OwnConnection) => Promise<T>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<T>;
  /** The time on the platform now (wall ms), by the `Date` of its last answer; undefined when no answer had one. Never throws. */
  platformTime(): number | undefined;
  /** How it is with bulk reads; undefined: the platform has none, or they are switched off by an option. Never throws. */
  bulkStatus(): BulkStatus | undefined;
  /**
   * The limit of the API key; `none`: it has none. Undefined: the platform shows the limits of keys to owners and admins only.
   *
   * @throws {PlatformError} as `call` does.
   */
  readKeyLimit(options?: InvokeOptions): Promise<ReadLimit | 'none' | undefined>;
  /** Ends all waiting: requests that are not on their way fail as interrupted, and no timer is left. Never throws. */
  close(): void;
}

/** A client that sends its requests one after the other on one connection. */
export interface OwnConnection extends Client {
  /** The platform took nothing while the connection was waited for, so what was read before may be old. */
  readonly hasPaused: boolean;
}

/** Options of one call. */
interface InvokeOptions {
  /** Ends waiting for a platform that takes no requests; a request under way is finished. */
  readonly signal?: AbortSignal;
  /** How many errors of the platform itself are its word: the last one is thrown. 6 by default. */
  readonly maxErrors?: number;
  /** true: it only explains another failure, and is sent once whatever happens to it. */
  readonly isDiagnostic?: boolean;
  /** true: the read may go together with others that are asked for at the same time, where the platform takes that. */
  readonly inBulk?: boolean;
}

/** The surroundings of a client. */
export interface ClientOptions {
  readonly send: Send;
  /** The platform's address, for messages only. */
  readonly url: string;
  readonly apiKey: string;
  /** Replaces every secret of the run in a text. */
  readonly redact: (text: string) => string;
  /** The operations and the words of the platform; by default those of Dokploy that the API document has, without bulk reads. */
  readonly contract?: Contract;
  /** Most requests on their way at a time, apart from long ones; 4 by default. */
  readonly connections?: number;
  /** Whether an operation answers only when minutes of work are over; such requests keep no others waiting. */
  readonly isLong?: (operation: string) => boolean;
  /** Waits so many milliseconds, or until the signal aborts. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** A number from 0 up to 1, for the jitter. */
  readonly random?: () => number;
  /** Milliseconds since some moment, which only grow. */
  readonly clock?: () => number;
  /**
   * How often a read is sent at most; 10 by default, and 4 when nothing was answered for a minute, or ever: the address
   * may be wrong. The sixth error of the platform itself is the answer. A write is repeated only when it surely was not executed.
   */
  readonly readAttempts?: number;
  /** How long it is waited, in a row, until the platform takes requests again; 10 minutes by default. Milliseconds. */
  readonly pauseLimitMs?: number;
  /**
   * The limit of a key that was made without one of its own. A key that is refused within its uses is not waited for, where
   * its window is longer than the longest wait. After that many uses, the client reads the limit of the key, where the platform
   * shows it, and goes by that one. By default the key has no limit.
   */
  readonly limitOfNewKey?: KeyLimit;
  /** Limits that several clients share; by default a client has its own. */
  readonly limits?: { readonly slots: TakeSlots; readonly breaker: typeof createCircuitBreaker };
  /** Called when the platform takes no requests for now, and when it takes them again. */
  readonly onPause?: (pause: Pause) => void;
  /** Called with how many requests are on their way at a time from now on, when the platform is overloaded. */
  readonly onFewer?: (connections: number) => void;
  /** false: every read is sent alone. By default reads go together where the contract of the platform has batches. */
  readonly bulk?: boolean;
  /** Called at most once, when the platform turns out not to answer reads that go together; with the reason, as a clause. */
  readonly onBulkOff?: (why: string) => void;
}

/** A call that is ready to be sent. */
interface Outgoing {
  readonly call: Call;
  readonly request: WireRequest;
}

/** Outside of the client: what clients share keeps it, and would keep the client with it. */
const monotonic = (): number => performance.now();

/**
 * Makes a client that checks inputs, sends requests, repeats failed reads and explains failures. When the platform
 * takes no requests for now, all of them wait: those that it refused unexecuted are repeated, writes too. Never throws;
 * every failure of a call is a `PlatformError`.
 */
export function createClient(options: ClientOptions): Client {
  const { send, apiKey, random = Math.random, sleep = wait, isLong = () => false } = options;
  const { connections = attempts.connections.usual, readAttempts = attempts.read.most } = options;
  let { contract = { ...contracts.dokploy, hasBatches: false } } = options;
  const now = options.clock ?? monotonic;
  const redact = (text: string): string => hide(apiKey, options.redact(hide(apiKey, text)));
  const base = describeAddress(options.url);
  const counts = { reads: 0, writes: 0 };
  const underWay = new Set<Promise<unknown>>();
  /** By how much the clock of the platform is ahead of `now`, as its last answer showed. */
  let aheadMs: number | undefined;
  const { slots, breaker: createBreaker } = options.limits ?? { slots: ownSlots, breaker: createCircuitBreaker };
  const { usual, long } = slots(connections, options.onFewer);
  const patience = createPatience({ sleep, random, now, maxReads: readAttempts });
  const breaker = createBreaker({
    ask,
    sleep,
    random,
    now,
    limitMs: options.pauseLimitMs ?? attempts.pause.limitMs,
    limitOfNewKey: options.limitOfNewKey,
    onPause: options.onPause ?? (() => undefined),
  });
  /** The role of the caller, as the last answer to user.get showed it. */
  let role: unknown;
  const permits = createPermits({
    breaker,
    slotsFor: (operation) => (isLong(operation) ? long : usual),
    underWay,
    mayLackRights: () => !isAdmin(),
  });
  const isAdmin = (): boolean => role === 'owner' || role === 'admin';
  let mayReadLimit = options.limitOfNewKey !== undefined;
  /** The uses of the key by the reads that were sent. */
  let sentUses = 0;
  let isLimitDue = false;
  const bulk = options.bulk === false ? undefined : createBulk({ send: sendBatch, onOff: reportBulkOff });
  let hasAnswered = false;
  let unreported: string | undefined;

  /** Reports why bulk reads are off, once a single read was answered: where none is, the address or the key is wrong. */
  function reportBulkOff(why: string | undefined): void {
    unreported = hasAnswered ? undefined : why;
    if (hasAnswered && why !== undefined) options.onBulkOff?.(why);
  }

  /** A call of an operation, with the request that goes over the wire. */
  function requestOf(operation: Operation, input: Readonly<Record<string, unknown>>): Outgoing {
    const served = servedAs(operation);
    const call = callOf(operation, served);
    return { call, request: buildRequest(call, served, { input, apiKey, names: contract.names }) };
  }

  /** Every platform may be asked what it is and what it serves. */
  const servedAs = (operation: Operation): ServedOperation | undefined =>
    contract.operations.get(operation) ??
    (operation === versionOperation || operation === documentOperation
      ? { path: operation, endpoint: endpointOf(operation) }
      : undefined);

  const callOf = (operation: Operation, served = servedAs(operation)): Call => {
    const { path = contract.names?.operation(operation) ?? operation, endpoint } = served ?? {};
    const isWrite = endpoint?.method === 'POST';
    return {
      operation,
      served: path,
      url: `${base}/api/${path}`,
      isWrite,
      hasWritten: () => counts.writes > 0,
      hasAnswered: () => hasAnswered,
      redact,
    };
  };

  const noteDate: Send = async (wire) => {
    const answer = await send(wire);
    const date = Date.parse(answer.headers['date'] ?? '');
    if (!Number.isNaN(date)) aheadMs = date - now();
    return answer;
  };

  async function sendOnce({ call, request }: Outgoing): Promise<unknown> {
    if (call.isWrite) counts.writes += 1;
    else counts.reads += 1;
    const data = await exchange(call, noteDate, request);
    breaker.noteAnswer(attempts.newKey.usesOfRequest);
    patience.noteAnswer();
    hasAnswered = true;
    reportBulkOff(unreported);
    if (call.operation === 'user.get') role = (data as { readonly role?: unknown } | null | undefined)?.role;
    return inOurWords(call, data);
  }

  /** An answer in the words of Trueup. */
  function inOurWords({ operation }: Call, data: unknown): unknown {
    return contract.names === undefined ? data : contract.names.data(data, bareAnswers.get(operation));
  }

  /** Tests whether the platform takes requests: a refusal with a sentence is about the caller's rights. */
  async function ask(): Promise<PlatformError | undefined> {
    try {
      await sendOnce(requestOf('user.get', {}));
      return undefined;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return error.status === 401 && lacksRight(error) ? undefined : error;
    }
  }

  /** Sends reads together, once. @throws {PlatformError} when the platform takes no requests, or gives no answer. */
  async function sendBatch(
    items: readonly BatchItem[],
    signal: AbortSignal | undefined,
  ): Promise<BatchAnswer | BatchRefusal> {
    const call: Call = { operation: 'bulk reads', url: `${base}/api/trpc`, isWrite: false, redact };
    const headers = { accept: 'application/json', 'x-api-key': apiKey };
    const request: WireRequest = { method: 'GET', path: batchPath(items), headers, body: undefined };
    return permits.run(call, signal, (permit) =>
      onPermit(permit, async () => {
        const limitRead = beforeRead(attempts.newKey.usesOfBatch);
        if (limitRead !== undefined) await limitRead;
        counts.reads += 1;
        const answer = await receive(call, noteDate, request);
        const read = isKeyRefusal(answer) ? undefined : readBatch(items, answer);
        const isError = read?.is === 'surprise' && (answer.status < 200 || answer.status > 299);
        if (read === undefined || isError) {
          const refusal = explainRefusal(call, read === undefined ? { ...answer, body: keyRefused } : answer);
          if (whyToWait(refusal) === undefined) throw refusal;
          // A platform that takes no requests refuses a single one too.
          if ((await ask()) !== undefined) throw refusal;
          return { is: 'refused', status: refusal.status };
        }
        if (read.is === 'surprise') return read;
        breaker.noteAnswer(attempts.newKey.usesOfBatch);
        patience.noteAnswer();
        return read;
      }),
    );
  }

  async function onPermit<T>(permit: Permit, send: () => Promise<T>): Promise<T> {
    const answer = send();
    underWay.add(answer);
    try {
      return await answer;
    } catch (error) {
      if (error instanceof PlatformError && whyToWait(error) !== undefined) permit.refusal = error;
      throw error;
    } finally {
      underWay.delete(answer);
    }
  }

  async function readKeyLimit(about: InvokeOptions = {}): Promise<ReadLimit | 'none' | undefined> {
    mayReadLimit = false;
    return isAdmin() ? limitOfKey(await invoke('user.getBackups', {}, about), apiKey) : undefined;
  }

  /**
   * Reads the limit of the key once it was used as often as a new one may be, or as soon as it is known to be that of an owner or
   * admin. How many requests are on their way at a time makes no difference.
   */
  function beforeRead(uses: number): Promise<void> | undefined {
    isLimitDue ||= sentUses >= attempts.newKey.uses;
    sentUses += uses;
    return readDueLimit();
  }

  /** undefined: not now. Most reads are sent without a turn of the loop more. */
  function readDueLimit(): Promise<void> | undefined {
    return mayReadLimit && isLimitDue && isAdmin() ? noteKeyLimit() : undefined;
  }

  /** Notes the limit of the key, right before it is used again: once it is used up, no request can read it. */
  async function noteKeyLimit(): Promise<void> {
    mayReadLimit = false;
    try {
      const limit = limitOfKey(await sendOnce(requestOf('user.getBackups', {})), apiKey);
      if (limit !== undefined) breaker.noteLimit(limit);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }

  const invoke: Client['invoke'] = async (operation, input, about = {}) => {
    const outgoing = requestOf(operation, input);
    const { call } = outgoing;
    const { signal } = about;
    const alone = () =>
      patience.persist(call, about, () =>
        permits.run(call, signal, (permit) =>
          onPermit(permit, async () => {
            const limitRead = call.isWrite ? undefined : beforeRead(attempts.newKey.usesOfRequest);
            if (limitRead !== undefined) await limitRead;
            const sent = sendOnce(outgoing);
            if (operation !== 'user.get') return sent;
            const data = await sent;
            await readDueLimit();
            return data;
          }),
        ),
      );
    if (about.inBulk !== true || bulk === undefined || contract.hasBatches !== true || call.isWrite) return alone();
    const members = (contract.names?.data(input) ?? input) as typeof input; // translated, it is still an object
    const translate: BulkRead['translate'] = (data) => inOurWords(call, data);
    const read = { path: call.served ?? operation, members, signal, translate, alone };
    const answered = await bulk.read({ ...read, takesEmpty: about.isDiagnostic });
    return answered === undefined ? alone() : answered.data;
  };

  function own(permit: Permit, signal: AbortSignal | undefined): OwnConnection {
    const invoke: Client['invoke'] = async (operation, input, about = {}) => {
      const outgoing = requestOf(operation, input);
      return patience.persist(outgoing.call, { signal, ...about }, () => onPermit(permit, () => sendOnce(outgoing)));
    };
    const self: OwnConnection = {
      call: invoke,
      invoke,
      withConnection: (_operation, work) => work(self),
      hasPaused: permit.hasPaused,
      get contract() {
        return contract;
      },
      serve,
      counts,
      redact,
      platformTime,
      bulkStatus,
      readKeyLimit,
      close,
    };
    return self;
  }

  function serve(now: Contract): void {
    contract = now;
  }

  function bulkStatus(): BulkStatus | undefined {
    return contract.hasBatches === true ? bulk?.status() : undefined;
  }

  function platformTime(): number | undefined {
    return aheadMs === undefined ? undefined : now() + aheadMs;
  }

  function close(): void {
    bulk?.end();
    patience.end();
    breaker.end();
  }

  return {
    call: (operation, input) => invoke(operation, input),
    invoke,
    withConnection: (operation, work, { signal } = {}) =>
      permits.run(callOf(operation), signal, (permit) => work(own(permit, signal))),
    get contract() {
      return contract;
    },
    serve,
    counts,
    redact,
    platformTime,
    bulkStatus,
    readKeyLimit,
    close,
  };
}

/** The same client; the signal ends its waiting for a platform that takes no requests. Never throws. */
export function interruptible(client: Client, signal: AbortSignal): Client {
  const invoke: Client['invoke'] = (operation, input, options) =>
    client.invoke(operation, input, { signal, ...options });
  return {
    ...client,
    call: invoke,
    invoke,
    withConnection: (operation, work, options) => client.withConnection(operation, work, { signal, ...options }),
    get contract() {
      return client.contract;
    },
  };
}

/**
 * The part of a client that reads. It also refuses at run time whatever is no GET, unsent: a kind of a library user can
 * name any operation.
 */
export function readingOnly(client: Client): ReadClient {
  return {
    invoke: async (operation, input, options) => {
      if (client.contract.operations.get(operation)?.endpoint.method === 'POST') throw notSent(operation);
      return client.invoke(operation, input, options);
    },
    get contract() {
      return client.contract;
    },
    serve: (contract) => client.serve(contract),
    counts: client.counts,
    redact: client.redact,
  };
}

/** The error for a write of a run that only reads. It was not sent. */
export function notSent(operation: string): Stop {
  const message = `this run only reads, and ${operation} writes: it was not sent`;
  return stop('refused', 'defect', message);
}

/** The same client; the signal ends its waiting for a platform that takes no requests. Never throws. */
export function interruptibleReads(client: ReadClient, signal: AbortSignal): ReadClient {
  return {
    invoke: (operation, input, options) => client.invoke(operation, input, { signal, ...options }),
    get contract() {
      return client.contract;
    },
    serve: (contract) => client.serve(contract),
    counts: client.counts,
    redact: client.redact,
  };
}

/** The answer to a single read whose key is refused with a code. */
const keyRefused = '{"message":"UNAUTHORIZED","code":"UNAUTHORIZED"}';

/** Sends a request once and gives its answer. @throws {PlatformError} when none comes. */
async function receive(call: Call, send: Send, request: WireRequest): Promise<WireAnswer> {
  try {
    return await send(request);
  } catch (error) {
    if (error instanceof Stop) throw error; // it was not sent
    throw explainSilence(call, error);
  }
}

/** Sends a request once and gives the data of its answer. @throws {PlatformError} when it has none. */
async function exchange(call: Call, send: Send, request: WireRequest): Promise<unknown> {
  const answer = await receive(call, send, request);
  if (answer.status < 200 || answer.status > 299) throw explainRefusal(call, answer);
  const read = readData(answer);
  if (read.isData) return read.data;
  throw fail(call, {
    failure: 'unreadable',
    outcome: 'unknown',
    event: `the answer (status ${answer.status}) ${read.why}`,
    status: answer.status,
  });
}

/** Origin and path, without the credentials that an address may carry; of `emulator:`, the scheme. */
function describeAddress(url: string): string {
  if (!URL.canParse(url)) return '(unreadable address)';
  const { protocol, host, origin, pathname } = new URL(url);
  // Only http and https have an origin.
  const place = origin === 'null' ? protocol + (host === '' ? '' : `//${host}`) : origin;
  return place + withoutSlash(pathname);
}

/** Replaces the key in a text. A short one is looked for as a whole word only: it may be part of many. */
function hide(key: string, text: string): string {
  if (key === '') return text;
  if (key.length >= minKeyLength) return text.replaceAll(key, '(API key)');
  const pattern = key.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return text.replaceAll(new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'gu'), '(API key)');
}

/** As of secrets: shorter ones stand in ordinary words. Characters. */
const minKeyLength = 8;
