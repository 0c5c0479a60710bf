import { alternativesOf } from '../kind/command-call.ts';
import type { Addressed } from './addressed.ts';

/** Seconds for a read, for an operation that answers at once, and for one that answers when its work is over. */
const usual = { read: 30, quick: 60, slow: 1_800 };

/** Longest wait for the end of a command when the user gives none. Seconds. */
export const usualCommandSeconds = usual.slow;

/** The deadline of each request of a command, in milliseconds; `seconds` is the limit that the user gives. Never throws. */
export function commandDeadlines(
  objects: readonly Pick<Addressed, 'kind'>[],
  name: string,
  seconds: number | undefined,
): (operation: string) => number {
  const limits = new Map(
    objects.flatMap(({ kind }) =>
      alternativesOf(kind, name).flatMap((alternative): [string, number][] =>
        'call' in alternative
          ? [[alternative.call, seconds ?? (alternative.answers === 'late' ? usual.slow : usual.quick)]]
          : [],
      ),
    ),
  );
  return (operation) => 1_000 * (limits.get(operation) ?? usual.read);
}
