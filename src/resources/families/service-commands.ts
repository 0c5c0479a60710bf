import type { KindCommand } from '../../kind/kind-command.ts';

/** How several kinds of services run a command, beside the operation itself. */
type Manner = Omit<Extract<KindCommand, { call: unknown }>, 'call' | 'when'>;

/** The operation requires the internal name beside the id. */
export const reloadingApplication: Manner = {
  with: { appName: 'appName' },
  interrupts: 'its container is replaced by a new one',
};

/** A dump by hand: the answer comes when it is in the destination. */
export const backingUp: Manner = { answers: 'late' };
