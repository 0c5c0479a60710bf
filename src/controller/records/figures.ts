import { isStopped } from './alarms.ts';
import { type Asking, needsApproval } from '../plan-standing.ts';
import { type Database, isOpen } from './database.ts';
import type { Labels } from './platforms.ts';
import type { Policy } from './sources.ts';
import { aliveOf } from './workers.ts';

/** Numbers about everything that the controller does, as metrics show them. */
export interface Figures {
  /** Runs that ended in the last 24 hours, and those that run. */
  readonly runs: readonly { readonly kind: string; readonly ending: string; readonly count: number }[];
  readonly running: number;
  /** How long the stack that is due longest waits to be sent to the queue. Seconds; 0: none is due. */
  readonly oldestDue: number;
  readonly stacks: readonly { readonly id: string; readonly hasDrift: boolean; readonly hasFailed: boolean }[];
  /** `polledFor`: seconds since the last good poll; null: there was none. */
  readonly sources: readonly { readonly id: string; readonly polledFor: number | null; readonly isStopped: boolean }[];
  /** Workers that are alive, by the labels that they name; also where there are platforms for them and none is. */
  readonly workers: readonly { readonly only: Labels; readonly count: number }[];
  readonly waitingPlans: number;
  readonly events: number;
  readonly messages: { readonly waiting: number; readonly dead: number };
}

export function figuresIn({ rows, row }: Database) {
  return {
    figures: async (): Promise<Figures> => {
      const [runs, totals, stacks, sources, plans, workers] = await Promise.all([
        rows<Figures['runs'][number]>(
          `select kind, ending, count(*)::int as count from @run where ended_at > now() - interval '24 hours' group by kind, ending`,
        ),
        row<Pick<Figures, 'running' | 'oldestDue' | 'events' | 'messages'>>(
          `select (select count(*) from @run where ended_at is null)::int as running,
            (select coalesce(extract(epoch from greatest(interval '0', now() - min(look_at))), 0) from @stack
              where not is_gone and coalesce(paused_until <= now(), true))::float8 as "oldestDue",
            (select coalesce(max(id), 0) from @event)::float8 as events,
            (select json_build_object('waiting', count(*) filter (where sent_at is null and dead_at is null),
              'dead', count(dead_at)) from @message) as messages`,
        ),
        rows<Figures['stacks'][number]>(
          `select id, exists (select from @alarm where kind = 'drift' and subject = id) as "hasDrift",
            exists (select from @alarm where kind = 'run' and subject = id) as "hasFailed"
          from @stack where not is_gone order by id`,
        ),
        rows<Figures['sources'][number]>(
          `select id, extract(epoch from now() - polled_at)::float8 as "polledFor", ${isStopped} as "isStopped"
          from @source source order by id`,
        ),
        rows<Asking & { readonly policy: Policy; readonly count: number }>(
          `select policy, cause, is_needed as "isNeeded", count(*)::int as count
          from @plan as plan join @stack as stack on stack.id = plan.stack and stack.wanted = plan.commit and not is_gone
          where ${isOpen} and expires_at > now() and not exists (select from @verdict as verdict where verdict.plan = plan.digest) group by 1, 2, 3`,
        ),
        rows<Figures['workers'][number]>(
          `select labels as only, ${aliveOf('site.id')} as count from @site as site
          where id = 0 or exists (select from @platform where site = site.id) order by id`,
        ),
      ]);
      const none = { running: 0, oldestDue: 0, events: 0, messages: { waiting: 0, dead: 0 } };
      const waiting = plans.filter((plan) => needsApproval(plan.policy, plan));
      const waitingPlans = waiting.reduce((sum, { count }) => sum + count, 0);
      return { runs, stacks, sources, workers, waitingPlans, ...(totals ?? none) };
    },
    /** The names of the migrations that ran. */
    migrations: async () =>
      (await rows<{ readonly name: string }>('select name from @migration')).map(({ name }) => name),
  };
}
