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
      const found = await row<{ readonly age: number; readonly document: readonly ActionProgress[] }>(
        `select extract(epoch from clock_timestamp() - at)::float8 as age, document from @progress where run = $1`,
        [run],
      );
      if (found === undefined) return [];
      const { age, document } = found;
      return document.map((one) => (isRunning(one) ? { ...one, seconds: (one.seconds ?? 0) + age } : one));
    },
  };
}
