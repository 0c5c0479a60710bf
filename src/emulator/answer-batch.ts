import { requiredOf } from '../api/contract.ts';
import type { WireAnswer, WireRequest } from '../api/wire.ts';
import { HungUp, type ErrorCode, errorCodes } from './error-answers.ts';
import { type Json, type Row, isMap } from './json-rows.ts';
import type { Route } from './served.ts';

/** The path below which the reference implementation answers several operations in one request (tRPC 11, superjson). */
export const batchRoot = '/api/trpc/';

/** What answers the operations of a batch. */
export interface Answering {
  /** The operation of a path below `/api/`, which is exact: here the platform cares about upper and lower case. */
  readonly routeAt: (path: string) => Route | undefined;
  /** Whether the key of the request is good; counts one use of it. */
  readonly checkKey: () => boolean;
  /** Answers one operation as if it were a request of its own; undefined: it gets no answer. */
  readonly answer: (path: string, input: Row) => Promise<WireAnswer | undefined>;
}

/** Request line and headers together, in bytes: the limit of Node's server. */
const maxHeadBytes = 16_384;
/** From here on the connection is reset before the answer is written. Bytes. */
const resetBytes = 65_536;

/** Answers to anyone: they need no key. */
const publicOperations: ReadonlySet<string> = new Set(['settings.health', 'settings.isCloud']);

/** One operation of a batch. */
interface Item {
  readonly path: string;
  readonly route: Route | undefined;
  /** What stands under `json` of its input; undefined: nothing does. */
  readonly input: Json | undefined;
}

/**
 * Answers a request below `/api/trpc/`. Its operations run at the same time and know nothing of one another; the key is
 * checked once.
 *
 * @throws {HungUp} when the connection ends without an answer.
 */
export async function answerBatch(request: WireRequest, answering: Answering): Promise<WireAnswer> {
  const size = headBytes(request);
  if (size >= resetBytes) throw new HungUp();
  if (size > maxHeadBytes) return { status: 431, headers: { connection: 'close' }, body: '' };
  const { method } = request;
  if (method === 'HEAD') return { status: 204, headers: {}, body: '' };
  const parameters = new URLSearchParams(request.path.replace(/^[^?]*\??/, ''));
  const isBatch = parameters.get('batch') === '1';
  if (method !== 'GET' && !isJson(request))
    return oneError(415, failed('UNSUPPORTED_MEDIA_TYPE', 'Unsupported content-type'));

  const names = isBatch ? operationsIn(request) : [operationsIn(request).join(',')];
  const given = readInputs(method === 'GET' ? parameters.get('input') : request.body, isBatch);
  if ('problem' in given)
    return together(
      names.map((name) => failed('BAD_REQUEST', given.problem, { path: name })),
      isBatch,
    );
  const items = names.map((name, index): Item => {
    const input = isBatch ? given.inputs[String(index)] : given.inputs;
    return { path: name, route: answering.routeAt(name), input: isMap(input) ? input['json'] : undefined };
  });
  const types = new Set(items.flatMap(({ route }) => (route === undefined ? [] : typeOf(route))));
  if (types.size > 1) {
    const message = `Cannot mix procedure types in call: ${[...types].join(', ')}`;
    return oneError(400, failed('BAD_REQUEST', message));
  }
  const isKnown = answering.checkKey();
  return together(
    await Promise.all(items.map((item) => answerItem(request, item, { ...answering, isKnown }))),
    isBatch,
  );
}

/** The paths of the operations in a request below `/api/trpc/`. Never throws. */
export function operationsIn({ path }: WireRequest): string[] {
  const [names = ''] = path.slice(batchRoot.length).split('?');
  return names.split(/,|%2C/i);
}

