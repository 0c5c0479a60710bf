import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

/** The key of a state: authenticates the state and its plan files, and makes the digests in them. Stands in neither. */
export interface StateKey {
  /** Its text, for the key file and TRUEUP_STATE_KEY: a secret. */
  readonly text: () => string;
  /** The MAC of a text of the state, or of its parts; in a journal, after the MAC of the text before it. */
  readonly stateMac: (text: string | readonly string[], previous?: string) => string;
  readonly planMac: (text: string) => string;
  /** Packs and encrypts what a plan file shows; the same text gives the same result. */
  readonly encryptPlan: (text: string) => string;
  /** @throws {Error} when another key encrypted it, it was changed, or it is longer than a plan can be. */
  readonly decryptPlan: (encrypted: string) => string;
  readonly digestKey: string;
  /** Encrypts a key of earlier digests; the same text gives the same result. */
  readonly encrypt: (text: string) => string;
  /** @throws {Error} when another key encrypted it, or it was changed. */
  readonly decrypt: (encrypted: string) => string;
}

/** `trueup-key-1-`, then in base64url 32 bytes of key and 4 of their SHA-256. */
const form = /^trueup-key-1-([A-Za-z0-9_-]{48})$/;

export function newStateKey(): StateKey {
  const bytes = randomBytes(32);
  return keyOf(bytes, `trueup-key-1-${Buffer.concat([bytes, checksum(bytes)]).toString('base64url')}`);
}

/** Reads the text of a key; undefined when it is none. */
export function parseStateKey(text: string): StateKey | undefined {
  const all = Buffer.from(form.exec(text)?.[1] ?? '', 'base64url');
  const bytes = all.subarray(0, 32);
  return all.length === 36 && checksum(bytes).equals(all.subarray(32)) ? keyOf(bytes, text) : undefined;
}

function keyOf(bytes: Buffer, text: string): StateKey {
  const subkey = (use: string): Buffer => Buffer.from(hkdfSync('sha256', bytes, '', `trueup ${use}`, 32));
  const [state, plans, encryption] = [subkey('state'), subkey('plan files'), subkey('earlier keys')];
  const shown = subkey('shown plans');
  return {
    text: () => text,
    stateMac: (content, previous = '') =>
      mac(state, `${previous}\n`, ...(typeof content === 'string' ? [content] : content)),
    planMac: (content) => mac(plans, content),
    digestKey: subkey('digests').toString('base64url'),
    encryptPlan: (content) => encrypt(shown, gzipSync(content)),
    decryptPlan: (encrypted) =>
      gunzipSync(decrypt(shown, encrypted), { maxOutputLength: longestPlan }).toString('utf8'),
    encrypt: (content) => encrypt(encryption, Buffer.from(content, 'utf8')),
    decrypt: (encrypted) => decrypt(encryption, encrypted).toString('utf8'),
  };
}

/** The largest text that a plan file shows, in bytes. */
const longestPlan = 256 * 1024 * 1024;

function encrypt(key: Buffer, content: Buffer): string {
  const nonce = createHmac('sha256', key).update(content).digest().subarray(0, 12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const encrypted = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
}

function decrypt(key: Buffer, encrypted: string): Buffer {
  const all = Buffer.from(encrypted, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, all.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(all.subarray(12, 28));
  return Buffer.concat([decipher.update(all.subarray(28)), decipher.final()]);
}

/** Whether two MACs are equal, in a time that does not tell where they differ. */
export function isSameMac(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function mac(key: Buffer, ...texts: readonly string[]): string {
  const made = createHmac('sha256', key);
  // A hash encodes a long text more slowly by itself.
  for (const text of texts) made.update(Buffer.from(text, 'utf8'));
  return made.digest('base64url');
}

function checksum(bytes: Buffer): Buffer {
  return createHash('sha256').update('trueup key').update(bytes).digest().subarray(0, 4);
}
