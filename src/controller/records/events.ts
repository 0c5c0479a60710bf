import type { Query } from '../transaction.ts';
import { type Database, jsonOf, plain } from './database.ts';

/** Something that a person or a program did, which is never changed afterwards. */
export interface EventRecord {
  /** The name of a person, or of a token. */
  readonly who: string;
  /** A verb in the past, such as `approved`. */
  readonly what: string;
  /** The id of what it was done to, such as of a stack. */
  readonly subject: string;
  /** Holds no secret. */
  readonly about?: Readonly<Record<string, unknown>>;
}

/** Notes an event in the transaction of what it tells of. */
export async function noteIn(query: Query, { who, what, subject, about = {} }: EventRecord): Promise<void> {
  await query('insert into @event (who, what, subject, about) values ($1, $2, $3, $4)', [
    plain(who),
    what,
    plain(subject),
    jsonOf(about),
  ]);
}

export function eventsIn({ rows }: Database) {
  return {
    /** Notes an event that no other method notes by itself. */
    note: (event: EventRecord) => noteIn(rows, event),
    events: () => rows<EventRecord>(`select who, what, subject, about from @event order by id`),
  };
}
