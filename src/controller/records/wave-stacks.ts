import type { WaveStack } from '../waves/decide.ts';
import type { HeldStack } from '../waves/waits.ts';
import type { Query } from '../transaction.ts';
import { type Policy, needsApproval } from '../plan-standing.ts';
import { isOpen } from './database.ts';

/** A stack of a wave with what people want to see of it. */
export interface WaveMember extends HeldStack {
  /** The commit that it is brought to: that of the wave, or an older one, where that of the wave leaves it as it is. */
  readonly commit: string;
  readonly platform: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether its job was sent in this wave, since people had it go on, and in the last minute. */
  readonly wasSent: boolean;
  readonly isJustSent: boolean;
}

/**
 * What a run says of the health of its stack at its commit: true and false; null: nothing. Nothing is said by a run that was lost with
 * its worker, stopped by people, or that could not reach the database, nor by an approved plan that does not fit any more: each is
 * done again, or asked again. Of an apply whose deployments go on, the run that sees them through speaks.
 */
const says = `case
  when ended_at is null or ending in ('lost', 'stopped', 'locked', 'state', 'deploying') then null
  when kind = 'drift' then ending in ('in step', 'drifted')
  when ending = 'done' then true
  when kind = 'apply' and ending = 'refused' and plan is not null then null
  when document ->> 'interrupted' = 'true' then null
  else false end`;

/**
 * Deployments count with the apply that waits for them, and with the run that sees them through later (`follow`) where this wave began
 * them. A look for drift is only made where the commit changes nothing any more. A stack is healthy from when it was in step: from its
 * apply, or from the run that found nothing to apply.
 */
const members = `select member.stack as id, member.step, member.commit, member.sent_at is not null as "wasSent",
    coalesce(member.sent_at > now() - interval '1 min', false) as "isJustSent",
    stack.platform, stack.labels, stack.problem,
    case when stack.paused_until > now() then json_build_object('by', stack.paused_by, 'because', stack.paused_because,
      'until', extract(epoch from stack.paused_until) * 1000) end as paused,
    case when stack.is_gone then 'gone' when stack.policy = 'never' then 'never' end as "leftOut",
    coalesce(stack.applied = member.commit and stack.digest is not null, false) or coalesce(run."isUnchanged", false) as "isInStep",
    run.begun is not null as "hasBegun", coalesce(run."isRunning", false) as "isRunning",
    run.begun is null and run.bad is null as "isUntouched", extract(epoch from run.good_at) * 1000 as "goodAt",
    run.last is not null and run.last = run.bad as "hasFailed", extract(epoch from run.bad_at) * 1000 as "badAt",
    run.bad_kind as "badKind", run.bad_ending as "badEnding",
    plan.digest is not null as "hasPlan", stack.policy, plan.is_needed as "isNeeded",
    (select bool_and(approves) from @verdict where plan = plan.digest) as "isApproved"
  from @wave wave join @wave_stack member on member.wave = wave.id join @stack stack on stack.id = member.stack
  left join lateral (
    with own as (select id, kind, cause, ended_at, ending, ${says} as says,
        (kind = 'drift' or (kind = 'plan' and document ->> 'hasChanges' = 'false')) as "looksInStep" from @run
        where stack = member.stack and id > member.after_run and commit = member.commit),
      applies as (select min(id) as first, max(id) as last from own where kind = 'apply' and cause = 'commit'),
      counted as (select own.* from own, applies where own.kind <> 'follow' or own.id > applies.first),
      worst as (select max(id) as bad from counted where not says)
    select (select last from applies) as begun, (select bad from worst) as bad,
      max(id) filter (where says is not null) as last,
      max(ended_at) filter (where id = (select bad from worst)) as bad_at,
      max(kind) filter (where id = (select bad from worst)) as bad_kind,
      max(ending) filter (where id = (select bad from worst)) as bad_ending,
      min(ended_at) filter (where says and id > coalesce((select bad from worst), 0)
        and id >= coalesce((select last from applies), (select min(id) from own where says and "looksInStep"), 0)) as good_at,
      bool_or(kind = 'apply' and ended_at is null) as "isRunning",
      bool_or(kind = 'drift' and says and id > coalesce((select last from applies), 0)) as "isUnchanged"
    from counted) run on true
  left join @plan plan on plan.stack = member.stack and plan.commit = member.commit and plan.cause = 'commit' and ${isOpen}
    and expires_at > now()
  where wave.id = $1 order by member.step, member.stack`;

/**
 * Open waves with the stacks that they do not let in, as far as they were brought on: those of later steps, and where a wave is
 * stopped all that had not begun. `decide` says it of the moment.
 */
export const holdingWaves = `select member.stack, member.commit, wave.id as wave
  from @wave as wave join @wave_stack as member on member.wave = wave.id
  where wave.ended_at is null and (member.step > wave.step or (wave.stopped_at is not null and not exists (
    select from @run as begun where begun.stack = member.stack and begun.commit = member.commit and begun.id > member.after_run
      and begun.kind = 'apply' and begun.cause = 'commit')))`;

/** Has open waves bring a stack, or all stacks of a source, what they want by now: a wave that holds one back goes on to do so. */
export const bringWanted = (query: Query, stackOrSource: string) =>
  query(
    `update @wave_stack as member set commit = stack.wanted, after_run = (select coalesce(max(id), 0) from @run)
    from @wave as wave, @stack as stack where member.wave = wave.id and ended_at is null and stack.id = member.stack
      and $1 in (stack.id, stack.source) and member.commit <> stack.wanted and not stack.is_gone`,
    [stackOrSource],
  );

interface Row extends Omit<WaveMember, 'healthyAt' | 'failed' | 'paused' | 'verdict' | 'leftOut' | 'needsApproval'> {
  readonly policy: Policy;
  /** null: there is no plan of the commit. */
  readonly isNeeded: boolean | null;
  readonly paused: { readonly by: string; readonly because: string; readonly until: number } | null;
  readonly leftOut: WaveStack['leftOut'] | null;
  readonly isUntouched: boolean;
  readonly goodAt: string | null;
  readonly hasFailed: boolean;
  readonly badAt: string | null;
  readonly badKind: string | null;
  readonly badEnding: string | null;
  readonly isApproved: boolean | null;
}

/** The stacks of a wave, by their steps. */
export async function membersIn(query: Query, wave: string): Promise<readonly WaveMember[]> {
  return (await query<Row>(members, [wave])).map((row) => {
    const { paused, leftOut, isUntouched, goodAt, hasFailed, badAt, badKind, badEnding, isApproved, ...others } = row;
    const { policy, isNeeded, ...rest } = others;
    return {
      ...rest,
      needsApproval: isNeeded !== null && needsApproval(policy, { cause: 'commit', isNeeded }),
      paused: paused === null ? undefined : { ...paused, until: new Date(paused.until) },
      leftOut: leftOut ?? undefined,
      healthyAt: isUntouched ? 'always' : goodAt === null ? undefined : Number(goodAt),
      failed: hasFailed
        ? { at: Number(badAt), because: `its ${runNames[badKind ?? ''] ?? 'run'} ended as ${badEnding ?? 'failed'}` }
        : undefined,
      verdict: isApproved === null ? undefined : isApproved ? 'approved' : 'refused',
    };
  });
}

const runNames: Readonly<Record<string, string>> = {
  plan: 'plan',
  apply: 'apply',
  drift: 'look for drift',
  follow: 'deployment',
};
