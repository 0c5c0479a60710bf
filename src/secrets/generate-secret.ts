import { generateKeyPairSync, randomInt, randomUUID } from 'node:crypto';

/** How a secret is made: a word, or random characters. */
export type Recipe = 'uuid' | 'ed25519' | { readonly length: number; readonly alphabet: string };

/** Letters and digits: some databases refuse more in a password. */
export const usualAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The names of the secrets that a declared name makes: a pair of keys has two. */
export function namesOf(name: string, recipe: Recipe): readonly string[] {
  return recipe === 'ed25519' ? [`${name}_PRIVATE`, `${name}_PUBLIC`] : [name];
}

/** Makes the values of a declared name, by the random numbers of the system. */
export function makeSecret(name: string, recipe: Recipe): ReadonlyMap<string, string> {
  if (recipe === 'uuid') return new Map([[name, randomUUID()]]);
  if (recipe === 'ed25519') {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    return new Map([
      [`${name}_PRIVATE`, privateKey],
      [`${name}_PUBLIC`, publicKey],
    ]);
  }
  const characters = recipe.alphabet.split('');
  const value = Array.from({ length: recipe.length }, () => characters[randomInt(characters.length)] ?? '').join('');
  return new Map([[name, value]]);
}
