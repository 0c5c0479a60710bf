import { isLoopback } from './loopback.ts';
import { type Position, Stop } from '../diagnostics/diagnostic.ts';

/** Knowledge about a write that failed; a read is always `not executed`, because it changes nothing. */
export type Outcome = 'not executed' | 'unknown';

/**
 * The reason of a failure. `not found`: the platform itself reports an object as absent. A missing operation and the 404
 * page of another server are `unreadable`. `redirect`: a proxy before the platform answers, with a redirect or a sign-in of
 * its own. `proxy`: the proxy of the environment does not let requests through.
 */
export type Failure =
  | 'authentication'
  | 'forbidden'
  | 'not found'
  | 'invalid'
  | 'conflict'
  | 'too large'
  | 'throttled'
  | 'server'
  | 'unreadable'
  | 'redirect'
  | 'proxy'
  | 'connection'
  | 'timeout';

/** A member that the platform or the contract refused, with the reason. */
export interface InputIssue {
  /** The member, such as `metadata.organizationId`; empty: the input as a whole. */
  readonly path: string;
  readonly message: string;
}

/** The facts of a failed call. Every text in it is redacted. */
export interface FailedCall {
  readonly operation: string;
  /** The operation by its path on the platform, as messages name it; by default the same. */
  readonly served?: string;
  /** Origin and path, without credentials and query. */
  readonly url: string;
  readonly isWrite: boolean;
  readonly failure: Failure;
  readonly outcome: Outcome;
  /** true: the platform had the request and refused it; by default when it has a status. */
  readonly wasSent?: boolean;
  /** true: this client sent a write before, so the message of a read does not say that nothing was changed. */
  readonly hasWritten?: boolean;
  /** true: the address answered this client as the platform before, so no remedy doubts the address. */
  readonly hasAnswered?: boolean;
  /** The event as a clause, such as `the server refused the connection`. */
  readonly event: string;
  /** The next step, as sentences, where the usual one of the failure does not fit. */
  readonly remedy?: string | undefined;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly serverMessage?: string | undefined;
  readonly issues?: readonly InputIssue[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** true: a 401 that does not show that the key is refused: a proxy gave it, or the platform accepts the key for others. */
  readonly isDenied?: boolean;
  /** true: the platform took no request for as long as this client waits. */
  readonly isShutOut?: boolean;
  /** What the call was made for, where that is known. */
  readonly neededBy?: readonly Needed[];
}

/** An address that needs the answer to a call, with its place in the manifest. */
interface Needed {
  readonly address: string;
  readonly position?: Position | undefined;
}

/**
 * A call that did not succeed. Its message has everything in one line: `sentence`, the answer of the server, and `known`. It
 * contains no secrets.
 */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  /** The event and the operation, as a clause: `the platform refused redis.create (409 CONFLICT at https://…)`. */
  readonly sentence: string;
  /** What is known of the effect, as a sentence; empty when that is nothing. */
  readonly known: string;
  readonly operation: string;
  /** Origin and path of the request, without query values. */
  readonly url: string;
  readonly failure: Failure;
  /** The HTTP status; undefined when no answer came or nothing was sent. */
  readonly status: number | undefined;
  /** The platform's code such as `NOT_FOUND`, or the system's such as `ECONNREFUSED`. */
  readonly code: string | undefined;
  /** The server's own text: redacted, one line, cut; empty when there is none. */
  readonly serverMessage: string;
  readonly outcome: Outcome;
  /** The next steps, as sentences in the imperative. */
  readonly remedy: string;
  readonly issues: readonly InputIssue[];
  /** The wait that the server asked for, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  /**
   * The platform rejected the key: it is wrong, or its limit has run out, or the platform's database restarts. Such a 401
   * has no code, or a code and nothing but UNAUTHORIZED as its message. A missing right has a sentence, or shows by a key that is
   * accepted otherwise.
   */
  readonly isKeyRefused: boolean;
  /** Other requests would fail as well: the platform took none for as long as the client waits. */
  readonly isShutOut: boolean;
  /** The addresses that need the answer; none: the run as a whole does. */
  readonly neededBy: readonly Needed[];
  readonly #call: FailedCall;

