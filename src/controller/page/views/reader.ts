import type { Reader } from '../../../render/html/reader.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import { inWordsOfPage, isOfApproval, remedyOnPage } from '../../page-remedy.ts';

/** Whether the reader may propose the drift of the stack as a pull request. */
export interface Proposing {
  readonly mayPropose?: boolean | undefined;
}

/** Who reads the plans, runs and drift of a stack on pages: approvals take the place of options. */
export function readerFor({ policy }: Pick<StackRow, 'policy'>, { mayPropose = false }: Proposing = {}): Reader {
  const isApplied = policy !== 'never';
  return {
    needed: isApplied ? 'an approval needs the box for data ticked' : 'the policy of this stack applies no plan',
    given: 'allowed by the approval',
    adoption: isApplied ? '; approving the plan allows it' : '; the policy of this stack applies no plan',
    unmanaged: '',
    tooMany: '',
    remedyOf: (one) => (isApplied || !isOfApproval(one) ? remedyOnPage(one) : undefined),
    wordsOf: inWordsOfPage,
    wayOf: (command) => ({ words: wayFor(command, { isApplied, mayPropose }), isCommand: false }),
  };
}

/** What a reader does where a command would do it. */
function wayFor(
  command: string,
  { isApplied, mayPropose }: { readonly isApplied: boolean; readonly mayPropose: boolean },
): string {
  const change = 'change the manifest and push it';
  if (/\bdrift adopt\b/.test(command)) return mayPropose ? `propose it as a pull request, or ${change}` : change;
  if (/\bdrift accept\b/.test(command)) return isApplied ? 'refuse the repair' : 'nothing repairs it';
  if (/\bexport\b/.test(command)) return 'write its block into the manifest and push it';
  return isApplied ? 'approve the plan' : 'change it on the platform: the policy of this stack applies no plan';
}
