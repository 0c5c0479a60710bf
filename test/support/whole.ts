/** Whether the long tests run too, and short ones with more cases: where CI is set, and by `TRUEUP_TESTS=all`. */
export const isWhole = (process.env['CI'] ?? '') !== '' || process.env['TRUEUP_TESTS'] === 'all';

/** Whether every case is tried of what CI samples: `TRUEUP_TESTS=all`. */
export const isComplete = process.env['TRUEUP_TESTS'] === 'all';

/** Whether what is tried in parts elsewhere is tried as a whole: `npm run test:soak`. */
export const isSoak = process.env['TRUEUP_SOAK'] !== undefined;

/** Each of some cases where everything is tried; else every n-th one, from the first. */
export function thinned<T>(cases: readonly T[], n: number): readonly T[] {
  return isWhole ? cases : cases.filter((_, at) => at % n === 0);
}

/**
 * Whether CI tries one of the cases of a table: each n-th of a row, from another one in each row, so that n rows try
 * every column. `TRUEUP_TESTS=all` tries all.
 */
export function isSampled(row: number, column: number, n: number): boolean {
  return isComplete || (row + column) % n === 0;
}
