import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../api/client.ts';
import type { Told } from '../../apply/carry-out.ts';
import { carryOut } from '../../apply/carry-out.ts';
import type { Patience } from '../../apply/follow.ts';
import { closest } from '../../diagnostics/closest.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import type { Kind } from '../../kind/kind.ts';
import { waysOf } from '../../kind/verb.ts';
import { readRow } from '../../observe/read-row.ts';
import type { Order } from '../../plan/order.ts';
import { makeOrder } from '../../plan/order.ts';
import { protectOf } from '../../plan/removal.ts';
import { renderDiagnostics } from '../../render/diagnostics-text.ts';
import { ordersJson } from '../../render/orders-json.ts';
import { renderTold } from '../../render/orders-text.ts';
import { printable } from '../../render/printable.ts';
import { kinds } from '../../resources/index.ts';
import { knowingInput } from '../../secrets/call-secrets.ts';
import type { Addressed } from '../addressed.ts';
import { findObjects, readState } from '../addressed.ts';
import { confirm } from '../approval.ts';
import { openPlatform } from '../connect.ts';
import type { Exit } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { readInteger, usage } from '../options.ts';
import type { Command, Run } from '../run.ts';
import { printJson } from '../run.ts';
import { watchSignals } from '../signals.ts';
import { findTarget } from '../target.ts';

/** What `run` can be told. */
export interface RunFlags {
  readonly id?: string;
  readonly yes?: true;
  readonly allowDataLoss?: true;
  readonly showSecrets?: true;
  readonly wait: boolean;
  readonly timeout?: string;
}

/** Seconds for what is read, for what is done at once, and for what a platform does while one waits. */
const usual = { read: 30, quick: 60, slow: 1_800 };
/** Milliseconds between two looks at a deployment: few at first, because many are over at once. */
const looks = { first: 50, last: 2_000 };

/**
 * Tells objects to do something, in the given order. The lock of the state is not taken: nothing of it changes, and
 * an apply that waits for a build must not keep anybody from ending the build.
 */
export function runVerb([verb = '', ...addresses]: readonly string[], flags: RunFlags): Command {
  return async (run) => {
    const { options, redactor } = run;
    checkVerb(verb);
    if (addresses.length === 0) throw usage('no address is named', 'trueup state list shows what there is.');
    if (flags.id !== undefined && addresses.length > 1) throw usage('--id goes with one address');
    const seconds = flags.timeout === undefined ? undefined : readInteger('--timeout', flags.timeout, 1, 86_400);
    const target = findTarget(options);
    const objects = findObjects(options, await readState(options, target), { addresses, givenId: flags.id });
    refuseOthers(verb, objects);
    const limits = new Map(objects.flatMap(({ kind }) => limitsOf(kind, verb, seconds)));
    const deadlineMs = (operation: string) => 1_000 * (limits.get(operation) ?? usual.read);
    const { client, close } = await openPlatform(target.platform, { options, redactor, purpose: 'run', deadlineMs });
    try {
      const orders = await makeOrders(run, client, { verb, objects, flags });
      if (!(await hasConsent(run, orders, flags))) return 'failed';
      return await obey(run, client, { verb, orders, flags, seconds: seconds ?? usual.slow });
    } finally {
      await close();
    }
  };
}

function checkVerb(verb: string): void {
  const known = [...new Set(kinds.flatMap((kind) => Object.keys(kind.verbs ?? {})))];
  if (known.includes(verb)) return;
  const guess = closest(verb, known);
  throw usage(
    `nothing can be told to ${verb}`,
    guess === undefined ? `There is ${known.join(', ')}.` : `Did you mean ${guess}?`,
  );
}

function refuseOthers(verb: string, objects: readonly Addressed[]): void {
  const problems = objects.flatMap(({ address, kind }): Diagnostic[] => {
    if (waysOf(kind, verb).length > 0) return [];
    const others = Object.keys(kind.verbs ?? {});
    const message = `cannot ${verb} ${address}: the platform has no documented operation for it on a ${kind.kind}`;
    const remedy = others.length === 0 ? undefined : `What there is for it: ${others.join(', ')}.`;
    return [diagnostic('cannot-change', message, { address, remedy })];
  });
  if (problems.length > 0) throw new Stop('refused', problems);
}

