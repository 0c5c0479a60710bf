import { createDecipheriv, ECDH, createECDH, hkdfSync } from 'node:crypto';
import { readEnvText } from '../../formats/env-text.ts';
import { decodeUtf8, withoutMark } from '../../formats/utf8.ts';

/** The variables of the environment that a file of dotenvx may name: its private keys, separated by commas. */
const publicKeyName = /^DOTENV_PUBLIC_KEY(_[A-Z0-9_]+)?$/;
const prefix = 'encrypted:';

/** What is needed to read a file of dotenvx. */
interface DotenvxInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The names that are needed: only for these is a value that cannot be read a problem. */
  readonly names: readonly string[];
  readonly addSecret: (value: string) => void;
}

/** Secrets by name, or the problem with the file and the remedy. */
type DotenvxFound =
  | { readonly values: ReadonlyMap<string, string> }
  | { readonly problem: string; readonly remedy: string };

/**
 * Reads an env file that dotenvx has encrypted, as its documentation describes it: a value is `encrypted:` and the base64 of
 * an ECIES message on secp256k1, for the key that DOTENV_PUBLIC_KEY… in the file names.
 */
export function readDotenvxFile(bytes: Uint8Array, { env, names, addSecret }: DotenvxInput): DotenvxFound {
  const decoded = decodeUtf8(bytes);
  if ('problem' in decoded) return { problem: decoded.problem, remedy: 'Encrypt it again with dotenvx encrypt.' };
  const entries = readEnvText(withoutMark(decoded.text));
  const keyNames = [...entries.keys()].filter((name) => publicKeyName.test(name));
  const variables = keyNames.map((name) => name.replace('PUBLIC', 'PRIVATE'));
  if (variables.length === 0) {
    const remedy = 'Encrypt it with dotenvx encrypt, or write { file: … } for a file in clear.';
    return { problem: 'is no file of dotenvx: it has no DOTENV_PUBLIC_KEY', remedy };
  }
  const keys = variables.flatMap((name) =>
    (env[name] ?? '')
      .split(',')
      .map((key) => key.trim())
      .filter(Boolean),
  );
  const set = `Set ${variables.join(', ')}: .env.keys has it.`;
  if (keys.length === 0) return { problem: `cannot be decrypted: ${variables.join(', ')} is not set`, remedy: set };
  if (!keys.every((key) => /^[0-9a-f]{64}$/i.test(key))) {
    return { problem: `cannot be decrypted: ${variables.join(', ')} is no key of 64 hexadecimal digits`, remedy: set };
  }
  for (const key of keys) addSecret(key);
  const values = new Map<string, string>();
  for (const [name, written] of entries) {
    if (keyNames.includes(name)) continue;
    const isNeeded = names.includes(name);
    if (!written.startsWith(prefix)) {
      if (!isNeeded || written === '') continue;
      const remedy = `Encrypt it with dotenvx set ${name}, and change the secret: git may keep the old one.`;
      return { problem: `has ${name} in clear`, remedy };
    }
    const message = Buffer.from(written.slice(prefix.length), 'base64');
    const value = keys.map((key) => decrypt(message, key)).find((found) => found !== undefined);
    if (value !== undefined) {
      addSecret(value);
      values.set(name, value);
    } else if (isNeeded) {
      const problem = `cannot be decrypted: ${name} is damaged, or encrypted for another key than ${variables.join(', ')}`;
      return { problem, remedy: set };
    }
  }
  return { values };
}

const [pointBytes, nonceBytes, tagBytes] = [65, 16, 16];

/**
 * Decrypts one message: an ephemeral public key, nonce, tag and ciphertext of AES-256-GCM. The key of that is made of the shared
 * point with both coordinates, and `createECDH` gives x only: of the two points with that x, the tag proves the right one.
 */
function decrypt(message: Buffer, key: string): string | undefined {
  try {
    const sender = message.subarray(0, pointBytes);
    const [nonceEnd, tagEnd] = [pointBytes + nonceBytes, pointBytes + nonceBytes + tagBytes];
    if (message.length < tagEnd) return undefined;
    const own = createECDH('secp256k1');
    own.setPrivateKey(key, 'hex');
    const x = own.computeSecret(sender);
    for (const sign of [2, 3]) {
      const shared = ECDH.convertKey(
        Buffer.concat([Buffer.of(sign), x]),
        'secp256k1',
        undefined,
        undefined,
        'uncompressed',
      );
      const secret = hkdfSync('sha256', Buffer.concat([sender, shared as Buffer]), '', '', 32);
      const cipher = createDecipheriv('aes-256-gcm', Buffer.from(secret), message.subarray(pointBytes, nonceEnd));
      cipher.setAuthTag(message.subarray(nonceEnd, tagEnd));
      const text = cipher.update(message.subarray(tagEnd));
      try {
        return Buffer.concat([text, cipher.final()]).toString('utf8');
      } catch {
        // The other point.
      }
    }
  } catch {
    // No point of the curve, no key, or too short.
  }
  return undefined;
}
