import { readdirSync, readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { contract, contracts, endpointOf, isOperation } from '../../src/api/contract.ts';
import type { AnswerBody } from '../../src/api/endpoint.ts';
import { inputSchema, membersOf } from '../../src/api/members.ts';
import { openApi, openApiPath } from '../../src/api/openapi.ts';
import type { Names } from '../../src/api/translate.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly parameters?: readonly { readonly name: string; readonly required: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: z.core.JSONSchema.JSONSchema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

/** The API document in machine form. */
interface Documented {
  readonly endpoints: readonly {
    readonly group: string;
    readonly operation: string;
    readonly method: string;
    readonly openEnded: boolean;
    readonly fields: readonly { readonly name: string; readonly required: boolean; readonly default?: unknown }[];
  }[];
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly tags: readonly { readonly name: string }[];
  readonly security: unknown;
}

/** A copy as plain JSON, to look into and to break. */
const written = (words?: Names) =>
  JSON.parse(JSON.stringify(openApi({ names: words }))) as Description & Record<string, unknown>;
const described = Object.entries(written().paths);
const operations = Object.keys(contract).filter(isOperation);

describe('the description of the API', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(written())).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it.each([
    ['a path without its slash', { paths: { 'api/compose.one': {} } }],
    ['a response without a description', { paths: { '/x': { get: { responses: { 200: {} } } } } }],
    ['a parameter that is nowhere', { paths: { '/x': { get: { parameters: [{ name: 'a', schema: {} }] } } } }],
    [
      'a reference to nothing',
      { paths: { '/x': { get: { responses: { 200: { $ref: '#/components/responses/999' } } } } } },
    ],
    ['no information', { info: undefined }],
    ['a word that OpenAPI does not have', { tag: [] }],
  ])('would not be valid with %s', async (_what, broken) => {
    const description = JSON.parse(JSON.stringify({ ...written(), ...broken })) as Record<string, unknown>;
    expect((await new Validator().validate(description)).valid).toBe(false);
  });

  it('has every operation once, in its group, behind the key', () => {
    const methods = described.flatMap(([path, item]) =>
      Object.entries(item).map(([method, one]) => ({ path, method, one })),
    );
    expect(methods).toHaveLength(192);
    expect(new Set(methods.map(({ one }) => one.operationId))).toEqual(new Set(operations));
    for (const { path, method, one } of methods) {
      expect(path).toBe(`/api/${one.operationId}`);
      expect(one.tags).toEqual([one.operationId.split('.')[0]]);
      expect(isOperation(one.operationId) && endpointOf(one.operationId).method).toBe(method.toUpperCase());
    }
    expect(written().tags).toHaveLength(20);
    expect(written().security).toEqual([{ apiKey: [] }]);
    expect(written().components['securitySchemes']).toEqual({
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
    });
  });

  it('puts members into the query of a GET and into the body of a POST', () => {
    const { paths } = written();
    let count = 0;
    for (const operation of operations) {
      const members = membersOf(operation);
      count += members.length;
      const { parameters, requestBody } = Object.values(paths[`/api/${operation}`] ?? {})[0] ?? {};
      if (endpointOf(operation).method === 'GET') {
        expect(requestBody).toBeUndefined();
        expect(parameters?.map(({ name, required }) => ({ name, required }))).toEqual(
          members.map(({ name, isRequired }) => ({ name, required: isRequired })),
        );
      } else {
        expect(parameters).toBeUndefined();
        expect(requestBody).toMatchObject({
          required: true,
          content: { 'application/json': { schema: { type: 'object' } } },
        });
      }
    }
    expect(count).toBe(745);
  });

  it('has the method and every documented member of each operation, the required ones as such', () => {
    const { endpoints } = JSON.parse(
      readFileSync(new URL('../fixtures/contract.json', import.meta.url), 'utf8'),
    ) as Documented;
    expect(endpoints).toHaveLength(192);
    const { paths } = written(contracts.standard.names);
    for (const { group, operation, method, openEnded, fields } of endpoints) {
      const { parameters, requestBody } =
        paths[`/api/${group}.${operation}`]?.[method.toLowerCase()] ?? ({} as Partial<Described>);
      const {
        properties = {},
        required = [],
        additionalProperties,
      } = requestBody?.content['application/json']?.schema ?? {};
      const members = parameters?.map(({ name, required: isRequired }): [string, boolean] => [name, isRequired]);
      const shown =
        members ?? Object.keys(properties).map((name): [string, boolean] => [name, required.includes(name)]);
      // A default makes a member optional, whatever the document calls it.
      const expected = fields.map((field) => [field.name, field.required && field.default === undefined] as const);
      expect([operation, Object.fromEntries(shown)]).toEqual([operation, Object.fromEntries(expected)]);
      if (method === 'POST') expect([operation, additionalProperties]).toEqual([operation, openEnded ? {} : false]);
    }
  });

  it('states the answer of an operation, its limits, and its consequences', () => {
    const { paths } = written();
    const answerOf = (operation: string, method: string) => paths[`/api/${operation}`]?.[method]?.responses['200'];
    expect(answerOf('sshKey.all', 'get')).toMatchObject({
      content: { 'application/json': { schema: { type: 'array' } } },
    });
    expect(answerOf('compose.update', 'post')).toMatchObject({ description: 'Done. Answers object or nothing.' });
    expect(paths['/api/user.createApiKey']?.['post']?.requestBody).toMatchObject({
      content: { 'application/json': { schema: { properties: { name: { minLength: 1, maxLength: 32 } } } } },
    });
    expect(paths['/api/postgres.search']?.['get']?.parameters).toContainEqual(
      expect.objectContaining({ name: 'limit', schema: { type: 'number', minimum: 1, maximum: 100, default: 20 } }),
    );
    expect(paths['/api/postgres.rebuild']?.['post']?.description).toMatch(
      /^Not undone by any other call: its volumes are deleted/,
    );
  });

  it('has input schemas that accept and refuse the same inputs as the contract', () => {
    const accepts = (operation: (typeof operations)[number], input: object): boolean => {
      const own = z.fromJSONSchema(JSON.parse(JSON.stringify(inputSchema(operation)))).safeParse(input).success;
      expect([operation, input, own]).toEqual([operation, input, endpointOf(operation).input.safeParse(input).success]);
      return own;
    };
    expect(accepts('compose.create', { name: 'a', environmentId: 'b', composeType: 'stack' })).toBe(true);
    expect(accepts('compose.create', { name: '', environmentId: 'b' })).toBe(false);
    expect(accepts('compose.create', { name: 'a', environmentId: 'b', composeType: 'pod' })).toBe(false);
    expect(accepts('compose.create', { name: 'a', environmentId: 'b', colour: 'red' })).toBe(false);
    expect(accepts('application.markRunning', { applicationId: 'a', colour: 'red' })).toBe(true);
    expect(accepts('redis.update', { redisId: 'a', externalPort: null })).toBe(true);
    expect(accepts('redis.update', { redisId: 'a', externalPort: '80' })).toBe(false);
    expect(accepts('redis.update', { redisId: 'a', ulimitsSwarm: [{ Name: 'n', Soft: -1, Hard: -2 }] })).toBe(false);
    expect(accepts('postgres.changePassword', { postgresId: 'a', password: 'with $' })).toBe(false);
    expect(accepts('ai.create', { name: 'a', apiUrl: 'no address', apiKey: '', model: 'm', isEnabled: true })).toBe(
      false,
    );
  });

  it('names every failure of an operation, with the body that the platform answers', async () => {
    const { paths, components } = written();
    const failures = ['400', '401', '403', '404', '409', '413', '415', '429', '500'];
    expect(Object.keys(paths['/api/compose.create']?.['post']?.responses ?? {})).toEqual(['200', ...failures]);
    expect(Object.keys(paths['/api/compose.one']?.['get']?.responses ?? {})).toEqual(
      ['200', ...failures].filter((status) => status !== '413' && status !== '415'),
    );
    const { schemas } = components;
    const error = z.fromJSONSchema({ ...(schemas?.['Error'] as object) });
    const { send } = createEmulator();
    const get = (path: string, key = 'emulator-key') =>
      send({ method: 'GET', path, headers: { 'x-api-key': key }, body: undefined });
    for (const [answer, status] of [
      [await get('/api/compose.one', 'wrong'), 401],
      [await get('/api/compose.one'), 400],
      [await get('/api/compose.one?composeId=x'), 404],
      [await get('/api/nothing'), 404],
    ] as const) {
      expect(answer.status).toBe(status);
      expect(error.parse(JSON.parse(answer.body))).toHaveProperty('message');
    }
    expect(error.safeParse({ code: 'BAD_REQUEST' }).success).toBe(false);
  });

  it('is served by the emulator to every valid key', async () => {
    const server = await serve(createEmulator());
    const fetchIt = (headers: Record<string, string>) => fetch(server.url + openApiPath, { headers });
    const [served, refused] = [await fetchIt({ 'x-api-key': 'emulator-key' }), await fetchIt({})];
    expect(served.headers.get('content-type')).toBe('application/json');
    expect(await served.json()).toEqual(written());
    expect(refused.status).toBe(401);
    await refused.text();
    await server.close();
  });
});