/** Seconds for each operation of a verb. */
function limitsOf(kind: Kind, verb: string, seconds: number | undefined): [string, number][] {
  return waysOf(kind, verb).flatMap((way): [string, number][] =>
    'call' in way ? [[way.call, seconds ?? (way.answers === 'late' ? usual.slow : usual.quick)]] : [],
  );
}

/** Reads every object, and refuses all when one cannot be told: half of what was meant is done by no mistake in words. */
async function makeOrders(
  { redactor }: Run,
  client: Client,
  { verb, objects, flags }: { verb: string; objects: readonly Addressed[]; flags: RunFlags },
): Promise<readonly Order[]> {
  const rows = await Promise.all(objects.map(({ kind, id }) => readRow(client, kind, id)));
  const problems: Diagnostic[] = [];
  const orders = objects.flatMap(({ address, kind, id, record }, index): Order[] => {
    const row = rows[index];
    if (row === undefined) {
      const remedy = 'It may have been deleted there: trueup plan shows what differs.';
      problems.push(diagnostic('not-found', `the platform has no ${kind.kind} with id ${id}`, { address, remedy }));
      return [];
    }
    // A failure may quote the row; what is secret in it is not to be printed.
    knowingInput(redactor, row);
    const wish = { address, kind, id, row, protect: protectOf(record?.options ?? {}) };
    const made = makeOrder(wish, verb, { dataLoss: flags.allowDataLoss === true });
    if ('severity' in made) problems.push(made);
    else return [made];
    return [];
  });
  if (problems.length > 0) throw new Stop('refused', problems);
  return orders;
}

async function hasConsent(run: Run, orders: readonly Order[], flags: RunFlags): Promise<boolean> {
  const told = orders
    .filter(({ consequences }) => consequences.length > 0)
    .map(({ verb, address, consequences }) => `${verb} ${printable(address)}: ${consequences.join('; ')}`);
  if (told.length === 0) return true;
  return confirm(run, {
    question: told.map((line) => `${line}.`).join('\n'),
    about: `this, so nothing was sent: ${told.join(', ')}`,
    isGiven: flags.yes === true,
  });
}

async function obey(
  { options, terminal, redactor }: Run,
  client: Client,
  { verb, orders, flags, seconds }: { verb: string; orders: readonly Order[]; flags: RunFlags; seconds: number },
): Promise<Exit> {
  const interruption = watchSignals(terminal, () => Promise.resolve());
  interruption.startWriting();
  const { signal } = interruption;
  const showsSecrets = flags.showSecrets === true;
  try {
    const told = await carryOut(orders, {
      client,
      signal,
      redact: redactor.redact,
      patience: flags.wait ? () => patienceFor(seconds, signal) : undefined,
      onStart: ({ address }) => terminal.err(`${printable(address)}: ${verb}…\n`),
      onEnd: (one) => {
        if (!options.isJson) terminal.out(renderTold(one, { style: terminal.outStyle, showsSecrets }));
      },
    });
    const exit = exitOf(told);
    if (options.isJson) {
      const view = { verb, told, counts: client.counts, showsSecrets };
      printJson(terminal, ordersJson(view, exitCodes[exit].code));
      return exit;
    }
    const diagnostics = told.flatMap((one) => one.diagnostics);
    if (diagnostics.length > 0) terminal.err(`\n${renderDiagnostics(diagnostics, terminal.errStyle)}`);
    if (!showsSecrets && told.some(({ renewed }) => renewed !== undefined)) {
      terminal.err('1 secret hidden; --show-secrets shows it.\n');
    }
    return exit;
  } finally {
    interruption.ignore();
  }
}

function patienceFor(seconds: number, signal: AbortSignal): Patience {
  const end = Date.now() + seconds * 1_000;
  let pause = looks.first;
  return async () => {
    await sleep(pause, undefined, { signal }).catch(() => undefined);
    pause = Math.min(pause * 2, looks.last);
    return !signal.aborted && Date.now() < end;
  };
}

function exitOf(told: readonly Told[]): Exit {
  if (told.every(({ result }) => result === 'done' || result === 'ordered')) return 'done';
  return told.some(({ mayHaveActed }) => mayHaveActed) ? 'partly' : 'failed';
}
