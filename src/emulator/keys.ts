import { createHash } from 'node:crypto';
import { membership } from './caller.ts';
import type { Platform } from './context.ts';
import { ApiError } from './error-answers.ts';
import { textOf, type Json, type Row } from './json-rows.ts';
import type { Store } from './table-store.ts';
import type { World } from './world.ts';

/** The key that an emulator is created with: it opens the first key record without a hash. */
export interface Bootstrap {
  readonly key: string;
  readonly apiKeyId: string | undefined;
}

/** Finds the record that the key given at creation opens. */
export function bootstrapOf(world: World, key: string): Bootstrap {
  const row = Object.values(world.tables.apiKey).find((candidate) => (candidate['key'] ?? null) === null);
  return { key, apiKeyId: row === undefined ? undefined : textOf(row, 'id') };
}

/** What is kept of a key. */
export function hashOfKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/**
 * Whose membership a key acts for; undefined for one that is unknown, disabled, expired, used up or of no member. The
 * platform verifies the key of each request twice, and both count; that of a batch once.
 *
 * @throws {ApiError} when the limit runs out between the two: that refusal has a code.
 */
export function memberOfKey(
  platform: Platform,
  bootstrap: Bootstrap,
  { key, times }: { readonly key: string | undefined; readonly times: 1 | 2 },
): string | undefined {
  const { store } = platform;
  const row = rowOfKey(store, bootstrap, key);
  if (row === undefined || !verify(platform, row['id'])) return undefined;
  if (times === 2 && !verify(platform, row['id'])) throw new ApiError('UNAUTHORIZED', 'UNAUTHORIZED');
  const member = membership(store, row['referenceId'], organizationOfKey(row));
  return member === undefined ? undefined : textOf(member, 'id');
}

function rowOfKey(store: Store, bootstrap: Bootstrap, key: string | undefined): Row | undefined {
  if (key === undefined || key === '') return undefined;
  if (key === bootstrap.key) return store.find('apiKey', bootstrap.apiKeyId);
  return store.children('apiKey', 'key', hashOfKey(key))[0];
}

/** The organization stands in the metadata, which is JSON in a text column; without it a key is of no use. */
function organizationOfKey(row: Row): Json | undefined {
  const metadata = row['metadata'];
  if (typeof metadata !== 'string') return undefined;
  return (JSON.parse(metadata) as { organizationId?: Json }).organizationId;
}

/** One use of a key: whether it is still good for it, and if so, the counting. */
function verify({ store, now }: Platform, id: Json | undefined): boolean {
  const row = store.find('apiKey', id);
  const time = now();
  if (row === undefined || row['enabled'] !== true) return false;
  if (typeof row['expiresAt'] === 'string' && row['expiresAt'] <= time) return false;
  const remaining = remainingUses(row, time);
  const count = countedRequests(row, time);
  if (remaining === false || count === false) return false;
  // A key without limits is not written to: reading must not make a world that has to be saved.
  if (remaining !== undefined || count !== undefined)
    store.update('apiKey', id, { ...remaining, ...count, lastRequest: time });
  return true;
}

/** The uses that remain after this one: false for none, undefined when they are not counted. */
function remainingUses(row: Row, time: string): Row | false | undefined {
  const { remaining, refillAmount, refillInterval, lastRefillAt, createdAt } = row;
  if (typeof remaining !== 'number') return undefined;
  const isDue =
    typeof refillAmount === 'number' &&
    typeof refillInterval === 'number' &&
    millisecondsBetween(lastRefillAt ?? createdAt, time) > refillInterval;
  if (isDue) return { remaining: refillAmount - 1, lastRefillAt: time };
  return remaining > 0 ? { remaining: remaining - 1 } : false;
}

/** The requests of this window with this one: false over the limit, undefined when there is none. */
function countedRequests(row: Row, time: string): Row | false | undefined {
  const { rateLimitEnabled, rateLimitTimeWindow, rateLimitMax, requestCount, lastRequest } = row;
  if (rateLimitEnabled !== true || typeof rateLimitTimeWindow !== 'number' || typeof rateLimitMax !== 'number')
    return undefined;
  // The window counts from the last request that was let through, not from the first.
  const isNew = typeof lastRequest !== 'string' || millisecondsBetween(lastRequest, time) > rateLimitTimeWindow;
  if (isNew) return { requestCount: 1 };
  const count = Number(requestCount);
  return count < rateLimitMax ? { requestCount: count + 1 } : false;
}

function millisecondsBetween(from: Json | undefined, to: string): number {
  return Date.parse(to) - Date.parse(String(from));
}
