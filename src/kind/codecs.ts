import { readEnvText, writeEnvText } from '../formats/env-text.ts';
import { type Json, isObject, same } from '../formats/json.ts';

/** When two values mean the same: when their normal forms are equal. */
export interface Codec {
  /** The one form that stands for all values of the same meaning; digests are made of it. */
  readonly normal: (value: Json) => Json;
  /** Only where equal forms are not enough: whether the platform answers `observed` to `wanted`. */
  readonly keeps?: (wanted: Json, observed: Json) => boolean;
}

/** Reads and writes a map that the platform stores as text. */
export interface MapCodec {
  readonly read: (text: string) => ReadonlyMap<string, string>;
  readonly write: (entries: ReadonlyMap<string, string>) => {
    text: string;
    refused: readonly { key: string; reason: string }[];
  };
}

/** Equal as JSON: the order of object keys does not count, the order of lists does. */
export const plain: Codec = { normal: (value) => value };

/** Text that is as good as not there when it is empty. */
export const text: Codec = { normal: (value) => value ?? '' };

/** Text whose surrounding white space means nothing. */
export const trimmed: Codec = {
  normal: (value) => (typeof value === 'string' ? value.trim() : value),
};

/** Text in which upper and lower case mean the same. */
export const caseless: Codec = {
  normal: (value) => (typeof value === 'string' ? value.toLowerCase() : value),
};

/** A path below a folder: a `/` before it, a `.` in it and a `/` twice mean nothing (the platform writes all of them there). */
export const filePath: Codec = {
  normal: (value) => (typeof value === 'string' ? pathParts(value).join('/') : value),
};

/** The names that a path consists of. */
export function pathParts(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/** A list that is as good as not there when it is empty. */
export const list: Codec = { normal: (value) => value ?? [] };

/** A list, of ids or of other texts such as labels, whose order does not count and that is as good as not there when it is empty. */
export const idSet: Codec = {
  normal: (value) => (Array.isArray(value) ? [...new Set(value.map(String))].toSorted((a, b) => (a < b ? -1 : 1)) : []),
};

/** Patterns of paths: a set, unless one begins with `!`, which takes away what the ones before it match. */
export const pathPatterns: Codec = {
  normal: (value) => {
    const isOrdered = Array.isArray(value) && value.some((one) => String(one).startsWith('!'));
    return isOrdered ? value : idSet.normal(value);
  },
};

/** A JSON value that is as good as not there when it is an empty object or list. */
export const json: Codec = { normal: (value) => (isEmpty(value) ? null : value) };

/** A name that the platform lower-cases and ends with a hyphen and six characters of its own. */
export const suffixed: Codec = {
  normal: (value) => value,
  keeps: (wanted, observed) =>
    typeof wanted === 'string' &&
    typeof observed === 'string' &&
    observed.slice(0, -7) === wanted.toLowerCase().replaceAll(' ', '-') &&
    /^-[a-z0-9]{6}$/.test(observed.slice(-7)),
};

/** An env file. */
export const envEntries: MapCodec = { read: readEnvText, write: writeEnvText };

/** Whether the platform answers `observed` when `wanted` is what it has. */
export function means(codec: Codec, wanted: Json, observed: Json): boolean {
  return same(codec.normal(wanted), codec.normal(observed)) || codec.keeps?.(wanted, observed) === true;
}

function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
