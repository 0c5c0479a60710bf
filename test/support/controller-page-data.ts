import type { RunDetail, RunRow } from '../../src/controller/records/shown-runs.ts';
import type { StackRow, WaitingPlan } from '../../src/controller/records/shown-stacks.ts';
import { newCommit } from './controller-rows.ts';

/** Rows as pages get them, for tests without a database. */

const at = new Date('2026-11-29T00:00:00Z');

export function stackRow(about: Partial<StackRow> = {}): StackRow {
  const { plan, lookedAt, pausedUntil, problem } = {
    plan: null,
    lookedAt: at,
    pausedUntil: null,
    problem: null,
    ...about,
  };
  return {
    isPaused: pausedUntil !== null,
    hasProblem: problem !== null,
    since: (plan?.madeAt ?? lookedAt ?? new Date(0)).getTime() / 1_000,
    id: 'shops:north/trueup.yaml',
    source: 'shops',
    path: 'north/trueup.yaml',
    pull: null,
    ends: null,
    addresses: [],
    lastsUntil: null,
    platform: 'first',
    policy: 'approval',
    labels: {},
    wanted: newCommit,
    applied: newCommit,
    lookedAt: at,
    nextLookAt: at,
    problem: null,
    isGone: false,
    pausedUntil: null,
    pausedBy: null,
    pausedBecause: null,
    refused: null,
    plan: null,
    wave: null,
    only: {},
    isServed: true,
    run: null,
    ...about,
  };
}

export function waitingPlan(about: Partial<WaitingPlan> = {}): WaitingPlan {
  return {
    digest: 'd'.repeat(64),
    commit: newCommit,
    cause: 'commit',
    isNeeded: false,
    because: null,
    madeAt: at,
    summary: { create: 2 },
    isApproved: null,
    ...about,
  };
}

export function runRow(about: Partial<RunRow> = {}): RunRow {
  return {
    id: '7',
    kind: 'apply',
    cause: 'commit',
    commit: newCommit,
    worker: 'worker-1 4711',
    plan: null,
    beganAt: at,
    endedAt: at,
    ending: 'done',
    verdicts: [],
    ...about,
  };
}

export function runDetail(about: Partial<RunDetail> = {}): RunDetail {
  return {
    ...runRow(),
    stack: 'shops:north/trueup.yaml',
    stoppedBy: null,
    stoppedBecause: null,
    planned: null,
    document: null,
    sameAs: null,
    failure: null,
    ...about,
  };
}
