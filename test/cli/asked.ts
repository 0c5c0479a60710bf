import type { Given } from '../../src/cli/command.ts';
import { command as apply } from '../../src/cli/commands/apply.ts';
import { command as call } from '../../src/cli/commands/call.ts';
import { command as destroy } from '../../src/cli/commands/destroy.ts';
import { command as driftAccept } from '../../src/cli/commands/drift-accept.ts';
import { command as driftAdopt } from '../../src/cli/commands/drift-adopt.ts';
import { command as drift } from '../../src/cli/commands/drift.ts';
import { command as evaluate } from '../../src/cli/commands/eval.ts';
import { command as explain } from '../../src/cli/commands/explain.ts';
import { command as exporting } from '../../src/cli/commands/export.ts';
import { command as init } from '../../src/cli/commands/init.ts';
import { command as logs } from '../../src/cli/commands/logs.ts';
import { command as output } from '../../src/cli/commands/output.ts';
import { command as plan } from '../../src/cli/commands/plan.ts';
import { command as run } from '../../src/cli/commands/run.ts';
import { command as acceptOlder } from '../../src/cli/commands/state-accept-older.ts';
import { command as rebuild } from '../../src/cli/commands/state-rebuild.ts';
import { command as remove } from '../../src/cli/commands/state-rm.ts';
import { command as unlock } from '../../src/cli/commands/state-unlock.ts';
import { command as status } from '../../src/cli/commands/status.ts';
import { command as validate } from '../../src/cli/commands/validate.ts';
import type { Clock } from '../../src/state/clock.ts';
import { systemClock } from '../../src/state/clock.ts';
import type { Asked } from '../support/commands.ts';

/** Commands with the words of a command line, for tests that execute them in their own process. */

/** The flags of a command. */
type FlagsTo<C> = C extends {
  execute: (run: never, view: never, given: Given<infer Flags>) => unknown;
}
  ? Flags
  : never;
type Timed = Pick<Clock, 'wall'> & Partial<Clock>;

/** The flags of `run` that tests pass on. */
export type RunFlags = FlagsTo<typeof run>;

export const validateCommand: Asked = { command: validate, args: [], flags: {} };
export const planCommand = (flags: FlagsTo<typeof plan>): Asked => ({ command: plan, args: [], flags });
export const applyCommand = (flags: FlagsTo<typeof apply>, ...args: readonly string[]): Asked => ({
  command: apply,
  args,
  flags,
});
export const destroyCommand = (flags: FlagsTo<typeof destroy>, ...args: readonly string[]): Asked => ({
  command: destroy,
  args,
  flags,
});
export const exportCommand = (flags: FlagsTo<typeof exporting>): Asked => ({ command: exporting, args: [], flags });
export const initCommand = (flags: FlagsTo<typeof init>): Asked => ({ command: init, args: [], flags });
export const driftCommand = (flags: FlagsTo<typeof drift>, clock?: Timed): Asked => ({
  command: drift,
  args: [],
  flags,
  ...at(clock),
});
export const driftAcceptCommand = (address: string, flags: FlagsTo<typeof driftAccept>, clock?: Timed): Asked => ({
  command: driftAccept,
  args: [address],
  flags,
  ...at(clock),
});
export const driftAdoptCommand = (args: readonly string[], flags: FlagsTo<typeof driftAdopt>): Asked => ({
  command: driftAdopt,
  args,
  flags,
});
export const stateUnlockCommand = (flags: FlagsTo<typeof unlock>): Asked => ({ command: unlock, args: [], flags });
export const stateRebuildCommand = (flags: FlagsTo<typeof rebuild>): Asked => ({ command: rebuild, args: [], flags });
export const stateAcceptOlderCommand = (flags: FlagsTo<typeof acceptOlder>): Asked => ({
  command: acceptOlder,
  args: [],
  flags,
});
export const stateRemoveCommand = (args: readonly string[], flags: FlagsTo<typeof remove>): Asked => ({
  command: remove,
  args,
  flags,
});
export const executeCommand = (args: readonly string[], flags: RunFlags): Asked => ({ command: run, args, flags });
export const statusCommand = (args: readonly string[], flags: FlagsTo<typeof status>): Asked => ({
  command: status,
  args,
  flags,
});
export const logsCommand = (address: string, flags: FlagsTo<typeof logs>): Asked => ({
  command: logs,
  args: [address],
  flags,
});
export const outputCommand = (name: string | undefined, flags: FlagsTo<typeof output>): Asked => ({
  command: output,
  args: name === undefined ? [] : [name],
  flags,
});
export const evalCommand = (expression: string, flags: FlagsTo<typeof evaluate>): Asked => ({
  command: evaluate,
  args: [expression],
  flags,
});
export const explainCommand = (subject: string, flags: FlagsTo<typeof explain>): Asked => ({
  command: explain,
  args: [subject],
  flags,
});
export const callCommand = (args: readonly string[], flags: FlagsTo<typeof call>): Asked => ({
  command: call,
  args,
  flags,
});

function at(clock: Timed | undefined): Partial<Asked> {
  return clock === undefined ? {} : { clock: { ...systemClock, ...clock } };
}
