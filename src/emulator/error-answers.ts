import type { Json } from './json-rows.ts';

/** HTTP status and number of JSON-RPC by error code. */
export const errorCodes = {
  BAD_REQUEST: [400, -32_600],
  UNAUTHORIZED: [401, -32_001],
  FORBIDDEN: [403, -32_003],
  NOT_FOUND: [404, -32_004],
  METHOD_NOT_SUPPORTED: [405, -32_005],
  CONFLICT: [409, -32_009],
  UNSUPPORTED_MEDIA_TYPE: [415, -32_015],
  INTERNAL_SERVER_ERROR: [500, -32_603],
} as const;

/** The code of an error answer. */
export type ErrorCode = keyof typeof errorCodes;

/** A refusal: it becomes an error answer with this code and message. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly issues: readonly Json[];

  constructor(code: ErrorCode, message: string, issues: readonly Json[] = []) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.issues = issues;
  }
}

/**
 * A row that the database does not take: a reference to nothing, a number outside its column.
 * The real platform puts the SQL text with all values into the message, secrets included; we name only the column.
 */
export class DatabaseError extends ApiError {
  constructor(query: string, reason: string) {
    super('INTERNAL_SERVER_ERROR', `Failed query: ${query}: ${reason}`);
    this.name = 'DatabaseError';
  }
}

/** No answer: the connection ended before it. */
export class HungUp extends Error {
  readonly code = 'ECONNRESET';

  constructor() {
    super('the platform went down while it worked on the request');
    this.name = 'HungUp';
  }
}

/** The answer for an id that nothing has. */
export function notFound(thing: string): ApiError {
  return new ApiError('NOT_FOUND', `${thing} not found`);
}

/** A refused input that the contract's own rules let through. */
export function invalid(member: string, message: string): ApiError {
  return new ApiError('BAD_REQUEST', 'Input validation failed', [{ code: 'custom', path: [member], message }]);
}

/** What fails on the server, such as docker. */
export function failed(message: string): ApiError {
  return new ApiError('INTERNAL_SERVER_ERROR', message);
}

/** What the caller may not do. */
export function forbidden(message: string): ApiError {
  return new ApiError('FORBIDDEN', message);
}
