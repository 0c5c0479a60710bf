import type { Client } from '../../api/client.ts';
import type { Told } from '../../apply/carry-out.ts';
import { carryOut } from '../../apply/carry-out.ts';
import type { Kind } from '../../kind/kind.ts';
import { waysOf } from '../../kind/verb.ts';
import type { Order } from '../../plan/order.ts';
import { renderDiagnostics } from '../../render/diagnostics-text.ts';
import { ordersJson } from '../../render/orders-json.ts';
import { renderTold } from '../../render/orders-text.ts';
import { printable } from '../../render/printable.ts';
import { findObjects, readState } from '../addressed.ts';
import { confirm } from '../approval.ts';
import { openPlatform } from '../connect.ts';
import type { Exit } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { readInteger, usage } from '../options.ts';
import { checkVerb, makeOrders, refuseOthers } from '../orders.ts';
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

/**
 * Tells objects to do something, in the given order. The lock of the state is not taken: nothing of it changes, and
 * an apply that waits for a build must not keep anybody from ending the build.
 */
export function runVerb([verb = '', ...addresses]: readonly string[], flags: RunFlags): Command {
  return async (run) => {
    const { options, redactor, terminal } = run;
    checkVerb(verb);
    if (addresses.length === 0) throw usage('no address is named', 'trueup state list shows what there is.');
    if (flags.id !== undefined && addresses.length > 1) throw usage('--id goes with one address');
    const seconds = flags.timeout === undefined ? undefined : readInteger('--timeout', flags.timeout, 1, 86_400);
    const target = findTarget(options);
    const state = await readState(options, target);
    const objects = findObjects(options, state, { addresses, givenId: flags.id });
    refuseOthers(verb, objects, state);
    const limits = new Map(objects.flatMap(({ kind }) => limitsOf(kind, verb, seconds)));
    const deadlineMs = (operation: string) => 1_000 * (limits.get(operation) ?? usual.read);
    const { client, close } = await openPlatform(target.platform, {
      options,
      redactor,
      terminal,
      purpose: 'run',
      deadlineMs,
    });
    try {
      const orders = await makeOrders(client, redactor, { verb, objects, dataLoss: flags.allowDataLoss === true });
      const place = target.platform === 'emulator' ? 'the embedded emulator' : new URL(target.platform.url).host;
      if (!(await hasConsent(run, orders, { place, isGiven: flags.yes === true }))) return 'failed';
      return await obey(run, client, { verb, orders, flags, seconds: seconds ?? usual.slow });
    } finally {
      await close();
    }
  };
}

/** Seconds for each operation of a verb. */
function limitsOf(kind: Kind, verb: string, seconds: number | undefined): [string, number][] {
  return waysOf(kind, verb).flatMap((way): [string, number][] =>
    'call' in way ? [[way.call, seconds ?? (way.answers === 'late' ? usual.slow : usual.quick)]] : [],
  );
}

async function hasConsent(
  run: Run,
  orders: readonly Order[],
  { place, isGiven }: { place: string; isGiven: boolean },
): Promise<boolean> {
  const told = orders
    .filter(({ consequences }) => consequences.length > 0)
    .map(({ verb, address, consequences }) => `${verb} ${printable(address)}: ${consequences.join('; ')}`);
  if (told.length === 0) return true;
  return confirm(run, {
    question: `At ${place}:\n${told.map((line) => `  ${line}.\n`).join('')}`.trimEnd(),
    about: `this, so nothing was sent: ${told.join(', ')}`,
    isGiven,
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
      limitMs: flags.wait ? seconds * 1_000 : undefined,
      onStart: ({ address }) => terminal.err(`${printable(address)}: ${verb}…\n`),
      onEnd: (one) => {
        if (!options.isJson) terminal.out(renderTold(one, { style: terminal.outStyle, showsSecrets }));
      },
    });
    const exit = exitOf(told, signal.aborted);
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

function exitOf(told: readonly Told[], isInterrupted: boolean): Exit {
  if (told.every(({ result }) => result === 'done' || (result === 'ordered' && !isInterrupted))) return 'done';
  return told.some(({ mayHaveActed }) => mayHaveActed) ? 'partly' : 'failed';
}