  constructor(call: FailedCall) {
    super(messageOf(call));
    this.#call = call;
    this.neededBy = call.neededBy ?? [];
    this.sentence = sentenceOf(call);
    this.known = knownOf(call);
    this.operation = call.operation;
    this.url = call.url;
    this.failure = call.failure;
    this.status = call.status;
    this.code = call.code;
    this.serverMessage = call.serverMessage ?? '';
    this.outcome = call.outcome;
    this.remedy = remedyOf(call);
    this.issues = call.issues ?? [];
    this.retryAfterSeconds = call.retryAfterSeconds;
    this.isKeyRefused =
      call.isDenied !== true &&
      call.status === 401 &&
      (call.code === undefined || call.serverMessage === 'UNAUTHORIZED');
    this.isShutOut = call.isShutOut === true;
  }

  /** The same error, of a call that some addresses alone need. Never throws. */
  at(neededBy: readonly Needed[]): PlatformError {
    return new PlatformError({ ...this.#call, neededBy });
  }
}

/** Whether the platform does not accept the API key, or the key lacks the right. */
export function isOfKey({ failure }: Pick<PlatformError, 'failure'>): boolean {
  return failure === 'authentication' || failure === 'forbidden';
}

/** The transport's own reasons to give up. */
export type TransportFault = 'DEADLINE' | 'BODY_LIMIT' | 'ENCODING' | 'NOT_UTF8' | 'ABANDONED' | 'NOT_SENT';

/** The transport gave up before it had the whole answer, or (`NOT_SENT`) before it sent the request. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportFault;

  constructor(code: TransportFault, message: string) {
    super(message);
    this.code = code;
  }
}

const remedies: Readonly<Record<Failure, string>> = {
  authentication: 'Check that the API key is right, and not revoked, expired or rate limited.',
  forbidden: 'Use the API key of a user who has the right to do this.',
  'not found': 'Check the id, or plan again: the object may be deleted.',
  invalid: 'Correct the input.',
  conflict: 'Choose another name or port, or free the one in use.',
  'too large': 'Make the input smaller.',
  throttled: 'Try again later.',
  server: 'Try again, or read the log of the platform.',
  unreadable: 'Check that the address is that of the platform, and that no proxy or login page answers instead.',
  redirect:
    'A proxy before the platform answers: let requests to /api pass without signing in, or write an address that goes around it.',
  proxy: 'Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.',
  connection: 'Check the address, and that the platform runs.',
  timeout: 'Try again, or check whether the platform is overloaded.',
};

/** The line for programs that print nothing but the message. */
function messageOf(call: FailedCall): string {
  const quote = call.serverMessage ? `: "${call.serverMessage}"` : '';
  const shown = (call.issues ?? []).slice(0, maxIssues).map(issueText);
  const named = shown.length > 0 ? ` (${shown.join('; ')})` : '';
  const known = knownOf(call)
    .replace(/^[A-Z](?!rueup)/, (letter) => letter.toLowerCase())
    .replace(/\.$/, '');
  return `${call.event}${quote}${named} (${placeOf(call)})${known === '' ? '' : `; ${known}`}`;
}

/** Most refused members that a text names. */
const maxIssues = 5;

function issueText({ path, message }: InputIssue): string {
  return path ? `${path}: ${message}` : message;
}

function sentenceOf(call: FailedCall): string {
  const [, event, status] = /^(.*) \((\d{3})\)$/.exec(call.event) ?? [];
  if (event === undefined || status === undefined) return `${call.event} (${placeOf(call)})`;
  const word = isUnauthorized(call.serverMessage) ? ' Unauthorized' : '';
  return `${event} (${status}${word} from ${placeOf(call)})`;
}

function isUnauthorized(text: string | undefined): boolean {
  return text?.toLowerCase() === 'unauthorized';
}

/** The operation and the address. */
function placeOf({ operation, served = operation, url }: FailedCall): string {
  return `${served} at ${url.endsWith(`/api/${served}`) ? url.slice(0, -5 - served.length) : url}`;
}

/** The answer of the server to a failed call, a line for its text and one for each member that was refused. */
export function answerLines({ serverMessage, issues }: Pick<PlatformError, 'serverMessage' | 'issues'>): string[] {
  const isSaid = serverMessage === '' || isUnauthorized(serverMessage);
  return [...(isSaid ? [] : [serverMessage]), ...issues.slice(0, maxIssues).map(issueText)];
}

/** A 400 or a 404 of a write says by itself that the platform refused it; no more is known, and nothing is claimed. */
function knownOf({ isWrite, outcome, status, wasSent = status !== undefined, hasWritten }: FailedCall): string {
  if (!isWrite) return hasWritten === true ? '' : 'Nothing was changed.';
  if (outcome === 'unknown') return isRefusal(status) ? '' : 'Trueup does not know whether the platform executed it.';
  return wasSent ? 'The platform did not execute it.' : 'It was not sent.';
}

function isRefusal(status: number | undefined): boolean {
  return status === 400 || status === 404;
}

function remedyOf(call: FailedCall): string {
  const { isWrite, outcome, remedy, failure, status } = call;
  const usual = addressRemedy(call) ?? remedy ?? remedies[failure];
  return isWrite && outcome === 'unknown' && !isRefusal(status)
    ? `Check what the platform has now before you repeat it. ${usual}`
    : usual;
}

/**
 * The remedy where the address itself may be wrong: another program answers, or the platform does not have what every
 * platform has. Undefined: the answer does not point to the address, or the address answered as the platform before. Whoever
 * follows it sends the API key there: it names no other host, port or, without a condition, scheme.
 */
function addressRemedy(call: FailedCall): string | undefined {
  const { operation, served = operation, url, failure, code, hasAnswered = false } = call;
  // It takes no input and needs no right: only something else than the platform refuses it so.
  const isRead = operation === 'user.get';
  const pointsThere =
    ['unreadable', 'redirect'].includes(failure) ||
    (isRead && ['not found', 'invalid'].includes(failure)) ||
    (isRead && failure === 'forbidden' && code === undefined);
  const end = `/api/${served}`;
  if (hasAnswered || !pointsThere || !url.endsWith(end) || !URL.canParse(url)) return undefined;
  const base = url.slice(0, -end.length);
  const [, root] = ofDashboard.exec(base) ?? [];
  if (root !== undefined) return `${base} is not the root address of the platform: write ${root}.`;
  // The redirect says where it leads.
  if (failure === 'redirect') return undefined;
  const { protocol, hostname, host, port } = new URL(base);
  if (!isLoopback(hostname)) {
    if (port !== '') return 'Write the address that the dashboard opens at in a browser.';
    if (protocol === 'http:')
      return `Write https://${host} if the dashboard opens there: a proxy often answers http by itself.`;
  }
  return isRead ? remedies.unreadable : undefined;
}

/** An address copied from the dashboard or the API, with the root before its path. A path of another name may be the root. */
const ofDashboard = /^(https?:\/\/[^/]+(?:\/[^/]+)*?)\/(?:api|dashboard|login|register|swagger)(?:\/.*)?$/;

/** Leaves out what a read that the platform refused would have said. @throws whatever is no failure of the platform. */
export function unlessOfThePlatform(error: unknown): undefined {
  if (!(error instanceof PlatformError)) throw error;
}

/** What a look at the platform gives; undefined where it fails, or cannot be sent. @throws a defect */
export async function unlessItFails<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof PlatformError || error instanceof Stop)) throw error;
    return undefined;
  }
}

/** Whether a request failed because of a right that the key lacks; a key that is not accepted says nothing of that. */
export function lacksRight(error: unknown): error is PlatformError {
  if (!(error instanceof PlatformError) || error.code === undefined) return false;
  return error.status === 403 || (error.status === 401 && !error.isKeyRefused);
}
