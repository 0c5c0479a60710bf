import { closest } from '../diagnostics/closest.ts';
import { type Json, canonical, isObject } from '../formats/json.ts';
import { itemsOf } from './service-parts.ts';

/** The form that docker takes for a value of a compose file. */
export interface Shape {
  /** What it may be, of `text`, `number`, `integer`, `boolean`, `list`, `map`, `null` and the forms of texts; '': anything. */
  readonly is: string;
  /** The members of a map, beside `x-…`. */
  readonly members?: { readonly [key: string]: Shape };
  /** The values of a map with any keys. */
  readonly values?: Shape;
  readonly items?: Shape;
  /** No two items of a list may be the same. */
  readonly isSet?: true;
}

export const anything: Shape = { is: '' };
export const text: Shape = { is: 'text' };
export const number: Shape = { is: 'number' };
export const integer: Shape = { is: 'integer' };
export const boolean: Shape = { is: 'boolean' };
export const texts: Shape = { is: 'list', items: text };
export const textOrTexts: Shape = { is: 'text list', items: text };
export const set: Shape = { ...texts, isSet: true };
export const textOrSet: Shape = { ...textOrTexts, isSet: true };
export const pairs: Shape = { is: 'map list', values: { is: 'text number null' }, items: text, isSet: true };
export const options: Shape = { is: 'map', values: { is: 'text number' } };

export function each(names: string, shape: Shape): { readonly [key: string]: Shape } {
  return Object.fromEntries(names.split(' ').map((name) => [name, shape]));
}

export function map(members: Shape['members'], orElse = ''): Shape {
  return { is: `map ${orElse}`.trim(), ...(members === undefined ? {} : { members }) };
}

export function list(members: Shape['members'], orElse: string): Shape {
  return { is: 'list', items: map(members, orElse) };
}

/** A value of a compose file that docker refuses. */
export interface Misfit {
  readonly at: readonly string[];
  readonly value: Json;
  /** What it may be, of the words of a shape; `once`: it stands in a set twice; undefined: there is no such member. */
  readonly is: readonly string[] | undefined;
  /** The member that was meant. */
  readonly meant?: string;
}

/** How the reader of a compose file judges it. */
export interface Reader {
  readonly shape: Shape;
  /** A text that may become anything. */
  readonly isOpen: (text: string) => boolean;
  /** Forms of texts, by the word of a shape. */
  readonly forms: { readonly [word: string]: (text: string) => boolean };
  /** A later version may have members that the shape lacks: only those that are misspelt are refused. */
  readonly isGrowing: boolean;
}

/** What a reader refuses in the content of a compose file. */
export function misfitsIn(content: Json, { shape: whole, isOpen, forms, isGrowing }: Reader): readonly Misfit[] {
  const found: Misfit[] = [];
  const fits = (value: Json, word: string): boolean => {
    if (typeof value === 'string')
      return word === 'text' || word.split('|').includes(value) || forms[word]?.(value) === true || isOpen(value);
    return isOf(value, word);
  };
  /** `at` is the same again afterwards. */
  const visit = (value: Json, shape: Shape, at: string[]): void => {
    if (shape === anything) return;
    const is = shape.is.split(' ');
    const below = (key: string, item: Json, inner: Shape): void => {
      at.push(key);
      visit(item, inner, at);
      at.pop();
    };
    if (shape.is !== '' && !is.some((word) => fits(value, word))) {
      found.push({ at: [...at], value, is });
    } else if (Array.isArray(value)) {
      const { items = anything, isSet = false } = shape;
      const seen = new Set<string>();
      for (const [index, item] of itemsOf(value).entries()) {
        const text = isSet ? canonical(item) : '';
        if (isSet && seen.has(text)) found.push({ at: [...at, String(index)], value: item, is: ['once'] });
        else below(String(index), item, items);
        if (isSet) seen.add(text);
      }
    } else if (isObject(value)) {
      const { members, values = anything } = shape;
      for (const [key, item] of Object.entries(value)) {
        if (key.startsWith('x-')) continue;
        if (members === undefined || Object.hasOwn(members, key)) {
          below(key, item, members?.[key] ?? values);
          continue;
        }
        const meant = isGrowing ? closest(key, Object.keys(members)) : undefined;
        if (!isGrowing || meant !== undefined)
          found.push({ at: [...at, key], value: item, is: undefined, ...(meant === undefined ? {} : { meant }) });
      }
    }
  };
  visit(content, whole, []);
  return found;
}

function isOf(value: Exclude<Json, string>, word: string): boolean {
  if (typeof value === 'number') return word === 'number' || (word === 'integer' && Number.isInteger(value));
  if (typeof value === 'boolean') return word === 'boolean';
  if (value === null) return word === 'null';
  return word === (Array.isArray(value) ? 'list' : 'map');
}
