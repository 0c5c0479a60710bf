import type { Operation } from '../api/contract.ts';
import { endpointOf, extendedContract } from '../api/contract.ts';
import type { Schema } from '../api/members.ts';
import { inputSchema, membersOf } from '../api/members.ts';
import type { Names } from '../api/names.ts';
import type { Json, Row } from './json.ts';

/** The operation that answers what the platform serves, as an OpenAPI document. */
export const publishedDocument = 'settings.getOpenApiDocument';

/** The operation that answers the version of the platform. */
const publishedVersion = 'settings.getDokployVersion';

/** The version of the platform that the emulator imitates. */
const version = 'v0.30.2';

/**
 * What a platform publishes about itself, by operation.
 *
 * @param served the operations that it serves, by their names in the API document
 */
export function publish(served: () => readonly string[], names: Names | undefined): ReadonlyMap<string, () => Json> {
  return new Map<string, () => Json>([
    [publishedVersion, () => version],
    [publishedDocument, () => describe([...served(), publishedDocument, publishedVersion], names)],
  ]);
}

/** The form of the real document: paths below `/api`, members in the words of the platform, answers not described. */
function describe(served: readonly string[], names: Names | undefined): Json {
  const operations = [...extendedContract.operations.keys()].filter((name) => served.includes(name)) as Operation[];
  const paths = operations.map((operation): [string, Json] => {
    const path = names?.operation(operation) ?? operation;
    return [`/${path}`, pathItem(operation, path, names)];
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Dokploy API', description: 'Endpoints for dokploy', version },
    servers: [{ url: '/api' }],
    paths: Object.fromEntries(paths),
    components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } } },
  };
}

function pathItem(operation: Operation, path: string, names: Names | undefined): Json {
  const { method } = endpointOf(operation);
  const [group = ''] = path.split('.');
  const schema = (given: Schema, member = ''): Json => inWords(given as Json, names, member); // it holds nothing but JSON
  const parameters = membersOf(operation).map(({ name, isRequired, schema: given }): Row => {
    return { in: 'query', name: names?.member(name) ?? name, required: isRequired, schema: schema(given, name) };
  });
  const body = { required: true, content: { 'application/json': { schema: schema(inputSchema(operation)) } } };
  return {
    [method.toLowerCase()]: {
      operationId: path.replace('.', '-'),
      tags: [group],
      security: [{ apiKey: [] }],
      ...(method === 'GET' ? { parameters } : { parameters: [], requestBody: body }),
      responses: { '200': { description: 'Successful response', content: { 'application/json': { schema: {} } } } },
    },
  };
}

/** A JSON Schema in the words of a profile: names of properties, and values of the members that hold them. */
function inWords(schema: Json, names: Names | undefined, member: string): Json {
  if (names === undefined || typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((item) => inWords(item, names, member));
  const value = (one: Json): Json => (typeof one === 'string' ? names.value(member, one) : one);
  return Object.fromEntries(
    Object.entries(schema).map(([key, inner]): [string, Json] => {
      if (key === 'required' && Array.isArray(inner)) return [key, inner.map((name) => names.member(String(name)))];
      if (key === 'enum' && Array.isArray(inner)) return [key, inner.map(value)];
      if (key === 'default' || key === 'const') return [key, value(inner)];
      if (key !== 'properties' || typeof inner !== 'object' || inner === null || Array.isArray(inner))
        return [key, inWords(inner, names, member)];
      const properties = Object.entries(inner).map(([name, one]): [string, Json] => {
        return [names.member(name), inWords(one, names, name)];
      });
      return [key, Object.fromEntries(properties)];
    }),
  );
}
