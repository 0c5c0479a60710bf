import type { ApplyEvent } from '../apply/job.ts';
import type { ActionName } from './document-schemas.ts';
import { isBeside, isChange } from './action-words.ts';

/** The phase of a deployment that apply waits for. */
export type WaitsFor = Extract<ApplyEvent, { event: 'waiting' }>['for'];

/** The stage of an action. Times are milliseconds of one clock. */
export type Stage =
  | { readonly is: 'waiting' }
  | {
      readonly is: 'running';
      readonly since: number;
      readonly waits?: { readonly for: WaitsFor; readonly since: number };
    }
  | { readonly is: 'done' | 'failed' | 'unverified'; readonly took: number | undefined }
  | { readonly is: 'skipped' };

/** The stage of an action that is not over. */
export type OpenStage = Extract<Stage, { is: 'waiting' | 'running' }>;

/** One line of the tree: an action, or a parent of actions. */
export interface ProgressRow {
  /** Names it among the rows. */
  readonly key: string;
  /** Of a deployment, that of its service. */
  readonly address: string;
  /** Its name below the row above it, as it may be printed. */
  readonly label: string;
  readonly depth: number;
  /** Its columns, with everything before it. */
  readonly columns: number;
  /** The place of its parent row. */
  readonly above: number | undefined;
  /** undefined: the plan has no action for it. */
  readonly action: ActionName | undefined;
  /** It sends nothing, and matters only when it fails. */
  readonly isQuiet: boolean;
  /** The actions that must end before. */
  readonly needs: readonly { readonly address: string; readonly action: ActionName }[];
}

/** An apply as it goes. */
export interface ProgressView {
  /** All rows, each behind its parent. */
  readonly rows: readonly ProgressRow[];
  /** The columns of the longest name, so that the words begin in one column. */
  readonly names: number;
  /** By the addresses of the plan; a missing one is waiting. */
  readonly stages: ReadonlyMap<string, Stage>;
  readonly began: number;
  readonly counts: { readonly reads: number; readonly writes: number };
}

/** Names an action among those of its plan, and an event of it: by its address, and its word where it is beside another one. */
export function plannedName(one: { readonly address: string; readonly action: ActionName }): string {
  return isBeside(one) ? `${one.address} (${one.action})` : one.address;
}

/** The stage of an action after an event. */
export function nextStage(before: Stage, event: ApplyEvent, now: number): Stage {
  const since = before.is === 'running' ? before.since : undefined;
  switch (event.event) {
    case 'started':
      return before.is === 'running' ? before : { is: 'running', since: now };
    case 'waiting':
      return { is: 'running', since: since ?? now, waits: { for: event.for, since: now } };
    case 'done':
    case 'failed':
    case 'unverified':
      return { is: event.event, took: since === undefined ? undefined : now - since };
    case 'skipped':
      return { is: 'skipped' };
    default:
      return event satisfies never;
  }
}

/** The stage of the action of a row. */
function stageOf({ stages }: ProgressView, { key }: ProgressRow): Stage {
  return stages.get(key) ?? waiting;
}

const waiting: Stage = { is: 'waiting' };

/** Returns true for a row with a line of its own words: its action sends something, or went wrong. */
function isReported(view: ProgressView, row: ProgressRow): boolean {
  if (row.action === undefined) return false;
  if (!row.isQuiet) return true;
  const { is } = stageOf(view, row);
  return is === 'failed' || is === 'unverified' || (is === 'skipped' && isChange(row));
}

/** The stage of a reported row whose action is not over. */
export function openStageOf(view: ProgressView, row: ProgressRow): OpenStage | undefined {
  const stage = stageOf(view, row);
  return isReported(view, row) && (stage.is === 'waiting' || stage.is === 'running') ? stage : undefined;
}

/** The places of the reported rows by stage, each in the order of the tree. */
export type StagedRows = Readonly<Record<Stage['is'], readonly number[]>>;

/** Groups the reported rows of a tree by stage. */
export function stageRows(view: ProgressView): StagedRows {
  const staged: Record<Stage['is'], number[]> = {
    running: [],
    failed: [],
    unverified: [],
    skipped: [],
    done: [],
    waiting: [],
  };
  for (const [place, row] of view.rows.entries()) if (isReported(view, row)) staged[stageOf(view, row).is].push(place);
  return staged;
}

/** A running action, under the address of its events; times in milliseconds. */
export interface Running {
  readonly address: string;
  readonly action: ActionName;
  readonly took: number;
  readonly waits: { readonly for: WaitsFor; readonly took: number } | undefined;
}

/** The running actions, the longest first. */
export function runningIn(view: ProgressView, now: number): Running[] {
  const running = view.rows.flatMap((row): Running[] => {
    const stage = stageOf(view, row);
    if (stage.is !== 'running' || row.action === undefined) return [];
    const { since, waits } = stage;
    const waiting = waits && { for: waits.for, took: now - waits.since };
    return [{ address: row.address, action: row.action, took: now - since, waits: waiting }];
  });
  return running.toSorted((a, b) => b.took - a.took);
}
