import { attempts } from '../../api/attempts.ts';
import { fetchUrl } from '../../api/fetch-url.ts';
import { readAtMost } from '../../api/limited-body.ts';
import { ProxyError, proxyErrorIn } from '../../api/proxy-error.ts';
import { withoutSlash } from '../../api/slash.ts';
import { defined } from '../../formats/json.ts';
import type { Clock } from '../clock.ts';
import { unusable } from '../unusable.ts';
import { type Pace, type Watch, watchPace } from './pace.ts';

/** A bucket of an S3-compatible store, and the key to it. */
export interface BucketLocation {
  /** Address of the store, without the bucket. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** Prefix of the names of all objects. */
  readonly prefix: string;
  readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string };
  /** Replaces the secrets of the run in a text of the store. */
  readonly redact?: (text: string) => string;
}

/** Objects of a bucket. */
export interface Bucket {
  /** Where an object is, for messages. */
  readonly locationOf: (name: string) => string;
  /** Replaces the secrets of the run in a text of the store. */
  readonly redact: (text: string) => string;
  /** Reads an object; with `check`, a store that is away is waited for until that throws, and for 10 minutes at most. */
  readonly get: (name: string, check?: () => void) => Promise<S3Object | undefined>;
  /** Writes an object unless it changed; gives the new tag, or undefined when it changed. */
  readonly put: (name: string, text: string, options: PutOptions) => Promise<string | undefined>;
  /** The names of the objects below a folder, without it. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /** Removes an object; a failure leaves it. */
  readonly remove: (name: string) => Promise<void>;
}

/** An object as it was read. */
interface S3Object {
  readonly text: string;
  readonly etag: string;
  /** Age by the clock of the store, one second less at most; undefined when the store sends no dates. Milliseconds. */
  readonly ageMs: number | undefined;
}

/** Conditions of a write. */
interface PutOptions {
  /** The tag that the object must have; `none`: it must not exist; `any`: no condition. */
  readonly over: string;
  /** Asked before each attempt; a store that is away is waited for until it throws. @throws Stop when nothing may be written any more. */
  readonly check?: () => void;
}

interface Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** The object; of a list, the folder. */
  readonly name: string;
  /** The parameters of a list. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly check?: (() => void) | undefined;
}

/** So a state of 25 MB is read within 17 minutes, or not at all. Of one that is written, fetch takes no more after 5 minutes. */
const usualPace: Pace = { answerMs: 10_000, bytes: 256 * 1024 };

/** Between attempts, while the store fails or does not answer. Milliseconds. */
const pauses = [200, 1_000, 3_000] as const;

/** An open bucket, with the clock for the pauses between attempts. */
interface Open {
  readonly where: BucketLocation;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Address of the bucket, with a slash at its end. */
  readonly base: string;
  readonly locationOf: Bucket['locationOf'];
  readonly redact: Bucket['redact'];
}

/** Opens a bucket. Nothing is sent yet. */
export function openBucket(where: BucketLocation, clock: Clock, pace = usualPace): Bucket {
  const { endpoint, bucket, prefix, redact = (text) => text } = where;
  const base = `${withoutSlash(endpoint)}/${bucket}/`;
  const open: Open = { where, clock, pace, base, locationOf: (name) => `${base}${prefix}${name}`, redact };
  return {
    locationOf: open.locationOf,
    redact,
    get: (name, check) => get(open, name, check),
    put: (name, body, options) => put(open, name, body, options),
    list: (folder) => list(open, folder),
    remove: async (name) => {
      await send(open, { method: 'DELETE', name }, 1).catch(() => undefined);
    },
  };
}

async function get(open: Open, name: string, check?: () => void): Promise<S3Object | undefined> {
  const answer = await send(open, { method: 'GET', name, check });
  if (isMissing(answer)) return undefined;
  if (answer.status !== 200) throw refused(open, name, answer);
  return { text: answer.text, etag: etagOf(open.locationOf(name), answer), ageMs: ageIn(answer) };
}

async function put(open: Open, name: string, body: string, { over, check }: PutOptions): Promise<string | undefined> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (over === 'none') headers['if-none-match'] = '*';
  else if (over !== 'any') headers['if-match'] = over;
  const answer = await send(open, { method: 'PUT', name, body, headers, check });
  if (answer.status === 412 || (over !== 'none' && isMissing(answer))) return undefined;
  if (answer.status < 200 || answer.status > 299) throw refused(open, name, answer);
  return etagOf(open.locationOf(name), answer);
}

async function list(open: Open, folder: string): Promise<string[]> {
  const names: string[] = [];
  let token: string | undefined;
  for (let page = 0; page === 0 || token !== undefined; page++) {
    if (page === attempts.state.maxPages)
      throw unusable(open.locationOf(folder), `cannot be used (the store lists more than ${page} pages)`, { remedy });
    const query = { 'list-type': '2', prefix: open.where.prefix + folder };
    const next = token === undefined ? query : { ...query, 'continuation-token': token };
    const answer = await send(open, { method: 'GET', name: folder, query: next });
    if (answer.status !== 200 || !answer.text.includes('<ListBucketResult')) throw refused(open, folder, answer);
    const keys = answer.text.matchAll(/<Key>([^<]*)<\/Key>/g);
    names.push(...[...keys].map(([, key = '']) => key.slice(key.lastIndexOf('/') + 1)));
    token = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(answer.text)?.[1]?.replaceAll('&amp;', '&');
  }
  return names;
}

