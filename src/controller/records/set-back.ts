import type { Database } from './database.ts';

/** Moments that decide when something is done, with the interval by which each is ahead of now at most. */
interface Moments {
  /** What orders the rows, as most who lock several of them do. */
  readonly key: string;
  readonly columns: Readonly<Record<string, string>>;
}

const none = `interval '0'`;
const anHour = `interval '1 hour'`;

/** Of other tables and columns, moments are shown, or a person named them. */
const moments: Readonly<Record<string, Moments>> = {
  source: {
    key: 'id',
    columns: {
      poll_at: 'make_interval(secs => 2 * poll_seconds)',
      polled_at: none,
      compared_at: none,
      forge_after: anHour,
    },
  },
  stack: {
    key: 'id',
    columns: {
      look_at: 'make_interval(secs => 2 * (select max(look_seconds) from @source))',
      swept_at: none,
      made_at: none,
    },
  },
  run: { key: 'id', columns: { beat_at: none, ended_at: none } },
  wave: { key: 'id', columns: { look_at: none, resumed_at: none } },
  wave_stack: { key: 'wave, stack', columns: { sent_at: none } },
  status: { key: 'stack, commit', columns: { again_at: anHour } },
  proposal: { key: 'stack', columns: { again_at: anHour } },
  pull: { key: 'source, number', columns: { plan_after: anHour } },
  message: { key: 'id', columns: { due_at: anHour } },
  session: { key: 'digest', columns: { seen_at: none } },
  // The last: until it is done, the clock counts as set back.
  worker: { key: 'id', columns: { seen_at: none } },
};

/** What is ahead by less heals by itself soon. */
const margin = `interval '1 minute'`;

/** Of workers: one gave a sign of life later than now. */
export const wasSetBack = `exists (select from @worker where seen_at > now() + ${margin})`;

export function setBackIn({ rows }: Database) {
  return {
    /**
     * Brings back what the clock of the database wrote while it was ahead, before it was set back: what was due hours from now is due
     * now, and who gave a sign of life later than now gave it now.
     */
    outliveSetBack: async (): Promise<void> => {
      for (const [table, { key, columns }] of Object.entries(moments)) {
        const ahead = Object.entries(columns).map(([column, most]) => ({
          column,
          is: `${column} > now() + ${most} + ${margin}`,
        }));
        const sets = ahead.map(({ column, is }) => `${column} = case when ${is} then now() else ${column} end`);
        const where = ahead.map(({ is }) => is).join(' or ');
        await rows(
          `update @${table} set ${sets.join(', ')}
          where (${key}) in (select ${key} from @${table} where ${where} order by ${key} for no key update)`,
        );
      }
    },
  };
}
