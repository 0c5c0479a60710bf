import { clear, raise } from './alarms.ts';
import { type Database, type ForDue, isOpen, plain } from './database.ts';
import { type DueStack, type KeptStack, authorsOf, dueColumns } from './place-stacks.ts';
import type { Labels } from './platforms.ts';
import { makes } from './place-previews.ts';
import type { Policy } from './sources.ts';
import { bringWanted } from './wave-stacks.ts';

/** A root file of a source, or a preview that it describes. */
export interface StackRecord {
  readonly id: string;
  readonly source: string;
  readonly path: string;
  /** The pull request whose preview it is; null: it is none. */
  readonly pull: number | null;
  readonly platform: string;
  /** The site of its platform. */
  readonly site: number;
  /** The address of its platform. */
  readonly url: string;
  readonly policy: Policy;
  /** Those of its platform, and over them those of its source. */
  readonly labels: Labels;
  /** The commit of the source that changed its files last, and the one that the platform was last in step with. */
  readonly wanted: string | null;
  readonly applied: string | null;
  /** The digest of the manifest that the platform was last in step with. */
  readonly digest: string | null;
  /** The commit whose deployments no run saw the end of yet; with a digest where all else of it is applied. */
  readonly deploying: string | null;
  readonly deployingDigest: string | null;
  /** Of a preview, the commit that an apply began with last; null: nothing of it can be on the platform. */
  readonly made: string | null;
  /** Why a preview is to be removed: it is wanted no more, or its time is over; null: it is not. */
  readonly ends: 'closed' | 'over' | null;
  readonly isPaused: boolean;
  readonly isGone: boolean;
  readonly problem: string | null;
  /** Names what it reads at the commit that it wants; null: that is not known. */
  readonly fingerprint: string | null;
  /** The commit whose files it has: the newest one, as git may have lost an older one, and what stands beside them is of now. */
  readonly read: string | null;
}

/** A stack with what its manifest asks of the repository, at the commit that it wants. */
export interface StackFiles extends KeptStack {
  readonly reads: readonly string[];
}

/** The end of a pause: a moment that a person named, or some seconds from now by the clock of the database. */
export type Until = Date | { readonly seconds: number };

const columns = `${dueColumns('@stack')}, (select url from @platform as its where its.id = platform) as url,
  source, path, pull, policy, labels, wanted, applied, digest, deploying, made, ends,
  deploying_digest as "deployingDigest", is_gone as "isGone", problem, fingerprint,
  case when pull is null and fingerprint is not null then (select commit from @source as its where its.id = source) else wanted end as read,
  coalesce(paused_until > now(), false) as "isPaused"`;

/** A stack as a run read it, which tells the run later whether another one brought the stack on meanwhile, or it was moved. */
export type ReadStack = Pick<StackRecord, 'id' | 'platform' | 'url' | 'applied' | 'digest'>;

/** Of a stack: no other run brought it on since it was read. The statement has what was read of it as its last two values. */
export const isAsRead = (applied: string, digest: string): string =>
  `deploying is null and applied is not distinct from ${applied} and digest is not distinct from ${digest}`;

/** Of a platform: it is at an address. Who changes that locks the stacks of the platform before it counts. */
export const isAt = (platform: string, url: string): string =>
  `exists (select from @platform as its where its.id = ${platform} and its.url = ${url})`;

