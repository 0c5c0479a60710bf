import type { ApplyEvent } from '../../index.ts';
import { type Database, jsonOf } from './database.ts';

/** The stage of an action that a run has begun. */
export interface ActionProgress {
  /** Of a deployment, that of its service. */
  readonly address: string;
  readonly action: ApplyEvent['action'];
  /** The last event of it. */
  readonly event: ApplyEvent['event'];
  /** What a deployment waits for, or waited for last. */
  readonly for?: Extract<ApplyEvent, { event: 'waiting' }>['for'] | undefined;
  /** How long it took, or has been running. */
  readonly seconds?: number | undefined;
}

/** Returns true for an action that has not ended. */
export function isRunning({ event }: Pick<ActionProgress, 'event'>): boolean {
  return event === 'started' || event === 'waiting';
}

/** An action with the time that it has run since it was noted. */
export function withAge(one: ActionProgress, age: number): ActionProgress {
  return isRunning(one) ? { ...one, seconds: (one.seconds ?? 0) + age } : one;
}

/** What was noted of a run, and when. */
export interface Noted {
  /** A moment of the database; null: nothing was noted yet. */
  readonly at: string | null;
  /** Seconds since then. */
  readonly age: number;
  /** undefined: nothing was noted since the moment that was asked for. */
  readonly actions: readonly ActionProgress[] | undefined;
}

async function since(row: Database['row'], run: string, at: string | null): Promise<Noted | undefined> {
  const found = await row<Omit<Noted, 'actions'> & { readonly actions: Noted['actions'] | null }>(
    `select progress.at::text, coalesce(extract(epoch from clock_timestamp() - progress.at), 0)::float8 as age,
      case when progress.at::text is distinct from $2 then progress.document end as actions
    from @run as run left join @progress as progress on progress.run = run.id where run.id = $1 and run.ended_at is null`,
    [run, at],
  );
  return found && { ...found, actions: found.actions ?? undefined };
}

export function progressIn({ rows, row }: Database) {
  return {
    /** Notes how far a run is, in place of what was noted before. A run that has ended keeps none. */
    noteProgress: async (run: string, actions: readonly ActionProgress[]): Promise<void> => {
      // The lock makes `endRun` wait, or this statement see that the run has ended.
      await rows(
        `insert into @progress (run, document) select id, $2 from @run where id = $1 and ended_at is null for share
        on conflict (run) do update set document = excluded.document, at = now()`,
        [run, jsonOf(actions)],
      );
    },
    /** How far a run is, with the time of what runs until now. Empty: it has ended, or noted nothing yet. */
    progress: async (run: string): Promise<readonly ActionProgress[]> => {
      const { actions = [], age } = (await since(row, run, null)) ?? { age: 0 };
      return actions.map((one) => withAge(one, age));
    },
    /** How far a run that goes on is, as it was noted; undefined: it has ended. */
    progressSince: (run: string, at: string | null): Promise<Noted | undefined> => since(row, run, at),
  };
}
