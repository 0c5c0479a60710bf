import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { PlanDocument } from '../../index.ts';
import { stop } from '../../diagnostics/diagnostic.ts';
import type { Consent } from '../consent.ts';
import { needsApproval } from '../plan-standing.ts';
import { clear, raise } from './alarms.ts';
import { type Author, isBy } from './authors.ts';
import { type Database, isOpen, jsonOf, plain } from './database.ts';
import type { Query } from '../transaction.ts';
import type { Policy } from './sources.ts';
import { type StackRecord, isAt } from './stacks.ts';

/** A plan that waits for a verdict, or has one. */
export interface PlanRecord {
  readonly digest: string;
  readonly commit: string;
  readonly cause: 'commit' | 'drift';
  readonly document: PlanDocument;
  readonly file: string;
  /** The addresses whose data it may lose: an approval has to allow that. */
  readonly losing: readonly string[];
  /** Who wrote the commit, as git says it. */
  readonly authors: readonly Author[];
  /** true: approved and not refused; undefined: there is no verdict yet. */
  readonly isApproved: boolean | undefined;
  /** Who approved it saw that it may lose data. */
  readonly allowsDataLoss: boolean;
}

/** What an approver says of a plan. */
export interface Verdict {
  readonly who: string;
  readonly role: string;
  readonly approves: boolean;
  readonly because: string;
  /** Of an approval: data may be lost. */
  readonly allowsDataLoss?: boolean;
  /** true: who wrote the commit does not approve its plan. */
  readonly fourEyes?: boolean;
}

/** SHA-256 of a text, as hex. Of a plan it is the name: whoever approves it approves this text and no other. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function plansIn({ rows, row, onStack }: Database) {
  return {
    /**
     * Keeps a plan for a verdict, in the place of the one before it. One that does the same for the same commit stays, with
     * what was said of it. What was refused of a commit stays refused in another plan of that commit. `isNeeded`: a person must
     * approve it, whatever the policy is. `authors`: of a preview.
     * Gives the plan that waits. None, where the stack wants another commit by now, or is on another platform or at another address
     * than where it was made: the plan is there to read until the next one.
     */
    keepPlan: async (
      { id, platform, url }: Pick<StackRecord, 'id' | 'platform' | 'url'>,
      {
        commit,
        cause,
        document,
        file,
        losing = [],
        isNeeded = false,
        authors,
      }: Pick<PlanRecord, 'commit' | 'cause' | 'document' | 'file'> &
        Partial<Pick<PlanRecord, 'losing'> & Consent> & { readonly authors?: readonly Author[] | undefined },
    ): Promise<string | undefined> =>
      onStack(id, async (query) => {
        const plan = { stack: id, commit, cause, document, file, losing, isNeeded, authors };
        const [stack] = await query<{ readonly policy: Policy }>(
          `update @stack set problem = null, looked_at = now() where id = $1 and wanted = $2 and platform = $3 and ${isAt('$3', '$4')}
            and not is_gone and ends is null returning policy`,
          [id, commit, platform, url],
        );
        if (stack === undefined) {
          await query('delete from @plan where stack = $1 and superseded_at = made_at', [id]);
          await insert(query, { ...plan, isOver: true });
          return undefined;
        }
        await clear(query, ['run'], id);
        const [former] = await query<Former>(
          `select digest, commit, cause, document, expires_at > now() as "isValid",
            exists (select from @verdict where plan = digest) as "isJudged",
            exists (select from @verdict where plan = digest and not approves) as "isRefused"
          from @plan where stack = $1 and ${isOpen}`,
          [id],
        );
        const stays = former?.isValid === true && former.commit === commit && doesTheSame(former.document, document);
        const digest = stays ? former.digest : await replace(query, plan, former);
        const isJudged = stays ? former.isJudged : isStillRefused(former, plan);
        // Drift brings a message under every policy.
        if (!isJudged && (cause === 'drift' || needsApproval(stack.policy, { cause, isNeeded })))
          await raisePlan(query, id, { digest, commit, cause, document, policy: stack.policy });
        return digest;
      }),
    /** The plan of a stack that waits, with the verdicts on it: one refusal counts more than approvals. */
    waitingPlan: (stack: string) =>
      row<PlanRecord>(
        `select digest, commit, cause, document, file, losing, authors,
          (select bool_and(approves) from @verdict where plan = digest) as "isApproved",
          coalesce((select bool_and(allows_data_loss) from @verdict where plan = digest), false) as "allowsDataLoss"
        from @plan where stack = $1 and ${isOpen} and expires_at > now()`,
        [stack],
      ).then((found) => found && { ...found, isApproved: found.isApproved ?? undefined }),
    /**
     * Notes a verdict on a plan, and has an approved one applied soon. Who approved may still refuse. False: the plan is not one
     * that waits, or who speaks had spoken.
     *
     * @throws {Stop} `refused`, where the approval does not allow the loss of data, or comes from who wrote the commit
     */
    judge: async (digest: string, verdict: Verdict): Promise<boolean> => {
      const { who, role, approves, because, allowsDataLoss = false } = verdict;
      const plan = await row<{ readonly stack: string } & Judged>(
        `select stack, losing, authors from @plan where digest = $1 and ${isOpen} and expires_at > now()`,
        [digest],
      );
      if (plan === undefined) return false;
      if (approves) refuseApproval(plan, verdict);
      return onStack(plan.stack, async (query) => {
        const noted = await query(
          `with said as (insert into @verdict as old (plan, who, role, approves, allows_data_loss, because)
              select digest, $2, $3, $4, $4 and $7, $5 from @plan where digest = $1 and ${isOpen}
                and expires_at > now() and not exists (select from @run where plan = $1 and ended_at is null)
              on conflict (plan, who) do update set role = $3, approves = false, allows_data_loss = false, because = $5, at = now()
                where old.approves and not excluded.approves
              returning plan, allows_data_loss),
            due as (update @stack set look_at = now() where id = $6 and $4 and exists (select from said))
          insert into @event (who, what, subject, about)
            select $2, case when $4 then 'approved' else 'refused' end, $6,
              jsonb_build_object('plan', $1::text, 'because', $5::text, 'allowsDataLoss', allows_data_loss)
            from said returning id`,
          [digest, who, role, approves, because, plan.stack, allowsDataLoss],
        );
        if (noted.length > 0) await clear(query, ['approval'], plan.stack);
        return noted.length > 0;
      });
    },
    /** Notes why a plan takes the place of one that was approved. */
    explainPlan: (digest: string, because: string) =>
      rows('update @plan set because = $2 where digest = $1', [digest, plain(because)]),
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

