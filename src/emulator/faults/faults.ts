import type { Send, WireAnswer, WireRequest } from '../../api/wire.ts';
import type { Emulator } from '../emulator.ts';
import { HungUp } from '../errors.ts';
import { failure, page, refusal } from './answers.ts';
import type { Asked } from './asked.ts';
import { readAsked } from './asked.ts';
import type { Delivered } from './delivery.ts';
import { receive } from './delivery.ts';
import { doMeanwhile } from './edit.ts';
import { withoutRows } from './hidden-rows.ts';
import type { Edit, FaultPlan, Way } from './plan.ts';
import { createTurns } from './turns.ts';
import type { Unseen } from './unseen.ts';
import { createUnseen } from './unseen.ts';
import { wordsOf } from './words.ts';

/** An emulator over which requests go wrong. */
export interface Faults {
  /** Answers a request in process; of an answer that does not arrive it throws what a client would see. */
  readonly send: Send;
  /** The same for a server, which does to the answer on its way what it says. */
  readonly deliver: (request: WireRequest) => Promise<Delivered>;
}

/** What faults are put around. */
interface Over {
  readonly emulator: Emulator;
  readonly unseen: Unseen;
  readonly onFault: (line: string) => void;
}

/** One request with what goes wrong with it. */
interface Call {
  readonly request: WireRequest;
  readonly asked: Asked;
  readonly ways: readonly Way[];
  /** The same in words; undefined when nothing goes wrong. */
  readonly fault: string | undefined;
}

/**
 * Puts faults around an emulator. Time is that of `setTimeout`, and chance that of the plan's seed. `onFault` is told
 * of every fault, and of what somebody else was to do and could not.
 */
export function createFaults(
  emulator: Emulator,
  plan: FaultPlan,
  onFault: (line: string) => void = () => undefined,
): Faults {
  const turns = createTurns(plan);
  const over: Over = { emulator, unseen: createUnseen(emulator.world), onFault };

  async function deliver(request: WireRequest): Promise<Delivered> {
    const asked = readAsked(request);
    const ways = turns(asked);
    const fault = ways.length === 0 ? undefined : ways.map(wordsOf).join(', ');
    if (fault !== undefined) onFault(`${asked.operation}: ${fault}`);
    const call: Call = { request, asked, ways, fault };
    for (const way of ways) {
      const instead = await goBefore(over, call, way);
      if (instead !== undefined) return instead;
    }
    let answer: Delivered = await carryOut(over, call);
    for (const way of ways) answer = await goAfter(over, call, { way, answer });
    return answer;
  }

  return { deliver, send: async (request) => receive(await deliver(request), sleep) };
}

/** What goes wrong before a request is carried out: the answer that comes instead, or none. */
async function goBefore(over: Over, call: Call, { before, late }: Way): Promise<WireAnswer | undefined> {
  const { emulator } = over;
  const { asked, fault } = call;
  if (late !== undefined) {
    // A request that is on its way keeps no process alive: nobody would see what comes of it.
    setTimeout(() => void carryOut(over, call).catch(() => undefined), late).unref();
    throw new HungUp();
  }
  if (before === undefined) return undefined;
  if (before.delay !== undefined) await sleep(before.delay);
  await somebodyElse(over, before, { asked });
  if (before.drop !== true && before.answer === undefined && before.page === undefined) return undefined;
  emulator.note({ ...asked, status: 0, ...(fault === undefined ? {} : { fault }) });
  if (before.answer !== undefined) return refusal(before.answer, before.retryAfter);
  if (before.page !== undefined) return page(before.page);
  throw new HungUp();
}

async function carryOut({ emulator, unseen }: Over, { request, ways, fault }: Call): Promise<WireAnswer> {
  if (request.method === 'GET') return emulator.send(request, { fault, world: unseen.readable() });
  const hiddenMs = Math.max(0, ...ways.map(({ after }) => after?.unseen ?? 0));
  const run = () => emulator.send(request, { fault });
  return hiddenMs === 0 ? run() : unseen.hide(hiddenMs, run);
}

/** What goes wrong after a request was carried out: the answer as it comes then. */
async function goAfter(
  over: Over,
  { asked }: Call,
  { way: { after }, answer }: { readonly way: Way; readonly answer: Delivered },
): Promise<Delivered> {
  if (after === undefined) return answer;
  await somebodyElse(over, after, { asked, answer });
  if (after.delay !== undefined) await sleep(after.delay);
  if (after.drop === true) throw new HungUp();
  if (after.answer !== undefined) return failure(after.answer);
  if (after.page !== undefined) return page(after.page);
  const shown = after.hide === undefined ? answer : { ...answer, ...withoutRows(answer, after.hide) };
  if (after.drip !== undefined) return { ...shown, way: { is: 'drips', ms: after.drip } };
  switch (after.cut) {
    case undefined:
      return shown;
    case 'json':
      // Of an empty answer nothing could be missing.
      return { ...shown, body: shown.body === '' ? '{' : shown.body.slice(0, Math.ceil(shown.body.length / 2)) };
    case 'length':
      return { ...shown, way: { is: 'ends' } };
    case 'reset':
      return { ...shown, way: { is: 'resets' } };
    default:
      return after.cut satisfies never;
  }
}

async function somebodyElse(
  { emulator, onFault }: Over,
  edit: Edit,
  about: { readonly asked: Asked; readonly answer?: WireAnswer },
): Promise<void> {
  try {
    await doMeanwhile(emulator, edit, about);
  } catch (error) {
    onFault(`${String(edit.do)} was not done: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
