import { type Attribute, attributeName } from '../kind/attribute.ts';
import { means, plain } from '../kind/codecs.ts';
import type { Field } from '../kind/field.ts';
import type { Json } from '../formats/json.ts';
import { resolveField } from '../manifest/fields.ts';
import { type Outputs, type Resolved, type Wanted, noOutputs } from '../manifest/wanted.ts';
import type { Digest, Digests } from '../secrets/digest.ts';
import { type Secret, secret } from '../secrets/secret.ts';
import type { Pair } from '../state/record.ts';
import { matchesStored } from '../state/stored.ts';
import { type Rotation, matchesTemplate } from './template.ts';

/**
 * The words for the value of the manifest, beside the one that was wanted when the attribute was settled last. `secret
 * missing`: the value needs a secret that this run does not have. Then everything else in it is compared: its text, which
 * secrets it names, and the values of those that the run has (`rotated`: one of them is another).
 */
export const declarations = [
  'never declared',
  'no longer declared',
  'new',
  'as settled',
  'edited',
  'known after apply',
  'new, secret missing',
  'as settled, secret missing',
  'edited, secret missing',
  'rotated, secret missing',
  'known after apply, secret missing',
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

/** One field, or one key of a map, as it stands, whatever is decided about it. */
export interface JudgedAttribute {
  readonly attribute: Attribute;
  readonly field: Field;
  readonly wanted: Wanted | undefined;
  readonly standing: Standing;
  /** Secrets in an edited value that have other values than the settled ones; undefined where that is not known. */
  readonly rotation?: Rotation | undefined;
  /** The value on the platform. */
  readonly before: Secret<Json>;
  readonly pair: Pair | undefined;
}

/** All that an attribute is judged by. */
interface Judged extends Declared {
  /** undefined: the platform cannot decrypt it. */
  readonly observed: Json | undefined;
}

/** All that the declaration of an attribute is judged by. */
interface Declared {
  readonly field: Field;
  /** undefined: left out. */
  readonly wanted: Wanted | undefined;
  readonly pair: Pair | undefined;
  readonly digest: Digest;
  readonly outputs: Outputs;
}

/** Judges an attribute. Everything that asks how a wanted, an observed and a settled value compare reads the result. */
export function standingOf(judged: Judged): Standing {
  const resolved = wantedOf(judged, judged.outputs);
  return standings[declarationAs(resolved, judged)][answerAs(resolved, judged)];
}

/** Judges an attribute that no block declares beside what it was when it was settled last. */
export function undeclared(
  digests: Digests,
  address: string,
  {
    attribute,
    field,
    pair,
    observed,
  }: Pick<JudgedAttribute, 'attribute' | 'field' | 'pair'> & { readonly observed: Json },
): JudgedAttribute {
  const digest = digests(address, attributeName(attribute));
  const standing = standingOf({ field, pair, wanted: undefined, observed, digest, outputs: noOutputs });
  // Written member by member: V8 gives an object that a spread makes a class of its own.
  return { attribute, field, wanted: undefined, standing, before: secret(observed), pair };
}

/** Judges what is declared of an attribute whose value on the platform is not known. */
export function declarationOf(declared: Declared): Declaration {
  return declarationAs(wantedOf(declared, declared.outputs), declared);
}

/** Returns true for a value that is not the one that was settled last, as far as that is known. */
export function isEdited(declaration: Declaration): boolean {
  return ['edited', 'edited, secret missing', 'rotated, secret missing'].includes(declaration);
}

/** Returns true for a value that needs a secret which the run does not have. */
export function lacksSecret({ declared }: Standing): boolean {
  return declared.endsWith(', secret missing');
}

/** The value that an attribute is to have, as far as it is known with these outputs; undefined where it is left out. */
export function wantedOf(
  { field, wanted }: Pick<Declared, 'field' | 'wanted'>,
  outputs: Outputs,
): Resolved | undefined {
  return wanted === undefined ? undefined : resolveField(field, wanted, outputs);
}

function declarationAs(resolved: Resolved | undefined, declared: Declared): Declaration {
  const { field, wanted, pair, digest } = declared;
  if (resolved === undefined || wanted === undefined)
    return pair === undefined ? 'never declared' : 'no longer declared';
  if (resolved.is === 'pending') return 'known after apply';
  if (resolved.is === 'unavailable')
    return `${pair === undefined ? 'new' : matchesTemplate(wanted, pair.wanted, declared)}, secret missing`;
  if (pair === undefined) return 'new';
  return matchesStored({ field, digest }, pair.wanted, resolved.value) ? 'as settled' : 'edited';
}

function answerAs(resolved: Resolved | undefined, { field, observed, pair, digest }: Judged): Answer {
  if (observed === undefined) return 'unreadable';
  if (resolved?.is === 'known' && means(field.codec ?? plain, resolved.value, observed)) return 'as wanted';
  return pair !== undefined && matchesStored({ field, digest }, pair.answered, observed) ? 'as settled' : 'other';
}

/** One object for each: a large plan has a million attributes. */
const standings = Object.fromEntries(
  declarations.map((declared) => [declared, Object.fromEntries(answers.map((there) => [there, { declared, there }]))]),
) as Record<Declaration, Record<Answer, Standing>>; // made of all words of both
