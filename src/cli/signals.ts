import { exitCodes } from '../render/exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** How signals end a run: at once while it only reads, in good order while it writes. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** From here on, a first signal lets what is in flight finish. */
  startWriting(): void;
  /** Signals mean again what they mean elsewhere. */
  ignore(): void;
}

/** Watches for SIGINT and SIGTERM; `cleanUp` is called before a run that only reads is ended. */
export function watchSignals(terminal: Terminal, cleanUp: () => Promise<void>): Interruption {
  const controller = new AbortController();
  let isWriting = false;
  const onSignal = (): void => {
    if (controller.signal.aborted) exit();
    controller.abort();
    if (isWriting) terminal.err('stopping: finishing what is in flight; once more ends at once\n');
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

function exit(): never {
  process.exit(exitCodes.interrupted.code);
}
