import { createHmac, randomBytes } from 'node:crypto';

/** Makes a keyed digest of a text; the same key and text give the same digest, and nothing leads back. */
export function digest(key: string, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('base64url');
}

/** Makes a key for digests. */
export function newDigestKey(): string {
  return randomBytes(32).toString('base64url');
}
