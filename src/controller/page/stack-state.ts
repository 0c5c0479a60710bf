import { standingOf } from '../plan-standing.ts';
import type { StackGlance } from '../records/shown-stacks.ts';

/** How a stack stands: one word of these, the most urgent one. */
export type StackState = keyof typeof stateWords;

/** The words of every state, and the class with its tone, in the order of urgency. */
export const stateWords = {
  failed: { words: 'failed', tone: 'bad' },
  'no worker': { words: 'no worker', tone: 'bad' },
  approval: { words: 'waits for approval', tone: 'change' },
  drifted: { words: 'drifted', tone: 'change' },
  ending: { words: 'to be removed', tone: 'info' },
  running: { words: 'running', tone: 'info' },
  approved: { words: 'approved', tone: 'info' },
  refused: { words: 'refused', tone: 'note' },
  wave: { words: 'waits for its wave', tone: 'info' },
  planned: { words: 'planned only', tone: 'note' },
  behind: { words: 'to be planned', tone: 'info' },
  paused: { words: 'paused', tone: 'note' },
  'in step': { words: 'in step', tone: 'done' },
  gone: { words: 'gone', tone: 'note' },
} as const satisfies Readonly<Record<string, { readonly words: string; readonly tone: string }>>;

export const stackStates = Object.keys(stateWords) as readonly StackState[];

/** The states in which a stack needs a person. */
export const needsYou: readonly StackState[] = ['failed', 'no worker', 'approval', 'drifted'];

/** The state of a stack. The operator who paused one knows its trouble: it needs no person until then. */
export function stateOf(stack: StackGlance): StackState {
  const { plan, run } = stack;
  if (stack.isGone) return 'gone';
  if (stack.isPaused) return 'paused';
  if (run?.kind === 'apply') return 'running';
  if (stack.hasProblem) return 'failed';
  if (!stack.isServed) return 'no worker';
  if (stack.ends !== null) return 'ending';
  const standing = plan === null ? undefined : standingOf(plan, stack);
  if (plan !== null && standing === 'waits') return plan.cause === 'drift' ? 'drifted' : 'approval';
  if (standing === 'refused' || standing === 'wave') return standing;
  if (standing === 'ended') return 'planned';
  if (standing === 'approved') return run === null ? 'approved' : 'running';
  if (standing === 'next') return run === null ? 'behind' : 'running';
  if (run !== null && stack.applied !== stack.wanted) return 'running';
  return stack.wanted === null || stack.applied !== stack.wanted ? 'behind' : 'in step';
}

/**
 * The short name of a stack: its folder where its file is named as usual, and its source where it has no folder. That of a preview has
 * the number of its pull request.
 */
export function nameOf({ source, path, pull }: Pick<StackGlance, 'source' | 'path' | 'pull'>): string {
  const name = path.replace(/(?:^|\/)trueup\.ya?ml$/, '') || source;
  return pull === null ? name : `${name} #${pull}`;
}
