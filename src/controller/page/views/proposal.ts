import { type Markup, markup } from '../../../render/markup.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import type { ShownProposal } from '../../records/proposals.ts';
import { stackAddress } from '../addresses.ts';
import { actForm, problemLines, soon } from './parts.ts';

/** What becomes of drift at the forge of its source. */
interface ProposalView {
  /** undefined: none was asked for. */
  readonly proposal: ShownProposal | undefined;
  readonly mayPropose: boolean;
  readonly csrf: string;
  readonly now: Date;
}

/** The pull request that adopts the drift of a stack, or the way to one. */
export function proposalPart(stack: StackRow, { proposal, mayPropose, csrf, now }: ProposalView): Markup {
  if (proposal === undefined) {
    if (!mayPropose) return markup``;
    return markup`${actForm(`${stackAddress(stack.id)}/propose`, csrf, markup`<button>Propose as a pull request</button>`)}<p class="hint">Its branch has in the files what the platform has. Secrets stay out, and nothing is applied.</p>`;
  }
  const { number, problem, againAt } = proposal;
  if (problem !== null && againAt !== null) {
    const what = number === null ? 'This drift is no pull request yet.' : `Pull request ${number} is not up to date.`;
    return markup`<p>${what} That is tried again ${soon(againAt, now)}.</p>${problemLines(problem)}`;
  }
  if (problem !== null) return markup`<p>This drift cannot be a pull request:</p>${problemLines(problem)}`;
  return number === null
    ? markup`<p>A worker opens a pull request that adopts this drift.</p>`
    : markup`<p>Pull request ${number} adopts this drift. It is closed when the drift is gone.</p>`;
}
