import type { Json } from './json-rows.ts';

/** HTTP status by error code. */
export const statusOf = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INTERNAL_SERVER_ERROR: 500,
} as const;

/** The code of an error answer. */
export type ErrorCode = keyof typeof statusOf;

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
