import * as z from 'zod';
import type { Field } from '../../kind/field.ts';

/** What the platform answers in place of a credential. */
const stars = '********';

/** A credential: the platform answers stars in its place, and keeps it where an update sends the stars back. */
export const credential = (what: string): Field => ({
  schema: () =>
    z
      .string()
      .min(1)
      .refine((text) => text !== stars, 'is what the platform answers in place of it')
      .describe(`${what}. The platform never shows it, so no plan compares it.`),
  secrecy: 'secret',
  hiddenAs: stars,
  needed: true,
  examples: ['correct-horse-1', 'battery-staple-2'],
});

/** A text that the provider has. */
export const word = (what: string, examples: Field['examples']): Field => ({
  schema: () => z.string().min(1).describe(what),
  takesSecrets: true,
  needed: true,
  examples,
});

/** The name of a provider. */
export const providerName = (what: string): Field => ({
  schema: () =>
    z
      .string()
      .max(64)
      .regex(/^[\w-]+$/, 'may hold only letters, digits, hyphens and underscores')
      .describe(what),
  examples: ['main', 'team'],
});
