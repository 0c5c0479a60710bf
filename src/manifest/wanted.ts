import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { type Json, defined } from '../formats/json.ts';
import { type Secret, concealedMark, printed, redacted, secret } from '../secrets/secret.ts';
import { encode } from './expression-encoding.ts';
import { type Reference, referenceName } from './reference.ts';
import { type Place, position } from './tree.ts';

/** Most characters of one value. One request carries at most 1,000,000 bytes: what is above only costs memory. */
export const maxCharactersOfValue = 16 * 1024 * 1024;

/** What a user wants in one field. Its content never prints. `changed` makes another of it: a spread leaves out what a class has. */
export interface Wanted {
  readonly at: Place;
  /** A part of it is concealed, or the user calls it private: that part is never shown. */
  readonly isSecret: boolean;
  /** Nothing of it is shown: the user calls it private, or a concealed text chose what it stands for. */
  readonly isPrivate?: true | undefined;
  /** Keys in its text that the user calls private. */
  readonly privateKeys?: ReadonlySet<string>;
  readonly references: readonly Reference[];
  /** Names of secrets that it needs and this run does not have. */
  readonly missing: readonly string[];
  readonly content: Secret<Shape>;
  /** The value that its field reads a text with `${env:…}` as, where that is another one: 8080, of "8080". */
  readonly reading?: Secret<Json>;
  /** A number or boolean from a variable, as it was written there. */
  readonly written?: string;
  /** What the platform has behind the text that the user wrote; it is part of the content. */
  readonly appended?: string;
}

/** A value that is all known, with nothing in it to conceal: a large plan has a million of these. */
class Plain implements Wanted, Secret<Shape> {
  readonly at: Place;
  readonly #value: Json;
  /** Its own, as that of a secret: no other thread gets a copy without its value. */
  readonly toJSON = printed;

  constructor(value: Json, at: Place) {
    this.at = at;
    this.#value = value;
  }

  get isSecret(): boolean {
    return false;
  }

  get references(): readonly Reference[] {
    return none;
  }

  get missing(): readonly string[] {
    return none;
  }

  get content(): Secret<Shape> {
    return this;
  }

