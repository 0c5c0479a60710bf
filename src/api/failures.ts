import { type ErrorAnswer, cleanText, readError } from './answer.ts';
import { type Call, fail } from './call.ts';
import type { FailedCall, Failure, PlatformError } from './errors.ts';
import { rightTo } from './rights.ts';
import type { WireAnswer } from './wire.ts';

/** Explains why no answer came. Never throws. */
export function explainSilence(call: Call, error: unknown): PlatformError {
  const code = findCode(error);
  const known = code === undefined ? undefined : silences.get(code);
  if (known) return fail(call, { outcome: 'unknown', ...known, code });
  const text = cleanText(error instanceof Error ? error.message : '', call.redact);
  return fail(call, {
    failure: 'connection',
    outcome: 'unknown',
    event: `the connection failed${text === '' ? '' : ` (${text})`}`,
    code,
  });
}

const deadline = { failure: 'timeout', event: 'no whole answer came in time' } as const;
const broken = { failure: 'connection', event: 'the connection broke off before the whole answer had come' } as const;
const refused = { failure: 'connection', event: 'the connection was refused', outcome: 'not executed' } as const;
const nameless = { failure: 'connection', event: 'its host name is not known', outcome: 'not executed' } as const;
const untrusted = {
  failure: 'connection',
  event: 'the certificate of the server is not trusted',
  remedy: 'give the server a valid certificate, or name its authority in NODE_EXTRA_CA_CERTS',
} as const;

type Silence = Pick<FailedCall, 'failure' | 'event'> & Partial<Pick<FailedCall, 'outcome' | 'remedy'>>;

const silences: ReadonlyMap<string, Silence> = new Map<string, Silence>([
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
  ['BODY_LIMIT', { failure: 'unreadable', event: 'the answer is longer than this program is willing to read' }],
  ['ENCODING', { failure: 'unreadable', event: 'the answer is compressed although that was not asked for' }],
  ['CERT_HAS_EXPIRED', untrusted],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted],
  ['SELF_SIGNED_CERT_IN_CHAIN', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted],
  ['ERR_TLS_CERT_ALTNAME_INVALID', untrusted],
]);

function findCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error.name === 'TimeoutError') return error.name;
  return findCode(error.cause);
}

/** Explains an answer that is no success. Never throws. */
export function explainRefusal(call: Call, answer: WireAnswer): PlatformError {
  const refusal = readError(answer, call.redact);
  const code = refusal.code === undefined ? '' : ` ${refusal.code}`;
  const isMissing = answer.status === 404 && refusal.absence === 'operation';
  const retryAfterSeconds = parseRetryAfter(answer.headers['retry-after']);
  return fail(call, {
    failure: classify(answer.status, refusal),
    outcome: isProvedUnexecuted(answer.status, refusal) ? 'not executed' : 'unknown',
    event: isMissing ? 'the platform does not have this operation (404)' : `the answer was ${answer.status}${code}`,
    remedy: isMissing
      ? 'check the address and the version of the platform'
      : remedyFor(call, {
          status: answer.status,
          code: refusal.code,
          serverMessage: refusal.message,
          retryAfterSeconds,
        }),
    status: answer.status,
    code: refusal.code,
    serverMessage: refusal.message,
    issues: refusal.issues,
    retryAfterSeconds,
  });
}

/** The next step, where the answer says more than its status. */
function remedyFor(
  { operation }: Call,
  {
    status,
    code,
    serverMessage,
    retryAfterSeconds,
  }: Pick<FailedCall, 'status' | 'code' | 'serverMessage' | 'retryAfterSeconds'>,
): string | undefined {
  if (status === 429 && retryAfterSeconds !== undefined) return `try again in ${retryAfterSeconds} s`;
  // The platform answers a missing right with 401, a code and a sentence.
  if (code === undefined || (status !== 401 && status !== 403)) return undefined;
  if (status === 401 && serverMessage === 'UNAUTHORIZED') return undefined;
  const right = rightTo(operation);
  const named = right === undefined ? '' : `; a member needs ${right}`;
  return `use a key whose owner has the right to do this${named}`;
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

function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1_000));
}
