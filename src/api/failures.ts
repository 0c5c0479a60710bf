import { attempts } from './attempts.ts';
import { type ErrorAnswer, cleanText, readError } from './answer.ts';
import { type Call, fail } from './failed-call.ts';
import type { FailedCall, Failure, PlatformError } from './platform-error.ts';
import { isLoopback } from './loopback.ts';
import { isOfProxy, proxyErrorIn } from './proxy-error.ts';
import { rightTo } from './needed-rights.ts';
import type { WireAnswer } from './wire.ts';

/** Explains why no answer came. Never throws. */
export function explainSilence(call: Call, error: unknown): PlatformError {
  const ofProxy = proxyErrorIn(error);
  if (ofProxy !== undefined) {
    const { message, remedy, code, mayPass } = ofProxy;
    return fail(call, {
      failure: mayPass ? 'connection' : 'proxy',
      outcome: 'not executed',
      event: cleanText(message, call.redact),
      remedy,
      code,
    });
  }
  const code = findCode(error);
  const known = code === undefined ? undefined : silences.get(code);
  if (known) return fail(call, { outcome: 'unknown', ...known, code });
  const text = cleanText(error instanceof Error ? error.message : '', call.redact);
  if (/wrong version number/i.test(text)) {
    const event = 'the server answers without TLS';
    return fail(call, { failure: 'connection', outcome: 'not executed', event, remedy: withoutTls(call), code });
  }
  return fail(call, {
    failure: 'connection',
    outcome: 'unknown',
    event: `the connection failed${text === '' ? '' : ` (${text})`}`,
    code,
  });
}

/**
 * The remedy where an address begins with https and its port speaks http. It names no other port, which may be that of another
 * program: that one would get the API key.
 */
function withoutTls({ operation, served = operation, url }: Call): string {
  const { hostname, port, pathname } = new URL(url);
  const end = `/api/${served}`;
  const root = pathname.endsWith(end) ? pathname.slice(0, -end.length) : '';
  return isLoopback(hostname)
    ? `Write http://${hostname}:${port === '' ? 443 : port}${root}.`
    : 'Write the address that the dashboard opens at in a browser: this port serves no https.';
}

/** Whether a code of the system proves that no connection was opened, so that the platform got nothing. Never throws. */
export function isNoConnection(code: string): boolean {
  if (isOfProxy(code)) return true;
  const { failure, outcome } = silences.get(code) ?? {};
  return failure === 'connection' && outcome === 'not executed' && code !== 'NOT_SENT';
}

/** Says in a clause why no answer came. Never throws. */
export function describeSilence(error: unknown): string {
  return proxyErrorIn(error)?.message ?? silences.get(findCode(error) ?? '')?.event ?? 'the connection failed';
}

const deadline = { failure: 'timeout', event: 'the whole answer did not arrive in time' } as const;
const broken = { failure: 'connection', event: 'the connection broke off before the whole answer arrived' } as const;
const refused = { failure: 'connection', event: 'the server refused the connection', outcome: 'not executed' } as const;
const nameless = {
  failure: 'connection',
  event: 'the host name could not be resolved',
  outcome: 'not executed',
} as const;

/** What is wrong with a certificate, as a clause of it: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
export const certificateFaults: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['CERT_NOT_YET_VALID', 'is not valid yet'],
  ['CERT_REVOKED', 'was revoked'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is self-signed, as that of a proxy is which has no other one yet'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'is of an authority that this machine does not trust'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'is of an authority that this machine does not trust'],
  ['CERT_UNTRUSTED', 'is of an authority that this machine does not trust'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'comes without those of its authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'comes without those of its authority'],
]);

/** The remedies where it is not the authority that is missing. */
const ofDates = 'Check the clock of this machine, or give the server a certificate that is valid now.';
const certificateRemedies: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', ofDates],
  ['CERT_NOT_YET_VALID', ofDates],
  ['CERT_REVOKED', 'Give the server another certificate.'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'Check the address, or give the server a certificate for its host.'],
]);

/** A connection that ended over the certificate of the server. */
function untrusted(code: string): Silence {
  const fault = certificateFaults.get(code) ?? 'is for another host';
  return {
    failure: 'connection',
    event: `the certificate of the server is not trusted: it ${fault}`,
    remedy:
      certificateRemedies.get(code) ??
      'Give the server a valid certificate, or name its authority in NODE_EXTRA_CA_CERTS.',
  };
}

