import { createHash, createHmac } from 'node:crypto';
import { encodeBase64, hashSync } from 'bcryptjs';

/** Makes the digest of a text at one place; with `like`, in the form of that digest, to compare the two. */
export type Digest = (text: string, like?: string) => string;

/** Makes the digests of an attribute of the object at an address: equal texts in two places have different ones. */
export type Digests = (address: string, attribute: string) => Digest;

/** Makes a keyed digest of a text; the same key and text give the same digest, and nothing leads back. */
export function digest(key: string, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('base64url');
}

/** Makes an id of a text that is no secret: 20 hexadecimal digits, the same wherever it is made. */
export function idOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 20);
}

/** Most bytes of a password that bcrypt reads. */
export const maxHashedBytes = 72;

/** Each takes about 50 ms. */
const hashes = new Map<string, string>();

/**
 * The hash of a password, the same in each run, so that a plan ends: its salt comes from the name of the secret and its project.
 * It does not come from the password: a salt stands in clear in the hash, and guesses would be tried on it a thousand times faster.
 */
export function hashPassword(password: string, name: string): string {
  const salt = createHash('sha256').update(`trueup bcrypt\0${name}`).digest().subarray(0, 16);
  const key = `${salt.toString('base64')} ${password}`;
  const hash = hashes.get(key) ?? hashSync(password, `$2b$10$${encodeBase64(salt, salt.length)}`);
  hashes.set(key, hash);
  return hash;
}
