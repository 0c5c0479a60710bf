import type { Preview } from '../../manifest/settings.ts';
import type { DriftDocument, PlanDocument, ResultDocument } from '../../index.ts';
import { type RunBegin, beginRunIn, isLost } from './begin-run.ts';
import { type Database, isOpen, jsonOf, plain } from './database.ts';
import { noteIn } from './events.ts';
import { makes } from './place-previews.ts';
import { refuseTooMany } from './previews.ts';
import { type ReadStack, type StackRecord, isAsRead, isAt } from './stacks.ts';
import { mayApplyIn, waveOfRunIn } from './advance-wave.ts';

/** What a run did, as its row has it. */
export interface RunEnd {
  readonly ending: string;
  readonly document?: PlanDocument | ResultDocument | DriftDocument | undefined;
  /** Why it failed, where no document says that. */
  readonly failure?: string | undefined;
}

/** Of so many lost runs in a row, the stack may be the cause. */
const lossesInARow = 10;

export function runsIn({ rows, row, onStack, transaction }: Database) {
  return {
    /** Begins a run. Runs of the stack whose worker gave no sign of life for 30 seconds have ended with it. */
    beginRun: ({ id }: Pick<StackRecord, 'id'>, about: RunBegin): Promise<string> => beginRunIn(rows, id, about),
    /**
     * Begins an apply, of an approved plan or by the policy. None, where something changed since the stack was read: it is paused, on
     * another platform or at another address, its policy is another one, or the plan does not wait or is refused, also where it would
     * be applied by the policy; and where its wave does not let the commit in yet. By the policy, a commit is applied also when a newer
     * one came since the stack was read, as long as no other run brought the stack on: commits that come faster than plans would
     * otherwise keep each other out. A preview has its newest commit only. From here on no verdict is noted.
     *
     * @throws {Stop} `refused`, where the file of a preview allows no more of them
     */
    beginApply: (
      { id, platform, url, ...read }: ReadStack,
      { preview = {}, ...about }: Omit<RunBegin, 'kind'> & { readonly preview?: Partial<Preview> | undefined },
    ): Promise<string | undefined> =>
      onStack(id, async (query) => {
        const [may] = await query<{ readonly isWanted: boolean }>(
          `select wanted = $2 as "isWanted" from @stack where id = $1 and platform = $4 and ${isAt('$4', '$7')} and not is_gone and ends is null
            and coalesce(paused_until <= now(), true)
            and case when $3::text is null then policy = 'automatic' and (wanted = $2 or pull is null and ${isAsRead('$5', '$6')})
              and not exists (select from @plan join @verdict on plan = @plan.digest
                where stack = $1 and commit = $2 and cause = 'commit' and (wanted <> $2 or ${isOpen}) and not approves)
            else wanted = $2 and policy <> 'never' and exists (
              select from @plan where @plan.digest = $3 and stack = $1 and commit = $2 and ${isOpen} and expires_at > now()
                and (select bool_and(approves and (allows_data_loss or losing = '{}')) from @verdict
                  where plan = @plan.digest)) end`,
          [id, about.commit, about.plan ?? null, platform, read.applied, read.digest, url],
        );
        if (may === undefined) return undefined;
        const isLetIn =
          about.cause !== 'commit' || (await mayApplyIn(query, { stack: id, commit: about.commit, ...may }));
        if (!isLetIn) return undefined;
        await refuseTooMany(query, id, preview);
        // Until it is done, the platform may be in step with no commit at all, and deployments may go on.
        await query(
          `update @stack set digest = case when $2 then null else digest end, deploying = $3, deploying_digest = null,
            ${makes('$3')}, lasts_seconds = case when pull is not null then $4::double precision end where id = $1`,
          [id, about.cause === 'commit', about.commit, preview.forMs === undefined ? null : preview.forMs / 1_000],
        );
        return beginRunIn(query, id, { ...about, kind: 'apply' });
      }),
    /** Whether an apply of a plan began that may have sent something. */
    isApplyBegun: async (plan: string): Promise<boolean> =>
      (await row(`select from @run where plan = $1 and ${maySend} limit 1`, [plan])) !== undefined,
    /**
     * Whether a run goes on with the apply of its plan: an earlier one may have sent something, and no apply of anything else began
     * since.
     */
    continuesApply: async (id: string): Promise<boolean> =>
      (await row(
        `select from @run as own join lateral (select min(id) as first from @run as former
            where former.plan = own.plan and former.id < own.id and ${maySend}) as begun on first is not null
          where own.id = $1 and not exists (select from @run as other where other.stack = own.stack and other.kind = 'apply'
            and other.id > begun.first and other.plan is distinct from own.plan)`,
        [id],
      )) !== undefined,
    /** Ends a run. One that failed stops its wave at once. */
    endRun: (id: string, { ending, document, failure }: RunEnd): Promise<void> =>
      transaction(async (query) => {
        const advance = await waveOfRunIn(query, id);
        // What drifted is kept once, as long as looks find the same.
        const isKept = `kind = 'drift' and $3::jsonb - 'requests' = (select former.document - 'requests' from @run as former
          where former.stack = ended.stack and former.kind = 'drift' and former.document is not null
          order by former.id desc limit 1)`;
        await query(
          `update @run as ended set ended_at = now(), ending = $2, document = case when not coalesce(${isKept}, false) then $3::jsonb end,
            failure = $4
          where id = $1 and ended_at is null`,
          [id, ending, document === undefined ? null : jsonOf(document), failure === undefined ? null : plain(failure)],
        );
        await query('delete from @progress where run = $1', [id]);
        await advance();
      }),
    /** Notes, at most each 5 seconds, that the worker of a run lives; says whether the run is to stop. */
    beat: async (id: string): Promise<{ readonly isStopped: boolean }> => {
      const [found] = await rows<{ readonly isStopped: boolean }>(
        `with beat as (update @run set beat_at = now()
          where id = $1 and ended_at is null and beat_at < now() - interval '5 seconds')
        select stopped_by is not null as "isStopped" from @run where id = $1`,
        [id],
      );
      return found ?? { isStopped: false };
    },
    /**
     * Stops a run that goes on: what was sent is recorded, and nothing new is sent. Its stack is paused until it is resumed; an
     * approved plan goes on then. False: the run is over, or stops already.
     */
    stopRun: (id: string, who: string, because: string): Promise<boolean> =>
      transaction(async (query) => {
        const [run] = await query<{ readonly stack: string }>(
          `update @run set stopped_by = $2, stopped_because = $3 where id = $1 and ended_at is null and stopped_by is null
          returning stack`,
          [id, plain(who), plain(because)],
        );
        if (run === undefined) return false;
        await query(
          `update @stack set paused_until = '9999-12-31', paused_by = $2, paused_because = $3 where id = $1`,
          [run.stack, plain(who), plain(because)],
        );
        await noteIn(query, { who, what: 'stopped', subject: run.stack, about: { run: id, because } });
        return true;
      }),
    /**
     * Ends runs whose worker gave no sign of life for 30 seconds, and removes what was noted of their progress. Their stacks are due at
     * once, as the pauses of the queue grow with each loss, unless their last runs were all lost: one may be what ends its workers.
     */
    endLost: async (): Promise<void> => {
      await rows(
        `with lost as (update @run set ended_at = now(), ending = 'lost' where ${isLost} returning stack)
        update @stack as stack set look_at = now() from (select distinct stack from lost) as of where stack.id = of.stack
          and (select count(*) from (select ending from @run as run where run.stack = stack.id order by id desc limit ${lossesInARow}) as last
            where ending = 'lost') < ${lossesInARow - 1}`,
      );
      await rows('delete from @progress using @run where run = id and ended_at is not null');
    },
    /** How often applies and deployments of a stack failed since the last that did not. */
    failures: async (stack: string): Promise<number> => {
      const [found] = await rows<{ readonly count: number }>(
        `select count(*)::int as count from @run where stack = $1 and kind in ('apply', 'follow')
          and ending in ('failed', 'partly', 'platform', 'state', 'authentication') and id > coalesce((select max(id) from @run
            where stack = $1 and (kind = 'follow' and ending = 'done' and document is not null
              or kind = 'apply' and ending = 'done' or ending = 'in step')), 0)`,
        [stack],
      );
      return found?.count ?? 0;
    },
    runs: (stack: string) =>
      rows<{
        readonly kind: string;
        readonly cause: string;
        readonly commit: string;
        readonly ending: string | null;
        readonly worker: string;
      }>(`select kind, cause, commit, ending, worker from @run where stack = $1 order by id`, [stack]),
  };
}

/** Of a run that applies: it may have sent something, for all that is known. */
const maySend = `coalesce(ending, '') not in ('locked', 'refused')`;
