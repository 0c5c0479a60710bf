import type { ActionName } from '../../render/document-schemas.ts';
import type { OpenPlan } from '../plan-standing.ts';
import type { Database } from './database.ts';
import type { PreviewAddress } from './previews.ts';
import type { Policy } from './sources.ts';
import { holdingWaves } from './wave-stacks.ts';
import { isAlive } from './workers.ts';

/** A plan that waits, as lists show it. */
export interface WaitingPlan extends OpenPlan {
  readonly digest: string;
  readonly madeAt: Date;
  /** Numbers of actions by their names. */
  readonly summary: Partial<Record<ActionName, number>>;
  /** Why it takes the place of a plan that was approved; null: it does not. */
  readonly because: string | null;
}

/** A stack as far as its state goes, and what finds it. */
export interface StackGlance {
  readonly id: string;
  readonly source: string;
  readonly path: string;
  /** The pull request whose preview it is, and why that is to be removed; null: it is none, or stays. */
  readonly pull: number | null;
  readonly ends: 'closed' | 'over' | null;
  readonly platform: string;
  readonly policy: Policy;
  readonly labels: Readonly<Record<string, string>>;
  readonly wanted: string | null;
  readonly applied: string | null;
  readonly isGone: boolean;
  readonly isPaused: boolean;
  readonly hasProblem: boolean;
  /** Whether workers are alive that reach its platform; true where that is bound to no labels. */
  readonly isServed: boolean;
  readonly plan: OpenPlan | null;
  /** The wave that does not let the commit in that it wants. */
  readonly wave: string | null;
  /** The run that goes on. */
  readonly run: { readonly kind: string } | null;
  /** When its plan was made, or it was looked at last. Seconds since 1970. */
  readonly since: number;
}

/** A stack as pages show it. */
export interface StackRow extends StackGlance {
  /** Where a preview answers, and until when it stays; null: as long as it is wanted. */
  readonly addresses: readonly PreviewAddress[];
  readonly lastsUntil: Date | null;
  readonly lookedAt: Date | null;
  readonly nextLookAt: Date;
  readonly problem: string | null;
  /** What its forge did not take last: a status, or of a preview the comment. `againAt`: milliseconds since 1970. */
  readonly refused: { readonly commit: string; readonly problem: string; readonly againAt: number } | null;
  /** null: it is not paused. */
  readonly pausedUntil: Date | null;
  readonly pausedBy: string | null;
  readonly pausedBecause: string | null;
  readonly plan: WaitingPlan | null;
  /** The labels of its platform that a worker must name; `{}`: none. */
  readonly only: Readonly<Record<string, string>>;
  readonly run: { readonly id: string; readonly kind: string; readonly beganAt: Date } | null;
}

/** A plan that can be approved no more, as the page of its stack shows it until the next one. */
export type FormerPlan = Pick<WaitingPlan, 'digest' | 'madeAt' | 'summary'> & { readonly commit: string };

/** The columns of a glance, flat, as `glanceOf` takes them. */
interface FlatGlance extends Omit<StackGlance, 'plan' | 'run'> {
  readonly planCommit: string | null;
  readonly planCause: 'commit' | 'drift';
  readonly planNeeded: boolean;
  readonly planApproved: boolean | null;
  readonly runKind: string | null;
}

/** The other columns of a stack. */
interface Flat extends FlatGlance, Omit<StackRow, keyof StackGlance> {
  readonly planDigest: string;
  readonly planMadeAt: Date;
  readonly planSummary: WaitingPlan['summary'] | null;
  readonly planBecause: string | null;
  readonly runId: string;
  readonly runBeganAt: Date;
}

const glance = `stack.id, stack.source, stack.path, stack.pull, stack.ends, stack.platform, stack.policy, stack.labels, stack.wanted, stack.applied,
  stack.is_gone as "isGone", coalesce(stack.paused_until > now(), false) as "isPaused", stack.problem is not null as "hasProblem",
  site.id = 0 or ${isAlive('site.id')} as "isServed",
  waiting.commit as "planCommit", waiting.cause as "planCause", waiting.is_needed as "planNeeded",
  case when waiting.digest is not null then (select bool_and(approves) from @verdict where plan = waiting.digest) end as "planApproved",
  holding.wave, going.kind as "runKind",
  coalesce(extract(epoch from coalesce(waiting.made_at, stack.looked_at)), 0)::float8 as since`;

