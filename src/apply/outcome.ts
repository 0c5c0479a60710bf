import { PlatformError } from '../api/errors.ts';

/** Whether a request that failed may have been executed all the same. */
export function isLost(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.outcome === 'unknown';
}

/** Whether a request that failed may be executed later still: it was not the platform itself that answered. */
export function mayLandLater(error: unknown): boolean {
  return isTrouble(error) && (error.status === undefined || error.code === undefined);
}

/** Whether a failure is that of the way or of the platform, and not an answer to what was asked. */
export function isTrouble(error: unknown): error is PlatformError {
  if (!(error instanceof PlatformError)) return false;
  return error.status === undefined || error.status >= 500 || error.failure === 'unreadable';
}
