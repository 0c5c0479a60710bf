/**
 * How much the tests try, by `TRUEUP_TESTS`:
 *
 * | tier | command                                | files                   | cases                           |
 * | ---- | -------------------------------------- | ----------------------- | ------------------------------- |
 * | fast | `npm test`                             | those of `suites.ts`    | few                             |
 * | full | `npm run test:full`                    | all but those of        | a fixed sample, larger          |
 * |      |                                        | `onlyInAll`             |                                 |
 * | all  | `TRUEUP_TESTS=all npm run test:full`   | all, some also with     | all                             |
 * |      |                                        | bulk reads              |                                 |
 *
 * A file that is run by its name tries few cases. `npm run test:soak` tries more than all of three files.
 */
const tier = process.env['TRUEUP_TESTS'];

/** Whether the tier is `full` or `all`. */
export const isFull = tier === 'full' || tier === 'all';

/** Whether the tier is `all`: every case of what `full` samples. */
export const isAll = tier === 'all';

/** Whether what is tried in parts elsewhere is tried as a whole: `npm run test:soak`. */
export const isSoak = process.env['TRUEUP_SOAK'] !== undefined;

/** What a test tries in each tier, and in a soak; a tier that is left out tries what the one before it tries. */
export function effort<T>(tried: { readonly fast: T; readonly full?: T; readonly all?: T; readonly soak?: T }): T {
  const { fast, full = fast, all = full, soak } = tried;
  if (isSoak && soak !== undefined) return soak;
  return isAll ? all : isFull ? full : fast;
}

/** Every n-th of some cases, from the first; twice as many in the tier `full`, and all of them in `all`. */
export function thinned<T>(cases: readonly T[], n: number): readonly T[] {
  const step = effort({ fast: n, full: Math.ceil(n / 2), all: 1 });
  return cases.filter((_, at) => at % step === 0);
}

/**
 * Whether the tiers below `all` try one of the cases of a table: each n-th of a row, from another one in each row, so that
 * n rows try every column.
 */
export function isSampled(row: number, column: number, n: number): boolean {
  return isAll || (row + column) % n === 0;
}