interface NewPlan extends Pick<PlanRecord, 'commit' | 'cause' | 'document' | 'file' | 'losing'> {
  readonly stack: string;
  readonly isNeeded: boolean;
  /** Of a preview. */
  readonly authors: readonly Author[] | undefined;
  /** It waits for no verdict. */
  readonly isOver?: boolean;
}

/** The open plan of a stack, which another one may replace. */
interface Former extends Pick<PlanRecord, 'digest' | 'commit' | 'cause' | 'document'> {
  /** It has not expired. */
  readonly isValid: boolean;
  readonly isJudged: boolean;
  readonly isRefused: boolean;
}

/** Whether what was refused is the same change: only another commit brings one that a person can approve. Drift differs each time. */
function isStillRefused(former: Former | undefined, { commit, cause }: NewPlan): boolean {
  return former?.isRefused === true && former.commit === commit && former.cause === 'commit' && cause === 'commit';
}

async function replace(query: Query, plan: NewPlan, former: Former | undefined): Promise<string> {
  await query(`update @plan set superseded_at = now() where stack = $1 and ${isOpen}`, [plan.stack]);
  const digest = await insert(query, plan);
  if (isStillRefused(former, plan))
    await query(
      `insert into @verdict (plan, who, role, approves, because, at)
      select digest, refusal.who, refusal.role, false, refusal.because, refusal.at
        from @plan join @verdict as refusal on refusal.plan = $2 and not approves where digest = $1`,
      [digest, former?.digest],
    );
  return digest;
}

async function insert(query: Query, plan: NewPlan): Promise<string> {
  const { stack, commit, cause, document, file, losing, isNeeded, authors, isOver = false } = plan;
  const digest = digestOf(file);
  await query(
    `insert into @plan (digest, stack, commit, cause, document, file, losing, is_needed, authors, expires_at, superseded_at)
    select $1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, authors), now() + interval '7 days', case when $10 then now() end
    from @stack where id = $2 and not is_gone and ends is null`,
    [digest, stack, commit, cause, jsonOf(document), file, losing, isNeeded, authors && jsonOf(authors), isOver],
  );
  return digest;
}

/** Tells of drift, or of a plan that waits for an approval. */
async function raisePlan(
  query: Query,
  stack: string,
  {
    digest,
    commit,
    cause,
    document,
    policy,
  }: Pick<PlanRecord, 'digest' | 'commit' | 'cause' | 'document'> & { readonly policy: Policy },
): Promise<void> {
  const { actions, dataAtRisk = [] } = document;
  const changes = actions.filter(({ action }) => action !== 'no-op').length;
  const about = { plan: digest, commit, changes, dataAtRisk: dataAtRisk.length, isRepaired: policy !== 'never' };
  await raise(query, { kind: cause === 'drift' ? 'drift' : 'approval', subject: stack, digest, about });
}

/** What of a plan an approval depends on; a plan of a digest never changes. */
type Judged = Pick<PlanRecord, 'losing' | 'authors'>;

function refuseApproval({ losing, authors }: Judged, { who, allowsDataLoss, fourEyes }: Verdict): void {
  if (fourEyes === true && authors.some((author) => isBy(author, who)))
    throw stop('refused', 'consent', `${who} wrote the commit of this plan, and another approver has to approve it`, {
      remedy: 'Ask another approver.',
    });
  if (losing.length === 0 || allowsDataLoss === true) return;
  const more = losing.length > maxNamed ? ` and ${losing.length - maxNamed} more` : '';
  const message = `this plan puts data of ${losing.slice(0, maxNamed).join(', ')}${more} at risk`;
  throw stop('refused', 'data-at-risk', message, { remedy: 'Approve it with data loss, or refuse it.' });
}

const maxNamed = 3;

/** Whether two plans do the same, whatever reading took. The first comes from the database. */
function doesTheSame(kept: PlanDocument, made: PlanDocument): boolean {
  const compared = ({ actions, dataAtRisk, overwrites, restarts, recreates, diagnostics }: PlanDocument): unknown =>
    JSON.parse(jsonOf({ actions, dataAtRisk, overwrites, restarts, recreates, diagnostics }));
  return isDeepStrictEqual(compared(kept), compared(made));
}
