import type { PlanDocument, ResultDocument } from '../../index.ts';
import type { OpenPlan } from '../plan-standing.ts';
import { type Database, isOpen } from './database.ts';
import type { PreviewAddress } from './previews.ts';
import type { Policy } from './sources.ts';
import { againAfter } from './forge-refusals.ts';
import { holdingWaves } from './wave-stacks.ts';

/** What is true of a stack and a commit, and was not said to the forge yet. */
export interface DueStatus extends Pick<OpenPlan, 'isNeeded' | 'isApproved'> {
  readonly stack: string;
  readonly path: string;
  /** Of a preview: its pull request, why it was removed, and where it answers. */
  readonly pull: number | null;
  readonly ends: 'closed' | 'over' | null;
  readonly addresses: readonly PreviewAddress[];
  readonly policy: Policy;
  readonly commit: string;
  /** Names what is true: the same text, the same status. */
  readonly fact: string;
  readonly is: 'failed' | 'planned' | 'drifted' | 'applied' | 'superseded' | 'removed';
  /** The open plan, by its digest. */
  readonly plan: string | null;
  /** The wave that does not let the commit in yet. */
  readonly wave: string | null;
  readonly document: PlanDocument | ResultDocument | null;
}

/** Of each stack of a source what is true of its commit, and what waits at the forge for a commit that it wants no more. */
const truths = (sources: string) => `
  select stack.id as stack, stack.path, stack.policy, stack.wanted as commit, plan.digest as plan,
    coalesce(plan.is_needed, false) as "isNeeded", said.approves as "isApproved", holding.wave,
    case when stack.problem is not null then 'failed' when plan.cause = 'drift' then 'drifted'
      when plan.cause = 'commit' then 'planned' when stack.applied = stack.wanted then 'applied' end as is,
    concat_ws(' ', case when stack.problem is not null then 'failed' when plan.digest is not null
        then concat_ws(' ', plan.digest, stack.policy, said.approves, holding.wave)
      when stack.applied = stack.wanted then 'applied' end, run.id, nullif(stack.addresses, '[]')) as fact,
    run.id as run
  from @stack as stack
    left join @plan as plan on plan.stack = stack.id and plan.commit = stack.wanted and ${isOpen} and plan.expires_at > now()
    left join lateral (select id from @run as run where run.stack = stack.id and run.kind = 'apply' and run.commit = stack.wanted
      and run.cause not in ('closed', 'over') and run.ending in ('done', 'deploying') and stack.problem is null and plan.digest is null order by id desc limit 1) as run on true
    left join lateral (select bool_and(approves) as approves from @verdict where plan = plan.digest) as said on true
    left join (${holdingWaves}) as holding on holding.stack = stack.id and holding.commit = stack.wanted
  where stack.source ${sources} and not stack.is_gone
  union all
  select stack.id, stack.path, stack.policy, said.commit, null, false, null, null, 'superseded', 'superseded', null
  from @status as said join @stack as stack on stack.id = said.stack
  where stack.source ${sources} and said.state = 'pending'
    and (said.commit is distinct from stack.wanted or (stack.is_gone and stack.pull is null))
  union all
  select stack.id, stack.path, stack.policy, said.commit, null, false, null, null, 'removed', 'removed ' || stack.ends, null
  from @status as said join @stack as stack on stack.id = said.stack
  where stack.source ${sources} and said.commit = stack.wanted and stack.is_gone and stack.pull is not null`;

/** Said again after a pause where the forge refused it: its repository or a right may be there by then. */
const isDue = `truth.is is not null and (said.fact is distinct from truth.fact
  or (said.problem is not null and coalesce(said.again_at <= now(), true)))`;

export function statusesIn({ rows, row, onStack }: Database) {
  return {
    /**
     * The sources with a forge for which something changed that it may not know; and each that was not compared for ten minutes, as
     * plans expire, and what a forge refused is said again. Reads no stack.
     */
    sourcesToTell: (most: number) =>
      rows<{ readonly id: string }>(
        `select id from @source as source where forge <> 'none' and forge_token_file is not null
          and coalesce(forge_after <= now(), true) and (coalesce(compared_at < now() - interval '10 minutes', true)
            or exists (select from @untold as untold where untold.source = source.id))
        order by id limit $1`,
        [most],
      ),
    /** The changes of a source that its forge may not know. To be read before `dueStatuses`. */
    untold: async (source: string): Promise<readonly string[]> =>
      (await rows<{ readonly id: string }>('select id from @untold where source = $1', [source])).map(({ id }) => id),
    /** The forge of a source knows these changes, and all that is true. */
    told: (source: string, changes: readonly string[]) =>
      rows(
        `with told as (delete from @untold where id = any($2::bigint[]))
        update @source set compared_at = now() where id = $1`,
        [source, changes],
      ),
    /** What its forge does not know, of some stacks. */
    dueStatuses: (source: string, most: number) =>
      rows<DueStatus>(
        `select truth.stack, truth.path, stack.pull, stack.ends, stack.addresses, truth.policy, truth.commit, truth.fact,
          truth.is, truth.plan, truth."isNeeded", truth."isApproved", truth.wave,
          coalesce((select document from @plan where digest = truth.plan),
            (select document from @run where id = truth.run)) as document
        from (${truths('= $1')}) as truth join @stack as stack on stack.id = truth.stack
          left join @status as said on said.stack = truth.stack and said.commit = truth.commit
        where ${isDue} order by truth.stack, truth.commit limit $2`,
        [source, most],
      ),
    /** Notes what the forge knows. `problem`: it refused it. Of former commits nothing stays but what waits there. */
    saidStatus: (
      { stack, commit, fact }: Pick<DueStatus, 'stack' | 'commit' | 'fact'>,
      { state, problem }: { readonly state: string; readonly problem?: string | undefined },
    ) =>
      onStack(stack, async (query) => {
        // In the order in which all lock them, who also lock those of other stacks.
        await query('select from @status where stack = $1 order by commit for no key update', [stack]);
        await query(
          `insert into @status as said (stack, commit, fact, state, problem, refusals, again_at)
          values ($1, $2, $3, $4, $5::text, case when $5::text is null then 0 else 1 end, case when $5::text is not null then ${againAfter('1')} end)
          on conflict (stack, commit) do update set fact = $3, state = $4, problem = $5, at = now(),
            refusals = case when $5::text is null then 0 else said.refusals + 1 end,
            again_at = case when $5::text is not null then ${againAfter('said.refusals + 1')} end`,
          [stack, commit, fact, state, problem ?? null],
        );
        await query(
          `delete from @status as said using @stack as stack where said.stack = $1 and stack.id = $1
            and said.commit is distinct from stack.wanted and said.state <> 'pending'`,
          [stack],
        );
      }),
    /**
     * Notes that a forge takes no requests for some seconds, at most an hour, and why; without a problem, that it answers. While it
     * takes none, one mark stands for all that changes.
     */
    forgeAnswered: (source: string, problem?: string, waitSeconds = 0) =>
      row(
        `with fewer as (delete from @untold where source = $1 and $2::text is not null
          and id < (select max(id) from @untold where source = $1))
        update @source set forge_problem = $2, forge_after = case when $2::text is not null then
          now() + make_interval(secs => least($3::float8, 3600)) end where id = $1 and (forge_problem is not null or $2::text is not null)`,
        [source, problem ?? null, waitSeconds],
      ),
  };
}
