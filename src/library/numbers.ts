import { usage } from '../diagnostics/usage.ts';

/** A number of a caller that is a whole one, at least 1. @throws {Stop} `usage`, when it is none. */
export function countOf(name: string, given: number): number {
  if (Number.isInteger(given) && given >= 1) return given;
  throw usage(`${name} must be a whole number of at least 1, got ${given}`);
}

/** Milliseconds of a caller, from 0 to `mostMs`. @throws {Stop} `usage`, when they are none. */
export function timeOf(name: string, given: number, mostMs = Infinity): number {
  if (given >= 0 && given <= mostMs) return given;
  const most = mostMs === Infinity ? 'of at least 0' : `from 0 to ${mostMs}`;
  throw usage(`${name} must be a number of milliseconds ${most}, got ${given}`);
}
