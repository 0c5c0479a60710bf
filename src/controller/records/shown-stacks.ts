import type { ActionName } from '../../render/document-schemas.ts';
import type { OpenPlan } from '../plan-standing.ts';
import { type Database, isOpen } from './database.ts';
import type { Policy } from './sources.ts';
import { holdingWaves } from './wave-stacks.ts';

/** A plan that waits, as lists show it. */
export interface WaitingPlan extends OpenPlan {
  readonly digest: string;
  readonly madeAt: Date;
  /** Numbers of actions by their names. */
  readonly summary: Partial<Record<ActionName, number>>;
}

/** A stack as pages show it. */
export interface StackRow {
  readonly id: string;
  readonly source: string;
  readonly path: string;
  readonly platform: string;
  readonly policy: Policy;
  readonly labels: Readonly<Record<string, string>>;
  readonly wanted: string | null;
  readonly applied: string | null;
  readonly lookedAt: Date | null;
  readonly nextLookAt: Date;
  /** In lists its start. */
  readonly problem: string | null;
  readonly isGone: boolean;
  /** null: it is not paused. */
  readonly pausedUntil: Date | null;
  readonly pausedBy: string | null;
  readonly pausedBecause: string | null;
  readonly plan: WaitingPlan | null;
  /** The wave that does not let the commit in that it wants. */
  readonly wave: string | null;
  /** The run that goes on. */
  readonly run: { readonly id: string; readonly kind: string; readonly beganAt: Date } | null;
}

/** The columns of a stack, flat, as `stackRow` takes them. */
interface Flat extends Omit<StackRow, 'plan' | 'run'> {
  readonly planDigest: string | null;
  readonly planCommit: string;
  readonly planCause: 'commit' | 'drift';
  readonly planNeeded: boolean;
  readonly planMadeAt: Date;
  readonly planSummary: WaitingPlan['summary'] | null;
  readonly planApproved: boolean | null;
  readonly runId: string | null;
  readonly runKind: string;
  readonly runBeganAt: Date;
}

const columns = (
  problem: string,
): string => `stack.id, stack.source, stack.path, stack.platform, stack.policy, stack.labels,
  stack.wanted, stack.applied, stack.looked_at as "lookedAt", stack.look_at as "nextLookAt", ${problem} as problem,
  stack.is_gone as "isGone", case when stack.paused_until > now() then stack.paused_until end as "pausedUntil",
  stack.paused_by as "pausedBy", stack.paused_because as "pausedBecause",
  waiting.digest as "planDigest", waiting.commit as "planCommit", waiting.cause as "planCause",
  waiting.is_needed as "planNeeded", waiting.made_at as "planMadeAt", holding.wave, waiting.summary as "planSummary",
  (select bool_and(approves) from @verdict where plan = waiting.digest) as "planApproved",
  going.id as "runId", going.kind as "runKind", going.began_at as "runBeganAt"`;

const from = `@stack as stack
  left join lateral (select digest, commit, cause, is_needed, made_at, summary from @plan
    where stack = stack.id and ${isOpen} and expires_at > now()) as waiting on true
  left join lateral (select id, kind, began_at from @run
    where stack = stack.id and ended_at is null order by id desc limit 1) as going on true
  left join (${holdingWaves}) as holding on holding.stack = stack.id and holding.commit = stack.wanted`;

export function shownStacksIn({ rows, row }: Database) {
  return {
    /** Every stack, with the plan that waits and the run that goes on, in the order of their ids. */
    shownStacks: async (): Promise<readonly StackRow[]> => {
      const found = await rows<Flat>(
        `select ${columns('left(stack.problem, 400)')} from ${from} order by stack.id collate "C"`,
      );
      return found.map(stackRow);
    },
    /** The labels of every stack, also of those that are gone. */
    stackLabels: () => rows<Pick<StackRow, 'id' | 'labels'>>('select id, labels from @stack'),
    shownStack: async (id: string): Promise<StackRow | undefined> => {
      const found = await row<Flat>(`select ${columns('stack.problem')} from ${from} where stack.id = $1`, [id]);
      return found && stackRow(found);
    },
  };
}

function stackRow(flat: Flat): StackRow {
  const { planDigest, planCommit, planCause, planNeeded, planMadeAt, planSummary, planApproved, ...others } = flat;
  const { runId, runKind, runBeganAt, ...stack } = others;
  const plan =
    planDigest === null
      ? null
      : {
          digest: planDigest,
          commit: planCommit,
          cause: planCause,
          isNeeded: planNeeded,
          madeAt: planMadeAt,
          summary: planSummary ?? {},
          isApproved: planApproved,
        };
  return { ...stack, plan, run: runId === null ? null : { id: runId, kind: runKind, beganAt: runBeganAt } };
}
