import type { Client } from '../api/client.ts';
import { PlatformError } from '../api/errors.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Json, Row } from '../kind/json.ts';
import { isRow, member } from '../kind/json.ts';
import { statusIn } from '../observe/deployments.ts';
import { readRow } from '../observe/read-row.ts';
import type { Order } from '../plan/order.ts';
import type { Clock } from '../state/clock.ts';
import { systemClock } from '../state/clock.ts';
import { follow } from './follow.ts';

/** What became of one order. */
export interface Told {
  readonly order: Order;
  /** `ordered`: the platform took it, and nobody waited for what comes of it. */
  readonly result: 'done' | 'ordered' | 'failed' | 'not tried';
  /** Whether the platform may have carried it out, wholly or in part. */
  readonly mayHaveActed: boolean;
  /** What the answer says that is worth telling. */
  readonly answer?: Json;
  /** How the service runs afterwards, where that could be read. */
  readonly status?: string;
  /** The new value of the secret that it renews. */
  readonly renewed?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** What carrying out needs. */
export interface Telling {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** The longest that a deployment is waited for, in milliseconds; without it nobody waits for any. */
  readonly limitMs?: number | undefined;
  readonly clock?: Clock;
  /** Replaces every secret that is known in a text of the platform. */
  readonly redact: (text: string) => string;
  readonly onStart: (order: Order) => void;
  readonly onEnd: (told: Told) => void;
}

/** Carries out orders one after the other, each POST once, and none after a failure or an interruption. */
export async function carryOut(orders: readonly Order[], telling: Telling): Promise<readonly Told[]> {
  const told: Told[] = [];
  let isOver = false;
  for (const order of orders) {
    isOver ||= telling.signal.aborted;
    const outcome: Told = isOver
      ? { order, result: 'not tried', mayHaveActed: false, diagnostics: [] }
      : await tell(order, telling);
    isOver ||= outcome.result === 'failed';
    told.push(outcome);
    telling.onEnd(outcome);
  }
  return told;
}

async function tell(order: Order, telling: Telling): Promise<Told> {
  const { client, redact, onStart } = telling;
  const { way, input } = order;
  onStart(order);
  let answer: unknown;
  try {
    answer = await client.invoke(way.call, input);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const mayHaveActed = error.outcome === 'unknown' && way.isTest !== true;
    const row = mayHaveActed ? await look(client, order) : undefined;
    return failed(order, { message: messageOf(error, order), mayHaveActed, row });
  }
  const refusal = refusalIn(order, answer);
  if (refusal !== undefined) {
    const message = `${way.call} was answered, and did not go well: ${redact(refusal)}`;
    return failed(order, { message, mayHaveActed: way.isTest !== true });
  }
  if (way.answers === 'early') return deployed(order, telling);
  const row = await look(client, order);
  const renewed = way.renews === undefined ? undefined : member(row ?? {}, way.renews);
  return {
    order,
    result: 'done',
    mayHaveActed: true,
    ...worthTelling(order, answer, redact),
    ...statusOf(order, row),
    ...(typeof renewed === 'string' ? { renewed } : {}),
    diagnostics: [],
  };
}

/** Waits for the deployment where that is wanted. That it cannot be watched says nothing of the deployment. */
async function deployed(order: Order, telling: Telling): Promise<Told> {
  const { client, signal, limitMs, redact, clock = systemClock } = telling;
  const ordered: Told = { order, result: 'ordered', mayHaveActed: true, diagnostics: [] };
  if (limitMs === undefined) return ordered;
  const since = clock.monotonic();
  const { kind, id, before } = order;
  const traffic = { running: 0, movedAt: since };
  const watch = { client, kind, id, before: before.reveal(), clock, signal, since, limitMs, traffic };
  const ending = await follow(watch).catch(unlessOfThePlatform);
  if (ending === undefined || ending.is === 'interrupted') return ordered;
  if (ending.is === 'gone')
    return failed(order, { message: 'it was deleted while it was deployed', mayHaveActed: true });
  if (ending.is !== 'over') {
    const what = ending.is === 'not begun' ? 'did not begin' : 'was not over';
    return failed(order, { message: `its deployment was ordered, and ${what} in time`, mayHaveActed: true });
  }
  const { deployment, status, row } = ending;
  if (status === 'done') return { ...ordered, result: 'done', ...statusOf(order, row) };
  const why = deployment?.errorMessage === undefined ? '' : `: ${redact(deployment.errorMessage)}`;
  return failed(order, { message: `the deployment ended as ${status}${why}`, mayHaveActed: true, row });
}

/** What the client says of a POST is untrue of one that changes nothing. */
function messageOf({ outcome, serverMessage, message }: PlatformError, { way }: Order): string {
  if (way.isTest !== true || outcome === 'not executed' || serverMessage === '') return message;
  return `${way.call} did not go well: ${serverMessage}`;
}

function failed(
  order: Order,
  { message, mayHaveActed, row }: { message: string; mayHaveActed: boolean; row?: Row | undefined },
): Told {
  const about = statusOf(order, row);
  const now = about.status === undefined ? undefined : `Its status is ${about.status} now.`;
  const failure = diagnostic('platform-answer', message, { address: order.address, remedy: now });
  return { order, result: 'failed', mayHaveActed, ...about, diagnostics: [failure] };
}

/** A 200 that is a failure all the same: the answer `false`, and what the kind says of its answers. */
function refusalIn({ way: { verdict } }: Order, answer: unknown): string | undefined {
  if (answer === false) return 'the platform does not say why; its own log may';
  if (verdict === undefined || (isRow(answer) && answer[verdict.good] === true)) return undefined;
  const why = isRow(answer) ? member(answer, verdict.why) : undefined;
  return typeof why === 'string' ? why : 'the platform does not say why';
}

/** Text is meant for people; of an object only what the kind names, because the rest may hold secrets. */
function worthTelling(
  { way: { verdict } }: Order,
  answer: unknown,
  redact: (text: string) => string,
): { answer?: Json } {
  if (typeof answer === 'string') return { answer: redact(answer) };
  if (verdict === undefined || !isRow(answer)) return {};
  const told = verdict.tells.flatMap((name) => {
    const value = member(answer, name) ?? null;
    return value === null ? [] : [[name, value] as const];
  });
  return told.length === 0 ? {} : { answer: Object.fromEntries(told) };
}

/** Reads the object again where that tells something. */
async function look(client: Client, { kind, id, way }: Order): Promise<Row | undefined> {
  if (kind.status === undefined && way.renews === undefined) return undefined;
  return readRow(client, kind, id).catch(unlessOfThePlatform);
}

/** What a look afterwards cannot find out is no failure of what was done. */
function unlessOfThePlatform(error: unknown): undefined {
  if (!(error instanceof PlatformError)) throw error;
}

function statusOf({ kind }: Order, row: Row | undefined): { status?: string } {
  const status = row === undefined ? undefined : statusIn(kind, row);
  return status === undefined ? {} : { status };
}
