import { defined } from '../formats/json.ts';
import { expressionSources } from './sources/all.ts';

/** A piece of JSON Schema. */
export type Schema = { readonly [key: string]: unknown };

/** The one schema where a condition holds, and the other where it does not. */
export function choice(condition: Schema, holds: Schema, otherwise?: Schema): Schema {
  const entries = [['if', condition], ['then', holds], ...(otherwise === undefined ? [] : [['else', otherwise]])];
  return Object.fromEntries(entries) as Schema;
}

/** A schema with another one in place of each schema that stands in it; `key`: where it stands. */
export function mapInner(schema: Schema, inner: (schema: Schema, key: string) => Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      const one = (item: unknown) => inner(item as Schema, key);
      if (key === 'properties' || key === 'patternProperties' || key === '$defs')
        return [key, Object.fromEntries(Object.entries(value as Schema).map(([name, item]) => [name, one(item)]))];
      if (Array.isArray(value) && ['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(key))
        return [key, value.map(one)];
      const isSchema = ['items', 'additionalProperties', 'propertyNames'].includes(key) && typeof value === 'object';
      return [key, isSchema ? one(value) : value];
    }),
  );
}

/**
 * Lets every scalar that does not take any text, and every list of texts, be written as an expression too; unless the value `takesSecrets`, no text in
 * it has a `${secret:…}`.
 */
export function withExpressions(schema: Schema, takesSecrets: boolean): Schema {
  // The keys of a map are no values.
  const content = mapInner(schema, (inner, key) =>
    key === 'propertyNames' ? inner : withExpressions(inner, takesSecrets),
  );
  const own = takesSecrets ? content : withoutSecrets(content);
  if (!isNarrow(schema)) return own;
  const { description, ...rest } = own;
  const expression = { $ref: takesSecrets ? '#/$defs/secret' : '#/$defs/expression' };
  return defined({ description, anyOf: [rest, expression] });
}

/** A text that holds no `${secret:…}`; any other schema as it is. */
export function withoutSecrets(schema: Schema): Schema {
  const { type, minLength, description, ...limits } = schema;
  if (type !== 'string' || 'const' in limits || 'enum' in limits) return schema;
  const isPlain = Object.keys(limits).length === 0 && (minLength === undefined || minLength === 1);
  if (!isPlain) return { ...schema, allOf: [{ $ref: '#/$defs/text' }] };
  return defined({ description, $ref: minLength === undefined ? '#/$defs/text' : '#/$defs/filled' });
}

/**
 * The definitions that the schemas of fields refer to. `expression`: text with an expression in it, whose value is not known
 * before it is evaluated; `secret`: the same where it may be a secret; `text`: any other text than a secret; `filled`: the same,
 * and not empty.
 */
export function expressionSchemas(): Record<string, Schema> {
  const about = (names: readonly string[]) => ({
    description: `Text with an expression: ${names.map((name) => `\${${name}:…}`).join(', ')}.`,
    type: 'string',
    pattern: `\\$\\{(${names.join('|')}):`,
  });
  const names = expressionSources.map(({ name }) => name);
  const text = {
    description:
      'Text without ${secret:…}: plans show this value, or objects are found by it. Write ${var:NAME}, and set TRUEUP_VAR_NAME.',
    type: 'string',
    pattern: String.raw`^[^$]*(?:(?:\$\$\{secret:|\$(?!\$?\{secret:))[^$]*)*$`,
  };
  return {
    text,
    filled: { ...text, minLength: 1 },
    expression: { ...about(names.filter((name) => name !== 'secret')), allOf: [{ $ref: '#/$defs/text' }] },
    secret: about(names),
  };
}

/** Text of any form takes an expression by itself; a list of texts may be the value of a variable. */
function isNarrow(schema: Schema): boolean {
  switch (schema.type) {
    case 'array':
      return isText(schema.items as Schema | undefined);
    case 'number':
    case 'integer':
    case 'boolean':
      return true;
    case 'string':
      return ['pattern', 'format', 'enum', 'const', 'maxLength', 'allOf'].some((key) => key in schema);
    default:
      return schema.type === undefined && ('enum' in schema || 'const' in schema);
  }
}

function isText(schema: Schema | undefined): boolean {
  return schema?.type === 'string' || schema?.$ref === '#/$defs/text' || schema?.$ref === '#/$defs/filled';
}
