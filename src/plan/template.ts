import { type Json, canonical } from '../formats/json.ts';
import {
  type Outputs,
  type Shape,
  type ShapePiece,
  type Wanted,
  concealedIn,
  isConcealed,
  withGaps,
  writtenName,
  outputText,
} from '../manifest/wanted.ts';
import type { Digest } from '../secrets/digest.ts';
import type { StoredTemplate, StoredWanted } from '../state/record.ts';
import { heldSecrets } from '../state/stored.ts';

/**
 * How the template of a wanted value stands to the one that was settled last.
 *
 * `as settled`: nothing changed that this run can know: the text around the secrets, their names, and the value of each secret that
 * this run has. `edited`: the text around the secrets is another one, or other secrets are named. `rotated`: the text and
 * the names are the same, and a secret that this run has got another value. `not recorded`: the state does not tell, because an
 * earlier version wrote the pair. `known after apply`: a reference in it is not known yet.
 */
type TemplateMatch = 'as settled' | 'edited' | 'rotated' | 'not recorded' | 'known after apply';

/** The outputs of other resources, and the digests of the attribute that a value is of. */
interface Resolving {
  readonly outputs: Outputs;
  readonly digest: Digest;
}

/**
 * The template of a wanted value as the state keeps it beside the value, and beside each other value that is stored as a digest
 * because it is secret: that one names no secrets. undefined where it is not wholly known: each secret must be there, and each
 * output.
 */
export function toStoredTemplate(wanted: Wanted, { outputs, digest }: Resolving): StoredTemplate | undefined {
  const template = templateOf(wanted, outputs);
  if (template === undefined) return undefined;
  const secrets = [...template.secrets].map(([name, value]) =>
    value === undefined ? undefined : ([name, digestOfSecret(digest, name, value)] as const),
  );
  if (secrets.includes(undefined)) return undefined;
  return {
    digest: digestOfText(digest, template.text),
    secrets: Object.fromEntries(secrets.filter((entry) => entry !== undefined)),
  };
}

/**
 * Compares the template of a wanted value with the settled one. A run that lacks some of the secrets of the value, or all,
 * finds out so whether it was edited; one that has all of them, or needs none, compares the value itself instead.
 */
export function matchesTemplate(wanted: Wanted, settled: StoredWanted, { outputs, digest }: Resolving): TemplateMatch {
  if (settled.template === undefined) {
    if (templateOf(wanted, outputs) === undefined) return 'known after apply';
    return heldSecrets(settled) ? 'not recorded' : 'edited';
  }
  const rotation = rotationIn(wanted, settled, { outputs, digest });
  if (rotation === undefined) return 'known after apply';
  if (!rotation.isAll) return 'edited';
  return rotation.secrets.size > 0 ? 'rotated' : 'as settled';
}

/** The secrets of a value that have other values than when it was settled last. */
export interface Rotation {
  /** Their names. */
  readonly secrets: ReadonlySet<string>;
  /** The text around the secrets, and which secrets stand in it, are the same. */
  readonly isAll: boolean;
}

/** Finds the secrets that this run has and that have other values than the settled ones; undefined where that is not known. */
export function rotationIn(
  wanted: Wanted,
  settled: StoredWanted,
  { outputs, digest }: Resolving,
): Rotation | undefined {
  const before = settled.template;
  if (before === undefined) return undefined;
  const template = templateOf(wanted, outputs);
  if (template === undefined) return undefined;
  const rotated = [...template.secrets].filter(([name, value]) => {
    const like = before.secrets[name];
    return value !== undefined && like !== undefined && digestOfSecret(digest, name, value, like) !== like;
  });
  return {
    secrets: new Set(rotated.map(([name]) => name)),
    isAll: digestOfText(digest, template.text, before.digest) === before.digest,
  };
}

/** A secret in a wanted value. */
export interface SecretPart {
  /** Before it was encoded. */
  readonly value: string;
  /** Its name, of a `${secret:…}`. */
  readonly name: string | undefined;
  /** Whether it had another value when the attribute was settled last; undefined where the state does not tell. */
  readonly isRotated: boolean | undefined;
  /** It is all of the value. */
  readonly isWhole: boolean;
}

