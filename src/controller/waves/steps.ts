import { createHash } from 'node:crypto';

type Labels = Readonly<Record<string, string>>;

/** Stacks of a wave that come next: those with some labels, a share of those that are left over in percent, or all of these. */
type WaveStep = 'rest' | { readonly labels: Labels } | { readonly share: number };

/** How a commit reaches the stacks with some labels: step by step, each after the stacks before it were healthy for a time. */
export interface WaveSettings {
  readonly name: string;
  /** `{}`: all stacks. */
  readonly labels: Labels;
  readonly healthyMinutes: number;
  readonly steps: readonly WaveStep[];
}

/** A stack with its labels. */
export interface Labelled {
  readonly id: string;
  readonly labels: Labels;
  /** The wave before let it in already. */
  readonly isLetIn?: boolean;
}

/** The wave of a stack: the first one of the settings whose labels it has. */
export function waveOf(waves: readonly WaveSettings[], { labels }: Labelled): WaveSettings | undefined {
  return waves.find((wave) => has(labels, wave.labels));
}

/**
 * Puts each stack of a wave into one step; a step may get none. A share is rounded down to one stack or more, and takes others with
 * each commit, so that not always the same ones come first. Stacks that no step takes come last. What was let in already is in the
 * first step, beside those that it has: all others wait until these are healthy too.
 */
export function stepsOf(
  { steps }: WaveSettings,
  stacks: readonly Labelled[],
  commit: string,
): readonly (readonly string[])[] {
  const letIn = stacks.filter(({ isLetIn }) => isLetIn === true).map(({ id }) => id);
  const others = stacks.filter(({ isLetIn }) => isLetIn !== true);
  const left = new Map(sorted(others, commit).map((stack) => [stack.id, stack]));
  const take = (ids: readonly string[]): readonly string[] => {
    for (const id of ids) left.delete(id);
    return ids;
  };
  const taken = steps.map((step) => {
    const all = [...left.values()];
    if (step === 'rest') return take(all.map(({ id }) => id));
    if ('share' in step) {
      const count = Math.max(1, Math.floor((all.length * step.share) / 100));
      return take(all.slice(0, count).map(({ id }) => id));
    }
    return take(all.filter(({ labels }) => has(labels, step.labels)).map(({ id }) => id));
  });
  const [first = [], ...later] = left.size === 0 ? taken : [...taken, take([...left.keys()])];
  return [[...letIn, ...first], ...later];
}

function has(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => Object.hasOwn(labels, name) && labels[name] === value);
}

/** In an order by chance that every process finds. */
function sorted<T extends Labelled>(stacks: readonly T[], commit: string): readonly T[] {
  const place = ({ id }: T): string => createHash('sha256').update(`${id}\0${commit}`).digest('hex');
  return stacks
    .map((stack) => ({ stack, place: place(stack) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ stack }) => stack);
}
