import type { PlanDocument } from '../../index.ts';
import { type Database, jsonOf, plain } from './database.ts';
import { noteIn } from './events.ts';
import { placePreviews } from './place-previews.ts';
import { lockSource } from './place-stacks.ts';
import { againAfter } from './forge-refusals.ts';

/** A pull request that is open, with what it was planned as. */
export interface PullRecord {
  readonly source: string;
  readonly number: number;
  /** The last commit of its branch. */
  readonly head: string;
  readonly branch: string;
  readonly base: string;
  /** A stranger may have written it: it gets no secrets. */
  readonly isFork: boolean;
  /** A person has read its commit, which may have the secrets. */
  readonly isAllowed: boolean;
}

/** The path of what is true of a commit as a whole. */
export const wholeCommit = '.';

/** What a pull request would change of a stack: information, which is never applied. */
export interface PullPlan {
  /** `wholeCommit`: its `problem` kept the others from being made, or from being shown. */
  readonly path: string;
  /** null: it was validated only, or there is a problem. */
  readonly document: PlanDocument | null;
  readonly problem: string | null;
  /** Its file describes previews. */
  readonly isPreview?: boolean;
}

/** A pull request as its forge lists it. */
type SeenPull = Omit<PullRecord, 'source' | 'isAllowed'> & { readonly author?: string | undefined };

/** A pull request as pages show it. */
export interface PullRow extends PullRecord {
  /** Who opened it, by the name at the forge; null: that is not known. */
  readonly author: string | null;
  /** The commit that a person allowed, which need not be its last one any more: its preview has it. */
  readonly allowed: string | null;
  /** Its last commit was planned, or validated. */
  readonly isPlanned: boolean;
  /** `summary`: numbers of actions by their names; null: it was validated only, or there is a problem. */
  readonly plans: readonly (Pick<PullPlan, 'path' | 'problem'> & {
    readonly summary: PlanDocument['summary'] | null;
  })[];
}

const columns = `source, number, head, branch, base, is_fork as "isFork", coalesce(allowed = head, false) as "isAllowed"`;
/** Names what a plan of a pull request was made of. */
const wanted = `pull.head || case when pull.allowed = pull.head then ' allowed' else '' end`;

export function pullsIn({ rows, row, transaction }: Database) {
  return {
    /** Notes which pull requests of a source are open, and which are closed; of others nothing new is known. Previews follow. */
    sawPulls: (source: string, open: readonly SeenPull[], closed: readonly number[] = []) =>
      transaction(async (query) => {
        await lockSource(query, source);
        await query('delete from @pull where source = $1 and number = any($2::int[])', [source, closed]);
        for (const { number, head, branch, base, isFork, author } of open)
          await query(
            `insert into @pull as old (source, number, head, branch, base, is_fork, author) values ($1, $2, $3, $4, $5, $6, $7)
            on conflict (source, number) do update set head = $3, branch = $4, base = $5, is_fork = $6, author = $7, plan_after = case
              when old.head = $3 then old.plan_after end, refusals = case when old.head = $3 then old.refusals else 0 end`,
            [source, number, head, plain(branch), plain(base), isFork, author === undefined ? null : plain(author)],
          );
        await placePreviews(query, source);
      }),
    pull: (source: string, number: number) =>
      row<PullRecord>(`select ${columns} from @pull where source = $1 and number = $2`, [source, number]),
    /** The open pull requests of a source, with what became of their last commits. */
    shownPulls: (source: string) =>
      rows<PullRow>(
        `select ${columns}, author, allowed, pull.planned is not distinct from ${wanted} as "isPlanned",
          coalesce((select json_agg(json_build_object('path', path, 'summary', document -> 'summary', 'problem', problem)
            order by path) from @pull_plan as made where made.source = pull.source and made.number = pull.number
            and made.commit = pull.head), '[]') as plans
        from @pull as pull where source = $1 order by number desc`,
        [source],
      ),
    pullPlans: (source: string, number: number) =>
      rows<PullPlan & { readonly commit: string }>(
        'select path, commit, document, problem from @pull_plan where source = $1 and number = $2 order by path',
        [source, number],
      ),
    /** Pull requests whose last commit was not planned. */
    pullsToPlan: (most: number) =>
      rows<Pick<PullRecord, 'source' | 'number'>>(
        `select pull.source, pull.number from @pull as pull join @source as source on source.id = pull.source
        where pull.planned is distinct from ${wanted} and coalesce(pull.plan_after <= now(), true)
          and coalesce(source.forge_after <= now(), true) and source.forge <> 'none' and source.forge_token_file is not null
        order by 1, 2 limit $1`,
        [most],
      ),
    /** Keeps what a pull request would change. `isOver`: false, where it is to be planned again after a pause. */
    keepPullPlans: (
      { source, number, head, isAllowed }: PullRecord,
      plans: readonly PullPlan[],
      { isOver }: { readonly isOver: boolean },
    ) =>
      transaction(async (query) => {
        const [pull] = await query(
          `update @pull as pull set planned = case when $4 then ${wanted} else planned end,
            refusals = case when $4 then 0 else refusals + 1 end,
            plan_after = case when not $4 then ${againAfter('refusals + 1')} end
          where source = $1 and number = $2 and head = $3 and coalesce(allowed = head, false) = $5 returning number`,
          [source, number, head, isOver, isAllowed],
        );
        if (pull === undefined) return;
        await query('delete from @pull_plan where source = $1 and number = $2', [source, number]);
        for (const { path, document, problem } of plans)
          await query(
            'insert into @pull_plan (source, number, path, commit, document, problem) values ($1, $2, $3, $4, $5, $6)',
            [source, number, path, head, document && jsonOf(document), problem && plain(problem)],
          );
      }),
    /** Lets a commit of a stranger have the secrets and previews, after a person has read it. False: it is not the last one. */
    allowPull: (
      { source, number, head }: Pick<PullRecord, 'source' | 'number' | 'head'>,
      { who, because }: { readonly who: string; readonly because: string },
    ): Promise<boolean> =>
      transaction(async (query) => {
        await lockSource(query, source);
        const [pull] = await query(
          `update @pull set allowed = head, plan_after = null, refusals = 0 where source = $1 and number = $2 and head = $3 and is_fork
            and allowed is distinct from head returning number`,
          [source, number, head],
        );
        if (pull === undefined) return false;
        await placePreviews(query, source);
        const about = { pull: number, commit: head, because };
        await noteIn(query, { who, what: 'allowed a plan', subject: source, about });
        return true;
      }),
    /**
     * Takes back that a commit was allowed: what runs for its previews is stopped, they are removed, and the pull request is validated
     * without secrets. False: that commit is not allowed.
     */
    takePullBack: (
      { source, number, head }: Pick<PullRecord, 'source' | 'number' | 'head'>,
      { who, because }: { readonly who: string; readonly because: string },
    ): Promise<boolean> =>
      transaction(async (query) => {
        await lockSource(query, source);
        const [pull] = await query(
          `update @pull set allowed = null, plan_after = null, refusals = 0 where source = $1 and number = $2 and allowed = $3 returning number`,
          [source, number, head],
        );
        if (pull === undefined) return false;
        await placePreviews(query, source);
        await query(
          `update @run set stopped_by = $3, stopped_because = $4 where ended_at is null and stopped_by is null
            and stack in (select id from @stack where source = $1 and pull = $2 and ends is not null)`,
          [source, number, plain(who), plain(because)],
        );
        const about = { pull: number, commit: head, because };
        await noteIn(query, { who, what: 'took back a plan', subject: source, about });
        return true;
      }),
  };
}
