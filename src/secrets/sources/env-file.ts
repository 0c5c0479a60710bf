import { readEnvText } from '../../formats/env-text.ts';
import { decodeUtf8, withoutMark } from '../../formats/utf8.ts';

/** Secrets by name, or the problem with the file. */
type Found = { readonly values: ReadonlyMap<string, string> } | { readonly problem: string };

/** Reads the bytes of an env file as the platform reads one. Adds every value as a secret first. */
export function readEnvFile(bytes: Uint8Array, addSecret: (value: string) => void): Found {
  const decoded = decodeUtf8(bytes);
  if ('problem' in decoded) return decoded;
  const text = withoutMark(decoded.text);
  const values = readEnvText(text);
  for (const value of values.values()) addSecret(value);
  return text.includes('\0') ? { problem: 'contains the character NUL, which no value can have' } : { values };
}
