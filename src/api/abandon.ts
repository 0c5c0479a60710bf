import { TransportError } from './errors.ts';
import type { Send } from './wire.ts';

/** A way to the platform whose requests can all be given up at once. */
export interface Abandonable {
  readonly send: Send;
  /** Throws after `abandon`: a write that still waits for its connection must not start. */
  readonly mayWrite: () => void;
  /** Gives up the requests on their way, with unknown outcome, and lets no other one start. Never throws. */
  readonly abandon: () => void;
}

/** Makes requests that can be given up; `mayWrite` throws when no write may start for another reason. */
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
    mayWrite: guardWrite,
    abandon: () => {
      isAbandoned = true;
      for (const giveUp of onTheirWay) giveUp(new TransportError('ABANDONED', 'the run was interrupted'));
    },
  };
}
