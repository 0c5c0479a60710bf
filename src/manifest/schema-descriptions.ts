import { defined } from '../formats/json.ts';
import { fieldAlias } from '../kind/aliases.ts';
import { type Schema, mapInner } from './schema-expressions.ts';
import { isInLayer } from './schema-layers.ts';

/** Formats that validators know. */
const knownFormats = ['uri', 'email', 'date-time'];

/** Whole numbers beyond these are not exact in JSON, so they are no limits of Trueup. */
const { MAX_SAFE_INTEGER: largest } = Number;

/**
 * The schema as strict validators and editors take it: one type per node, no format that only Trueup knows, and a
 * description at every node, in the words of its shape where the declaration has none.
 */
export function described(schema: Schema): Schema {
  const { $ref, description, type, format, ...rest } = schema;
  if ($ref !== undefined) return schema;
  if (Array.isArray(type)) {
    const { default: otherwise, examples, ...limits } = rest;
    const anyOf = type.map((one: unknown) => ({ type: one, ...limits }));
    return described(defined({ description, default: otherwise, examples, anyOf }));
  }
  const isKnown = typeof format === 'string' && knownFormats.includes(format);
  const kept = { ...defined({ type, format: isKnown ? format : undefined }), ...rest };
  const about = description ?? (isInLayer(schema) ? undefined : shapeOf(schema));
  return { ...defined({ description: about }), ...mapInner(kept, described) };
}

/** The words of a choice with what each of them means, instead of a bare list. */
export function withWords(schema: Schema, words: Readonly<Record<string, string>> | undefined): Schema {
  if (words === undefined) return schema;
  const { enum: listed, anyOf, type, ...rest } = schema;
  const alternatives = Array.isArray(listed)
    ? listed.map((word: string) => ({ description: words[word], type, const: word }))
    : undefined;
  if (alternatives !== undefined) return { ...rest, anyOf: alternatives };
  if (!Array.isArray(anyOf)) return schema;
  const spread = anyOf.flatMap((item: Schema): unknown => {
    const inner = withWords(item, words).anyOf;
    return 'enum' in item && Array.isArray(inner) ? inner : [item];
  });
  return { ...schema, anyOf: spread };
}

/** Takes the words of the API document too: the values of a choice, by Dokploy's words, and members. */
export function withOtherWords(schema: Schema, others: Readonly<Record<string, string>>): Schema {
  const { enum: listed, anyOf, items, properties, required, ...rest } = schema;
  const members = Object.entries((properties as Schema | undefined) ?? {});
  const both = (words: readonly string[]) => words.flatMap((word) => [word, others[word] ?? []].flat());
  const inner = (item: Schema): Schema => withOtherWords(item, others);
  const choices = Array.isArray(anyOf)
    ? (anyOf as readonly Schema[]).flatMap((item) => {
        const other = others[String(item.const)];
        return other === undefined ? [inner(item)] : [item, { ...item, const: other }];
      })
    : undefined;
  const named = members.flatMap(([key, item]) => [key, fieldAlias(key) ?? []].flat().map((name) => [name, item]));
  const translated = defined({
    enum: Array.isArray(listed) ? both(listed as readonly string[]) : undefined,
    anyOf: choices,
    items: items === undefined ? undefined : inner(items as Schema),
    properties: properties === undefined ? undefined : (Object.fromEntries(named) as Schema),
    required: Array.isArray(required) ? required.filter((name: string) => fieldAlias(name) === undefined) : undefined,
  });
  return { ...rest, ...translated };
}

/** What a value of a schema looks like, as one sentence. */
function shapeOf(schema: Schema): string {
  if ('const' in schema) return `${JSON.stringify(schema.const)}.`;
  if (Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)) return 'One of several forms.';
  switch (schema.type) {
    case 'string':
      return textShape(schema);
    case 'integer':
    case 'number':
      return `A ${schema.type === 'integer' ? 'whole number' : 'number'}${rangeOf(schema)}.`;
    case 'boolean':
      return 'true or false.';
    case 'null':
      return 'Nothing.';
    case 'array':
      return 'A list.';
    case 'object':
      return objectShape(schema);
    default:
      return 'Any value.';
  }
}

function textShape({ format, pattern, minLength, maxLength }: Schema): string {
  if (format === 'uri') return 'An address, such as https://example.com.';
  if (format === 'email') return 'An e-mail address.';
  const most = typeof maxLength === 'number' ? ` of at most ${maxLength} characters` : '';
  if (typeof pattern === 'string') return `Text${most} that matches ${pattern}.`;
  return `Text${most}${minLength === undefined ? '' : most === '' ? ' that is not empty' : ', not empty'}.`;
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: Schema): string {
  const [least, most] = [minimum, maximum].map((limit) =>
    typeof limit === 'number' && Math.abs(limit) < largest ? limit : undefined,
  );
  if (typeof exclusiveMinimum === 'number') return ` above ${exclusiveMinimum}`;
  if (least === undefined) return most === undefined ? '' : ` up to ${most}`;
  return most === undefined ? ` from ${least}` : ` from ${least} to ${most}`;
}

function objectShape({ properties }: Schema): string {
  const keys = Object.keys((properties as Schema | undefined) ?? {});
  return keys.length === 0 ? 'A map.' : `A map with ${keys.join(', ')}.`;
}
