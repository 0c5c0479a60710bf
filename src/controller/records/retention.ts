import type { Database } from './database.ts';

/** Runs that a stack keeps, beside those that may have changed something. */
const keptRuns = 50;

/** The run whose document says what drifted, as long as the runs after it found the same. */
const isLastDrift = `kind = 'drift' and document is not null
  and id = max(id) filter (where kind = 'drift' and document is not null) over (partition by stack)`;

export function retentionIn({ transaction }: Database) {
  return {
    /**
     * Removes what is old of some stacks, each at most once an hour: runs behind the newest 50, unless they may have changed something
     * in the last 90 days; plans that were applied 90 days ago, or superseded or expired 30 days ago; and stacks that are gone for 90
     * days, whose states stay. Events are never removed. Gives the number of stacks that it looked at.
     */
    removeOld: (most: number): Promise<number> =>
      transaction(async (query) => {
        const due = await query<{ readonly id: string }>(
          `update @stack set swept_at = now() where id in (select id from @stack where swept_at < now() - interval '1 hour'
            order by swept_at limit $1 for update skip locked) returning id`,
          [most],
        );
        const stacks = due.map(({ id }) => id);
        if (stacks.length === 0) return 0;
        await query(
          `delete from @run where id in (select id from (
            select id, kind, ended_at, row_number() over (partition by stack order by id desc) as place,
              ${isLastDrift} as is_last_drift from @run where stack = any($1)) as ranked
          where place > ${keptRuns} and ended_at is not null and not is_last_drift
            and (kind not in ('apply', 'follow') or ended_at < now() - interval '90 days'))`,
          [stacks],
        );
        await query(
          `delete from @plan where stack = any($1) and (applied_at < now() - interval '90 days'
            or superseded_at < now() - interval '30 days' or (applied_at is null and expires_at < now() - interval '30 days'))
            and not exists (select from @run where plan = digest and ended_at is null)`,
          [stacks],
        );
        await query(
          `delete from @stack where id = any($1) and is_gone and gone_at < now() - interval '90 days'
            and not exists (select from @run where stack = @stack.id and ended_at is null)`,
          [stacks],
        );
        return stacks.length;
      }),
  };
}
