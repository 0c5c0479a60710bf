import type { AlarmKind } from './alarms.ts';
import type { Database } from './database.ts';

/** Who gets messages: of alarms of these kinds, about what has these labels. */
export interface ReceiverRecord {
  /** The form of its messages, and the file that has its address. */
  readonly name: string;
  readonly kinds: readonly AlarmKind[];
  readonly labels: Readonly<Record<string, string>>;
}

/** What a receiver is told of an alarm. */
export interface MessageRecord {
  readonly kind: AlarmKind;
  readonly subject: string;
  readonly about: Readonly<Record<string, unknown>>;
  readonly madeAt: Date;
  readonly isOver: boolean;
  /** The address of the platform of a stack. */
  readonly platform: string | null;
}

/** Messages that go to a receiver together. */
export interface LetterRecord {
  /** Is the same whenever it is sent again. */
  readonly id: string;
  readonly messages: readonly MessageRecord[];
}

/** Most messages of a letter. */
const maxMessages = 50;
/** Most attempts, over about six hours; after them a letter is dead. */
const maxAttempts = 12;

const isWaiting = 'sent_at is null and dead_at is null';

export function messagesIn({ rows, transaction }: Database) {
  return {
    /** Says who the receivers are. Messages to others go away. */
    setReceivers: (receivers: readonly ReceiverRecord[]) =>
      transaction(async (query) => {
        await query('lock table @receiver in share row exclusive mode', []);
        await query('delete from @receiver where name <> all($1)', [receivers.map(({ name }) => name)]);
        for (const { name, kinds, labels } of receivers)
          await query(
            `insert into @receiver (name, kinds, labels) values ($1, $2, $3)
            on conflict (name) do update set kinds = $2, labels = $3`,
            [name, kinds, JSON.stringify(labels)],
          );
      }),
    /** Receivers with messages that are due. */
    dueReceivers: () =>
      rows<{ readonly name: string }>(
        `select distinct receiver as name from @message where ${isWaiting} and due_at <= now()`,
      ),
    /**
     * The letter to a receiver that is due: the one that failed before, or one of what is due now. Undefined: nothing is due, and
     * behind a letter that waits for its next attempt everything waits.
     */
    takeLetter: (receiver: string): Promise<LetterRecord | undefined> =>
      transaction(async (query) => {
        await query(
          `delete from @message as old where made_at < now() - interval '30 days' and receiver = $1
            and not exists (select from @alarm where kind = old.kind and subject = old.subject)`,
          [receiver],
        );
        const [failed] = await query<{ readonly id: string; readonly isDue: boolean }>(
          `select letter as id, due_at <= now() as "isDue" from @message
          where receiver = $1 and ${isWaiting} and letter is not null limit 1`,
          [receiver],
        );
        if (failed?.isDue === false) return undefined;
        const [made] = await query<{ readonly id: string }>(
          `with made as materialized (select coalesce($2::uuid, gen_random_uuid()) as id),
            due as (select id from @message where receiver = $1 and ${isWaiting} and letter is not distinct from $2::uuid
              and due_at <= now() order by id limit ${maxMessages} for update)
          update @message set letter = made.id from made, due where @message.id = due.id returning letter as id`,
          [receiver, failed?.id ?? null],
        );
        if (made === undefined) return undefined;
        const messages = await query<MessageRecord>(
          `select kind, subject, about, made_at as "madeAt", is_over as "isOver",
            (select url from @platform where id = (select platform from @stack where id = subject)) as platform
          from @message where letter = $1 order by id`,
          [made.id],
        );
        return { id: made.id, messages };
      }),
    letterSent: (id: string) =>
      rows('update @message set sent_at = now(), attempts = attempts + 1, problem = null where letter = $1', [id]),
    /** The letter is due again after a pause, which grows from 10 seconds to an hour. */
    letterFailed: (id: string, problem: string) =>
      rows(
        `update @message set attempts = attempts + 1, problem = $2,
          due_at = now() + least(interval '10 seconds' * (3 ^ least(attempts, 10)), interval '1 hour'),
          dead_at = case when attempts + 1 >= ${maxAttempts} then now() end
        where letter = $1 and ${isWaiting}`,
        [id, problem],
      ),
    /** How its receivers are: what waits for them, and what they never got. */
    receivers: () =>
      rows<{
        readonly name: string;
        readonly waiting: number;
        readonly dead: number;
        readonly sentAt: Date | null;
        readonly problem: string | null;
      }>(
        `select name, count(id) filter (where ${isWaiting})::int as waiting, count(dead_at)::int as dead,
          max(sent_at) as "sentAt", (array_agg(problem order by id desc) filter (where problem is not null))[1] as problem
        from @receiver left join @message on receiver = name group by name order by name`,
      ),
  };
}
