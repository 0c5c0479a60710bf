import * as z from 'zod';
import { alternatives } from './problem.ts';

/** A choice of words, each with its meaning. */
export function oneOf<W extends string>(meanings: Readonly<Record<W, string>>) {
  const words = Object.keys(meanings) as W[]; // its own keys
  const literals = words.map((word) => z.literal(word).describe(meanings[word]));
  return z.union(literals, { error: `must be ${alternatives(words)}` });
}