export function stacksIn({ rows, row, takeEach, onStack }: Database) {
  return {
    stack: (id: string) => row<StackRecord>(`select ${columns} from @stack where id = $1`, [id]),
    stacks: () => rows<StackRecord>(`select ${columns} from @stack order by id`),
    /** What the stacks of a source read, where that is known. */
    stackFiles: (source: string) =>
      rows<StackFiles>(
        `select path, wanted, reads, fingerprint from @stack
        where source = $1 and pull is null and not is_gone and wanted is not null and reads is not null and fingerprint is not null`,
        [source],
      ),
    /** Notes what a stack reads at a commit, as long as it wants that. */
    reads: ({ id }: Pick<StackRecord, 'id'>, { wanted, reads, fingerprint }: Omit<StackFiles, 'path'>) =>
      rows(
        `update @stack set reads = $3, fingerprint = $4 where id = $1 and wanted = $2 and fingerprint is distinct from $4`,
        [id, wanted, reads, fingerprint],
      ),
    /**
     * A stack reads other files than those that were compared with a commit, such as by another variable: it wants that commit, as long
     * as its source has it.
     */
    readsOther: ({ id, wanted }: Pick<StackRecord, 'id' | 'wanted'>, commit: string): Promise<void> =>
      onStack(id, async (query) => {
        const moved = await query(
          `update @stack as stack set wanted = $3, authors = ${authorsOf('stack', 'source.authors')}, reads = null, fingerprint = null
            from @source as source
          where stack.id = $1 and wanted = $2 and source.id = stack.source and source.commit = $3 returning stack.id`,
          [id, wanted, commit],
        );
        if (moved.length === 0) return;
        await query(`update @plan set superseded_at = now() where stack = $1 and commit <> $2 and ${isOpen}`, [
          id,
          commit,
        ]);
        await bringWanted(query, id);
      }),

    /**
     * Takes stacks of a site that are due for a look at what drifted, as `dueSources` takes sources. One that is paused stays due, as what
     * was approved meanwhile is.
     */
    dueStacks: (most: number, send: ForDue<DueStack> = () => Promise.resolve(), site = 0) =>
      takeEach<DueStack>(
        most,
        {
          text: `update @stack set look_at = now() + make_interval(secs =>
            (select look_seconds from @source where @source.id = @stack.source) * (0.9 + random() * 0.2))
          where id in (select id from @stack where not is_gone and look_at <= now() and coalesce(paused_until <= now(), true)
            and platform in (select id from @platform where site = $1) order by look_at limit 1 for update skip locked)
          returning ${dueColumns('@stack')}`,
          values: [site],
        },
        send,
      ),

    /**
     * The platform is in step with a commit: nothing of it is left to apply. Where the stack wants another one by now, that counts
     * only as long as no other run brought the stack on; where it was moved to another platform or address, it does not count. Says
     * whether the stack wants another commit.
     */
    inStep: (
      { id, platform, url, ...read }: ReadStack,
      commit: string,
      digest: string,
    ): Promise<{ readonly wantsOther: boolean }> =>
      onStack(id, async (query) => {
        const [stack] = await query<{ readonly wantsOther: boolean }>(
          `with brought as (update @stack set applied = $2, digest = $3, problem = null, looked_at = now(), ${makes('$2')}
          where id = $1 and platform = $6 and ${isAt('$6', '$7')} and (applied is not null or $4::text is null) and not is_gone and (wanted = $2 or deploying = $2 or ${isAsRead('$4', '$5')})
          returning wanted <> $2 as "wantsOther"),
            old as (update @plan set superseded_at = now()
              where stack = $1 and commit = $2 and ${isOpen} and exists (select from brought))
          select "wantsOther" from brought`,
          [id, commit, digest, read.applied, read.digest, platform, url],
        );
        const { wantsOther = true } = stack ?? {};
        if (stack !== undefined) await clear(query, wantsOther ? ['run', 'drift'] : ['run', 'drift', 'approval'], id);
        return { wantsOther };
      }),
    /** All that a commit changes is applied, and its deployments go on: on the platform and at the address where the run had it. */
    deploys: (
      { id, platform, url }: Omit<ReadStack, 'applied' | 'digest'>,
      { commit, digest }: { readonly commit: string; readonly digest: string },
    ) =>
      onStack(id, (query) =>
        query(
          `update @stack set deploying = $2, deploying_digest = $3 where id = $1 and platform = $4 and ${isAt('$4', '$5')}`,
          [id, commit, digest, platform, url],
        ),
      ),
    /** No deployment of the stack goes on that a run would have to see through. */
    deploysNothing: ({ id }: Pick<StackRecord, 'id'>) =>
      rows(`update @stack set deploying = null, deploying_digest = null where id = $1 and deploying is not null`, [id]),
    stackProblem: (id: string, problem: string) =>
      rows(`update @stack set problem = $2 where id = $1`, [id, plain(problem)]),

    /** Has a stack looked at now, because an operator asked for that. */
    runSoon: ({ id }: Pick<StackRecord, 'id'>, who: string) =>
      rows(
        `with said as (insert into @event (who, what, subject) values ($2, 'asked for a run', $1))
        update @stack set look_at = now() where id = $1`,
        [id, plain(who)],
      ),

    /** A run of a stack failed at a commit. `ending`: a word for how. */
    stackFailed: (
      id: string,
      { problem, commit, ending }: { readonly problem: string; readonly commit: string; readonly ending: string },
    ) =>
      onStack(id, async (query) => {
        await query(`update @stack set problem = $2 where id = $1`, [id, plain(problem)]);
        await raise(query, { kind: 'run', subject: id, digest: commit, about: { commit, ending } });
      }),

    /** Lets a stack be for a time; undefined: it goes on. */
    pause: (
      { id }: Pick<StackRecord, 'id'>,
      { until, who, because }: { readonly until: Until | undefined; readonly who: string; readonly because: string },
    ) =>
      rows(
        `with said as (insert into @event (who, what, subject, about)
            values ($4, case when $2::timestamptz is null and $3::float8 is null then 'resumed' else 'paused' end, $1, jsonb_build_object('because', $5::text)))
        update @stack set paused_until = coalesce($2, now() + make_interval(secs => $3)), paused_by = $4, paused_because = $5,
          look_at = now() where id = $1`,
        [id, ...(until instanceof Date ? [until, null] : [null, until?.seconds ?? null]), who, because],
      ),
  };
}
