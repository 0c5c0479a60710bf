import { usage } from '../../diagnostics/usage.ts';
import { type Database, isOpen, plain } from './database.ts';

/** When the worker applies the plans of a stack: at once, after an approval, or never. */
export type Policy = 'automatic' | 'approval' | 'never';

/** A branch of a repository, with what holds for the stacks in it. */
export interface SourceRecord {
  readonly id: string;
  readonly url: string;
  readonly ref: string;
  readonly platform: string;
  readonly policy: Policy;
  readonly pollSeconds: number;
  readonly lookSeconds: number;
  /** The commit that was seen last. */
  readonly commit: string | null;
}

/** A stack that is to be run. */
export interface DueStack {
  readonly id: string;
  readonly platform: string;
}

const columns = `id, url, ref, platform, policy, poll_seconds as "pollSeconds", look_seconds as "lookSeconds", commit`;

export function sourcesIn({ rows, row, transaction }: Database) {
  return {
    /** Adds a source, or changes one with its stacks at once. What was planned for another platform is not applied any more. */
    addSource: ({ id, url, ref, platform, policy, pollSeconds, lookSeconds }: Omit<SourceRecord, 'commit'>) => {
      // A stack is named by its source, `:` and its path, and so is its state: two of them are never the same.
      if (!/^[\w.-]+$/.test(id))
        throw usage(`The source ${JSON.stringify(id)} is named by letters, digits, ".", "_" and "-"`);
      return transaction(async (query) => {
        await query(
          `insert into @source (id, url, ref, platform, policy, poll_seconds, look_seconds) values ($1, $2, $3, $4, $5, $6, $7)
          on conflict (id) do update set url = $2, ref = $3, platform = $4, policy = $5, poll_seconds = $6, look_seconds = $7,
            poll_at = now()`,
          [id, url, ref, platform, policy, pollSeconds, lookSeconds],
        );
        await query('select from @stack where source = $1 order by id for no key update', [id]);
        await query(
          `update @plan set superseded_at = now() where ${isOpen}
            and stack in (select id from @stack where source = $1 and platform <> $2)`,
          [id, platform],
        );
        await query(
          `update @stack set platform = $2, policy = $3, look_at = now(),
            applied = case when platform = $2 then applied end, digest = case when platform = $2 then digest end
          where source = $1 and (platform <> $2 or policy <> $3)`,
          [id, platform, policy],
        );
      });
    },
    source: (id: string) => row<SourceRecord>(`select ${columns} from @source where id = $1`, [id]),

    /**
     * Takes sources that are due, at most so many, and says when each is due next: 10 % sooner or later, so that they do not
     * stay together.
     */
    dueSources: (most: number) =>
      rows<{ readonly id: string }>(
        `update @source set poll_at = now() + make_interval(secs => poll_seconds * (0.9 + random() * 0.2))
        where id in (select id from @source where poll_at <= now() order by poll_at limit $1 for update skip locked)
        returning id`,
        [most],
      ),
    /**
     * Notes the commit of a source, with its root files: new ones become stacks, and missing ones are gone. No plan of another
     * commit is applied any more. Gives the stacks to look at.
     */
    sawCommit: ({ id }: Pick<SourceRecord, 'id'>, commit: string, paths: readonly string[]) =>
      transaction(async (query) => {
        await query('select from @source where id = $1 for no key update', [id]);
        await query('select from @stack where source = $1 order by id for no key update', [id]);
        await query(
          `update @plan set superseded_at = now() where ${isOpen} and commit <> $2
            and stack in (select id from @stack where source = $1)`,
          [id, commit],
        );
        return query<DueStack>(
          `with seen as (update @source set commit = $2, polled_at = now(), problem = null where id = $1
              returning id, platform, policy),
            gone as (update @stack set is_gone = true where source = $1 and path <> all($3) and not is_gone)
          insert into @stack (id, source, path, platform, policy, wanted)
            select seen.id || ':' || path, seen.id, path, platform, policy, $2 from seen, unnest($3::text[]) as path
          on conflict (id) do update set wanted = $2, is_gone = false, problem = null, platform = excluded.platform,
            policy = excluded.policy
            where @stack.wanted is distinct from $2 or @stack.is_gone
          returning id, platform`,
          [id, commit, [...paths]],
        );
      }),
    /**
     * The source has the commit that it had. Gives its stacks that were not brought to it yet and that nothing runs: a worker may
     * have ended. One that failed is called again by the queue, with its pauses.
     */
    sawNothing: ({ id }: Pick<SourceRecord, 'id'>) =>
      rows<DueStack>(
        `with seen as (update @source set polled_at = now(), problem = null where id = $1)
        select id, platform from @stack where source = $1 and not is_gone and applied is distinct from wanted
          and problem is null and coalesce(paused_until <= now(), true)
          and not exists (select from @plan where stack = @stack.id and commit = @stack.wanted and ${isOpen} and expires_at > now())`,
        [id],
      ),
    sawProblem: (id: string, problem: string) =>
      rows(`update @source set problem = $2 where id = $1`, [id, plain(problem)]),
  };
}