type Silence = Pick<FailedCall, 'failure' | 'event'> & Partial<Pick<FailedCall, 'outcome' | 'remedy'>>;

const silences: ReadonlyMap<string, Silence> = new Map<string, Silence>([
  ['ABANDONED', { failure: 'connection', event: 'the run was interrupted before the whole answer arrived' }],
  ['NOT_SENT', { failure: 'connection', event: 'the run was interrupted before it was sent', outcome: 'not executed' }],
  ['ECONNREFUSED', refused],
  ['ENOTFOUND', nameless],
  ['EAI_AGAIN', nameless],
  ['ECONNRESET', broken],
  ['EPIPE', broken],
  ['UND_ERR_SOCKET', broken],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', broken],
  ['DEADLINE', deadline],
  ['ETIMEDOUT', deadline],
  ['TimeoutError', deadline],
  ['UND_ERR_CONNECT_TIMEOUT', deadline],
  ['UND_ERR_HEADERS_TIMEOUT', deadline],
  ['UND_ERR_BODY_TIMEOUT', deadline],
  [
    'BODY_LIMIT',
    { failure: 'unreadable', event: `the answer is longer than ${attempts.request.maxAnswerBytes / 1024 ** 2} MiB` },
  ],
  ['ENCODING', { failure: 'unreadable', event: 'the answer is compressed, and Trueup did not ask for that' }],
  ['NOT_UTF8', { failure: 'unreadable', event: 'the answer is not UTF-8 text' }],
  ...[...certificateFaults.keys(), 'ERR_TLS_CERT_ALTNAME_INVALID'].map((code) => [code, untrusted(code)] as const),
]);

/** The code of an error of the system, or of one behind it. */
export function findCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error.name === 'TimeoutError') return error.name;
  return findCode(error.cause);
}

/** Explains an answer that is no success. Never throws. */
export function explainRefusal(call: Call, answer: WireAnswer): PlatformError {
  const refusal = readError(answer, call.redact);
  const isMissing = answer.status === 404 && refusal.absence === 'operation';
  const retryAfterSeconds = parseRetryAfter(answer.headers);
  if (asksToSignIn(answer, refusal)) return explainSignIn(call, refusal);
  return fail(call, {
    failure: classify(answer.status, refusal),
    outcome: isProvedUnexecuted(answer.status, refusal) ? 'not executed' : 'unknown',
    event: isMissing ? 'the platform does not have this operation (404)' : eventOf(answer.status, refusal),
    remedy: isMissing
      ? 'Check the address and the version of the platform.'
      : (remedyForRedirect(call, answer) ??
        remedyFor(call, {
          status: answer.status,
          code: refusal.code,
          serverMessage: refusal.message,
          retryAfterSeconds,
        })),
    status: answer.status,
    code: refusal.code,
    serverMessage: refusal.message,
    issues: refusal.issues,
    retryAfterSeconds,
  });
}

/** Whether a proxy asks for a sign-in of its own: the platform refuses a key with an object of JSON, without a page or a scheme. */
function asksToSignIn({ status, headers }: WireAnswer, { form }: ErrorAnswer): boolean {
  return status === 401 && (form === 'page' || (form === 'text' && headers['www-authenticate'] !== undefined));
}

/** The failure of a request that a proxy keeps from the platform. It says nothing about the API key. */
function explainSignIn(call: Call, { message }: ErrorAnswer): PlatformError {
  return fail(call, {
    failure: 'redirect',
    outcome: 'not executed',
    event: 'a proxy before the platform asks for a sign-in of its own (401)',
    status: 401,
    serverMessage: message,
    isDenied: true,
  });
}

/**
 * Explains the refusal of one request in the words of a refused key, of a key that the platform accepts for others. Never
 * throws.
 */
export function explainRefusedAlone(call: Call, { status, code, serverMessage }: PlatformError): PlatformError {
  return fail(call, {
    failure: 'forbidden',
    outcome: 'not executed',
    event: `the API key is refused for this request, and accepted for others (${status})`,
    remedy:
      'Check whether a proxy before the platform answers requests to this path itself, and let requests to /api pass; ' +
      'else look for the reason in the log of the platform.',
    status,
    code,
    serverMessage,
    isDenied: true,
  });
}

/** Explains a refusal in the words of a refused key, of a key that the platform accepts: it lacks the right. Never throws. */
export function explainMissingRight(call: Call, { status, code, serverMessage }: PlatformError): PlatformError {
  return fail(call, {
    failure: 'forbidden',
    outcome: 'not executed',
    event: `the API key has no right to this (${status})`,
    remedy: remedyForRight(call),
    status,
    code,
    serverMessage,
    isDenied: true,
  });
}

