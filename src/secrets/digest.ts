import { createHash, createHmac } from 'node:crypto';

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
