/** Whether the long tests run too, and short ones with more cases: where CI is set, and by `TRUEUP_TESTS=all`. */
export const isWhole = (process.env['CI'] ?? '') !== '' || process.env['TRUEUP_TESTS'] === 'all';

/** Whether every case is tried of what CI samples: `TRUEUP_TESTS=all`. */
export const isComplete = process.env['TRUEUP_TESTS'] === 'all';

/** Whether what is tried in parts elsewhere is tried as a whole: `npm run test:soak`. */
export const isSoak = process.env['TRUEUP_SOAK'] !== undefined;

/** Every n-th of some cases, from the first; twice as many in CI, and all of them by `TRUEUP_TESTS=all`. */
export function thinned<T>(cases: readonly T[], n: number): readonly T[] {
  const step = isComplete ? 1 : isWhole ? Math.ceil(n / 2) : n;
  return cases.filter((_, at) => at % step === 0);
}

/**
 * Whether CI tries one of the cases of a table: each n-th of a row, from another one in each row, so that n rows try
 * every column. `TRUEUP_TESTS=all` tries all.
 */
export function isSampled(row: number, column: number, n: number): boolean {
  return isComplete || (row + column) % n === 0;
}
