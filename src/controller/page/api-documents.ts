import type {
  ControllerEventsDocument,
  ControllerPlanDocument,
  ControllerRunDocument,
  ControllerStackDocument,
  ControllerStacksDocument,
} from '../../render/document-schemas.ts';
import { needsApproval } from '../plan-standing.ts';
import type { ActionProgress } from '../records/progress.ts';
import type { EventRow } from '../records/shown-events.ts';
import type { PlanRow, RunDetail, RunRow } from '../records/shown-runs.ts';
import type { StackRow } from '../records/shown-stacks.ts';
import { planAddress, runAddress, stackAddress } from './addresses.ts';
import type { StackPage } from './stack-list.ts';
import { stateOf } from './stack-state.ts';
import { fateOf } from './views/plan.ts';
import { countsOf, stepsOf } from './views/progress.ts';

/** The documents of the API, from the rows that pages show. */

type StackSummary = ControllerStacksDocument['stacks'][number];
type RunSummary = ControllerStackDocument['runs'][number];

/** Left out of a document rather than null. */
const orNone = <T>(value: T | null): T | undefined => value ?? undefined;
const isoOf = (at: Date | null): string | undefined => at?.toISOString();

export function stacksDocument({ rows, found, next }: StackPage<StackRow>, page: string): ControllerStacksDocument {
  return {
    format: 'trueup/controller-stacks',
    version: 1,
    found,
    stacks: rows.map((one) => stackSummary(one, page)),
    next,
  };
}

export function stackDocument(stack: StackRow, runs: readonly RunRow[], page: string): ControllerStackDocument {
  return {
    format: 'trueup/controller-stack',
    version: 1,
    stack: stackSummary(stack, page),
    runs: runs.map((run) => runSummary(run, page)),
  };
}

function stackSummary(stack: StackRow, page: string): StackSummary {
  const { id, source, path, platform, policy, labels, pausedUntil, pausedBy, pausedBecause, plan, run } = stack;
  return {
    id,
    source,
    path,
    platform,
    policy,
    labels,
    state: stateOf(stack),
    pull: orNone(stack.pull),
    addresses: stack.pull === null ? undefined : [...stack.addresses],
    lastsUntil: isoOf(stack.lastsUntil),
    wanted: orNone(stack.wanted),
    applied: orNone(stack.applied),
    lookedAt: isoOf(stack.lookedAt),
    problem: orNone(stack.problem),
    paused:
      pausedUntil === null
        ? undefined
        : { until: pausedUntil.toISOString(), by: pausedBy ?? '', because: pausedBecause ?? '' },
    plan:
      plan === null
        ? undefined
        : {
            digest: plan.digest,
            commit: plan.commit,
            cause: plan.cause,
            madeAt: plan.madeAt.toISOString(),
            summary: plan.summary,
            needsApproval: needsApproval(policy, plan),
            isApproved: orNone(plan.isApproved),
            because: orNone(plan.because),
          },
    wave: orNone(stack.wave),
    run: run === null ? undefined : { ...run, beganAt: run.beganAt.toISOString() },
    address: page + stackAddress(id),
  };
}

function runSummary(run: RunRow, page: string): RunSummary {
  const { id, kind, cause, commit, verdicts } = run;
  return {
    id,
    kind,
    cause,
    commit,
    plan: orNone(run.plan),
    beganAt: run.beganAt.toISOString(),
    endedAt: isoOf(run.endedAt),
    ending: orNone(run.ending),
    verdicts,
    address: page + runAddress(id),
  };
}

export function planDocumentOf(plan: PlanRow, stack: StackRow, page: string, now: Date): ControllerPlanDocument {
  const { digest, commit, cause, document } = plan;
  return {
    format: 'trueup/controller-plan',
    version: 1,
    digest,
    stack: stack.id,
    commit,
    cause,
    state: fateOf(plan, stack, now),
    madeAt: plan.madeAt.toISOString(),
    expiresAt: plan.expiresAt.toISOString(),
    verdicts: plan.verdicts.map((one) => ({ ...one, at: one.at.toISOString() })),
    run: plan.run?.id,
    dataLoss: plan.losing,
    plan: document,
    address: page + planAddress(digest),
  };
}

/** @param progress of each action that has begun */
export function runDocumentOf(
  run: RunDetail,
  progress: readonly ActionProgress[],
  page: string,
): ControllerRunDocument {
  return {
    format: 'trueup/controller-run',
    version: 1,
    stack: run.stack,
    run: runSummary(run, page),
    plan: orNone(run.planned),
    progress: run.endedAt === null ? progressDocument(run, progress) : undefined,
    document: orNone(run.document),
  };
}

function progressDocument(
  run: RunDetail,
  progress: readonly ActionProgress[],
): NonNullable<ControllerRunDocument['progress']> {
  const stages = stepsOf(run)(progress);
  return {
    ...countsOf(stages),
    actions: stages.map(({ entry: { address, action }, last }) => ({
      address,
      action,
      stage: last?.event ?? 'to come',
      waitsFor: last?.event === 'waiting' ? last.for : undefined,
      seconds: last?.seconds,
    })),
  };
}

export function eventsDocument(events: readonly EventRow[], next: string | undefined): ControllerEventsDocument {
  return {
    format: 'trueup/controller-events',
    version: 1,
    events: events.map(({ id, at, who, what, subject, about }) => ({
      id,
      at: at.toISOString(),
      who,
      what,
      subject,
      about: about as ControllerEventsDocument['events'][number]['about'],
    })),
    next,
  };
}
