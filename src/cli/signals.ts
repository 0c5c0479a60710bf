import { exitCodes } from '../render/exit-codes.ts';
import type { Run } from './command.ts';

/** Ends a run on a signal: at once while it only reads, after the requests in flight while it writes. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** From now on, the first signal lets the requests in flight finish; `report` is called when another one ends the run. */
  startWriting(report?: () => void): void;
  /** Stops handling signals. */
  ignore(): void;
}

/** The signals that end a run; whoever sends an urgent one kills the process soon after it: CI in 10 s or less. */
const isUrgent = { SIGINT: false, SIGTERM: true, SIGHUP: true } as const;
type Signal = keyof typeof isUrgent;
const signals = Object.keys(isUrgent) as Signal[];

/**
 * Notes signals while commands run one after the other, so that no other one begins. Where no command handles one, it ends
 * the process as usual.
 */
export function noteSignals(process: Run['process']): { readonly wasSent: () => boolean; readonly end: () => void } {
  let wasSent = false;
  const note = (signal: Signal): void => {
    wasSent = true;
    if (process.listenerCount(signal) === 1) process.exit(exitCodes.interrupted.code);
  };
  for (const signal of signals) process.on(signal, note);
  return {
    wasSent: () => wasSent,
    end: () => {
      for (const signal of signals) process.off(signal, note);
    },
  };
}

/** How long the requests in flight may go on after an urgent signal. Milliseconds. */
const graceMs = 4_000;

/**
 * Watches for signals. `cleanUp` is called before a run that only reads is ended; `abandon` gives up the requests in flight,
 * so that a run that writes saves what it knows and ends.
 */
export function watchSignals(
  { process, terminal }: Pick<Run, 'process' | 'terminal'>,
  { cleanUp, abandon }: { readonly cleanUp: () => Promise<void>; readonly abandon: () => void },
): Interruption {
  const controller = new AbortController();
  const { code } = exitCodes.interrupted;
  const exit = (): void => process.exit(code);
  let isWriting = false;
  let reportCut: (() => void) | undefined;
  let isHurried = false;
  let timer: NodeJS.Timeout | undefined;
  const onSignal = (signal: Signal): void => {
    const isFirst = !controller.signal.aborted;
    controller.abort();
    if (isFirst && !isWriting) {
      abandon();
      terminal.err(`Interrupted: nothing was sent that changes the platform. Exit code ${code}.\n`);
      void cleanUp().finally(exit);
    } else if (isUrgent[signal] && !isHurried) {
      isHurried = true;
      terminal.err(`stopping within ${graceMs / 1_000 + 1} s, after the requests in flight or without their answers\n`);
      // The run has waited for them already when the signal is not the first.
      timer = setTimeout(abandon, isFirst ? graceMs : 0);
    } else if (isFirst) terminal.err('stopping after the requests in flight; interrupt again to end at once\n');
    else {
      reportCut?.();
      exit();
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    startWriting: (report) => {
      isWriting = true;
      reportCut = report;
    },
    ignore: () => {
      clearTimeout(timer);
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
