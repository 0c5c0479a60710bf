import { diffArrays } from 'diff';

/** A line of a hunk; `~`: secret parts of it change, and nothing else of the line. */
export interface HunkLine {
  readonly sign: ' ' | '-' | '+' | '~';
  readonly text: string;
}

/** Lines that differ, with the unchanged lines around them. */
export interface Hunk {
  /** The first line on both sides, from 1, as in a unified diff: where a side has no line, the one before it. */
  readonly before: number;
  readonly after: number;
  readonly lines: readonly HunkLine[];
}

/** A line of both sides together, with the numbers that the next lines of the sides have. */
interface Place extends HunkLine {
  readonly before: number;
  readonly after: number;
}

/** Unchanged lines before and after those that differ. */
const context = 3;

/**
 * Compares two texts line by line. `rotated`: the lines of `after` in which secret parts change, by their numbers, from 1. Texts that are too different for the time it may take are one hunk: all that is between their common start and
 * their common end.
 */
export function findHunks(
  before: readonly string[],
  after: readonly string[],
  rotated: ReadonlyMap<number, string> = new Map(),
): { readonly hunks: readonly Hunk[]; readonly isMatched: boolean } {
  const matched = diffArrays([...before], [...after], { maxEditLength: maxEdits(before.length + after.length) });
  const places: Place[] = [];
  let [old, fresh] = [1, 1];
  const add = (sign: HunkLine['sign'], texts: readonly string[]): void => {
    for (const text of texts) {
      const shown = sign === '-' ? undefined : rotated.get(fresh);
      const isOnly = shown !== undefined && sign === ' ';
      places.push({ sign: isOnly ? '~' : sign, text: shown ?? text, before: old, after: fresh });
      if (sign !== '+') old += 1;
      if (sign !== '-') fresh += 1;
    }
  };
  for (const { value, added, removed } of matched ?? unmatched(before, after))
    add(added ? '+' : removed ? '-' : ' ', value);
  return { hunks: group(places), isMatched: matched !== undefined };
}

/**
 * The new lines that differ from a line which they replace only in what the shown texts mask, by their numbers, from 1.
 * `shown` has the lines of `texts`, masked.
 */
export function maskedChanges(
  texts: readonly [string, string],
  shown: readonly [string, string],
): ReadonlyMap<number, string> {
  const [before, after, maskedBefore, maskedAfter] = [...texts, ...shown].map((text) => text.split('\n'));
  const found = new Map<number, string>();
  for (const hunk of findHunks(before ?? [], after ?? []).hunks) {
    let [old, fresh] = [hunk.before, hunk.after];
    const removed = new Set<string | undefined>();
    for (const { sign } of hunk.lines) {
      if (sign === '-') removed.add(maskedBefore?.[old - 1]);
      const line = maskedAfter?.[fresh - 1];
      if (sign === '+' && removed.has(line)) found.set(fresh, `${line ?? ''} (changed)`);
      if (sign !== '+') old += 1;
      if (sign !== '-') fresh += 1;
    }
  }
  return found;
}

/** Most lines that may differ: the work is the product of this number and the number of all lines. */
function maxEdits(lines: number): number {
  return Math.max(20, Math.min(1_000, Math.floor(10_000_000 / Math.max(lines, 1))));
}

/** The difference of texts of which only the common start and end are known. */
function unmatched(before: readonly string[], after: readonly string[]) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const part = (value: readonly string[], added: boolean, removed: boolean) => ({ value, added, removed });
  return [
    part(before.slice(0, start), false, false),
    part(before.slice(start, before.length - end), false, true),
    part(after.slice(start, after.length - end), true, false),
    part(after.slice(after.length - end), false, false),
  ];
}

function group(places: readonly Place[]): Hunk[] {
  const ranges: { start: number; end: number }[] = [];
  for (const [at, { sign }] of places.entries()) {
    if (sign === ' ') continue;
    const last = ranges.at(-1);
    const [start, end] = [Math.max(0, at - context), Math.min(places.length, at + context + 1)];
    if (last !== undefined && start <= last.end) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges.map(({ start, end }) => {
    const lines = places.slice(start, end);
    const [first] = lines;
    const isNew = lines.every(({ sign }) => sign === '+');
    const isGone = lines.every(({ sign }) => sign === '-');
    return {
      before: (first?.before ?? 1) - (isNew ? 1 : 0),
      after: (first?.after ?? 1) - (isGone ? 1 : 0),
      lines,
    };
  });
}
