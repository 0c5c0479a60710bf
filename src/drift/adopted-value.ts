import { blockValue, inHumanUnits, namedIn } from '../export/block.ts';
import { type Value, plainly } from '../edit/write-yaml.ts';
import { type Field, mayHoldSecrets } from '../kind/field.ts';
import { type Json, same, textsIn } from '../formats/json.ts';
import { canBeNull, withoutAppended } from '../kind/row-values.ts';
import type { Resource } from '../manifest/resource.ts';
import type { AttributeChange } from '../plan/action.ts';
import { maskAttribute, secretParts } from '../secrets/looks-secret.ts';
import { heldSecrets } from '../state/stored.ts';

/** A value as the manifest writes it, undefined for a key that goes; or why no manifest can have it. */
export type AdoptedValue = { readonly value: Value | undefined } | Unwritten;

interface Unwritten {
  readonly why: string;
  readonly remedy: string;
}

/** What writing a value of the platform needs beside it. */
export interface AdoptedInput {
  readonly resource: Pick<Resource, 'kind' | 'privateKeys'>;
  readonly change: Pick<AttributeChange, 'attribute' | 'field' | 'before' | 'wanted' | 'pair'>;
  /** The key of the block that has an object, else its id. */
  readonly nameOf: (id: string) => string;
  /** The value that the manifest has now; undefined without one. */
  readonly old: Json | undefined;
  /** The text that the value replaces: a secret that it holds already is no new one. */
  readonly text: string;
  /** Returns true for a text in which the run knows a secret. */
  readonly isKnown: (text: string) => boolean;
}

/** Writes the value that the platform has of an attribute in the form of the manifest. Never writes a secret. */
export function adoptedValue(input: AdoptedInput): AdoptedValue {
  const { resource, change, nameOf, old } = input;
  const { attribute, field, before, wanted } = change;
  const { kind } = resource;
  const observed = before.reveal();
  if (observed === null) {
    if (attribute.key !== undefined) return { value: undefined };
    const { onNull } = field;
    const isNull = onNull === undefined ? canBeNull(kind, attribute.field) : 'value' in onNull && onNull.value === null;
    if (isNull) return { value: plainly(null) };
    return {
      why: 'the platform has no value, which no block can say',
      remedy: 'Remove the line: Trueup then leaves the field as it is.',
    };
  }
  const why = secrecyOf(input);
  if (why !== undefined) return why;
  const value = withoutAppended(observed, wanted?.appended ?? '');
  if (attribute.key !== undefined && typeof value === 'string') return { value: variable(value, old) };
  const written = blockValue(field, value);
  if (written === undefined) {
    return {
      why: 'the platform has a value that no block can have',
      remedy: 'Change it on the platform, or run trueup apply to put it back.',
    };
  }
  if (field.refersTo !== undefined) return { value: plainly(namedIn(written, nameOf)) };
  return { value: plainly(inHumanUnits(field, written)) };
}

/**
 * Why no manifest gets a value of the platform: it is a secret, looks like one, or a secret flows into it. undefined: it is
 * none, or there is no value.
 */
export function secrecyOf({
  resource,
  change: { attribute, field, before, wanted, pair },
  text,
  isKnown,
}: Pick<AdoptedInput, 'resource' | 'change' | 'text' | 'isKnown'>): Unwritten | undefined {
  const observed = before.reveal();
  if (observed === null) return undefined;
  if (field.secrecy === 'secret') return isSecret(field);
  const value = withoutAppended(observed, wanted?.appended ?? '');
  const privateKeys = wanted?.privateKeys ?? resource.privateKeys;
  const isNamedPrivate = privateKeys?.has(attribute.key ?? attribute.field) === true;
  // Where it stands in the text of the platform, only the text that was applied tells.
  const holdsSecrets = wanted?.isSecret === true || (pair !== undefined && heldSecrets(pair.answered));
  if (holdsSecrets) return isRemembered;
  const isMasked = !same(maskAttribute({ field, attribute }, value, privateKeys), value);
  const isNew = isMasked && (attribute.key !== undefined || !areThere(value, text, privateKeys));
  return isNamedPrivate || textsIn(value).some(isKnown) || isNew ? isSecret(field) : undefined;
}

function isSecret(field: Field): Unwritten {
  return {
    why: 'its value is a secret, or looks like one',
    remedy: mayHoldSecrets(field)
      ? 'Write ${secret:NAME} by hand, and give the value as TRUEUP_SECRET_NAME.'
      : 'Write ${var:NAME} by hand, declare NAME under variables:, and give the value as TRUEUP_VAR_NAME.',
  };
}

const isRemembered = {
  why: 'a secret flows into it, and where it stands in a changed text is not known',
  remedy: 'Change the line by hand, or run trueup apply to put it back.',
};

/** Returns true where everything in a value that looks like a secret stands in the text that it replaces. */
function areThere(value: Json, text: string, privateKeys: ReadonlySet<string> | undefined): boolean {
  const secretsIn = (one: string) => secretParts(one, { privateKeys }).map(([from, to]) => one.slice(from, to));
  const there = new Set(secretsIn(text));
  return textsIn(value).every((one) => {
    const found = secretsIn(one);
    return found.length > 0 && found.every((part) => there.has(part));
  });
}

/** The value of a variable: a number or a word without quotes where the manifest has one, or nothing. */
function variable(text: string, old: Json | undefined): Value {
  if (typeof old === 'string') return plainly(text);
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return plainly(Number(text));
  return plainly(/^(?:true|false)$/.test(text) ? text === 'true' : text);
}
