import { type AnswerBody, answerBodyOf } from './answers.ts';
import { consequenceOf } from './consequences.ts';
import { contract, endpointOf, type Operation } from './contract.ts';
import { inputSchema, membersOf, type Schema } from './members.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };
type Content = { readonly [member: string]: Json };

/** Where a platform of Trueup's own, the emulator, serves the description. */
export const openApiPath = '/api/openapi.json';

/** The whole contract as an OpenAPI 3.1 description; `server` is the address of the platform, without /api. Never throws. */
export function openApi({ server = '/' }: { readonly server?: string } = {}): Content {
  const operations = Object.keys(contract) as Operation[]; // the keys of the contract are its operations
  return {
    openapi: '3.1.0',
    info: {
      title: 'Deployment Platform Management API',
      version: '1.0.0',
      description: 'The platform tells no version; this one is that of the description.',
    },
    servers: [{ url: server }],
    security: [{ apiKey: [] }],
    tags: [...new Set(operations.map(groupOf))].map((name) => ({ name })),
    paths: Object.fromEntries(operations.map((operation) => [`/api/${operation}`, pathItem(operation)])),
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      schemas: { Error: errorSchema },
      responses: Object.fromEntries(
        Object.entries(failures).map(([status, about]) => [status, failure(status, about)]),
      ),
    },
  };
}

function groupOf(operation: Operation): string {
  return operation.split('.')[0] ?? '';
}

function pathItem(operation: Operation): Content {
  const { method } = endpointOf(operation);
  const asked = consequenceOf(operation, {});
  const statuses = Object.keys(failures).filter((status) => method === 'POST' || !ofBodies.includes(status));
  return {
    [method.toLowerCase()]: {
      operationId: operation,
      tags: [groupOf(operation)],
      ...(asked === undefined ? {} : { description: `Not undone by any other call: ${asked}.` }),
      ...(method === 'GET' ? { parameters: membersOf(operation).map(parameter) } : { requestBody: body(operation) }),
      responses: {
        200: success(answerBodyOf(operation)),
        ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
      },
    },
  };
}

function parameter({ name, isRequired, schema }: ReturnType<typeof membersOf>[number]): Content {
  return { name, in: 'query', required: isRequired, schema: asJson(schema) };
}

/** Also an operation without members takes `{}`: without a body and its type, the platform answers 415. */
function body(operation: Operation): Content {
  return { required: true, content: { 'application/json': { schema: asJson(inputSchema(operation)) } } };
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

function asJson(schema: Schema): Content {
  return schema as Content; // a JSON Schema that was made from the contract holds nothing but JSON
}
