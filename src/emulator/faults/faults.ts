import type { Send, WireAnswer, WireRequest } from '../../api/wire.ts';
import type { Emulator } from '../emulator.ts';
import { HungUp } from '../error-answers.ts';
import { failure, page, refusal } from './fault-answers.ts';
import { withItems } from './batch-items.ts';
import { type Asked, readAsked } from './asked.ts';
import { type Delivered, receive } from './delivery.ts';
import { injectEdit } from './inject-edit.ts';
import { withoutRows } from './hidden-rows.ts';
import type { Edit, FaultPlan, Effect } from './fault-plan.ts';
import { createTurns } from './turns.ts';
import { type Unseen, createUnseen } from './unseen.ts';
import { wordsOf } from './fault-words.ts';

/** An emulator with faults. */
export interface Faults {
  /** Answers a request in process; throws the error of a client when the answer does not arrive. */
  readonly send: Send;
  /** The same for a server, which treats the connection of the answer as the fault says. */
  readonly deliver: (request: WireRequest) => Promise<Delivered>;
}

/** The emulator that gets faults. */
interface Over {
  readonly emulator: Emulator;
  readonly unseen: Unseen;
  readonly onFault: (line: string) => void;
}

/** One request with its faults. */
interface Call {
  readonly request: WireRequest;
  readonly asked: Asked;
  readonly effects: readonly Effect[];
  /** The effects in words; undefined: none. */
  readonly fault: string | undefined;
}

/**
 * Adds faults to an emulator. Time is that of `setTimeout`, chance that of the seed of the plan. Calls `onFault` for every
 * fault, and for every edit of another person that the emulator refused.
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
    const effects = turns(asked);
    const fault = effects.length === 0 ? undefined : emulator.edge.text(effects.map(wordsOf).join(', '));
    if (fault !== undefined) onFault(`${emulator.edge.operation(asked.operation)}: ${fault}`);
    const call: Call = { request, asked, effects, fault };
    for (const effect of effects) {
      const instead = await goBefore(over, call, effect);
      if (instead !== undefined) return instead;
    }
    let answer: Delivered = await execute(over, call);
    for (const effect of effects) answer = await goAfter(over, call, { effect, answer });
    return answer;
  }

  const spoken = emulator.edge.speak(deliver);
  return { deliver: spoken, send: async (request) => receive(await spoken(request), sleep) };
}

/** Applies an effect before the request is executed. Gives the answer that comes instead; undefined: none. */
async function goBefore(over: Over, call: Call, { before, late }: Effect): Promise<WireAnswer | undefined> {
  const { emulator } = over;
  const { asked, fault } = call;
  if (late !== undefined) {
    // A late request keeps no process alive: its result would be read by no client.
    setTimeout(() => void execute(over, call).catch(() => undefined), late).unref();
    throw new HungUp();
  }
  if (before === undefined) return undefined;
  if (before.delay !== undefined) await sleep(before.delay);
  await editMeanwhile(over, before, { asked });
  if (before.drop !== true && before.answer === undefined && before.page === undefined) return undefined;
  emulator.note({ ...asked, status: 0, ...(fault === undefined ? {} : { fault }) });
  if (before.answer !== undefined) return refusal(before.answer, before.retryAfter);
  if (before.page !== undefined) return page(before.page);
  throw new HungUp();
}

async function execute({ emulator, unseen }: Over, { request, effects, fault }: Call): Promise<WireAnswer> {
  if (request.method === 'GET') {
    return emulator.send(request, { fault, world: unseen.readable(), isInside: true });
  }
  const hiddenMs = Math.max(0, ...effects.map(({ after }) => after?.unseen ?? 0));
  const run = () => emulator.send(request, { fault, isInside: true });
  return hiddenMs === 0 ? run() : unseen.hide(hiddenMs, run);
}

/** Applies an effect after the request was executed. Gives the answer with it. */
async function goAfter(
  over: Over,
  { asked }: Call,
  { effect: { after }, answer }: { readonly effect: Effect; readonly answer: Delivered },
): Promise<Delivered> {
  if (after === undefined) return answer;
  await editMeanwhile(over, after, { asked, answer });
  if (after.delay !== undefined) await sleep(after.delay);
  if (after.drop === true) throw new HungUp();
  if (after.answer !== undefined) return failure(after.answer);
  if (after.page !== undefined) return page(after.page);
  if (after.items !== undefined) return withItems(answer, after.items);
  const shown = after.hide === undefined ? answer : { ...answer, ...withoutRows(answer, after.hide) };
  if (after.drip !== undefined) return { ...shown, connection: { is: 'drips', ms: after.drip } };
  switch (after.cut) {
    case undefined:
      return shown;
    case 'json':
      // Of an empty answer nothing could be missing.
      return { ...shown, body: shown.body === '' ? '{' : shown.body.slice(0, Math.ceil(shown.body.length / 2)) };
    case 'length':
      return { ...shown, connection: { is: 'ends' } };
    case 'reset':
      return { ...shown, connection: { is: 'resets' } };
    default:
      return after.cut satisfies never;
  }
}

async function editMeanwhile(
  { emulator, onFault }: Over,
  edit: Edit,
  about: { readonly asked: Asked; readonly answer?: WireAnswer },
): Promise<void> {
  try {
    await injectEdit(emulator, edit, about);
  } catch (error) {
    onFault(
      emulator.edge.text(`${edit.do ?? ''} was not done: ${error instanceof Error ? error.message : String(error)}`),
    );
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
