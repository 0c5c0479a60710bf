import { withoutSlash } from '../api/slash.ts';
import { readEndpoint } from '../api/endpoint.ts';
import { answerBatch, batchRoot, operationsIn } from './answer-batch.ts';
import type { Names } from '../api/translate.ts';
import { openApi, openApiPath } from '../api/openapi.ts';
import type { WireAnswer, WireRequest } from '../api/wire.ts';
import type { Context, Platform, Reply } from './context.ts';
import { ApiError, HungUp, errorCodes, failed } from './error-answers.ts';
import { type Json, type Row, mapOf } from './json-rows.ts';
import { notificationsThatHideFailures } from './groups/notification.ts';
import { memberOfKey, type Bootstrap } from './keys.ts';
import { checkDoor, checkRight } from './member-rights.ts';
import { routeOf, servedOperations, type Route } from './served.ts';
import { readQuery, validate, zodErrorOf } from './check-input.ts';

/** The options of the server, beside the world it answers about. */
export interface ServerOptions {
  readonly bootstrap: Bootstrap;
  /** Refuses members that the contract does not know. */
  readonly strict: boolean;
  /** Knows only the operations of the API document. */
  readonly documentedOnly: boolean;
  /** Operations that it does not know although the emulator has them. */
  readonly lacks: ReadonlySet<string>;
  /** Answers several operations in one request, as the server of Dokploy does. */
  readonly batches: boolean;
  /** The words of its profile; undefined: those of Dokploy. */
  readonly names: Names | undefined;
  /** What it tells about itself, by operation. */
  readonly published: ReadonlyMap<string, () => Json>;
  /** The longest body that is read, in bytes. */
  readonly bodyLimit: number;
}

/** One request with its answer, for the log. */
export interface Exchange {
  /** Undefined when the connection ended without one. */
  readonly answer: WireAnswer | undefined;
  readonly operation: string;
  readonly input: unknown;
}

/** Answers one request, in the order in which the platform looks at it; `read`: what was read of it already. */
export async function respond(
  platform: Platform,
  options: ServerOptions,
  request: WireRequest,
  read?: { readonly memberId: string; readonly input: Row },
): Promise<Exchange> {
  const [path = '', query = ''] = splitOnce(request.path, '?');
  const operation = path.startsWith('/api/') ? path.slice('/api/'.length) : path;
  const reply = (answer: WireAnswer, input?: unknown): Exchange => ({ answer, operation, input });

  if (options.batches && path.startsWith(batchRoot)) return respondToBatch(platform, options, request);
  if (path.length > 1 && path.endsWith('/')) return reply(redirect(withoutSlash(path), query));
  if (Buffer.byteLength(request.body ?? '') > options.bodyLimit) return reply(tooLarge());

  const body = readBody(request);
  if (body === undefined) return reply(failure('', new ApiError('BAD_REQUEST', 'Invalid JSON')));
  let memberId: string | undefined;
  try {
    const key = request.headers['x-api-key'];
    memberId = read?.memberId ?? memberOfKey(platform, options.bootstrap, { key, times: 2 });
  } catch (error) {
    if (error instanceof ApiError) return reply(failure(operation, error));
    throw error;
  }
  // Without a good key the answer has a message and nothing else, not even a code.
  if (memberId === undefined) return reply(json(401, { message: 'Unauthorized' }));
  if (request.method === 'HEAD') return reply({ status: 204, headers: {}, body: '' });
  if (request.method === 'GET' && path === openApiPath)
    return reply({ status: 200, headers: jsonHeaders, body: JSON.stringify(openApi({ names: options.names })) });

  const published = request.method === 'GET' ? options.published.get(operation) : undefined;
  if (published !== undefined) return reply(success(published()));

  const route = path.startsWith('/api/') ? routeOf(operation) : undefined;
  if (route === undefined || route.endpoint.method !== request.method || !isServed(route, options))
    return reply(failure('', new ApiError('NOT_FOUND', 'Not found')));

  const input = read?.input ?? (request.method === 'GET' ? readQuery(route, query) : body);
  const context = { ...platform, memberId };
  const answer = await execute(context, options, { route, input, contentType: contentTypeOf(request) });
  return { answer, operation: route.name, input };
}

async function respondToBatch(platform: Platform, options: ServerOptions, request: WireRequest): Promise<Exchange> {
  let memberId: string | undefined;
  const answering = answerBatch(request, {
    routeAt: (path) => {
      const published = options.published.get(path);
      if (published !== undefined)
        return { name: path, endpoint: readEndpoint('GET'), handler: published, isExtension: true };
      const route = routeOf(path);
      return route?.name === path && isServed(route, options) ? route : undefined;
    },
    checkKey: () => {
      memberId = memberOfKey(platform, options.bootstrap, { key: request.headers['x-api-key'], times: 1 });
      return memberId !== undefined;
    },
    answer: async (operation, input) => {
      const one = { ...request, path: `/api/${operation}`, body: undefined };
      return (await respond(platform, options, one, { memberId: memberId ?? '', input })).answer;
    },
  });
  const answer = await answering.catch((error: unknown) => {
    if (error instanceof HungUp) return undefined;
    throw error;
  });
  return { answer, operation: 'trpc', input: { operations: operationsIn(request) } };
}

