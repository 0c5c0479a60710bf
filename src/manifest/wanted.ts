import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Json } from '../kind/json.ts';
import type { Secret } from '../secrets/secret.ts';
import { secret } from '../secrets/secret.ts';
import type { Place } from './tree.ts';
import { position } from './tree.ts';

/** Most characters of one value. One request carries at most 1,000,000 bytes: what is above only costs memory. */
export const mostCharactersOfValue = 16 * 1024 * 1024;

/** A `${ref:…}` that has been found: an output of another resource. */
export interface Reference {
  readonly address: string;
  readonly output: string;
}

/** The name of an output, for messages: `production.redis.main.host`. */
export function referenceName({ address, output }: Reference): string {
  return `${address}.${output}`;
}

/** What a user wants in one field. Its content never prints. */
export interface Wanted {
  readonly at: Place;
  /** Something of `${secret:…}` or `${env:…}` flowed into it, or the user calls it private: that part is never shown. */
  readonly isSecret: boolean;
  /** The same content with its secret parts apart; undefined when all of it is secret, or nothing. */
  readonly marked?: Secret<Shape>;
  /** The same content with each `${secret:…}` apart, whether or not this run has it; undefined when it holds none. */
  readonly template?: Secret<Shape>;
  /** Keys in its text that the user calls private. */
  readonly privateKeys?: ReadonlySet<string>;
  readonly references: readonly Reference[];
  /** Names of secrets that it needs and this run does not have. */
  readonly missing: readonly string[];
  readonly content: Secret<Content>;
  /** A number or boolean from a variable, as it was written there. */
  readonly written?: string;
  /** What the platform has behind the text that the user wrote; it is part of the content. */
  readonly appended?: string;
}

/** `hollow`: it holds references, or secrets that this run does not have. */
export type Content =
  | { readonly hollow: false; readonly value: Json }
  | { readonly hollow: true; readonly shape: Shape };
export type Shape =
  | { readonly is: 'value'; readonly value: Json }
  | { readonly is: 'text'; readonly pieces: readonly ShapePiece[] }
  | { readonly is: 'list'; readonly items: readonly Shape[] }
  | { readonly is: 'map'; readonly entries: readonly (readonly [string, Shape])[] };

/**
 * A part of a text. `secret`: what this run does not have, such as a secret of this name. `hidden`, in `marked` and `template`
 * only: the text of one, and its name if it is a `${secret:…}`.
 */
export type ShapePiece =
  | string
  | Reference
  | { readonly secret: string }
  | { readonly hidden: string; readonly secretName?: string };

/** What is known of a wanted value at some moment. */
export type Resolved =
  | { readonly is: 'known'; readonly value: Json }
  | { readonly is: 'pending'; readonly on: readonly Reference[] }
  | { readonly is: 'unavailable'; readonly secrets: readonly string[] };

/** Looks up an output of a resource; undefined while it is not known. */
export type Outputs = (reference: Reference) => string | undefined;

/** The value of what needs no output and no secret that this run lacks; undefined for all else. */
export function knownValue(wanted: Pick<Wanted, 'content'> | undefined): Json | undefined {
  const content = wanted?.content.reveal();
  return content?.hollow === false ? content.value : undefined;
}

/** The names in a wanted value, as far as it is known: its text, or the texts in its list. */
export function namesIn({ content }: Pick<Wanted, 'content'>): readonly string[] {
  const { items } = partsOf(content.reveal());
  return items.flatMap((item) => (item.is === 'value' && typeof item.value === 'string' ? [item.value] : []));
}

