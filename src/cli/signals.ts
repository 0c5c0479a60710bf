import { exitCodes } from '../render/exit-codes.ts';
import type { Run } from './command.ts';

/** Ends a run on a signal: at once while it only reads, after the requests in flight while it writes. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** From now on, the first signal lets the requests in flight finish. */
  startWriting(): void;
  /** Stops handling signals. */
  ignore(): void;
}

/** Watches for SIGINT and SIGTERM; `cleanUp` is called before a run that only reads is ended. */
export function watchSignals(
  { process, terminal }: Pick<Run, 'process' | 'terminal'>,
  cleanUp: () => Promise<void>,
): Interruption {
  const controller = new AbortController();
  const exit = (): void => process.exit(exitCodes.interrupted.code);
  let isWriting = false;
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      exit();
      return;
    }
    controller.abort();
    if (isWriting) terminal.err('stopping after the requests in flight; interrupt again to end at once\n');
    else void cleanUp().finally(exit);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    startWriting: () => {
      isWriting = true;
    },
    ignore: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
