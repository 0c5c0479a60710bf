import type { ExpressionSource } from './sources/source.ts';

/** A piece of JSON Schema. */
export type Schema = { readonly [key: string]: unknown };

/** Lets every scalar that does not take any text be written as an expression too. */
export function withExpressions(schema: Schema): Schema {
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, descend(key, value)]));
  if (!isNarrowScalar(schema)) return inner;
  const { description, ...rest } = inner;
  return { ...(description === undefined ? {} : { description }), anyOf: [rest, { $ref: '#/$defs/expression' }] };
}

/** The definition `expression`: text with an expression in it, whose value is not known before it is evaluated. */
export function expressionSchema(sources: readonly ExpressionSource[]): Schema {
  const forms = sources.map(({ name }) => `\${${name}:…}`).join(', ');
  return {
    description: `Text with an expression: ${forms}.`,
    type: 'string',
    pattern: `\\$\\{(${sources.map(({ name }) => name).join('|')}):`,
  };
}

function descend(key: string, value: unknown): unknown {
  if (key === 'properties') {
    return Object.fromEntries(
      Object.entries(value as Schema).map(([name, item]) => [name, withExpressions(item as Schema)]),
    );
  }
  if (key === 'anyOf' || key === 'oneOf' || key === 'allOf' || key === 'prefixItems') {
    return (value as readonly Schema[]).map((item) => withExpressions(item));
  }
  const isSchema = (key === 'items' || key === 'additionalProperties') && typeof value === 'object' && value !== null;
  return isSchema ? withExpressions(value as Schema) : value;
}

/** Text of any form takes an expression by itself. */
function isNarrowScalar(schema: Schema): boolean {
  switch (schema.type) {
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
