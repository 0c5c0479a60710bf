import * as z from 'zod';
import type { Unit } from '../../src/formats/units.ts';
import { units } from '../../src/formats/units.ts';
import { code } from './markdown.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** What a value may be, in words of a page: its type, its limits, and the rules that only the schema itself knows. */
export function schemaWords(schema: z.ZodType): string {
  const rules = rulesOf(schema);
  const { $schema: _, ...form } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const otherwise = form.default === undefined ? [] : [`${code(JSON.stringify(form.default))} when left out`];
  return [words(form, rules), ...rules, ...otherwise].join('; ');
}

function words(schema: Schema, rules: readonly string[] = []): string {
  const { anyOf, type } = schema;
  if (anyOf !== undefined) return anyOf.map((item) => words(item, rules)).join(' or ');
  if (Array.isArray(type)) return type.map((item) => words({ ...schema, type: item }, rules)).join(' or ');
  if (schema.enum !== undefined) {
    const listed = schema.enum.map((word) => code(String(word))).join(', ');
    return schema.enum.length === 1 ? listed : `one of ${listed}`;
  }
  switch (type) {
    case 'string':
      return textWords(schema, rules);
    case 'number':
      return `number${range(schema)}`;
    case 'integer':
      return `whole number${range(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return '`null`';
    case 'array':
      return `list of ${isSchema(schema.items) ? words(schema.items) : 'any values'}`;
    case 'object':
      return objectWords(schema);
    case undefined:
      return 'any JSON value';
    default:
      return type satisfies never;
  }
}

function textWords(schema: Schema, rules: readonly string[]): string {
  const { format, pattern, minLength = 0, maxLength } = schema;
  const unit = Object.values<Unit>(units).find((one) => pattern?.includes(one.pattern) === true);
  if (unit !== undefined) return `${unit.isText ? `${unit.plural}, or ` : ''}amount such as ${code(unit.example)}`;
  if (format === 'uri') return 'URL';
  if (format === 'email') return 'e-mail address';
  if (format === 'starts_with') return `text that begins with ${code((pattern ?? '').replaceAll(/^\^|\.\*$|\\/g, ''))}`;
  const limits = [
    ...(maxLength === undefined ? [] : [`${minLength > 0 ? `${minLength} to` : 'at most'} ${maxLength} characters`]),
    // What a rule tells in words needs no second word, and no pattern.
    ...(maxLength === undefined && minLength > 0 && !rules.some((text) => text.includes('empty')) ? ['not empty'] : []),
    ...(pattern === undefined || rules.length > 0 ? [] : [`matching ${code(pattern)}`]),
  ];
  return limits.length === 0 ? 'text' : `text (${limits.join(', ')})`;
}

function objectWords(schema: Schema): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const members = Object.entries(properties).map(([name, member]) => {
    const star = required.includes(name) ? '\\*' : '';
    return `${code(name)}${star} ${isSchema(member) ? words(member) : 'anything'}`;
  });
  if (members.length > 0) return `map { ${members.join(', ')} }`;
  if (!isSchema(additionalProperties)) return 'empty map';
  const isText = additionalProperties.type === 'string';
  return isText ? 'map of text' : 'map of any JSON values';
}

function range({ minimum, maximum }: Schema): string {
  const [least, most] = [minimum, maximum].map((limit) =>
    limit === undefined || Math.abs(limit) >= Number.MAX_SAFE_INTEGER ? undefined : limit,
  );
  if (least === undefined) return '';
  return most === undefined ? ` from ${least}` : ` from ${least} to ${most}`;
}

/** What the checks of a schema say for themselves: their messages, turned from a refusal into a rule. */
function rulesOf(schema: z.ZodType): string[] {
  const { checks = [], innerType } = schema.def as z.core.$ZodTypeDef & { readonly innerType?: z.ZodType };
  const own = checks.flatMap((check) => {
    // Messages of this project are texts, which a check hands out whatever the issue is.
    const told = check._zod.def.error as ((issue: object) => unknown) | undefined;
    const message = told?.({});
    // That it is required is said elsewhere.
    return typeof message !== 'string' || message.startsWith('is required') ? [] : [rule(message)];
  });
  return innerType === undefined ? own : [...rulesOf(innerType), ...own];
}

function rule(message: string): string {
  return message.replace(/^is (not a|no) /, 'a ').replace(/^is /, '');
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
