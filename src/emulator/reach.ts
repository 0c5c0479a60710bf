import type { Json } from './json.ts';

/**
 * Whether nothing answers at an address, or a credential is refused: the emulator reaches nothing outside, so the text
 * says it. The port 9 of the machine itself, names below `.example` and the word `fake` stand for what does not answer.
 */
export function isOutOfReach(...values: readonly (Json | undefined)[]): boolean {
  return values.some(
    (value) => typeof value === 'string' && /127\.0\.0\.1(:9\b|$)|\.example(\/|$)|\bfake\b|_fake/.test(value),
  );
}
