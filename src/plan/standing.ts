import { means, plain } from '../kind/codecs.ts';
import type { Field } from '../kind/field.ts';
import type { Json } from '../kind/json.ts';
import { resolveField } from '../manifest/fields.ts';
import type { Outputs, Resolved, Wanted } from '../manifest/wanted.ts';
import type { Digest } from '../secrets/digest.ts';
import type { Pair } from '../state/record.ts';
import { matchesStored } from '../state/stored.ts';

/** The words for the value of the manifest, beside the one that was wanted when the attribute was settled last. */
export const declarations = [
  'never declared',
  'no longer declared',
  'new',
  'as settled',
  'edited',
  'known after apply',
  'new, secret missing',
  'not recorded, secret missing',
] as const;

/** The words for the value on the platform: as wanted, as it was answered when the attribute was settled last, or neither. */
export const answers = ['as wanted', 'as settled', 'other', 'unreadable'] as const;

export type Declaration = (typeof declarations)[number];
export type Answer = (typeof answers)[number];

/** How an attribute stands: judged once, when the plan is made, from what is wanted, observed and settled. */
export interface Standing {
  readonly declared: Declaration;
  readonly there: Answer;
}

/** All that an attribute is judged by. */
export interface Judged {
  readonly field: Field;
  /** undefined: left out. */
  readonly wanted: Resolved | undefined;
  /** undefined: the platform cannot decrypt it. */
  readonly observed: Json | undefined;
  readonly pair: Pair | undefined;
  readonly digest: Digest;
}

/** Judges an attribute. Everything that asks how a wanted, an observed and a settled value compare reads the result. */
export function standingOf(judged: Judged): Standing {
  return standings[declarationOf(judged)][answerOf(judged)];
}

/** The value that an attribute is to have, as far as it is known with these outputs; undefined where it is left out. */
export function wantedOf(declared: { readonly field: Field; readonly wanted: Wanted }, outputs: Outputs): Resolved;
export function wantedOf(
  declared: { readonly field: Field; readonly wanted: Wanted | undefined },
  outputs: Outputs,
): Resolved | undefined;
export function wantedOf(
  { field, wanted }: { readonly field: Field; readonly wanted: Wanted | undefined },
  outputs: Outputs,
): Resolved | undefined {
  return wanted === undefined ? undefined : resolveField(field, wanted, outputs);
}

/** Judges what is declared of an attribute whose value on the platform is not known. */
export function declarationOf({ field, wanted, pair, digest }: Omit<Judged, 'observed'>): Declaration {
  if (wanted === undefined) return pair === undefined ? 'never declared' : 'no longer declared';
  if (wanted.is === 'pending') return 'known after apply';
  if (wanted.is === 'unavailable') return pair === undefined ? 'new, secret missing' : 'not recorded, secret missing';
  if (pair === undefined) return 'new';
  return matchesStored({ field, digest }, pair.wanted, wanted.value) ? 'as settled' : 'edited';
}

function answerOf({ field, wanted, observed, pair, digest }: Judged): Answer {
  if (observed === undefined) return 'unreadable';
  if (wanted?.is === 'known' && means(field.codec ?? plain, wanted.value, observed)) return 'as wanted';
  return pair !== undefined && matchesStored({ field, digest }, pair.answered, observed) ? 'as settled' : 'other';
}

/** One object for each: a large plan has a million attributes. */
const standings = Object.fromEntries(
  declarations.map((declared) => [declared, Object.fromEntries(answers.map((there) => [there, { declared, there }]))]),
) as Record<Declaration, Record<Answer, Standing>>; // made of all words of both