async function answerItem(
  request: WireRequest,
  { path, route, input }: Item,
  { answer, isKnown }: Pick<Answering, 'answer'> & { readonly isKnown: boolean },
): Promise<ItemAnswer> {
  if (!isKnown && !publicOperations.has(path)) return failed('UNAUTHORIZED', 'UNAUTHORIZED', { path });
  if (route === undefined) return failed('NOT_FOUND', `No procedure found on path "${path}"`, { path });
  const { endpoint } = route;
  if (endpoint.method !== request.method) {
    const message = `Unsupported ${request.method}-request to ${typeOf(route)} procedure at path "${path}"`;
    return failed('METHOD_NOT_SUPPORTED', message, { path });
  }
  if (!isMap(input) && (input != null || requiredOf(endpoint).length > 0))
    return failed('BAD_REQUEST', noObject, { path });
  const got = await answer(path, isMap(input) ? input : {});
  if (got === undefined) throw new HungUp();
  if (got.status === 200) return { status: 200, text: `{"result":{"data":${dataOf(path, got.body)}}}` };
  const { message, code, issues = [], data } = JSON.parse(got.body) as SingleError;
  const details = { path, zodError: data?.zodError ?? null };
  return failed(code, issues.length > 0 ? JSON.stringify(issues, null, 2) : message, details);
}

/** The error answer of a single request. */
interface SingleError {
  readonly message: string;
  readonly code: ErrorCode;
  readonly issues?: readonly Json[];
  readonly data?: { readonly zodError?: Json };
}

/** The answer to one operation, as text. */
interface ItemAnswer {
  readonly status: number;
  readonly text: string;
}

const noObject = JSON.stringify(
  [
    {
      expected: 'object',
      code: 'invalid_type',
      path: [],
      message: 'Invalid input: expected object, received undefined',
    },
  ],
  null,
  2,
);

function failed(
  code: ErrorCode,
  message: string,
  { path, zodError = null }: { readonly path?: string; readonly zodError?: Json } = {},
): ItemAnswer {
  const [status, number] = errorCodes[code];
  const data = { code, httpStatus: status, ...(path === undefined ? {} : { path }), zodError };
  return { status, text: JSON.stringify({ error: { json: { message, code: number, data } } }) };
}

/** The whole answer: 207 where its items differ. */
function together(items: readonly ItemAnswer[], isBatch: boolean): WireAnswer {
  const statuses = new Set(items.map(({ status }) => status));
  const [status = 200] = statuses.size === 1 ? statuses : [207];
  const texts = items.map(({ text }) => text).join(',');
  return { status, headers: { 'content-type': 'application/json' }, body: isBatch ? `[${texts}]` : texts };
}

/** The answer to what is no batch at all: one object, called a text. */
function oneError(status: number, { text }: ItemAnswer): WireAnswer {
  return { status, headers: { 'content-type': 'text/plain' }, body: text };
}

/** The data of an answer with the notes of superjson: JSON has neither dates nor an answer of nothing. */
function dataOf(path: string, body: string): string {
  if (body === '') return '{"json":null,"meta":{"values":["undefined"],"v":1}}';
  // Only these tables have columns of times; all others keep them as text.
  const dates = /^(user|organization)\./.test(path) ? datesIn(JSON.parse(body) as Json) : [];
  if (dates.length === 0) return `{"json":${body}}`;
  const values = Object.fromEntries(dates.map((date) => [date, ['Date']]));
  return `{"json":${body},"meta":${JSON.stringify({ values, v: 1 })}}`;
}

function datesIn(value: Json, path: readonly string[] = []): string[] {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? [path.join('.')] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => datesIn(inner, [...path, name]));
}

/** The inputs by the place of their operation; of a request for one, its own. */
function readInputs(text: string | null | undefined, isBatch: boolean): { inputs: Row } | { problem: string } {
  if (text === null || text === undefined || text === '') return { inputs: {} };
  try {
    const inputs = JSON.parse(text) as Json;
    if (isMap(inputs)) return { inputs };
    return isBatch ? { problem: '"input" needs to be an object when doing a batch call' } : { inputs: {} };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function typeOf({ endpoint }: Route): 'query' | 'mutation' {
  return endpoint.method === 'GET' ? 'query' : 'mutation';
}

function headBytes({ method, path, headers }: WireRequest): number {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.byteLength(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

function isJson({ headers }: WireRequest): boolean {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}
