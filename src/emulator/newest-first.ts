import { textOf, type Row } from './json-rows.ts';

/** Sorts a list as the platform does where it sorts: newest first, and of one moment what was written last. */
export function newestFirst(rows: readonly Row[]): Row[] {
  return rows.toReversed().toSorted((a, b) => {
    const [mine, other] = [textOf(a, 'createdAt'), textOf(b, 'createdAt')];
    return mine === other ? 0 : mine < other ? 1 : -1;
  });
}
