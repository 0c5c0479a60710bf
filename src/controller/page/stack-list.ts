import type { StackGlance } from '../records/shown-stacks.ts';
import { type StackState, nameOf, needsYou, stateOf } from './stack-state.ts';

/** What narrows a list of stacks. */
export interface StackFilter {
  /** Words, each of which has to be in the id, the platform or a label. */
  readonly text: string;
  /** `key=value`, or a key alone. */
  readonly label: string;
  readonly state: StackState | '';
}

/** A part of a list of stacks, in the order of their ids. */
export interface StackPage<Stack extends StackGlance> {
  readonly rows: readonly Stack[];
  /** Of all, those that need a person: the most urgent first, and of these those that have waited longest. */
  readonly urgent: readonly StackGlance[];
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
export const stacksPerPage = 100;

/** Narrows a list of stacks, and cuts out the part after an id. Stacks that are gone show where they are asked for. */
export function pageOfStacks<Stack extends StackGlance>(
  stacks: readonly Stack[],
  { text, label, state }: StackFilter,
  after: string | undefined,
): StackPage<Stack> {
  const counts = new Map<StackState, number>();
  const urgent: (readonly [stack: Stack, rank: number])[] = [];
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = stacks.filter((one) => {
    const is = stateOf(one);
    counts.set(is, (counts.get(is) ?? 0) + 1);
    if (needsYou.includes(is)) urgent.push([one, needsYou.indexOf(is)]);
    return (
      (state === '' ? is !== 'gone' : is === state) &&
      hasLabel(one, label) &&
      (words.length === 0 || hasWords(one, words))
    );
  });
  const start = after === undefined ? 0 : matches.filter(({ id }) => id <= after).length;
  const rows = matches.slice(start, start + stacksPerPage);
  const isLast = start + rows.length >= matches.length;
  return {
    rows,
    urgent: urgent.toSorted(([a, of], [b, other]) => of - other || a.since - b.since).map(([stack]) => stack),
    found: matches.length,
    before: start,
    next: isLast ? undefined : rows.at(-1)?.id,
    counts,
    all: stacks.length - (counts.get('gone') ?? 0),
  };
}

function hasWords(stack: StackGlance, words: readonly string[]): boolean {
  const labels = Object.entries(stack.labels).map(([key, value]) => `${key}=${value}`);
  const text = [stack.id, nameOf(stack), stack.platform, ...labels].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

function hasLabel({ labels }: StackGlance, wanted: string): boolean {
  if (wanted === '') return true;
  const at = wanted.indexOf('=');
  const key = at === -1 ? wanted : wanted.slice(0, at);
  if (!Object.hasOwn(labels, key)) return false;
  return at === -1 || labels[key] === wanted.slice(at + 1);
}
