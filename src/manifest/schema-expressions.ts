import type { ExpressionSource } from './sources/source.ts';

/** A piece of JSON Schema. */
export type Schema = { readonly [key: string]: unknown };

/** Lets every scalar that does not take any text be written as an expression too. */
export function withExpressions(schema: Schema, sources: readonly ExpressionSource[]): Schema {
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, descend(key, value, sources)]));
  if (!isNarrowScalar(schema)) return inner;
  const { description, ...rest } = inner;
  return { ...(description === undefined ? {} : { description }), anyOf: [rest, expressionSchema(sources)] };
}

/** Text with an expression in it. Its value is not known before it is evaluated. */
function expressionSchema(sources: readonly ExpressionSource[]): Schema {
  return { type: 'string', pattern: `\\$\\{(${sources.map(({ name }) => name).join('|')}):` };
}

function descend(key: string, value: unknown, sources: readonly ExpressionSource[]): unknown {
  if (key === 'properties') {
    return Object.fromEntries(
      Object.entries(value as Schema).map(([name, item]) => [name, withExpressions(item as Schema, sources)]),
    );
  }
  if (key === 'anyOf' || key === 'oneOf' || key === 'allOf' || key === 'prefixItems') {
    return (value as readonly Schema[]).map((item) => withExpressions(item, sources));
  }
  const isSchema = (key === 'items' || key === 'additionalProperties') && typeof value === 'object' && value !== null;
  return isSchema ? withExpressions(value as Schema, sources) : value;
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
