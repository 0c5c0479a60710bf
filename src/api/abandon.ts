import { TransportError } from './platform-error.ts';
import type { Send } from './wire.ts';

/** A way to the platform whose requests can all be given up at once. */
export interface Abandonable {
  readonly send: Send;
  /** Gives up the requests on their way, with unknown outcome, and lets no other one start. Never throws. */
  readonly abandon: () => void;
}

/**
 * Makes requests that can be given up. `open` gets what to call right before a write goes out: it throws after `abandon`,
 * because the write may have waited for a connection until then, and whenever `mayWrite` does.
 */
export function abandonable(open: (mayWrite: () => void) => Send, mayWrite?: () => void): Abandonable {
  const onTheirWay = new Set<(reason: Error) => void>();
  let isAbandoned = false;
  const guard = (): void => {
    if (isAbandoned) throw new TransportError('NOT_SENT', 'the run was interrupted');
  };
  const guardWrite = (): void => {
    guard();
    mayWrite?.();
  };
  const send = open(guardWrite);
  return {
    send: async (request) => {
      guard();
      let giveUp = (_reason: Error): void => undefined;
      const given = new Promise<never>((_resolve, reject) => {
        giveUp = reject;
      });
      onTheirWay.add(giveUp);
      try {
        return await Promise.race([send(request), given]);
      } finally {
        onTheirWay.delete(giveUp);
      }
    },
    abandon: () => {
      isAbandoned = true;
      for (const giveUp of onTheirWay) giveUp(new TransportError('ABANDONED', 'the run was interrupted'));
    },
  };
}