/** The secrets in a wanted value that this run has, beside what the state tells of their values before. */
export function secretParts(wanted: Wanted, settled: StoredWanted, digest: Digest): SecretPart[] {
  const parts = concealedIn(wanted);
  const whole = withGaps(wanted, () => undefined);
  if (parts.length === 0)
    return wanted.isSecret && typeof whole === 'string' && whole !== ''
      ? [{ value: whole, name: undefined, isRotated: undefined, isWhole: true }]
      : [];
  const before = settled.template;
  return parts.flatMap((part): SecretPart[] => {
    const { from, name, hidden, plain: value = hidden } = part;
    if (value === undefined || hidden === undefined || hidden === '') return [];
    const isWhole = whole === hidden;
    if (from !== 'secret') return [{ value, name: undefined, isRotated: undefined, isWhole }];
    const like = before?.secrets[name];
    const isRotated =
      before === undefined ? undefined : like !== undefined && digestOfSecret(digest, name, value, like) !== like;
    return [{ value, name, isRotated, isWhole }];
  });
}

/** A wanted value with a hole in place of each secret. */
interface Template {
  /** One text for each template. No text of a user can look like a hole: a hole is an object, and a text is a text. */
  readonly text: string;
  /** The secrets by their names; undefined: this run does not have it. */
  readonly secrets: ReadonlyMap<string, string | undefined>;
}

/** The template of a value; undefined while an output in it is not known. */
function templateOf({ content, reading }: Wanted, outputs: Outputs): Template | undefined {
  const secrets = new Map<string, string | undefined>();
  const shape: Shape = reading === undefined ? content.reveal() : { is: 'value', value: reading.reveal() };
  const form = formOf(shape, outputs, secrets);
  return form === undefined ? undefined : { text: canonical(form), secrets };
}

/** The form of a value in a template, one for all ways to write it; undefined while an output is not known. */
function formOf(shape: Shape, outputs: Outputs, secrets: Map<string, string | undefined>): Json | undefined {
  const listOf = (items: readonly Shape[]): Json | undefined => {
    const forms = items.map((item) => formOf(item, outputs, secrets));
    return forms.includes(undefined) ? undefined : { list: forms as Json[] }; // none is undefined
  };
  const mapOf = (entries: readonly (readonly [string, Shape])[]): Json | undefined => {
    const forms = entries.map(([key, item]) => [key, formOf(item, outputs, secrets)] as const);
    if (forms.some(([, form]) => form === undefined)) return undefined;
    return { map: Object.fromEntries(forms) as { [key: string]: Json } }; // none is undefined
  };
  switch (shape.is) {
    case 'value': {
      const { value } = shape;
      const asShape = (one: Json): Shape => ({ is: 'value', value: one });
      if (Array.isArray(value)) return listOf(value.map(asShape));
      if (typeof value !== 'object' || value === null) return { value };
      return mapOf(Object.entries(value).map(([key, one]) => [key, asShape(one)] as const));
    }
    case 'text':
      return textForm(shape.pieces, outputs, secrets);
    case 'list':
      return listOf(shape.items);
    case 'map':
      return mapOf(shape.entries);
    default:
      return shape satisfies never;
  }
}

/** The form of a text: its pieces, where texts beside each other are one; the text itself where it has no hole. */
function textForm(
  pieces: readonly ShapePiece[],
  outputs: Outputs,
  secrets: Map<string, string | undefined>,
): Json | undefined {
  const form: (string | { readonly secret: string })[] = [''];
  for (const piece of pieces) {
    if (typeof piece === 'object' && isConcealed(piece) && piece.from === 'secret') {
      secrets.set(piece.name, piece.plain ?? piece.hidden);
      form.push({ secret: writtenName(piece) }, '');
      continue;
    }
    const text = typeof piece === 'string' ? piece : isConcealed(piece) ? piece.hidden : outputText(piece, outputs);
    if (text === undefined) return undefined;
    form[form.length - 1] = `${form.at(-1) as string}${text}`; // the last one is always a text
  }
  return form.length === 1 ? { value: form[0] as string } : { text: form };
}

// A digest of a value is made of JSON. What these are made of begins with a word that no JSON begins with.

function digestOfText(digest: Digest, text: string, like?: string): string {
  return digest(`template ${text}`, like);
}

function digestOfSecret(digest: Digest, name: string, value: string, like?: string): string {
  return digest(`secret ${canonical([name, value])}`, like);
}
