import { readEnvText } from '../../kind/env-text.ts';

/** Secrets by name, or the problem with the file. */
export type Found = { readonly values: ReadonlyMap<string, string> } | { readonly problem: string };

/** Reads the bytes of an env file as the platform reads one. Adds every value as a secret first. */
export function readEnvFile(bytes: Uint8Array, addSecret: (value: string) => void): Found {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { problem: 'is not UTF-8 text' };
  }
  const values = readEnvText(text);
  for (const value of values.values()) addSecret(value);
  return text.includes('\0') ? { problem: 'contains the character NUL, which no value can have' } : { values };
}
