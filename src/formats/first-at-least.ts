/** The index of the first of the numbers, which ascend, that is no smaller. */
export function firstAtLeast(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) >= least) high = middle;
    else low = middle + 1;
  }
  return low;
}
