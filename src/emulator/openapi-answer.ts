import { type Operation, endpointOf, extendedContracts } from '../api/contract.ts';
import { type Schema, inputSchema, membersOf } from '../api/members.ts';
import type { Names } from '../api/translate.ts';
import { keptIn, onceFor } from '../api/once.ts';
import { schemaInWords } from '../api/openapi.ts';
import type { Json, Row } from './json-rows.ts';

/** The operation that answers what the platform serves, as an OpenAPI document. */
export const publishedDocument = 'settings.getOpenApiDocument';

/** The operation that answers the version of the platform. */
const publishedVersion = 'settings.getDokployVersion';

/** The version of the platform that the emulator imitates. */
const version = 'v0.30.2';

/**
 * What a platform publishes about itself, by operation.
 *
 * @param served the operations that it serves, by their names in Trueup
 */
export function publish(served: () => readonly string[], names: Names | undefined): ReadonlyMap<string, () => Json> {
  return new Map<string, () => Json>([
    [publishedVersion, () => version],
    [publishedDocument, () => documentOf([...served(), publishedDocument, publishedVersion], names)],
  ]);
}

/** The documents that were made in the words of a profile, by the operations in them. */
const documentsIn = onceFor((_words: object) => new Map<string, Json>());
const wordsOfDokploy = {};

/** The document of a platform, made once for all that serve the same. */
function documentOf(served: readonly string[], names: Names | undefined): Json {
  return keptIn(documentsIn(names ?? wordsOfDokploy), served.join(), () => describe(served, names));
}

/** The form of the real document: paths below `/api`, members in the words of the platform, answers not described. */
function describe(served: readonly string[], names: Names | undefined): Json {
  const operations = [...extendedContracts.standard.operations.keys()].filter((name) =>
    served.includes(name),
  ) as Operation[];
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
  const schema = (given: Schema, member?: string): Json => schemaInWords(given, names, member) as Json; // as plain data
  const parameters = () =>
    membersOf(operation).map(({ name, isRequired, schema: given }): Row => {
      return { in: 'query', name: names?.member(name) ?? name, required: isRequired, schema: schema(given, name) };
    });
  const body = () => ({ required: true, content: { 'application/json': { schema: schema(inputSchema(operation)) } } });
  return {
    [method.toLowerCase()]: {
      operationId: path.replace('.', '-'),
      tags: [group],
      security: [{ apiKey: [] }],
      ...(method === 'GET' ? { parameters: parameters() } : { parameters: [], requestBody: body() }),
      responses: { '200': { description: 'Successful response', content: { 'application/json': { schema: {} } } } },
    },
  };
}
