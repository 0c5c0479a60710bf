import { type FailedCall, PlatformError } from './platform-error.ts';

/** One call of an operation, as its error describes it. */
export interface Call {
  readonly operation: string;
  /** The operation by its path on the platform, for messages; by default the same. */
  readonly served?: string;
  readonly url: string;
  readonly isWrite: boolean;
  /** Whether this client sent a write before; false by default. */
  readonly hasWritten?: () => boolean;
  /** Whether the address answered this client as the platform before; false by default. */
  readonly hasAnswered?: () => boolean;
  readonly redact: (text: string) => string;
}

/** Makes the error of a call; a read that failed changed nothing. Never throws. */
export function fail(
  call: Call,
  failed: Omit<FailedCall, 'operation' | 'served' | 'url' | 'isWrite' | 'hasWritten' | 'hasAnswered'>,
): PlatformError {
  const { operation, served = operation, url, isWrite, hasWritten, hasAnswered, redact } = call;
  return new PlatformError({
    ...failed,
    operation,
    served,
    url: redact(url),
    isWrite,
    hasWritten: hasWritten?.() ?? false,
    hasAnswered: hasAnswered?.() ?? false,
    outcome: isWrite ? failed.outcome : 'not executed',
  });
}
