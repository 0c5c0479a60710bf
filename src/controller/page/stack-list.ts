import type { StackRow } from '../records/shown-stacks.ts';
import { type StackState, nameOf, stateOf } from './stack-state.ts';

/** What narrows a list of stacks. */
export interface StackFilter {
  /** Words, each of which has to be in the id, the platform or a label. */
  readonly text: string;
  /** `key=value`, or a key alone. */
  readonly label: string;
  readonly state: StackState | '';
}

/** A part of a list of stacks, in the order of their ids. */
export interface StackPage {
  /** With their states. */
  readonly rows: readonly (StackRow & { readonly state: StackState })[];
  /** How many stacks match, and how many of these come before the part. */
  readonly found: number;
  readonly before: number;
  /** The id after which the next part begins; undefined: it is the last. */
  readonly next: string | undefined;
  /** How many stacks are in each state, whatever narrows the list; what is gone counts as nothing else. */
  readonly counts: ReadonlyMap<StackState, number>;
  /** How many there are; those that are gone do not count. */
  readonly all: number;
}

/** Stacks of one page. */
export const stacksPerPage = 200;

/** Narrows a list of stacks, and cuts out the part after an id. Stacks that are gone show where they are asked for. */
export function pageOfStacks(
  stacks: readonly StackRow[],
  { text, label, state }: StackFilter,
  after: string | undefined,
): StackPage {
  const all = stacks.map((one) => ({ ...one, state: stateOf(one) }));
  const counts = new Map<StackState, number>();
  for (const one of all) counts.set(one.state, (counts.get(one.state) ?? 0) + 1);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = all.filter(
    (one) =>
      (state === '' ? one.state !== 'gone' : one.state === state) &&
      hasLabel(one, label) &&
      (words.length === 0 || hasWords(one, words)),
  );
  const start = after === undefined ? 0 : matches.filter(({ id }) => id <= after).length;
  const rows = matches.slice(start, start + stacksPerPage);
  const isLast = start + rows.length >= matches.length;
  return {
    rows,
    found: matches.length,
    before: start,
    next: isLast ? undefined : rows.at(-1)?.id,
    counts,
    all: all.length - (counts.get('gone') ?? 0),
  };
}

function hasWords(stack: StackRow, words: readonly string[]): boolean {
  const labels = Object.entries(stack.labels).map(([key, value]) => `${key}=${value}`);
  const text = [stack.id, nameOf(stack), stack.platform, ...labels].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

function hasLabel({ labels }: StackRow, wanted: string): boolean {
  if (wanted === '') return true;
  const at = wanted.indexOf('=');
  const key = at === -1 ? wanted : wanted.slice(0, at);
  if (!Object.hasOwn(labels, key)) return false;
  return at === -1 || labels[key] === wanted.slice(at + 1);
}