function remedyForRight({ operation }: Call): string {
  const right = rightTo(operation);
  const named = right === undefined ? '' : ` A member needs ${right}.`;
  return `Use the API key of a user who has the right to do this.${named}`;
}

/**
 * Whether the platform answers that the organization has no license for an operation: before it executes any of it. Never
 * throws.
 */
export function isUnlicensed(status: number | undefined, message: string | undefined): boolean {
  return status === 403 && message !== undefined && /\bvalid enterprise license\b/i.test(message);
}

function eventOf(status: number, { code, message }: ErrorAnswer): string {
  if (isUnlicensed(status, message)) return 'the platform does this only with an enterprise license (403)';
  if (status === 401 && (code === undefined || message === 'UNAUTHORIZED'))
    return 'the platform rejected the API key (401)';
  return `the server answered ${status}${code === undefined ? '' : ` ${code}`}`;
}

/** The next step, where the answer says more than its status. */
function remedyFor(
  call: Call,
  {
    status,
    code,
    serverMessage,
    retryAfterSeconds,
  }: Pick<FailedCall, 'status' | 'code' | 'serverMessage' | 'retryAfterSeconds'>,
): string | undefined {
  if (status === 429 && retryAfterSeconds !== undefined) return `Try again in ${retryAfterSeconds} s.`;
  // The platform answers a missing right with 401, a code and a sentence.
  if (code === undefined || (status !== 401 && status !== 403)) return undefined;
  if (isUnlicensed(status, serverMessage)) {
    const start = 'Let the owner of the organization activate a license key in the dashboard, at Settings, License';
    return `${start}; without one, leave out what needs it.`;
  }
  if (status === 401 && serverMessage === 'UNAUTHORIZED') return undefined;
  return remedyForRight(call);
}

/** The next step after a redirect: its target is the platform, or a page of a proxy, such as one to sign in. */
function remedyForRedirect(call: Call, { status, headers }: WireAnswer): string | undefined {
  const location = headers['location'];
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, call.url)) return undefined;
  const { protocol, origin, pathname } = new URL(location, call.url);
  if (!/^https?:$/.test(protocol)) return undefined;
  const end = `/api/${call.served ?? call.operation}`;
  const root = pathname.endsWith(end) ? pathname.slice(0, -end.length) : pathname === '/' ? '' : undefined;
  if (root !== undefined && `${origin}${root}${end}` !== call.url)
    return `Set the address of the platform to ${call.redact(origin + root)}, if you know that as its address: the answer leads there, and Trueup follows no redirect.`;
  return (
    `A proxy before the platform answers, and leads to ${call.redact(origin + pathname)}: let requests to /api pass without ` +
    'signing in, or write an address that goes around it.'
  );
}

function classify(status: number, refusal: ErrorAnswer): Failure {
  if (status >= 500) return 'server';
  if (status >= 300 && status < 400) return 'redirect';
  switch (status) {
    case 401:
      return 'authentication';
    case 403:
      return 'forbidden';
    case 404:
      return refusal.absence === 'thing' || refusal.absence === 'either' ? 'not found' : 'unreadable';
    case 408:
      return 'timeout';
    case 409:
      return 'conflict';
    case 413:
      return 'too large';
    case 429:
      return 'throttled';
    default:
      return status >= 400 ? 'invalid' : 'unreadable';
  }
}

/** Tells whether the answer proves that a write did nothing; everything else may have had an effect. */
function isProvedUnexecuted(status: number, refusal: ErrorAnswer): boolean {
  switch (status) {
    case 400:
      return refusal.issues.length > 0;
    case 403:
      return isUnlicensed(status, refusal.message);
    case 404:
      return refusal.absence === 'operation' || refusal.absence === 'either';
    case 401:
    case 413:
    case 415:
    case 429:
      return true;
    default:
      return false;
  }
}

/**
 * The seconds of a header `retry-after`; undefined: it names none. A date counts from the `date` of the same answer, as the clock of
 * this machine may be another one.
 */
export function parseRetryAfter({ 'retry-after': header, date: sent = '' }: WireAnswer['headers']): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header);
  const date = Date.parse(header);
  const sentAt = Date.parse(sent);
  const from = Number.isNaN(sentAt) ? Date.now() : sentAt;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - from) / 1_000));
}
