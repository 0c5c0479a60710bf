import type { Database } from './database.ts';

/** What a person or a program did. */
export interface EventRow {
  readonly id: string;
  readonly at: Date;
  readonly who: string;
  readonly what: string;
  readonly subject: string;
  readonly about: Readonly<Record<string, unknown>>;
  /** The subject is a stack. */
  readonly isStack: boolean;
}

/** What narrows events; empty: everything. */
export interface EventFilter {
  readonly who: string;
  readonly what: string;
  readonly subject: string;
  /** A day of UTC, `2026-11-29`. */
  readonly since: string;
}

export function shownEventsIn({ rows }: Database) {
  return {
    /**
     * Events, the last first, at most so many, before one where it is named. The texts of a filter are parts of what they narrow.
     *
     * @param subjects what they may be about; undefined: anything
     */
    shownEvents: (
      filter: EventFilter,
      most: number,
      { before, subjects }: { readonly before?: string | undefined; readonly subjects: readonly string[] | undefined },
    ): Promise<readonly EventRow[]> => {
      const { who, what, subject, since } = filter;
      return rows<EventRow>(
        `select id, at, who, what, subject, about, exists (select from @stack where id = subject) as "isStack" from @event
        where ($1 = '' or strpos(lower(who), lower($1)) > 0) and ($2 = '' or what = $2)
          and ($3 = '' or strpos(lower(subject), lower($3)) > 0)
          and ($4 = '' or at >= ($4 || ' 00:00Z')::timestamptz) and ($5::bigint is null or id < $5)
          and ($6::text[] is null or subject = any ($6))
        order by id desc limit $7`,
        [who, what, subject, dayOf(since), idOf(before), subjects ?? null, most],
      );
    },
    /** What happened so far, each verb once. */
    eventVerbs: async (): Promise<readonly string[]> =>
      (await rows<{ readonly what: string }>('select distinct what from @event order by what')).map(({ what }) => what),
    /** Events about a stack, the last first. */
    stackEvents: (stack: string, most: number): Promise<readonly EventRow[]> =>
      rows<EventRow>(
        `select id, at, who, what, subject, about, true as "isStack" from @event where subject = $1 order by id desc limit $2`,
        [stack, most],
      ),
  };
}

/** A day that the calendar has, or nothing. */
function dayOf(text: string): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00Z`) : new Date(Number.NaN);
  // The thirty-first of February is read as a day of March.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : '';
}

function idOf(text: string | undefined): string | null {
  return text !== undefined && /^[1-9]\d{0,17}$/.test(text) ? text : null;
}
