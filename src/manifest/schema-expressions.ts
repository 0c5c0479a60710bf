/** A piece of JSON Schema. */
export type Schema = { readonly [key: string]: unknown };

/** Text with an expression of Trueup in it, whose value nobody knows before it is evaluated. */
const expressionSchema: Schema = { type: 'string', pattern: String.raw`\$\{(env|var|file|secret|ref):` };

/** Lets every scalar that not just any text fits be written as an expression too. */
export function withExpressions(schema: Schema): Schema {
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, descend(key, value)]));
  if (!isNarrowScalar(schema)) return inner;
  const { description, ...rest } = inner;
  return { ...(description === undefined ? {} : { description }), anyOf: [rest, expressionSchema] };
}

function descend(key: string, value: unknown): unknown {
  if (key === 'properties') {
    return Object.fromEntries(
      Object.entries(value as Schema).map(([name, item]) => [name, withExpressions(item as Schema)]),
    );
  }
  if (key === 'anyOf' || key === 'oneOf' || key === 'allOf' || key === 'prefixItems') {
    return (value as readonly Schema[]).map(withExpressions);
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
