/** Whether the long tests run too, and short ones with more cases: where CI is set, and by `TRUEUP_TESTS=all`. */
export const isWhole = (process.env['CI'] ?? '') !== '' || process.env['TRUEUP_TESTS'] === 'all';

/** Whether every case is tried of what CI samples: `TRUEUP_TESTS=all`. */
export const isComplete = process.env['TRUEUP_TESTS'] === 'all';

/** Whether what is tried in parts elsewhere is tried as a whole: `npm run test:soak`. */
export const isSoak = process.env['TRUEUP_SOAK'] !== undefined;

/**
 * What a test tries every day, in CI, with `TRUEUP_TESTS=all` and in `npm run test:soak`, each at most as long as the next.
 * What is left out is as what is before it.
 */
export function effort<T>(tried: { readonly usual: T; readonly ci?: T; readonly all?: T; readonly soak?: T }): T {
  const { usual, ci = usual, all = ci, soak } = tried;
  if (isSoak && soak !== undefined) return soak;
  return isComplete ? all : isWhole ? ci : usual;
}

/** Every n-th of some cases, from the first; twice as many in CI, and all of them by `TRUEUP_TESTS=all`. */
export function thinned<T>(cases: readonly T[], n: number): readonly T[] {
  const step = effort({ usual: n, ci: Math.ceil(n / 2), all: 1 });
  return cases.filter((_, at) => at % step === 0);
}

/**
 * Whether CI tries one of the cases of a table: each n-th of a row, from another one in each row, so that n rows try
 * every column. `TRUEUP_TESTS=all` tries all.
 */
export function isSampled(row: number, column: number, n: number): boolean {
  return isComplete || (row + column) % n === 0;
}
