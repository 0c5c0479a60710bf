import type * as z from 'zod';
import { type Field, type Union, schemaOf } from '../kind/field.ts';
import { type Json, isObject } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { toJson } from '../formats/yaml-node.ts';
import { resolveCase, valueMeant } from '../kind/aliases.ts';
import { caseFields, writtenSchema } from '../kind/written-keys.ts';
import { maskValue } from '../secrets/looks-secret.ts';
import { type Hiding, eachText, hidden, inYaml, open, remedyOf, shortened, visible } from './lines-to-paste.ts';
import { reshaped } from './reshape.ts';
import type { Node } from './tree.ts';

/** Remedies for values: the user's own, in a form that the field or the setting takes. */

/** The value of a field in the form that it takes; undefined: it has none that is known. */
export function valueInstead(written: string, field: Field, node: Node, hiding: Hiding): string | undefined {
  const found = fitting(field, toJson(node));
  if (found === undefined) return undefined;
  const key = lastStep(written);
  const shown = visible(field, key, found.value, hiding);
  const notes = found.note === undefined ? [] : [found.note];
  const lines = isObject(shown) && notes.length === 0 ? Object.entries(shown) : [];
  return lines.length < 2
    ? remedyOf([{ key, value: shown, notes }])
    : remedyOf(
        lines.map(([name, value]) => ({ key: name, value, notes })),
        key,
      );
}

/** Whether a field takes a value as it is written. */
export function takes(field: Field, node: Node): boolean {
  return accepts(field, toJson(node));
}

/** A setting in a form that its schema takes: the first of these that it does. */
export function settingInstead(written: string, forms: Iterable<Json>, schema: z.ZodType): string | undefined {
  for (const form of forms) {
    if (!schema.safeParse(form).success) continue;
    const value = eachText(maskValue(undefined, withoutDefaults(form)), (text) => shortened(hidden(text)));
    return remedyOf([{ key: written, value, notes: [] }]);
  }
  return undefined;
}

/** Variables of the manifest, without values whose names say that they are secret. */
function withoutDefaults(form: Json): Json {
  if (!isObject(form)) return form;
  const entries = Object.entries(form).map(([name, declared]) => {
    const value = isObject(declared) ? declared['default'] : undefined;
    return [name, value === undefined || maskValue(name, value) === value ? declared : { default: open }] as const;
  });
  return Object.fromEntries(entries);
}

/** The text of a map or list that stands where text belongs, as a key of a map of texts. */
export function textInstead(key: string, field: Field, node: Node, hiding: Hiding): string {
  const value = visible(field, key, { [key]: JSON.stringify(toJson(node)) }, hiding);
  return ['Write JSON as text, in quotes:', inYaml(hidden(key), isObject(value) ? (value[key] ?? open) : open)].join(
    '\n',
  );
}

/** The group of a union that a text means: a case, or what the union reads in a text. */
export function unionInstead(kind: Kind, union: Union, node: Node, hiding: Hiding): string | undefined {
  const written = toJson(node);
  if (typeof written !== 'string' || union.at === undefined) return undefined;
  const word = resolveCase(union, union.alsoCalled?.[written.toLowerCase()] ?? written);
  const fields = Object.hasOwn(union.cases, word) ? { [union.tag]: word } : union.short?.(written);
  if (fields === undefined) return undefined;
  const chosen = String(fields[union.tag]);
  const names = new Map(caseFields(union, chosen).map(([key, name]) => [name, key]));
  const entries = Object.entries(fields).flatMap(([name, value]): [string, Json][] => {
    const key = names.get(name);
    return key === undefined ? [] : [[key, value ?? open]];
  });
  const value = { type: chosen, ...visibleGroup(kind, union, entries, hiding) };
  return remedyOf([{ key: union.at, value, notes: [] }]);
}

/** The entries of a group as they are shown; those that no case has are open. */
export function visibleGroup(
  kind: Kind,
  union: Union,
  entries: readonly (readonly [string, Json])[],
  hiding: Hiding,
): Record<string, Json> {
  const names = new Map(Object.keys(union.cases).flatMap((word) => [...caseFields(union, word)]));
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const field = kind.fields[key === 'type' ? union.tag : (names.get(key) ?? '')];
      return [hidden(key), field === undefined ? open : visible(field, key, value, hiding)];
    }),
  );
}

export function lastStep(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** A value in a form that the field takes; undefined: none is known. */
export function fitting(field: Field, value: Json): { readonly value: Json; readonly note?: string } | undefined {
  if (accepts(field, value)) return { value: valueMeant(value, (word) => schemaOf(field).safeParse(word).success) };
  for (const form of reshaped(value, field)) if (accepts(field, form.value)) return form;
  return undefined;
}

/** Whether a field takes a value; of one with an expression that is known later only. */
export function accepts(field: Field, value: Json): boolean {
  if (typeof value === 'string' && value.includes('${') && field.map === undefined) return true;
  const takesWord = (word: Json) => writtenSchema(field).safeParse(word).success;
  if (!takesWord(valueMeant(value, takesWord))) return false;
  if (field.map === undefined || !isObject(value)) return true;
  const texts = Object.entries(value).map(([key, one]) => [key, String(one)] as const);
  return field.map.write(new Map(texts)).refused.length === 0;
}