  reveal(): Shape {
    return { is: 'value', value: this.#value };
  }
}

const none: readonly never[] = [];

/** A wanted value that is all known, with nothing in it to conceal: one of the user's, or a default. */
export function constant(value: Json, at: Place): Wanted {
  return new Plain(value, at);
}

/** A wanted value with other members. */
export function changed(wanted: Wanted, changes: Partial<Wanted>): Wanted {
  const { at, isSecret, references, missing, content, isPrivate, privateKeys, reading, written, appended } = wanted;
  const more = defined({ isPrivate, privateKeys, reading, written, appended, ...changes });
  return { at, isSecret, references, missing, content, ...more };
}

/** A value whose concealed parts stay apart. */
export type Shape =
  | { readonly is: 'value'; readonly value: Json }
  | { readonly is: 'text'; readonly pieces: readonly ShapePiece[] }
  | { readonly is: 'list'; readonly items: readonly Shape[] }
  | { readonly is: 'map'; readonly entries: readonly (readonly [string, Shape])[] };

/** A part of a text. */
export type ShapePiece = string | OutputPart | Concealed;

/** A part of a text that never shows. `hidden`: its text; undefined where this run does not have it. */
export interface Concealed {
  readonly from: 'secret' | 'env' | 'var' | 'param';
  /** The name of the secret, of the variable or of the parameter. */
  readonly name: string;
  readonly hidden?: string | undefined;
  /** The encoding of its text. */
  readonly encoding?: string | undefined;
  /** The value before it was encoded. */
  readonly plain?: string | undefined;
}

/** The name of a concealed part as its expression has it: `PW`, `PW|urlencode`. */
export function writtenName({ name, encoding }: Pick<Concealed, 'name' | 'encoding'>): string {
  return encoding === undefined ? name : `${name}|${encoding}`;
}

/** An output in a text, encoded as its expression says. */
interface OutputPart extends Reference {
  readonly encoding?: string | undefined;
}

/** The text of an output; undefined while it is not known. */
export function outputText(part: OutputPart, outputs: Outputs): string | undefined {
  const text = outputs(part);
  return text === undefined ? undefined : encode(text, part.encoding);
}

/** What is known of a wanted value at some moment. */
export type Resolved =
  | { readonly is: 'known'; readonly value: Json }
  | { readonly is: 'pending'; readonly on: readonly Reference[] }
  | { readonly is: 'unavailable'; readonly secrets: readonly string[] };

/** Looks up an output of a resource; undefined while it is not known. */
export type Outputs = (reference: Reference) => string | undefined;

/** Knows no output. */
export const noOutputs: Outputs = () => undefined;

/** The value of what needs no output and no secret: nothing is computed on a secret. undefined for all else. */
export function knownValue(wanted: Wanted | undefined): Json | undefined {
  return wanted === undefined ? undefined : withTexts(wanted, openText);
}

/** The text of a part on which checks may compute. */
function openText({ from, hidden }: Concealed): string | undefined {
  return from === 'secret' ? undefined : hidden;
}

/** A value with texts in place of its concealed parts; undefined where one has none, or an output is needed. */
export function withTexts(
  { content, reading }: Pick<Wanted, 'content' | 'reading'>,
  textOf: (part: Concealed) => string | undefined,
): Json | undefined {
  const value = withConcealed(content.reveal(), textOf);
  return value === undefined || reading === undefined ? value : reading.reveal();
}

function withConcealed(shape: Shape, textOf: (part: Concealed) => string | undefined): Json | undefined {
  return join(shape, (piece) => (isConcealed(piece) ? textOf(piece) : undefined));
}

/**
 * A value for the check of its field, which reads a secret only where that is a text by itself. Beside other text a mark stands
 * for it: what a check says of both would tell something of the secret to whoever writes the rest.
 */
export function checkedValue({ content, reading }: Wanted): Json | undefined {
  const textOf = (piece: OutputPart | Concealed, isAlone: boolean): string | undefined => {
    if (!isConcealed(piece)) return undefined;
    return piece.from === 'secret' && !isAlone ? concealedMark : (piece.hidden ?? concealedMark);
  };
  const value = join(content.reveal(), textOf);
  return value === undefined || reading === undefined ? value : reading.reveal();
}

/** A value as it is written: with its expressions. */
export function asWritten({ content }: Pick<Wanted, 'content'>): Json {
  return shapeAsWritten(content.reveal());
}

function shapeAsWritten(shape: Shape): Json {
  const expression = (piece: OutputPart | Concealed): string => {
    if (isConcealed(piece)) return `\${${piece.from}:${writtenName(piece)}}`;
    return `\${ref:${writtenName({ name: referenceName(piece), encoding: piece.encoding })}}`;
  };
  return join(shape, expression) ?? null; // each part has a text
}

/** The concealed parts of a value, from its beginning. */
export function concealedIn({ content }: Pick<Wanted, 'content'>): readonly Concealed[] {
  return concealedOf(content.reveal());
}

function concealedOf(shape: Shape): readonly Concealed[] {
  switch (shape.is) {
    case 'value':
      return [];
    case 'text':
      return shape.pieces.filter((piece) => typeof piece === 'object' && isConcealed(piece));
    case 'list':
      return shape.items.flatMap(concealedOf);
    case 'map':
      return shape.entries.flatMap(([, item]) => concealedOf(item));
    default:
      return shape satisfies never;
  }
}

/** The whole of a text; or what stands around the values that are not known yet, or concealed. */
export function knownTexts({ content }: Pick<Wanted, 'content'>): readonly string[] {
  const shape = content.reveal();
  if (shape.is === 'value') return [String(shape.value)];
  return shape.is === 'text' ? shape.pieces.filter((piece) => typeof piece === 'string') : [];
}

/** The names in a wanted value, as far as it is known, each with the text that shows: with its expressions, if it has any. */
export function namesIn({ content, isPrivate }: Pick<Wanted, 'content' | 'isPrivate'>): ReadonlyMap<string, string> {
  const { items } = partsOf(content.reveal());
  const names = items.flatMap((item) => {
    const name = nameIn(item);
    return name === undefined ? [] : [[name, String(shapeAsWritten(item))] as const];
  });
  return new Map(names.map(([name, written]) => [name, isPrivate === true ? redacted : written]));
}

function nameIn(item: Shape): string | undefined {
  const name = withConcealed(item, openText);
  return typeof name === 'string' ? name : undefined;
}

/** A wanted value in which ids, or outputs of resources, stand for its names. A name that means nothing stays. */
export function withNames(wanted: Wanted, meaningOf: (name: string) => string | Reference | undefined): Wanted {
  const { items, isList } = partsOf(wanted.content.reveal());
  const meanings = items.map((item) => {
    const name = nameIn(item);
    return name === undefined ? undefined : meaningOf(name);
  });
  if (meanings.every((meaning) => meaning === undefined)) return wanted;
  const bound = items.map((item, at): Shape => {
    const meaning = meanings[at];
    if (meaning === undefined) return item;
    return typeof meaning === 'string' ? { is: 'value', value: meaning } : { is: 'text', pieces: [meaning] };
  });
  const [only] = bound;
  return changed(wanted, {
    isPrivate: wanted.isSecret ? true : wanted.isPrivate,
    references: [...wanted.references, ...meanings.filter((meaning) => typeof meaning === 'object')],
    content: secret(isList || only === undefined ? { is: 'list', items: bound } : only),
  });
}

/** The items of a list, or the value itself. */
function partsOf(shape: Shape): { readonly items: readonly Shape[]; readonly isList: boolean } {
  if (shape.is === 'list') return { items: shape.items, isList: true };
  if (shape.is !== 'value' || !Array.isArray(shape.value)) return { items: [shape], isList: false };
  return { items: shape.value.map((value: Json) => ({ is: 'value', value })), isList: true };
}

/**
 * Fills in what can be filled in. `as` turns the text of a number or a boolean into one.
 * @throws {Stop} `manifest`, when the outputs make the value too long
 */
export function resolve(wanted: Wanted, outputs: Outputs, as: (value: Json) => Json = (value) => value): Resolved {
  const { missing, references, reading, content } = wanted;
  if (missing.length > 0) return { is: 'unavailable', secrets: missing };
  const on = references.length === 0 ? none : references.filter((reference) => outputs(reference) === undefined);
  if (on.length > 0) return { is: 'pending', on };
  if (reading !== undefined) return { is: 'known', value: reading.reveal() };
  const shape = content.reveal();
  return { is: 'known', value: shape.is === 'value' ? shape.value : as(withGaps(wanted, outputs)) };
}

/** The stop of a run with too long a value at a place. */
export function tooLong(subject: string, limit: number, at: Place, address?: string): Stop {
  const message = `${subject} more than ${limit.toLocaleString('en')} characters`;
  const remedy = 'Use large files and variables in fewer places.';
  return stop('manifest', 'too-large', message, { remedy, address, position: position(at) });
}

/** A wanted value as far as it is known: text has gaps where the rest comes. */
export function withGaps(wanted: Wanted, outputs: Outputs): Json {
  return fill(wanted, outputs, (text) => text);
}

/** Gives what stands in place of a concealed part; `name`: that of its `${secret:…}`. */
type Hide = (text: string, name: string | undefined) => string;

/** A value with `hide` of each concealed part in place of it; undefined when nothing of it is shown. */
export function withHidden(wanted: Wanted, outputs: Outputs, hide: Hide): Json | undefined {
  return wanted.isPrivate === true ? undefined : fill(wanted, outputs, hide);
}

function fill({ content, at }: Wanted, outputs: Outputs, hide: Hide): Json {
  const textOf = (piece: OutputPart | Concealed): string => {
    if (!isConcealed(piece)) return outputText(piece, outputs) ?? '';
    return piece.hidden === undefined ? '' : hide(piece.hidden, piece.from === 'secret' ? piece.name : undefined);
  };
  return join(content.reveal(), textOf, at) ?? null; // each part has a text
}

/** A value with texts in place of its parts; undefined where one has none. Throws when it is too long. `at`: its place. */
export function join(
  shape: Shape,
  textOf: (piece: OutputPart | Concealed, isAlone: boolean) => string | undefined,
  at?: Place,
): Json | undefined {
  if (shape.is === 'value') return shape.value; // most are
  let characters = 0;
  const joined = (one: Shape): Json | undefined => {
    switch (one.is) {
      case 'value':
        return one.value;
      case 'text': {
        const texts = one.pieces.map((piece) =>
          typeof piece === 'string' ? piece : textOf(piece, one.pieces.length === 1),
        );
        for (const text of texts) characters += text?.length ?? 0;
        if (at !== undefined && characters > maxCharactersOfValue)
          throw tooLong('this value has', maxCharactersOfValue, at);
        return texts.includes(undefined) ? undefined : texts.join('');
      }
      case 'list': {
        const items = one.items.map(joined);
        return items.includes(undefined) ? undefined : (items as Json[]); // none is undefined
      }
      case 'map': {
        const entries = one.entries.map(([key, item]) => [key, joined(item)] as const);
        return entries.some(([, item]) => item === undefined)
          ? undefined
          : (Object.fromEntries(entries) as { [key: string]: Json }); // none is undefined
      }
      default:
        return one satisfies never;
    }
  };
  return joined(shape);
}

/** Tells a concealed part from an output. */
export function isConcealed(piece: OutputPart | Concealed): piece is Concealed {
  return 'from' in piece;
}
