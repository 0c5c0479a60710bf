import type { CommitStatus } from '../../forge/statuses.ts';
import { titleOf, wordsOf } from '../../render/verdict.ts';
import { planAddress, stackAddress } from '../page/addresses.ts';
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

function saying({ is, policy, document }: DueStatus): Pick<CommitStatus, 'state' | 'description'> {
  const words =
    document === null ? undefined : document.format === 'trueup/plan' ? titleOf(document) : wordsOf(document);
  switch (is) {
    case 'failed':
      return { state: 'failure', description: 'Failed, and is tried again.' };
    case 'planned':
      return policy === 'never'
        ? { state: 'success', description: `Planned, and not applied by its policy: ${words ?? 'changes'}.` }
        : { state: 'pending', description: `Waits for approval: ${words ?? 'changes'}.` };
    case 'drifted':
      return { state: 'pending', description: `Drifted: ${words ?? 'changes'}; waits for a decision.` };
    case 'applied':
      return words === undefined
        ? { state: 'success', description: 'Nothing to do.' }
        : { state: 'success', description: `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}.` };
    case 'superseded':
      return { state: 'success', description: 'Not applied: another commit came after it.' };
    default:
      return is satisfies never;
  }
}
