import type { Json } from '../formats/json.ts';
import { consequenceOf } from './consequences.ts';
import { contract, endpointOf, type Operation } from './contract.ts';
import type { AnswerBody } from './endpoint.ts';
import { inputSchema, type Member, membersOf, type Schema } from './members.ts';
import type { Names } from './translate.ts';

type Content = { readonly [member: string]: Json };

/** Where a platform of Trueup's own, the emulator, serves the description. */
export const openApiPath = '/api/openapi.json';

/**
 * The whole contract as an OpenAPI 3.1 description. Never throws.
 *
 * @param server the address of the platform, without /api
 * @param names the words of the platform, unless it speaks those of the API document
 */
export function openApi({
  server = '/',
  names,
}: { readonly server?: string; readonly names?: Names | undefined } = {}): Content {
  const operations = Object.keys(contract) as Operation[]; // the keys of the contract are its operations
  const pathOf = (operation: Operation): string => names?.operation(operation) ?? operation;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Deployment Platform Management API',
      version: '1.0.0',
      description: 'The platform tells no version; this one is that of the description.',
    },
    servers: [{ url: server }],
    security: [{ apiKey: [] }],
    tags: [...new Set(operations.map((operation) => groupOf(pathOf(operation))))].map((name) => ({ name })),
    paths: Object.fromEntries(
      operations.map((operation) => [`/api/${pathOf(operation)}`, pathItem(operation, pathOf(operation), names)]),
    ),
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      schemas: { Error: errorSchema },
      responses: Object.fromEntries(
        Object.entries(failures).map(([status, about]) => [status, failure(status, about)]),
      ),
    },
  };
}

function groupOf(path: string): string {
  return path.split('.')[0] ?? '';
}

function pathItem(operation: Operation, path: string, names: Names | undefined): Content {
  const { method, answer } = endpointOf(operation);
  const asked = consequenceOf(operation, {});
  const statuses = Object.keys(failures).filter((status) => method === 'POST' || !ofBodies.includes(status));
  return {
    [method.toLowerCase()]: {
      operationId: path,
      tags: [groupOf(path)],
      ...(asked === undefined ? {} : { description: `Not undone by any other call: ${asked}.` }),
      ...(method === 'GET'
        ? { parameters: membersOf(operation).map((member) => parameter(member, names)) }
        : { requestBody: body(operation, names) }),
      responses: {
        200: success(answer),
        ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
      },
    },
  };
}

function parameter({ name, isRequired, schema }: Member, names: Names | undefined): Content {
  return {
    name: names?.member(name) ?? name,
    in: 'query',
    required: isRequired,
    schema: schemaInWords(schema, names, name),
  };
}

/** Also an operation without members takes `{}`: without a body and its type, the platform answers 415. */
function body(operation: Operation, names: Names | undefined): Content {
  const schema = schemaInWords(inputSchema(operation), names);
  return { required: true, content: { 'application/json': { schema } } };
}

function success(answer: AnswerBody): Content {
  const schema = answerSchemas[answer];
  const description = { description: answer.includes('nothing') ? `Done. Answers ${answer}.` : 'Done.' };
  return schema === undefined ? description : { ...description, content: { 'application/json': { schema } } };
}

/** The API document leaves the members of answers open. */
const answerSchemas: Readonly<Record<AnswerBody, Content | undefined>> = {
  object: { type: 'object' },
  array: { type: 'array', items: {} },
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  number: { type: 'number' },
  null: { type: 'null' },
  nothing: undefined,
  'object or nothing': { type: 'object' },
  'array or nothing': { type: 'array', items: {} },
  'false or nothing': { const: false },
};

const failures: Readonly<Record<string, string>> = {
  400: 'The input is not valid; `issues` says where. Some operations answer any failure so.',
  401: 'The API key is missing, wrong, expired or out of requests, or may not do this.',
  403: 'The API key may not do this.',
  404: 'There is no such object, or no such operation.',
  409: 'A name or a port is taken.',
  413: 'The body is longer than 1 MiB.',
  415: 'The body is not application/json.',
  429: 'Too many requests.',
  500: 'The platform failed.',
};

/** Failures that only a request with a body can have. */
const ofBodies: readonly string[] = ['413', '415'];

function failure(status: string, description: string): Content {
  if (status === '413') return { description, content: { 'text/plain': { schema: { type: 'string' } } } };
  return { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } };
}

/** Only the message is always there: a request without a key gets nothing else. */
const errorSchema: Content = {
  type: 'object',
  required: ['message'],
  properties: {
    message: { type: 'string' },
    code: { type: 'string', description: 'Such as BAD_REQUEST.' },
    issues: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          code: { type: 'string' },
          path: { type: 'array', items: { type: ['string', 'number'] } },
          message: { type: 'string' },
        },
      },
    },
    data: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        httpStatus: { type: 'integer' },
        path: { type: 'string', description: 'The operation; left out when there is none of this name.' },
        zodError: { type: ['object', 'null'] },
      },
    },
  },
};

/**
 * A JSON Schema of an input in the words of a platform: names of properties, and values of the members that hold them.
 * Never throws.
 *
 * @param member the member that the schema is of, if it is of one
 */
export function schemaInWords(schema: Schema, names: Names | undefined, member = ''): Json {
  return inWords(schema as Json, names, member); // made from the contract, it holds nothing but JSON
}

function inWords(schema: Json, names: Names | undefined, member: string): Json {
  if (names === undefined || typeof schema !== 'object' || schema === null) return schema;
  if (isList(schema)) return schema.map((item) => inWords(item, names, member));
  const value = (one: Json): Json => (typeof one === 'string' ? names.value(member, one) : one);
  return Object.fromEntries(
    Object.entries(schema).map(([key, inner]): [string, Json] => {
      if (key === 'required' && isList(inner)) return [key, inner.map((name) => names.member(String(name)))];
      if (key === 'enum' && isList(inner)) return [key, inner.map(value)];
      if (key === 'default' || key === 'const') return [key, value(inner)];
      if (key !== 'properties' || typeof inner !== 'object' || inner === null || isList(inner))
        return [key, inWords(inner, names, member)];
      const properties = Object.entries(inner).map(([name, one]): [string, Json] => {
        return [names.member(name), inWords(one, names, name)];
      });
      return [key, Object.fromEntries(properties)];
    }),
  );
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
