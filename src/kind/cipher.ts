import { type Json, textsIn } from '../formats/json.ts';

/**
 * Whether the platform answers cipher text: it encrypts env files and build arguments in its database, and answers what it
 * cannot decrypt as it is stored, because its encryption key was changed.
 */
export function isCipher(value: Json | undefined): boolean {
  return textsIn(value).some((text) => text.startsWith('enc:v1:'));
}