/** A wanted value in which ids, or outputs of resources, stand for its names. A name that means nothing stays. */
export function withNames(wanted: Wanted, meaningOf: (name: string) => string | Reference | undefined): Wanted {
  const { items, isList } = partsOf(wanted.content.reveal());
  const bind = (item: Shape): Shape => {
    const meaning = item.is === 'value' && typeof item.value === 'string' ? meaningOf(item.value) : undefined;
    if (meaning === undefined) return item;
    return typeof meaning === 'string' ? { is: 'value', value: meaning } : { is: 'text', pieces: [meaning] };
  };
  const bound = items.map(bind);
  if (bound.every((item, at) => item === items[at])) return wanted;
  const references = bound.flatMap((item, at) =>
    item !== items[at] && item.is === 'text' ? item.pieces.filter(isReference) : [],
  );
  const values = bound.flatMap((item) => (item.is === 'value' ? [item.value] : []));
  const [only] = isList ? [{ is: 'list', items: bound } as const] : bound;
  const content: Content =
    only === undefined || values.length === bound.length
      ? { hollow: false, value: isList ? values : (values[0] ?? null) }
      : { hollow: true, shape: only };
  const { marked: _marked, template: former, ...rest } = wanted;
  const shape = former?.reveal();
  const template = shape?.is === 'list' ? { ...shape, items: shape.items.map(bind) } : shape;
  return {
    ...rest,
    references: [...wanted.references, ...references],
    content: secret(content),
    ...(template === undefined ? {} : { template: secret(template) }),
  };
}

function isReference(piece: ShapePiece): piece is Reference {
  return typeof piece === 'object' && 'output' in piece;
}

/** The items of a list, or the value itself. */
function partsOf(content: Content): { readonly items: readonly Shape[]; readonly isList: boolean } {
  const shape: Shape = content.hollow ? content.shape : { is: 'value', value: content.value };
  if (shape.is === 'list') return { items: shape.items, isList: true };
  if (shape.is !== 'value' || !Array.isArray(shape.value)) return { items: [shape], isList: false };
  return { items: shape.value.map((value: Json) => ({ is: 'value', value })), isList: true };
}

/**
 * Fills in what can be filled in. `as` turns the text of a number or a boolean into one.
 * @throws {Stop} `manifest`, when the outputs make the value too long
 */
export function resolve(wanted: Wanted, outputs: Outputs, as: (value: Json) => Json = (value) => value): Resolved {
  const content = wanted.content.reveal();
  if (!content.hollow) return { is: 'known', value: content.value };
  if (wanted.missing.length > 0) return { is: 'unavailable', secrets: wanted.missing };
  const on = wanted.references.filter((reference) => outputs(reference) === undefined);
  if (on.length > 0) return { is: 'pending', on };
  return { is: 'known', value: as(fill(content.shape, outputs, { at: wanted.at, characters: 0 })) };
}

/** The stop of a run with too long a value at a place. */
export function tooLong(subject: string, limit: number, at: Place, address?: string): Stop {
  const message = `${subject} more than ${limit.toLocaleString('en')} characters`;
  const remedy = 'Use large files and variables in fewer places.';
  return new Stop('manifest', [diagnostic('too-large', message, { remedy, address, position: position(at) })]);
}

/** A wanted value as far as it is known: text has gaps where the rest comes. */
export function withGaps(wanted: Wanted, outputs: Outputs): Json {
  const content = wanted.content.reveal();
  return content.hollow ? fill(content.shape, outputs, { at: wanted.at, characters: 0 }) : content.value;
}

/** A value with `hide` of each secret part in place of it; undefined when its parts are not known. */
export function withHidden(wanted: Wanted, outputs: Outputs, hide: (secret: string) => string): Json | undefined {
  const marked = wanted.marked?.reveal();
  return marked === undefined ? undefined : fill(marked, outputs, { at: wanted.at, characters: 0 }, hide);
}

/** `size`: the characters of the whole value so far; counted up. */
function fill(
  shape: Shape,
  outputs: Outputs,
  size: { readonly at: Place; characters: number },
  hide: (secret: string) => string = (secret) => secret,
): Json {
  switch (shape.is) {
    case 'value':
      return shape.value;
    case 'text': {
      const texts = shape.pieces.map((piece) => {
        if (typeof piece === 'string') return piece;
        if ('hidden' in piece) return hide(piece.hidden);
        return 'secret' in piece ? '' : (outputs(piece) ?? '');
      });
      for (const text of texts) size.characters += text.length;
      if (size.characters > mostCharactersOfValue) throw tooLong('this value has', mostCharactersOfValue, size.at);
      return texts.join('');
    }
    case 'list':
      return shape.items.map((item) => fill(item, outputs, size, hide));
    case 'map':
      return Object.fromEntries(shape.entries.map(([key, item]) => [key, fill(item, outputs, size, hide)]));
    default:
      return shape satisfies never;
  }
}
