import * as z from 'zod';
import { ApiError } from './error-answers.ts';
import type { Json, Row } from './json-rows.ts';
import type { Route } from './served.ts';

/** Checks an input by the contract. Members it does not know are dropped without a word, as the platform does. */
export function validate(route: Route, input: Row, isStrict: boolean): Row {
  const schema = isStrict ? route.endpoint.input : lenient(route);
  const result = schema.safeParse(input);
  if (result.success) return result.data as Row;
  throw new ApiError('BAD_REQUEST', 'Input validation failed', result.error.issues as unknown as Json[]);
}

/** The messages of a validation by member, as the platform adds them to the answer. */
export function zodErrorOf(issues: readonly Json[]): Json {
  if (issues.length === 0) return null;
  return z.flattenError(new z.ZodError(issues as unknown as z.core.$ZodIssue[]));
}

/** Reads a query: an empty value counts as missing, a repeated one is a list, and numbers are read where they belong. */
export function readQuery(route: Route, query: string): Row {
  const parameters = new URLSearchParams(query);
  const input: Row = {};
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name).map((value) => (takesNumber(route, name) ? numberIn(value) : value));
    const [value = ''] = values;
    if (values.length > 1) input[name] = values;
    else if (value !== '') input[name] = value;
  }
  return input;
}

const lenientSchemas = new Map<string, z.ZodObject>();

function lenient(route: Route): z.ZodObject {
  const known = lenientSchemas.get(route.name);
  if (known !== undefined) return known;
  const schema = route.endpoint.input.strip();
  lenientSchemas.set(route.name, schema);
  return schema;
}

function takesNumber(route: Route, member: string): boolean {
  const shape: Record<string, z.core.$ZodType> = route.endpoint.input.shape;
  let schema = Object.hasOwn(shape, member) ? shape[member] : undefined;
  while (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    schema = schema.def.innerType;
  return schema instanceof z.ZodNumber;
}

function numberIn(value: string): string | number {
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}
