import type { CommitStatus } from '../../forge/statuses.ts';
import { titleOf, wordsOf } from '../../render/verdict.ts';
import { planAddress, stackAddress } from '../page/addresses.ts';
import { type OpenPlan, standingOf } from '../plan-standing.ts';
import type { DueStatus } from '../records/statuses.ts';

/**
 * What the forge shows for a commit and a stack. Problems are not in it, as a repository may be public: its page has them.
 *
 * @param address where browsers find the page, without a slash at its end; undefined: there is none
 */
export function statusOf(due: DueStatus, address: string | undefined): CommitStatus {
  const { path, commit, stack, plan } = due;
  const page = plan === null ? stackAddress(stack) : planAddress(plan);
  return {
    commit,
    context: `trueup/${path}`,
    url: address === undefined ? undefined : `${address}${page}`,
    ...saying(due),
  };
}

/** How a stack stands at a commit, in a sentence. */
export function saying(due: DueStatus): Pick<CommitStatus, 'state' | 'description'> {
  const { is, document, ends } = due;
  const words =
    document === null ? undefined : document.format === 'trueup/plan' ? titleOf(document) : wordsOf(document);
  switch (is) {
    case 'failed':
      return { state: 'failure', description: 'Failed, and is tried again.' };
    case 'planned':
      return sayingOfPlan(due, 'commit', words ?? 'changes');
    case 'drifted':
      return sayingOfPlan(due, 'drift', words ?? 'changes');
    case 'applied':
      return words === undefined
        ? { state: 'success', description: 'Nothing to do.' }
        : { state: 'success', description: `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}.` };
    case 'superseded':
      return { state: 'success', description: 'Not applied: another commit came after it.' };
    case 'removed':
      return {
        state: 'success',
        description: `The preview is removed${ends === 'over' ? ': its time was over' : ''}.`,
      };
    default:
      return is satisfies never;
  }
}

/** What is said of an open plan. A pause is over some day, and nothing is said of it. */
function sayingOfPlan(
  { commit, policy, isNeeded, isApproved, wave }: DueStatus,
  cause: OpenPlan['cause'],
  words: string,
): Pick<CommitStatus, 'state' | 'description'> {
  const stack = { policy, wanted: commit, isGone: false, isPaused: false, wave };
  const standing = standingOf({ commit, cause, isNeeded, isApproved }, stack);
  const drifted = cause === 'drift';
  switch (standing) {
    case 'ended':
      return drifted
        ? { state: 'pending', description: `Drifted: ${words}; its policy repairs nothing.` }
        : { state: 'success', description: `Planned, and not applied by its policy: ${words}.` };
    case 'refused':
      return drifted
        ? { state: 'pending', description: `Drifted: ${words}; its repair was refused.` }
        : { state: 'failure', description: `Refused: ${words}.` };
    case 'waits':
      return {
        state: 'pending',
        description: drifted ? `Drifted: ${words}; waits for a decision.` : `Waits for approval: ${words}.`,
      };
    case 'wave':
      return { state: 'pending', description: `Waits for its wave: ${words}.` };
    case 'approved':
    case 'next':
    case 'paused':
    case 'outdated':
    case 'gone':
      return { state: 'pending', description: `${drifted ? 'To be repaired' : 'To be applied'}: ${words}.` };
    default:
      return standing satisfies never;
  }
}
