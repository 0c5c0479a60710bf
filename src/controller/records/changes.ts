import { isDeepStrictEqual } from 'node:util';

/** What the enrolment of a record did. */
export type Changes = 'added' | 'changed' | 'same';

/**
 * Compares a record with the one before it: a field that changed is in `about` with both values; of a new record, all its fields
 * are.
 */
export function changesOf<Row extends object>(
  before: Row | undefined,
  after: Row,
): { readonly is: Changes; readonly about: Readonly<Record<string, unknown>> } {
  if (before === undefined) return { is: 'added', about: Object.fromEntries(Object.entries(after)) };
  const former = new Map(Object.entries(before));
  const changed = Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(former.get(name), value));
  const about = Object.fromEntries(
    changed.map(([name, value]) => [name, { from: former.get(name), to: value as unknown }]),
  );
  return { is: changed.length > 0 ? 'changed' : 'same', about };
}
