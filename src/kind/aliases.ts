import { document } from '../api/vocabulary.ts';
import type { Union } from './field.ts';
import { type Json, isObject } from '../formats/json.ts';
import { normalAddress } from './address.ts';

/**
 * The words of the API document that users may write in place of Dokploy's: names of sections and fields, and values of
 * choices. Manifests and arguments are read through these functions, states and memories of earlier versions too; everything
 * behind them has the words of Dokploy. None of them throws.
 */

type Words = ReadonlyMap<string, string>;

const sections = backwards(document.groups);
/** Only answers have the name of a git host as a member. */
const fields = backwards(
  Object.fromEntries(Object.entries(document.members).filter(([member]) => !Object.hasOwn(document.groups, member))),
);
/** No two fields have one word for different things. */
const values: Words = new Map(Object.values(document.values).flatMap((words) => [...backwards(words)]));

function backwards(words: Readonly<Record<string, string>>): Words {
  return new Map(Object.entries(words).map(([word, alias]) => [alias, word]));
}

/** The name of a section or a kind. */
export function resolveSection(written: string): string {
  return sections.get(written) ?? written;
}

/** The name of a field. */
export function fieldMeant(written: string): string {
  return fields.get(written) ?? written;
}

/** A value, with the word of a choice or the names of members; as it is written where `fits` takes it so. */
export function valueMeant(written: Json, fits: (value: Json) => boolean): Json {
  const meant = inDokploysWords(written);
  return meant === written || fits(written) || !fits(meant) ? written : meant;
}

/** A value with every word of the API document replaced: choices by themselves, and names of members. */
export function inDokploysWords(value: Json): Json {
  if (typeof value === 'string') return values.get(value) ?? value;
  if (!Array.isArray(value)) return membersMeant(value);
  const meant = value.map(membersMeant);
  return meant.some((item, index) => item !== value[index]) ? meant : value;
}

function membersMeant(value: Json): Json {
  if (!isObject(value) || Object.keys(value).every((key) => fieldMeant(key) === key)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const meant = fieldMeant(key);
      return [Object.hasOwn(value, meant) ? key : meant, inner];
    }),
  );
}

/** A case of a union. */
export function resolveCase({ cases }: Pick<Union, 'cases'>, written: string): string {
  return String(valueMeant(written, (word) => Object.hasOwn(cases, String(word))));
}

/** A path of a field, or a pattern for some. */
export function resolvePath(written: string): string {
  return written.replaceAll(/\b[A-Za-z]\w*\b/g, fieldMeant);
}

/** An address as Trueup writes it, from any way of quoting its parts. A pattern gets the section too; what is neither stays. */
export function resolveAddress(written: string): string {
  const meant = written.replace(/^[A-Za-z_][A-Za-z0-9_-]*/, resolveSection);
  return normalAddress(meant) ?? meant;
}

/** What the API document calls a section; undefined: the same. */
export function sectionAlias(section: string): string | undefined {
  return Object.hasOwn(document.groups, section) ? document.groups[section] : undefined;
}

/** What the API document calls a field, or a member of a value; undefined: the same. */
export function fieldAlias(field: string): string | undefined {
  return aliases.get(field);
}

const aliases: Words = new Map([...fields].map(([alias, field]) => [field, alias]));

/** What the API document calls the values of a field, by Dokploy's words. */
export function valueAliases(field: string): Readonly<Record<string, string>> {
  return document.values[field] ?? {};
}
