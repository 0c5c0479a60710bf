import { usage } from '../diagnostics/usage.ts';
import type { Values } from '../plan/shown-values.ts';
import type { View } from '../render/output-format.ts';
import type { FlagsOf } from './flags.ts';
import type { Run } from './command.ts';
import type { values } from './option-sets.ts';

/**
 * Reads the options for the values of a plan. Unreviewed values are for the eyes of one person: on a terminal, not
 * in a log or a file.
 *
 * @throws {Stop} `usage`
 */
export function readValues(
  { process }: Pick<Run, 'process'>,
  { asks }: Pick<View, 'asks'>,
  { hideValues, showValues }: FlagsOf<typeof values>,
): Values {
  if (showValues !== true) return hideValues === true ? 'hidden' : 'usual';
  if (hideValues === true) throw usage('--show-values and --hide-values exclude each other', 'Leave one of them out.');
  const why = !asks
    ? 'this --format is for programs'
    : process.stdout.isTTY === true
      ? undefined
      : 'standard output is not a terminal';
  if (why === undefined) return 'all';
  throw usage(
    `--show-values works on a terminal only: ${why}`,
    'Leave it out: the plan then names keys that only the platform has, without their values.',
  );
}
