import type { Query } from '../transaction.ts';
import { type Database, jsonOf } from './database.ts';

/** `run`: of a stack failed; `poll`: of a source stopped; `approval`: a plan waits for it; `wave`: stopped; `worker`: a platform has none. */
export type AlarmKind = 'run' | 'drift' | 'approval' | 'wave' | 'poll' | 'worker';

/** Something that its receivers have to know of. */
export interface Alarm {
  readonly kind: AlarmKind;
  /** The id of a stack or a source, or, of the kind `worker`, of a platform; `wave:ID`. */
  readonly subject: string;
  /** The id of a stack or a source whose labels choose the receivers; the subject unless given. */
  readonly of?: string | undefined;
  /** While it is the same, nothing new is to be told. */
  readonly digest: string;
  /** Holds no values of manifests and platforms: more people read messages than plans. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** How long a message waits for others that go with it, or for the end of what it tells of. Seconds. */
const waits: Readonly<Record<AlarmKind, number>> = {
  run: 60,
  poll: 60,
  worker: 60,
  drift: 10,
  approval: 10,
  wave: 0,
};

/** Of a receiver: it wants messages about $6. `jsonb_contains` is the operator that looks like the mark of the schema. */
const wants = `jsonb_contains(coalesce(case when $2 = 'worker' then (select labels from @platform where id = $6) else coalesce(
  (select labels from @stack where id = $6), (select labels from @source where id = $6)) end, '{}'), labels)`;

/** Of a message: no receiver may have got it yet. */
const isUnsent = 'letter is null and sent_at is null';

/**
 * Raises an alarm in the transaction of what it tells of, with a message to each receiver that wants it. One that is raised already
 * with the same digest stays as it is. A receiver that leaves the settings meanwhile is waited for.
 */
export async function raise(query: Query, { kind, subject, of = subject, digest, about }: Alarm): Promise<void> {
  await query(
    `with raised as (insert into @alarm as old (subject, kind, digest, about) values ($1, $2, $3, $4)
        on conflict (kind, subject) do update set digest = $3, about = $4 where old.digest <> $3 returning kind),
      outdated as (delete from @message where subject = $1 and kind = $2 and ${isUnsent} and exists (select from raised))
    insert into @message (receiver, kind, subject, about, due_at)
      select name, $2, $1, $4, now() + make_interval(secs => $5) from raised, @receiver
      where $2 = any(kinds) and ${wants} for key share of receiver`,
    [subject, kind, digest, jsonOf(about), waits[kind], of],
  );
}

/** Ends alarms. Who got a message of one gets one of its end; who did not yet gets neither. */
export async function clear(query: Query, kinds: readonly AlarmKind[], subject: string): Promise<void> {
  await query(
    `with cleared as (delete from @alarm where subject = $1 and kind = any($2) returning kind),
      outdated as (delete from @message where subject = $1 and kind in (select kind from cleared) and ${isUnsent}),
      told as (select distinct on (receiver, kind) receiver, kind, is_over from @message
        where subject = $1 and kind in (select kind from cleared) and not (${isUnsent})
          and dead_at is null order by receiver, kind, id desc)
    insert into @message (receiver, kind, subject, about, is_over)
      select name, kind, $1, '{}', true from told join @receiver on name = told.receiver
      where kind <> 'approval' and not is_over for key share of receiver`,
    [subject, kinds],
  );
}

/** Of a source: it was not read for three of its polls and two minutes, since it was enrolled. */
export const isStopped =
  'coalesce(source.polled_at, source.added_at) < now() - make_interval(secs => 3 * source.poll_seconds + 120)';

/** An alarm as its row has it. */
export interface AlarmRecord extends Omit<Alarm, 'of'> {
  readonly since: Date;
}

export function alarmsIn({ rows, transaction }: Database) {
  return {
    /** What is raised now, the newest first. */
    alarms: () =>
      rows<AlarmRecord>('select kind, subject, digest, about, since from @alarm order by since desc, subject'),
    raise: (alarm: Alarm) => transaction((query) => raise(query, alarm)),
    clear: (kind: AlarmKind, subject: string) => transaction((query) => clear(query, [kind], subject)),
    /**
     * Raises an alarm for each source that was not read for three of its polls and two minutes. The row of a source is locked, so
     * that a poll that ends meanwhile ends the alarm.
     */
    raiseStoppedPolls: () =>
      transaction(async (query) => {
        const stopped = await query<{ readonly id: string; readonly polledAt: Date | null }>(
          `select id, polled_at as "polledAt" from @source source where ${isStopped}
            and not exists (select from @alarm where kind = 'poll' and subject = source.id) order by id for update skip locked`,
          [],
        );
        for (const { id, polledAt } of stopped)
          await raise(query, {
            kind: 'poll',
            subject: id,
            digest: 'stopped',
            about: polledAt === null ? {} : { since: polledAt.toISOString() },
          });
      }),
  };
}
