import * as z from 'zod';
import { type Operation, endpointOf, requiredMembers } from './contract.ts';
import type { Endpoint } from './endpoint.ts';
import { onceFor } from './once.ts';

/** A schema of JSON Schema, draft 2020-12. */
export type Schema = z.core.JSONSchema.BaseSchema;

/** One member of the input of an operation, with its JSON Schema. */
export interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
  /** The JSON types it takes; empty when it takes any value. */
  readonly types: readonly string[];
}

/** Every member that an operation takes, in the order of the contract. Never throws. */
export function membersOf(operation: Operation): readonly Member[] {
  const required = requiredMembers(operation);
  return Object.entries(inputSchema(operation).properties ?? {}).map(([name, schema]) => {
    if (typeof schema === 'boolean') throw new Error(`${operation} has no schema for ${name}`);
    return { name, isRequired: required.includes(name), schema, types: typesOf(schema) };
  });
}

/** Whether an operation takes members that the API document does not show. Never throws. */
export function isOpenEnded(operation: Operation): boolean {
  return inputSchema(operation).additionalProperties !== false;
}

/** The input of an operation, as JSON Schema: the same object each time. Never throws. */
export function inputSchema(operation: Operation): Schema {
  return schemaOf(endpointOf(operation));
}

const schemaOf = onceFor((endpoint: Endpoint): Schema => {
  const { $schema: _, ...schema } = z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' });
  return schema;
});

function typesOf({ type, anyOf = [] }: Schema): string[] {
  return [type ?? [], anyOf.map(typesOf)].flat(2);
}
