import type { WireAnswer } from '../../api/wire.ts';
import { errorCodes } from '../error-answers.ts';

/** The answer of what stands before the platform: it has no code. A 401 is that of a key that is not good. */
export function refusal(status: number, retryAfterMs?: number): WireAnswer {
  const headers: Record<string, string> =
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
  return status === 401
    ? { status, headers: { 'content-type': 'application/json', ...headers }, body: '{"message":"Unauthorized"}' }
    : { status, headers: { 'content-type': 'text/plain', ...headers }, body: `error ${status}` };
}

/** The answer of the platform itself to what failed after its work: an error with its code. */
export function failure(status: number): WireAnswer {
  const [code = ''] = Object.entries(errorCodes).find(([, [httpStatus]]) => httpStatus === status) ?? [];
  const body = {
    message: 'Something went wrong',
    code,
    issues: [],
    data: { code, httpStatus: status, zodError: null },
  };
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** A page of a proxy. */
export function page(status: number): WireAnswer {
  const title = status < 300 ? 'Back soon' : `${status} Error`;
  const body = `<!doctype html><html><head><title>${title}</title></head><body>${title}</body></html>`;
  return { status, headers: { 'content-type': 'text/html' }, body };
}
