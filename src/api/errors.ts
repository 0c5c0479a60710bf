/** Knowledge about a write that failed; a read is always `not executed`, because it changes nothing. */
export type Outcome = 'not executed' | 'unknown';

/**
 * The reason why a call failed. `not found` is only a thing that the platform itself reports as absent;
 * a missing operation or a stranger's 404 page is `unreadable`.
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
  | 'connection'
  | 'timeout';

/** A member that was refused, and why. */
export interface InputIssue {
  /** The member, such as `metadata.organizationId`; empty for the input as a whole. */
  readonly path: string;
  readonly message: string;
}

/** The facts of a failed call; every text in it is already redacted. */
export interface FailedCall {
  readonly operation: string;
  /** Origin and path, without credentials and query. */
  readonly url: string;
  readonly isWrite: boolean;
  readonly failure: Failure;
  readonly outcome: Outcome;
  /** The event as a clause, such as `the connection was refused`. */
  readonly event: string;
  /** The next step, where the failure's usual remedy does not fit. */
  readonly remedy?: string | undefined;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly serverMessage?: string | undefined;
  readonly issues?: readonly InputIssue[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** A call that did not succeed; its message is one readable sentence without secrets. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
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
  readonly issues: readonly InputIssue[];
  /** The wait that the server asked for, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  /**
   * The key was not accepted: it is wrong, or its limit has run out, or the platform's database restarts. Such a 401 has
   * no code, or a code and nothing but UNAUTHORIZED as its message; a missing right has a sentence.
   */
  readonly isKeyRefused: boolean;

  constructor(call: FailedCall) {
    super(renderSentence(call));
    this.operation = call.operation;
    this.url = call.url;
    this.failure = call.failure;
    this.status = call.status;
    this.code = call.code;
    this.serverMessage = call.serverMessage ?? '';
    this.outcome = call.outcome;
    this.issues = call.issues ?? [];
    this.retryAfterSeconds = call.retryAfterSeconds;
    this.isKeyRefused = call.status === 401 && (call.code === undefined || call.serverMessage === 'UNAUTHORIZED');
  }
}

/** The transport's own reasons to give up. */
export type TransportFault = 'DEADLINE' | 'BODY_LIMIT' | 'ENCODING';

/** No whole answer came, for a reason of the transport's own: `DEADLINE`, `BODY_LIMIT` or `ENCODING`. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportFault;

  constructor(code: TransportFault, message: string) {
    super(message);
    this.code = code;
  }
}

const remedies: Readonly<Record<Failure, string>> = {
  authentication: 'check that the API key is right, and not revoked, expired or out of requests',
  forbidden: 'use a key whose owner has the right to do this',
  'not found': 'check the id, or plan again: it may have been deleted',
  invalid: 'correct what is named here',
  conflict: 'choose another name or port, or free the one that is taken',
  'too large': 'make the input smaller',
  throttled: 'try again later',
  server: 'try again, or look into the log of the platform',
  unreadable: 'check that the address is that of the platform, and what stands between (proxy, login page)',
  redirect: 'set the address of the platform to where it redirects to; redirects are never followed',
  connection: 'check the address and whether the platform runs',
  timeout: 'try again, or look whether the platform is overloaded',
};

function renderSentence(call: FailedCall): string {
  const quote = call.serverMessage ? `: "${call.serverMessage}"` : '';
  const shown = (call.issues ?? []).slice(0, 5).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const named = shown.length > 0 ? ` (${shown.join('; ')})` : '';
  return (
    `${call.operation} failed at ${call.url}, because ${call.event}${quote}${named}; ` +
    `${describeState(call)}; ${call.remedy ?? remedies[call.failure]}`
  );
}

function describeState({ isWrite, outcome }: FailedCall): string {
  if (!isWrite || outcome === 'not executed') return 'nothing was changed';
  return 'it is not known whether the platform carried it out, so look at what it has now before you repeat it';
}
