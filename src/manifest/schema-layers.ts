import { type Schema, mapInner } from './schema-expressions.ts';

/**
 * Schemas of what stands over a block or is part of one: under `changes:`, beside `use:` and in a template. There no key is
 * required, `!reset` may stand for each value, and `${param:…}` for one of another type.
 */

const reset = { $ref: '#/$defs/reset' };

/** The definitions that these schemas refer to. An editor that knows the tag `!reset` reads its value as text, and none as ''. */
export const layerSchemas: Readonly<Record<string, Schema>> = {
  reset: {
    description: '!reset, which takes out what stands below; in a template also ${param:…} and ${block:key}.',
    type: 'string',
    pattern: String.raw`^$|\$\{(param|block):`,
  },
  'reset-scalar': {
    description: '!reset, alone or before a value; in a template also ${param:…}.',
    type: 'string',
    pattern: String.raw`^(|true|false|-?[0-9.]+)$|\$\{(param|block):`,
  },
  hole: { description: '${param:…} of a template.', type: 'string', pattern: String.raw`\$\{(param|block):` },
};

/** A value of a layer, by the schemas of the value in blocks. */
export function inLayer(...schemas: readonly Schema[]): Schema {
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const alternatives = [...distinct.values()].map((schema) => (holdsMap(schema) ? partial(schema) : schema));
  return { anyOf: [...alternatives, schemas.some(isTyped) ? { $ref: '#/$defs/reset-scalar' } : reset] };
}

/** A value whose own parts are those of a layer already. */
export function orReset(schema: Schema): Schema {
  return { anyOf: [schema, reset] };
}

/** Whether the schema is an alternative with `!reset`: the other one describes it. */
export function isInLayer({ anyOf }: Schema): boolean {
  const last = Array.isArray(anyOf) ? (anyOf.at(-1) as Schema).$ref : undefined;
  return typeof last === 'string' && /^#\/\$defs\/(reset|hole)/.test(last);
}

/** Whether values are numbers, or true and false. */
function isTyped({ type, anyOf }: Schema): boolean {
  if (Array.isArray(anyOf)) return anyOf.some((one: Schema) => isTyped(one));
  return type === 'number' || type === 'integer' || type === 'boolean';
}

function holdsMap(schema: Schema): boolean {
  let holds = schema.type === 'object';
  mapInner(schema, (inner) => {
    holds ||= holdsMap(inner);
    return inner;
  });
  return holds;
}

/** A part of a value: maps merge by key. The items of a list do not merge, so they stay whole. */
function partial(schema: Schema): Schema {
  const { required: _required, minProperties: _least, default: _default, examples: _examples, ...rest } = schema;
  return mapInner(rest, (inner, key) => {
    if (key === 'anyOf' || key === 'oneOf') return holdsMap(inner) ? partial(inner) : inner;
    return key === 'properties' || key === 'additionalProperties' ? inLayer(inner) : inner;
  });
}
