import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { refusal } from './refusal.ts';

/**
 * A token that only a page of this session has: a salt, and what it makes of the secret of the session. Each has a salt of its own,
 * so that a proxy which compresses pages does not give it away by their lengths.
 */
export function csrfToken(key: string, salt: string = randomBytes(9).toString('base64url')): string {
  return `${salt}.${createHmac('sha256', key).update(`csrf ${salt}`).digest('base64url')}`;
}

/** Refuses a change that no page of this session sent. @throws {Refusal} 403 */
export function refuseForged(
  request: FastifyRequest,
  { address, key }: { readonly address: string; readonly key: string },
): void {
  const { origin, 'sec-fetch-site': site, 'x-csrf-token': header } = request.headers;
  // A browser sends one of them with every form; each that is there must be right.
  const isOwn =
    (origin ?? new URL(address).origin) === new URL(address).origin && (site ?? 'same-origin') === 'same-origin';
  if (!isOwn || (origin === undefined && site === undefined))
    throw refusal(403, 'This request did not come from a page of this address.');
  const field = (request.body as Readonly<Record<string, unknown>> | null | undefined)?.['_csrf'];
  const token = header ?? field;
  if (typeof token !== 'string' || !isToken(token, key))
    throw refusal(403, 'The page was too old for this. Load it again, then repeat what you did.');
}

function isToken(token: string, key: string): boolean {
  const [salt = ''] = token.split('.');
  const [given, right] = [token, csrfToken(key, salt)].map((text) => Buffer.from(text));
  return given !== undefined && right !== undefined && given.length === right.length && timingSafeEqual(given, right);
}
