import { blockValue, inHumanUnits } from '../export/block.ts';
import type { Value } from '../export/yaml.ts';
import { plainly } from '../export/yaml.ts';
import type { Json } from '../kind/json.ts';
import { same, textsIn } from '../kind/json.ts';
import { canBeNull, withoutAppended } from '../kind/wire.ts';
import type { Resource } from '../manifest/resource.ts';
import type { AttributeChange } from '../plan/action.ts';
import { maskAttribute, secretParts } from '../secrets/looks-secret.ts';

/** A value as the manifest writes it, undefined for a key that goes; or why no manifest can have it. */
export type AdoptedValue = { readonly value: Value | undefined } | { readonly why: string; readonly remedy: string };

/** What writing a value of the platform needs beside it. */
export interface AdoptedInput {
  readonly resource: Pick<Resource, 'kind' | 'privateKeys'>;
  readonly change: Pick<AttributeChange, 'attribute' | 'field' | 'before' | 'wanted'>;
  /** The key of the block that has an object, else its id. */
  readonly nameOf: (id: string) => string;
  /** The value that the manifest has now; undefined without one. */
  readonly old: Json | undefined;
  /** The text that the value goes into: what it holds already is no new secret in it. */
  readonly text: string;
}

/** Writes the value that the platform has of an attribute in the form of the manifest. Never writes a secret. */
export function adoptedValue({ resource, change, nameOf, old, text }: AdoptedInput): AdoptedValue {
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
  if (field.secrecy === 'secret') return isSecret;
  const value = withoutAppended(observed, wanted?.appended ?? '');
  const privateKeys = wanted?.privateKeys ?? resource.privateKeys;
  const isNamedPrivate = privateKeys?.has(attribute.key ?? attribute.field) === true;
  const isMasked = !same(maskAttribute({ field, attribute }, value, privateKeys), value);
  if (isNamedPrivate || (isMasked && !isThere(value, text, attribute.key))) return isSecret;
  if (attribute.key !== undefined && typeof value === 'string') return { value: variable(value, old) };
  const written = blockValue(field, value);
  if (written === undefined) {
    return {
      why: 'the platform has a value that no block can have',
      remedy: 'Change it on the platform, or run trueup apply to put it back.',
    };
  }
  if (field.refersTo !== undefined && typeof written === 'string') return { value: plainly(nameOf(written)) };
  return { value: plainly(inHumanUnits(field, written)) };
}

const isSecret = {
  why: 'its value is a secret, or looks like one',
  remedy: 'Write ${secret:NAME} by hand, and give the value as TRUEUP_SECRET_NAME.',
};

/** Whether a text holds each secret of a value already. What is a secret by its key counts as a whole. */
function isThere(value: Json, text: string, key: string | undefined): boolean {
  if (key !== undefined) return false;
  return textsIn(value).every((one) => {
    const parts = secretParts(one);
    return parts.length > 0 && parts.every(([from, to]) => text.includes(one.slice(from, to)));
  });
}

/** The value of a variable: a number or a word without quotes where the manifest has one, or nothing. */
function variable(text: string, old: Json | undefined): Value {
  if (typeof old === 'string') return plainly(text);
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return plainly(Number(text));
  return plainly(/^(?:true|false)$/.test(text) ? text === 'true' : text);
}
