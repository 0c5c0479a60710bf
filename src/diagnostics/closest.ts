/** No longer word is a misspelt one; comparing takes time by the product of the lengths. */
const longest = 300;

/** The candidate that is most like a misspelt word; undefined when none is near. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  if (word.length > longest) return undefined;
  const max = Math.max(1, Math.floor(word.length / 3));
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > Math.min(max, best?.distance ?? max)) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  return best !== undefined && best.distance <= max ? best.candidate : undefined;
}

/** The remedy for a misspelt word: the candidate that is most like it; `otherwise`, when none is near. */
export function didYouMean<T extends string | undefined>(word: string, candidates: readonly string[], otherwise: T) {
  const guess = closest(word, candidates);
  return guess === undefined ? otherwise : `Did you mean ${guess}?`;
}

/** The number of characters to add, remove, replace or swap with the next one. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min((row[j - 1] ?? 0) + 1, (previous[j] ?? 0) + 1, (previous[j - 1] ?? 0) + cost, swapped));
    }
    [before, previous] = [previous, row];
  }
  return previous[b.length] ?? 0;
}