/** The names of the operations that it serves, in the words of Dokploy. */
export function servedBy(options: Pick<ServerOptions, 'documentedOnly' | 'lacks'>): readonly string[] {
  return servedOperations.filter((name) => {
    const route = routeOf(name);
    return route !== undefined && isServed(route, options);
  });
}

/** Whether an operation is served to those who do not act as a person in a browser. */
function isServed(
  { name, isExtension }: Route,
  { documentedOnly, lacks }: Pick<ServerOptions, 'documentedOnly' | 'lacks'>,
): boolean {
  return !lacks.has(name) && !(documentedOnly && isExtension);
}

async function execute(
  context: Context,
  options: ServerOptions,
  call: { route: Route; input: Row; contentType: string },
): Promise<WireAnswer | undefined> {
  const { route, contentType } = call;
  try {
    if (route.endpoint.method === 'POST' && !isJson(contentType))
      throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Unsupported content-type "${contentType}`);
    checkDoor(context, route.name);
    return success(await perform(context, route, call.input, options.strict));
  } catch (error) {
    if (error instanceof HungUp) return undefined;
    return failure(route.name, asApiError(error));
  }
}

/** What of an operation fails as the operation does: its input, the caller's right to it, and its work. */
async function perform(context: Context, route: Route, given: Row, isStrict: boolean): Promise<Reply> {
  try {
    const input = validate(route, given, isStrict);
    checkRight(context, route.name, input);
    return await route.handler(context, input);
  } catch (error) {
    const oneMessage = oneForAll.get(route.name);
    if (oneMessage === undefined && !alwaysBadRequest.has(route.name)) throw error;
    const { message, issues } = asApiError(error);
    throw new ApiError('BAD_REQUEST', issues.length > 0 ? message : (oneMessage ?? message), issues);
  }
}

/** Operations of the platform that turn every failure, not-found included, into BAD_REQUEST. */
const alwaysBadRequest = new Set([
  'domain.create',
  'backup.create',
  'backup.update',
  'backup.remove',
  'backup.manualBackupPostgres',
  'backup.manualBackupMySql',
  'backup.manualBackupMariadb',
  'backup.manualBackupCompose',
  'backup.manualBackupMongo',
  'backup.manualBackupLibsql',
  'backup.listBackupFiles',
  'environment.update',
  'environment.duplicate',
  'environment.byProjectId',
  'mounts.create',
  'sshKey.create',
  'sshKey.update',
  'gitea.create',
  'gitlab.create',
  'bitbucket.create',
  'github.testConnection',
  'gitlab.testConnection',
  'bitbucket.testConnection',
  'gitProvider.remove',
  'destination.update',
  ...notificationsThatHideFailures,
  'destination.testConnection',
  'registry.testRegistry',
  'registry.testRegistryById',
  'ai.getModels',
  'ai.suggest',
  'compose.fetchSourceType',
  'user.update',
]);

/** Those that say the same of every failure but that of a wrong input. */
const oneForAll: ReadonlyMap<string, string> = new Map([
  ['port.create', 'Error input: Inserting port'],
  ['port.one', 'Port not found'],
]);

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // A mistake of the emulator itself; the platform says nothing like it.
  const message = `the emulator failed: ${error instanceof Error ? error.message : String(error)}`;
  return failed(message);
}

/** The body as an object; undefined when it says to be JSON and is not. Anything but an object counts as `{}`. */
function readBody(request: WireRequest): Row | undefined {
  if (request.body === undefined || request.body === '' || !isJson(contentTypeOf(request))) return {};
  try {
    return mapOf(JSON.parse(request.body));
  } catch {
    return undefined;
  }
}

function contentTypeOf(request: WireRequest): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
}

function isJson(contentType: string): boolean {
  return contentType.toLowerCase() === 'application/json';
}

/** An answer of data; an empty text has an empty body, as nothing has. */
function success(value: Reply): WireAnswer {
  return { status: 200, headers: jsonHeaders, body: value === undefined || value === '' ? '' : JSON.stringify(value) };
}

function failure(path: string, error: ApiError): WireAnswer {
  const { code, message, issues } = error;
  const [httpStatus] = errorCodes[code];
  const at = path === '' ? {} : { path };
  const zodError = zodErrorOf(issues);
  return json(httpStatus, { message, code, issues: [...issues], data: { code, httpStatus, ...at, zodError } });
}

function tooLarge(): WireAnswer {
  return { status: 413, headers: { 'content-type': 'text/plain' }, body: 'Body exceeded 1mb limit' };
}

function redirect(path: string, query: string): WireAnswer {
  return { status: 308, headers: { location: query === '' ? path : `${path}?${query}` }, body: '' };
}

function json(status: number, value: Json): WireAnswer {
  return { status, headers: jsonHeaders, body: JSON.stringify(value) };
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

const jsonHeaders = { 'content-type': 'application/json' };
