import { createHash } from 'node:crypto';
import { attempts } from './attempts.ts';

/** The limit of an API key: so many uses in a window, which begins again with each use. */
export interface KeyLimit {
  readonly uses: number;
  /** Milliseconds; infinite for a key that never gets new uses. */
  readonly windowMs: number;
}

/** A limit that was read, with the uses that were left then. */
export interface ReadLimit extends KeyLimit {
  readonly left: number;
}

/** The limit of a key in the answer to user.getBackups; `none`: it has no limit. Undefined: the answer does not have this key. Never throws. */
export function limitOfKey(answer: unknown, apiKey: string): ReadLimit | 'none' | undefined {
  const { apiKeys } = asObject(answer);
  // The platform stores this digest of a key, and not the key.
  const digest = createHash('sha256').update(apiKey).digest('base64url');
  const row = Array.isArray(apiKeys) ? apiKeys.map(asObject).find(({ key }) => key === digest) : undefined;
  if (row === undefined) return undefined;
  const { rateLimitEnabled, rateLimitMax, rateLimitTimeWindow, remaining, refillAmount, refillInterval } = row;
  const count = typeof row['requestCount'] === 'number' ? row['requestCount'] : Infinity;
  const limits: ReadLimit[] = [];
  if (rateLimitEnabled === true && typeof rateLimitMax === 'number' && typeof rateLimitTimeWindow === 'number')
    limits.push({ uses: rateLimitMax, windowMs: rateLimitTimeWindow, left: rateLimitMax - count });
  if (typeof remaining === 'number') {
    const isRefilled = typeof refillAmount === 'number' && typeof refillInterval === 'number';
    const limit = isRefilled
      ? { uses: refillAmount, windowMs: refillInterval }
      : { uses: remaining, windowMs: Infinity };
    limits.push({ ...limit, left: remaining });
  }
  return limits.toSorted((one, other) => other.windowMs - one.windowMs)[0] ?? 'none';
}

/** The clause about the limit of a key; of a new key by default, where the limit of this one is not known. Never throws. */
export function describeLimit(limit?: KeyLimit): string {
  const { uses, windowMs } = limit ?? attempts.newKey;
  const count = `${uses} use${uses === 1 ? '' : 's'} in ${describeWindow(windowMs)}`;
  const has =
    limit === undefined
      ? `a key that was made without a limit of its own has ${count}`
      : `the key has ${windowMs === Infinity ? 'a fixed number of uses' : `a rate limit of ${count}`}`;
  return `${has}, and the platform counts each request twice`;
}

/** How to get a key without a limit. */
export const howToGetKey =
  'Make a key without a limit, in the profile of a user or with a key that works: trueup call user.createApiKey. ' +
  'Set TRUEUP_API_KEY to it.';

/** The same for a key that is used up, with the time at which it works again. Never throws. */
export function remedyForLimit({ windowMs }: KeyLimit = attempts.newKey): string {
  const wait =
    windowMs === Infinity
      ? ''
      : ` This key works again ${describeWindow(windowMs)} after its last good answer, unless it was revoked or has expired.`;
  return `${howToGetKey}${wait}`;
}

function describeWindow(ms: number): string {
  for (const [unit, length] of units) {
    const count = ms / length;
    if (count >= 1 && Number.isInteger(count)) return `${count} ${unit}${count === 1 ? '' : 's'}`;
  }
  return `${ms / 1_000} seconds`;
}

const units = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
