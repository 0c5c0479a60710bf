import type { DriftDocument, PlanDocument, ResultDocument } from '../../index.ts';
import type { Author } from './authors.ts';
import type { Database } from './database.ts';

/** What a person said of a plan. */
export interface Verdict {
  readonly who: string;
  readonly role: string;
  readonly approves: boolean;
  readonly because: string;
  readonly at: Date;
}

/** A run in a list, with the verdicts on its plan. */
export interface RunRow {
  readonly id: string;
  readonly kind: string;
  readonly cause: string;
  readonly commit: string;
  readonly worker: string;
  readonly plan: string | null;
  readonly beganAt: Date;
  readonly endedAt: Date | null;
  readonly ending: string | null;
  readonly verdicts: readonly Pick<Verdict, 'who' | 'approves' | 'because'>[];
}

/** A run with its documents. */
export interface RunDetail extends RunRow {
  /** The id of its stack. */
  readonly stack: string;
  /** Who asked it to stop, and why. */
  readonly stoppedBy: string | null;
  readonly stoppedBecause: string | null;
  /** What it applies, where that is known. */
  readonly planned: PlanDocument | null;
  /** What it made; null: it has not ended, it failed before, or it is a look at drift that found what `sameAs` found. */
  readonly document: PlanDocument | ResultDocument | DriftDocument | null;
  /** The id of the look whose document is its own too; null: there is none. */
  readonly sameAs: string | null;
  /** Why it failed, where no document says that. */
  readonly failure: string | null;
}

/** A plan of a stack, whatever became of it. */
export interface PlanRow {
  readonly digest: string;
  /** The id of its stack. */
  readonly stack: string;
  readonly commit: string;
  readonly cause: 'commit' | 'drift';
  /** A person must approve it, whatever the policy is. */
  readonly isNeeded: boolean;
  /** Why it takes the place of a plan that was approved; null: it does not. */
  readonly because: string | null;
  readonly document: PlanDocument;
  /** The addresses whose data it may lose: an approval has to allow that. */
  readonly losing: readonly string[];
  /** Who wrote the commit, as git says it. */
  readonly authors: readonly Author[];
  readonly madeAt: Date;
  readonly expiresAt: Date;
  readonly supersededAt: Date | null;
  readonly appliedAt: Date | null;
  readonly verdicts: readonly Verdict[];
  /** The last run that applied it, or does. */
  readonly run: { readonly id: string; readonly endedAt: Date | null; readonly ending: string | null } | null;
}

const columns = `run.id, run.kind, run.cause, run.commit, run.worker, run.plan, run.began_at as "beganAt",
  run.ended_at as "endedAt", run.ending,
  coalesce((select json_agg(json_build_object('who', who, 'approves', approves, 'because', because) order by at)
    from @verdict where plan = run.plan), '[]') as verdicts`;

/** A digest of a plan, as hex: nothing else is looked for. */
const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** A number of a row of the database. */
const isId = (text: string): boolean => /^[1-9]\d{0,17}$/.test(text);

export function shownRunsIn({ rows, row }: Database) {
  return {
    /** Runs of a stack, the last first, at most so many; those before a run where one is named. */
    shownRuns: (stack: string, most: number, before?: string): Promise<readonly RunRow[]> =>
      rows<RunRow>(
        `select ${columns} from @run as run where stack = $1 and ($3::bigint is null or id < $3)
        order by id desc limit $2`,
        [stack, most, before !== undefined && isId(before) ? before : null],
      ),
    /** A run with its documents. What an apply by policy applies is what was planned for its commit last. */
    shownRun: async (id: string): Promise<RunDetail | undefined> => {
      if (!isId(id)) return undefined;
      return row<RunDetail>(
        `select run.stack, ${columns}, run.document, stopped_by as "stoppedBy", stopped_because as "stoppedBecause", run.failure,
          case when run.document is null and run.ending in ('in step', 'drifted') then (select max(id) from @run as former
            where stack = run.stack and kind = 'drift' and document is not null and id < run.id) end as "sameAs",
          case when run.kind = 'apply' then coalesce(
            (select document from @plan where digest = run.plan),
            (select document from @run as made where stack = run.stack and kind = 'plan' and commit = run.commit
              and id < run.id and document is not null order by id desc limit 1)) end as planned
        from @run as run where id = $1`,
        [id],
      );
    },
    /** The last look at drift of a stack that made a document. */
    lastDrift: (stack: string): Promise<Pick<RunDetail, 'id' | 'beganAt' | 'document'> | undefined> =>
      row(
        `select id, began_at as "beganAt", document from @run where stack = $1 and kind = 'drift' and document is not null
        order by id desc limit 1`,
        [stack],
      ),
    shownPlan: async (digest: string): Promise<PlanRow | undefined> => {
      if (!isDigest(digest)) return undefined;
      const found = await row<Omit<PlanRow, 'verdicts' | 'run'> & Flat>(
        `select plan.digest, plan.stack, plan.commit, plan.cause, plan.is_needed as "isNeeded", plan.because, plan.document,
          plan.losing, plan.authors, plan.made_at as "madeAt",
          plan.expires_at as "expiresAt", plan.superseded_at as "supersededAt", plan.applied_at as "appliedAt",
          coalesce((select json_agg(json_build_object('who', who, 'role', role, 'approves', approves, 'because', because,
            'at', at) order by at) from @verdict where plan = plan.digest), '[]') as verdicts,
          applying.id as "runId", applying.ended_at as "runEndedAt", applying.ending as "runEnding"
        from @plan as plan left join lateral (select id, ended_at, ending from @run where plan = plan.digest
          order by id desc limit 1) as applying on true
        where plan.digest = $1`,
        [digest],
      );
      if (found === undefined) return undefined;
      const { runId, runEndedAt, runEnding, verdicts, ...plan } = found;
      return {
        ...plan,
        verdicts: verdicts.map((one) => ({ ...one, at: new Date(one.at) })),
        run: runId === null ? null : { id: runId, endedAt: runEndedAt, ending: runEnding },
      };
    },
  };
}

/** The columns of a plan that are not as its row has them: JSON has no moments. */
interface Flat {
  readonly verdicts: readonly (Omit<Verdict, 'at'> & { readonly at: string })[];
  readonly runId: string | null;
  readonly runEndedAt: Date | null;
  readonly runEnding: string | null;
}