describe('the body of an answer', () => {
  const folder = new URL('../fixtures/samples/', import.meta.url);
  const samples = readdirSync(folder).flatMap((file) => {
    const operation = file.replace(/\.json$/, '');
    const recorded = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
      status: number;
      response?: unknown;
    }[];
    return recorded.filter(({ status }) => status === 200).map(({ response }) => ({ operation, response }));
  });

  it('is one of each kind as often as the platform answers it', () => {
    const counts: Partial<Record<AnswerBody, number>> = {};
    for (const operation of operations)
      counts[endpointOf(operation).answer] = (counts[endpointOf(operation).answer] ?? 0) + 1;
    expect(counts).toEqual({
      object: 89,
      boolean: 36,
      array: 33,
      string: 15,
      nothing: 13,
      'array or nothing': 2,
      number: 1,
      null: 1,
      'object or nothing': 1,
      'false or nothing': 1,
    });
  });

  it('is of the kind that was recorded', () => {
    const seen = samples.filter(({ operation }) => isOperation(operation));
    expect(seen.length).toBeGreaterThan(100);
    for (const { operation, response } of seen) {
      if (!isOperation(operation)) continue;
      // An empty body is recorded as null.
      const kind = Array.isArray(response) ? 'array' : response === null ? 'nothing' : typeof response;
      const kinds = endpointOf(operation)
        .answer.replace(/^null$/, 'nothing')
        .replace('false', 'boolean')
        .split(' or ');
      expect([operation, kinds]).toEqual([operation, expect.arrayContaining([kind])]);
    }
  });
});
