import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { PlanDocument } from '../../index.ts';
import { clear, raise } from './alarms.ts';
import { type Database, isOpen, jsonOf } from './database.ts';
import type { Query } from '../transaction.ts';
import type { Policy } from './sources.ts';
import type { StackRecord } from './stacks.ts';

/** A plan that waits for a verdict, or has one. */
export interface PlanRecord {
  readonly digest: string;
  readonly commit: string;
  readonly cause: 'commit' | 'drift';
  readonly document: PlanDocument;
  readonly file: string;
  /** true: approved and not refused; undefined: there is no verdict yet. */
  readonly isApproved: boolean | undefined;
}

/** SHA-256 of a text, as hex. Of a plan it is the name: whoever approves it approves this text and no other. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function plansIn({ rows, row, onStack }: Database) {
  return {
    /**
     * Keeps a plan for a verdict, in the place of the one before it. One that does the same for the same commit stays, with
     * what was said of it. Gives the plan that waits; none, where the stack wants another commit by now.
     */
    keepPlan: async (
      { id }: Pick<StackRecord, 'id'>,
      { commit, cause, document, file }: Pick<PlanRecord, 'commit' | 'cause' | 'document' | 'file'>,
    ): Promise<string | undefined> =>
      onStack(id, async (query) => {
        const [stack] = await query<{ readonly policy: Policy }>(
          `update @stack set problem = null, looked_at = now() where id = $1 and wanted = $2 and not is_gone returning policy`,
          [id, commit],
        );
        if (stack === undefined) return undefined;
        await clear(query, ['run'], id);
        const [current] = await query<Pick<PlanRecord, 'digest' | 'commit' | 'document'>>(
          `select digest, commit, document from @plan where stack = $1 and ${isOpen}
          and expires_at > now()`,
          [id],
        );
        if (current?.commit === commit && doesTheSame(current.document, document)) return current.digest;
        await query(`update @plan set superseded_at = now() where stack = $1 and ${isOpen}`, [id]);
        const digest = digestOf(file);
        await query(
          `insert into @plan (digest, stack, commit, cause, document, file, expires_at)
          values ($1, $2, $3, $4, $5, $6, now() + interval '7 days')`,
          [digest, id, commit, cause, jsonOf(document), file],
        );
        await raisePlan(query, id, { digest, commit, cause, document, policy: stack.policy });
        return digest;
      }),
    /** The plan of a stack that waits, with the verdicts on it: one refusal counts more than approvals. */
    waitingPlan: (stack: string) =>
      row<PlanRecord>(
        `select digest, commit, cause, document, file,
          (select bool_and(approves) from @verdict where plan = digest) as "isApproved"
        from @plan where stack = $1 and ${isOpen} and expires_at > now()`,
        [stack],
      ).then((found) => found && { ...found, isApproved: found.isApproved ?? undefined }),
    /**
     * Notes a verdict on a plan, and has an approved one applied soon. Who approved may still refuse. False: the plan is not one
     * that waits, or who speaks had spoken.
     */
    judge: async (
      digest: string,
      {
        who,
        role,
        approves,
        because,
      }: { readonly who: string; readonly role: string; readonly approves: boolean; readonly because: string },
    ): Promise<boolean> => {
      const plan = await row<{ readonly stack: string }>('select stack from @plan where digest = $1', [digest]);
      if (plan === undefined) return false;
      return onStack(plan.stack, async (query) => {
        const noted = await query(
          `with said as (insert into @verdict as old (plan, who, role, approves, because)
              select digest, $2, $3, $4, $5 from @plan where digest = $1 and ${isOpen}
                and expires_at > now() and not exists (select from @run where plan = $1 and ended_at is null)
              on conflict (plan, who) do update set role = $3, approves = false, because = $5, at = now()
                where old.approves and not excluded.approves
              returning plan),
            due as (update @stack set look_at = now() where id = $6 and $4 and exists (select from said))
          insert into @event (who, what, subject, about)
            select $2, case when $4 then 'approved' else 'refused' end, $6,
              jsonb_build_object('plan', $1::text, 'because', $5::text) from said returning id`,
          [digest, who, role, approves, because, plan.stack],
        );
        if (noted.length > 0) await clear(query, ['approval'], plan.stack);
        return noted.length > 0;
      });
    },
    /** The plan was applied, or turned out not to be what can be applied any more. */
    endPlan: (digest: string, as: 'applied' | 'superseded') =>
      rows(
        as === 'applied'
          ? `update @plan set applied_at = now() where digest = $1 and applied_at is null`
          : `update @plan set superseded_at = now() where digest = $1 and ${isOpen}`,
        [digest],
      ),
  };
}

/** Tells of drift, or of a plan that waits for an approval. */
async function raisePlan(
  query: Query,
  stack: string,
  { digest, commit, cause, document, policy }: Omit<PlanRecord, 'file' | 'isApproved'> & { readonly policy: Policy },
): Promise<void> {
  const { actions, dataAtRisk = [] } = document;
  const changes = actions.filter(({ action }) => action !== 'no-op').length;
  const about = { plan: digest, commit, changes, dataAtRisk: dataAtRisk.length, isRepaired: policy !== 'never' };
  if (cause === 'drift') await raise(query, { kind: 'drift', subject: stack, digest, about });
  else if (policy !== 'never') await raise(query, { kind: 'approval', subject: stack, digest, about });
}

/** Whether two plans do the same, whatever reading took. The first comes from the database. */
function doesTheSame(kept: PlanDocument, made: PlanDocument): boolean {
  const compared = ({ actions, dataAtRisk, overwrites, restarts, recreates, diagnostics }: PlanDocument): unknown =>
    JSON.parse(jsonOf({ actions, dataAtRisk, overwrites, restarts, recreates, diagnostics }));
  return isDeepStrictEqual(compared(kept), compared(made));
}