/** Sends a request until it is answered; a repetition is harmless. */
async function send(open: Open, request: Request, maxAttempts = pauses.length + 1): Promise<Answer> {
  const { clock, redact } = open;
  const location = open.locationOf(request.name);
  if (/(?:^|\/)\.\.?\//.test(open.where.prefix)) {
    const remedy = 'Write a prefix without such parts under state:, or into TRUEUP_STATE_URL. Nothing was sent.';
    throw unusable(location, 'cannot be used (its prefix has a part "." or "..", which leads to another object)', {
      remedy,
    });
  }
  const began = clock.monotonic();
  for (let attempt = 1; ; attempt++) {
    request.check?.();
    let trouble: string;
    let cause: unknown;
    try {
      const answer = await sendOnce(open, request);
      if (!isPassing(answer)) return answer;
      trouble = redact(wordsOf(answer));
    } catch (error) {
      if (error instanceof TooLong) throw unusable(location, `cannot be used (${error.message})`, { remedy });
      trouble = redact(reasonOf(error));
      cause = error;
    }
    const { remedy: ofProxy, mayPass = true } = proxyErrorIn(cause) ?? {};
    // The holder of a lock waits as long as the lock lasts: its records say what it wrote.
    const mayWait = request.check !== undefined && clock.monotonic() - began < attempts.pause.limitMs;
    if (!mayPass || (attempt >= maxAttempts && !mayWait))
      throw unusable(location, `cannot be reached (${trouble})`, { remedy: ofProxy ?? remedy, cause });
    await clock.sleep(pauses[attempt - 1] ?? pauses[2]);
  }
}

async function sendOnce({ where, base, pace }: Open, { method, name, query, body, headers }: Request): Promise<Answer> {
  // Loaded at the first request: most runs need no bucket.
  const { AwsV4Signer } = await import('aws4fetch');
  const path = `${where.prefix}${name}`.split('/').map(encodeURIComponent).join('/');
  const signer = new AwsV4Signer({
    method,
    url: base + (query === undefined ? path : `?${new URLSearchParams(query).toString()}`),
    headers: { ...headers, 'x-amz-content-sha256': await sha256(body ?? '') },
    ...defined({ body }),
    service: 's3',
    region: where.region,
    ...where.key,
  });
  const signed = await signer.sign();
  const watch = watchPace(pace);
  const content = body === undefined ? undefined : watch.sent(body);
  const sending = defined({ method, headers: signed.headers, body: content, signal: watch.signal });
  // Of a stream fetch does not know the length, and stores take none without it.
  if (content instanceof ReadableStream) signed.headers.set('content-length', String(Buffer.byteLength(body ?? '')));
  try {
    const response = await fetchUrl(signed.url, { ...sending, redirect: 'manual', duplex: 'half' });
    return { status: response.status, headers: response.headers, text: await textOf(response, watch) };
  } finally {
    watch.end();
  }
}

/** There is no such object. A web server that is no store has no code for that. */
function isMissing(answer: Answer): boolean {
  return answer.status === 404 && ![undefined, 'NoSuchBucket'].includes(codeIn(answer));
}

function refused({ locationOf, redact }: Open, name: string, answer: Answer) {
  const words = redact(wordsOf(answer));
  const region = answer.headers.get('x-amz-bucket-region') ?? /<Region>([^<]*)<\/Region>/.exec(answer.text)?.[1] ?? '';
  if ([301, 307, 400].includes(answer.status) && /^[a-z0-9-]{1,40}$/.test(region)) {
    const change = `The bucket is in ${region}: write that region, and its endpoint, under state:, or into TRUEUP_STATE_URL.`;
    return unusable(locationOf(name), `cannot be used (${words})`, { remedy: `${change} Nothing was overwritten.` });
  }
  if (codeIn(answer) !== 'NotImplemented') return unusable(locationOf(name), `cannot be used (${words})`, { remedy });
  return unusable(locationOf(name), `cannot be kept there: the store takes no conditional writes (${words})`, {
    remedy: 'Use a store that does: docs/state.md names some. Nothing was changed.',
  });
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Reads an answer, but for one that would fill the memory. @throws {TooLong} */
async function textOf({ body }: Response, { received }: Watch): Promise<string> {
  const parts = async function* () {
    for await (const part of body ?? []) {
      received(part.length);
      yield part;
    }
  };
  const whole = await readAtMost({ body: parts() }, attempts.state.maxAnswerBytes);
  if (whole === undefined) throw new TooLong();
  return whole.toString('utf8');
}

class TooLong extends Error {
  constructor() {
    super(`the store answered with more than ${attempts.state.maxAnswerBytes / 1024 ** 2} MiB`);
  }
}

/** A failure of the store, or a concurrent write. */
function isPassing({ status }: Answer): boolean {
  return status >= 500 ? status !== 501 : status === 409 || status === 429 || status === 408;
}

function etagOf(location: string, { headers }: Answer): string {
  const etag = headers.get('etag');
  if (etag === null) throw unusable(location, 'cannot be used (the store gives no ETag)', { remedy });
  // A proxy that compresses answers makes their tags weak; the store compares by strong ones.
  return etag.replace(/^W\//, '');
}

/** Both times are truncated to the second. */
function ageIn({ headers }: Answer): number | undefined {
  const [now, written] = [Date.parse(headers.get('date') ?? ''), Date.parse(headers.get('last-modified') ?? '')];
  return Number.isNaN(now - written) ? undefined : now - written - 1_000;
}

function codeIn({ text }: Answer): string | undefined {
  return /<Code>([\w.]{1,80})<\/Code>/.exec(text)?.[1];
}

function wordsOf(answer: Answer): string {
  const code = codeIn(answer);
  return code === undefined ? `status ${answer.status}` : `status ${answer.status} ${code}`;
}

/** Describes why there was no answer. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error instanceof ProxyError) return error.message;
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return 'code' in error ? String(error.code) : error.message;
}

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Buffer.from(hash).toString('hex');
}

const remedy =
  'Look at state: in the manifest, at AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and at the store. Nothing was overwritten.';
