import { fieldAlias } from '../kind/aliases.ts';
import type { Schema } from './schema-expressions.ts';

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
    const about = {
      description,
      ...(otherwise === undefined ? {} : { default: otherwise }),
      ...(examples === undefined ? {} : { examples }),
    };
    return described({ ...about, anyOf: type.map((one: unknown) => ({ type: one, ...limits })) });
  }
  const isKnown = typeof format === 'string' && knownFormats.includes(format);
  const kept = { ...(type === undefined ? {} : { type }), ...(isKnown ? { format } : {}), ...rest };
  return {
    description: description ?? shapeOf(schema),
    ...Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, below(key, value)])),
  };
}

function below(key: string, value: unknown): unknown {
  if (key === 'properties' || key === 'patternProperties' || key === '$defs') {
    return Object.fromEntries(Object.entries(value as Schema).map(([name, item]) => [name, described(item as Schema)]));
  }
  if (Array.isArray(value) && ['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(key)) {
    return value.map((item: Schema) => described(item));
  }
  const isSchema = ['items', 'additionalProperties', 'propertyNames'].includes(key) && typeof value === 'object';
  return isSchema ? described(value as Schema) : value;
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
  return {
    ...rest,
    ...(Array.isArray(listed) ? { enum: both(listed as readonly string[]) } : {}),
    ...(choices === undefined ? {} : { anyOf: choices }),
    ...(items === undefined ? {} : { items: inner(items as Schema) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            members.flatMap(([key, item]) => [key, fieldAlias(key) ?? []].flat().map((name) => [name, item])),
          ),
        }),
    ...(Array.isArray(required) ? { required: required.filter((name: string) => fieldAlias(name) === undefined) } : {}),
  };
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