const columns = `${glance}, stack.addresses, stack.made_at + make_interval(secs => stack.lasts_seconds) as "lastsUntil",
  stack.looked_at as "lookedAt", stack.look_at as "nextLookAt", stack.problem, site.labels as only,
  case when stack.paused_until > now() then stack.paused_until end as "pausedUntil",
  stack.paused_by as "pausedBy", stack.paused_because as "pausedBecause",
  waiting.digest as "planDigest", waiting.made_at as "planMadeAt", waiting.summary as "planSummary", waiting.because as "planBecause",
  going.id as "runId", going.began_at as "runBeganAt",
  (select json_build_object('commit', said.commit, 'problem', said.problem, 'againAt', extract(epoch from coalesce(said.again_at, now())) * 1000)
    from @status as said where said.stack = stack.id and said.problem is not null order by said.at desc limit 1) as refused`;

/** Of a stack there is one open plan; of its runs that go on, the last one counts. */
const from = `@stack as stack
  join @platform as platform on platform.id = stack.platform join @site as site on site.id = platform.site
  left join @plan as waiting on waiting.stack = stack.id and waiting.superseded_at is null and waiting.applied_at is null
    and waiting.expires_at > now()
  left join (select distinct on (stack) stack, id, kind, began_at from @run where ended_at is null order by stack, id desc) as going
    on going.stack = stack.id
  left join (${holdingWaves}) as holding on holding.stack = stack.id and holding.commit = stack.wanted`;

export function shownStacksIn({ rows, row }: Database) {
  return {
    /** Every stack as far as lists choose by it, in the order of their ids. */
    stackGlances: async (): Promise<readonly StackGlance[]> =>
      (await rows<FlatGlance>(`select ${glance} from ${from} order by stack.id collate "C"`)).map(glanceOf),
    /** Stacks by their ids, with the plan that waits and the run that goes on, in the order of the ids. */
    shownStacks: async (ids: readonly string[]): Promise<readonly StackRow[]> =>
      (
        await rows<Flat>(`select ${columns} from ${from} where stack.id = any($1) order by stack.id collate "C"`, [ids])
      ).map(stackRow),
    /** The labels of every stack, also of those that are gone. */
    stackLabels: () => rows<Pick<StackRow, 'id' | 'labels'>>('select id, labels from @stack'),
    /** The last plan of a stack, where a newer commit came before it could be applied. */
    formerPlan: (stack: string): Promise<FormerPlan | undefined> =>
      row<FormerPlan>(
        `select digest, commit, made_at as "madeAt", summary from (select * from @plan where stack = $1
            order by made_at desc limit 1) as last
          where superseded_at is not null and applied_at is null
            and commit is distinct from (select wanted from @stack where id = $1)`,
        [stack],
      ),
    shownStack: async (id: string): Promise<StackRow | undefined> => {
      const found = await row<Flat>(`select ${columns} from ${from} where stack.id = $1`, [id]);
      return found && stackRow(found);
    },
  };
}

/** Puts its plan and its run into a row: to copy each of a thousand takes longer than to read them. */
function glanceOf(row: FlatGlance): StackGlance {
  return Object.assign(row, { plan: planIn(row), run: row.runKind === null ? null : { kind: row.runKind } });
}

function planIn({ planCommit, planCause, planNeeded, planApproved }: FlatGlance): OpenPlan | null {
  if (planCommit === null) return null;
  return { commit: planCommit, cause: planCause, isNeeded: planNeeded, isApproved: planApproved };
}

function stackRow(flat: Flat): StackRow {
  const plan = planIn(flat);
  const { planDigest, planMadeAt, planSummary, planBecause, runId, runKind, runBeganAt, ...stack } = flat;
  return {
    ...stack,
    plan: plan && { ...plan, digest: planDigest, madeAt: planMadeAt, summary: planSummary ?? {}, because: planBecause },
    run: runKind === null ? null : { kind: runKind, id: runId, beganAt: runBeganAt },
  };
}
