import type { Query } from '../transaction.ts';
import { type Database, plain } from './database.ts';
import { noteIn } from './events.ts';
import { againAfter } from './forge-refusals.ts';

/** A pull request that adopts the drift of a stack, as long as it is wanted. */
export interface ProposalRecord {
  readonly stack: string;
  readonly who: string;
  readonly askedAt: Date;
  /** The commit of its branch that was pushed last, and the one whose push may have ended with its worker. */
  readonly pushed: string | null;
  readonly pushing: string | null;
  /** null: it is not open yet. */
  readonly number: number | null;
  /** Names the text that the forge shows. */
  readonly shown: string | null;
}

const columns = 'stack, who, asked_at as "askedAt", pushed, pushing, number, shown, problem, again_at as "againAt"';
/** Names what a proposal was made of: the commit, and the last look at the platform. */
const wanted = `concat_ws(' ', stack.wanted, stack.looked_at)`;

/** A proposal as pages show it. */
export interface ShownProposal extends ProposalRecord {
  readonly problem: string | null;
  /** When it is tried again; null: with the next look at the platform. */
  readonly againAt: Date | null;
}

export function proposalsIn({ rows, row, transaction }: Database) {
  return {
    /** Wants the drift of a stack as a pull request. False: that is wanted already, or the stack is gone or a preview. */
    propose: (stack: string, who: string): Promise<boolean> =>
      transaction(async (query) => {
        const [made] = await query(
          `insert into @proposal (stack, who) select id, $2 from @stack where id = $1 and pull is null and not is_gone
          on conflict do nothing returning stack`,
          [stack, plain(who)],
        );
        if (made === undefined) return false;
        await noteIn(query, { who, what: 'proposed the drift', subject: stack });
        return true;
      }),
    proposal: (stack: string) => row<ShownProposal>(`select ${columns} from @proposal where stack = $1`, [stack]),
    /** Proposals of stacks that were looked at since, and that nothing runs. */
    dueProposals: (most: number) =>
      rows<{ readonly id: string }>(
        `select stack.id from @proposal as proposal join @stack as stack on stack.id = proposal.stack
          join @source as source on source.id = stack.source
        where proposal.brought is distinct from ${wanted} and coalesce(source.forge_after <= now(), true)
          and coalesce(proposal.again_at <= now(), true)
          and source.forge <> 'none' and source.forge_token_file is not null
          and not exists (select from @run where stack = stack.id and ended_at is null)
        order by stack.id limit $1`,
        [most],
      ),
    /** Gives what `proposalBrought` notes: what is known of a stack before the work begins. */
    proposalFact: (stack: string) =>
      row<{ readonly fact: string }>(`select ${wanted} as fact from @stack as stack where id = $1`, [stack]),
    proposalPushes: (stack: string, commit: string) =>
      rows('update @proposal set pushing = $2 where stack = $1', [stack, commit]),
    proposalPushed: (stack: string, commit: string) =>
      rows('update @proposal set pushed = $2, pushing = null where stack = $1', [stack, commit]),
    proposalShown: (stack: string, about: Pick<ProposalRecord, 'number' | 'shown'>) =>
      rows('update @proposal set number = $2, shown = $3 where stack = $1', [stack, about.number, about.shown]),
    /** The proposal is as the platform was when it was last looked at; or it cannot be, for a reason. */
    proposalBrought: (stack: string, fact: string, problem: string | undefined) =>
      rows('update @proposal set brought = $2, problem = $3, refusals = 0, again_at = null where stack = $1', [
        stack,
        fact,
        problem === undefined ? null : plain(problem),
      ]),
    /** The forge, git or the platform refused it: it is tried again after a pause. */
    proposalRefused: (stack: string, problem: string) =>
      rows(
        `update @proposal set problem = $2, refusals = refusals + 1, again_at = ${againAfter('refusals + 1')} where stack = $1`,
        [stack, plain(problem)],
      ),
    /** It is not wanted any more: it was merged or closed, or the drift is gone. */
    endProposal: (stack: string, why: string) => transaction((query) => endProposalsIn(query, stack, why)),
  };
}

/** Ends the proposal of a stack, or those of all stacks of a source. */
export async function endProposalsIn(query: Query, stackOrSource: string, why: string): Promise<void> {
  const ended = await query<{ readonly stack: string }>(
    `delete from @proposal as proposal using @stack as stack
    where stack.id = proposal.stack and $1 in (stack.id, stack.source) returning proposal.stack`,
    [stackOrSource],
  );
  for (const { stack } of ended)
    await noteIn(query, { who: 'trueup', what: 'ended the proposal', subject: stack, about: { because: why } });
}
