import * as z from 'zod';
import { attempts } from './attempts.ts';
import type { WireAnswer } from './wire.ts';
import { parseJson } from './parse-json.ts';
import { once } from './once.ts';

/** One read of a batch, in the words of the wire. */
export interface BatchItem {
  /** The path of its operation below `/api/`, such as `compose.one`. */
  readonly path: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** An empty list is an answer like another: it proves nothing alone either. */
  readonly takesEmpty?: boolean | undefined;
}

/** The answer to one read of a batch; undefined: an error, null or an empty list, which only a single read proves. */
export type ItemAnswer = { readonly data: unknown } | undefined;

/** The answer to a batch, in the order of its reads; or the difference from what it has to be, as a clause. */
export type BatchAnswer =
  | { readonly is: 'items'; readonly items: readonly ItemAnswer[] }
  | { readonly is: 'surprise'; readonly why: string };

/** The path of a batch with its query. Several reads in one GET: https://trpc.io/docs/rpc (batching). Never throws. */
export function batchPath(items: readonly BatchItem[]): string {
  const input = Object.fromEntries(items.map(({ members }, index) => [index, { json: sent(members) }]));
  return `${start}${items.map(({ path }) => path).join(',')}${middle}${encodeURIComponent(JSON.stringify(input))}`;
}

/**
 * Divides reads into batches that a server takes: limited in their number and in the length of the path. What the platform asks
 * another server for goes apart: one that does not answer would hold up the rest. Never throws.
 */
export function divide<T extends BatchItem>(items: readonly T[]): T[][] {
  const { maxItems, maxCharacters } = attempts.batch;
  const batches: T[][] = [];
  const open = new Map<unknown, { batch: T[]; room: number }>();
  for (const item of items) {
    const length = lengthOf(item);
    const server = item.members['serverId'] ?? '';
    const last = open.get(server);
    if (last === undefined || last.batch.length === maxItems || length > last.room) {
      const batch = [item];
      batches.push(batch);
      open.set(server, { batch, room: maxCharacters - emptyLength - length });
    } else {
      last.batch.push(item);
      last.room -= length;
    }
  }
  return batches;
}

/**
 * Reads the answer to a batch. Everything that differs from the form of the reference implementation is a surprise: another
 * number of items, a page, an object that is not the one asked for. Never throws.
 */
export function readBatch(asked: readonly BatchItem[], { status, headers, body }: WireAnswer): BatchAnswer {
  const surprise = (what: string): BatchAnswer => ({ is: 'surprise', why: `the answer to a batch ${what}` });
  const items = headers['content-type']?.toLowerCase().includes('json') === true ? readItems(body) : undefined;
  if (items === undefined) return surprise(`has another form (status ${status})`);
  if (items.length !== asked.length) return surprise(`has ${items.length} items instead of ${asked.length}`);
  const errors = items.flatMap((item) => ('error' in item ? [item.error.json.data.httpStatus] : []));
  const isAlike = errors.length === items.length && errors.every((one) => one === errors[0]);
  if (status !== (errors.length === 0 ? 200 : isAlike ? errors[0] : 207))
    return surprise(`has a status that does not fit its items (${status})`);
  const data = items.map((item) => ('result' in item ? item.result.data.json : undefined));
  const wrong = asked.find((item, index) => !isNothing(data[index]) && !fits(data[index], item));
  if (wrong !== undefined) return surprise(`has something else in the place of ${wrong.path}`);
  return {
    is: 'items',
    items: data.map((one, index) =>
      isNothing(one) && !(Array.isArray(one) && asked[index]?.takesEmpty === true) ? undefined : { data: one },
    ),
  };
}

/** Whether every item of an answer says that the platform does not accept the key: a missing right has a sentence. Never throws. */
export function isKeyRefusal({ status, body }: WireAnswer): boolean {
  if (status !== 401) return false;
  return readItems(body)?.every((item) => 'error' in item && item.error.json.message === 'UNAUTHORIZED') === true;
}

const start = '/api/trpc/';
const middle = '?batch=1&input=';
const emptyLength = start.length + middle.length + encodeURIComponent('{}').length;

/** The most characters that a read adds to the path of its batch: its name, its members, its number and two commas. */
function lengthOf({ path, members }: BatchItem): number {
  return (
    path.length +
    1 +
    encodeURIComponent(`"${attempts.batch.maxItems}":${JSON.stringify({ json: sent(members) })},`).length
  );
}

/** The members without those that a query leaves out: here an empty text would reach the operation. */
function sent(members: BatchItem['members']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}

const answerBody = once(() =>
  z.array(
    z.union([
      z.strictObject({
        result: z.strictObject({ data: z.looseObject({ json: z.unknown() }).refine(({ json }) => json !== undefined) }),
      }),
      z.strictObject({
        error: z.looseObject({
          json: z.looseObject({ message: z.string(), data: z.looseObject({ httpStatus: z.int() }) }),
        }),
      }),
    ]),
  ),
);

function readItems(body: string): z.output<ReturnType<typeof answerBody>> | undefined {
  try {
    return answerBody().safeParse(parseJson(body)).data;
  } catch {
    return undefined;
  }
}

function isNothing(data: unknown): boolean {
  return data === undefined || data === null || (Array.isArray(data) && data.length === 0);
}

/** Whether data can be the answer to a read: an object that was asked for by its id names it. */
function fits(data: unknown, { path, members }: BatchItem): boolean {
  if (!path.endsWith('.one')) return true;
  if (typeof data !== 'object' || data === null) return false;
  const values = new Set<unknown>(Object.values(data));
  return Object.values(sent(members)).every((value) => values.has(value));
}
