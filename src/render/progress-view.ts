import type { ApplyEvent } from '../apply/result.ts';
import { blockAddress, deployAddress } from '../kind/address.ts';
import type { ActionName } from '../plan/action.ts';

/** What a deployment waits for. */
export type WaitsFor = Extract<ApplyEvent, { event: 'waiting' }>['for'];

/** How far an action is. Times are milliseconds of one clock. */
export type Stage =
  | { readonly is: 'waiting' }
  | {
      readonly is: 'running';
      readonly since: number;
      readonly waits?: { readonly for: WaitsFor; readonly since: number };
    }
  | { readonly is: 'done' | 'failed'; readonly at: number; readonly took: number | undefined }
  | { readonly is: 'skipped' };

/** One line of the tree: an action, or what only has actions below it. */
export interface ProgressRow {
  readonly address: string;
  /** Its name below the row above it, as it may be printed. */
  readonly label: string;
  readonly depth: number;
  /** The columns that it takes with all that stands before it. */
  readonly columns: number;
  /** The place of the row that it stands below. */
  readonly above: number | undefined;
  /** undefined: the plan has no action for it. */
  readonly action: ActionName | undefined;
  /** It sends nothing, and is of interest only when it goes wrong. */
  readonly isQuiet: boolean;
  /** Addresses of actions that have to be done before. */
  readonly needs: readonly string[];
}

/** An apply as it goes. */
export interface ProgressView {
  /** All rows, each behind the one that it stands below. */
  readonly rows: readonly ProgressRow[];
  /** By the addresses of the plan; what is missing waits. */
  /** The columns of the longest name, so that what is told begins in one column. */
  readonly names: number;
  readonly stages: ReadonlyMap<string, Stage>;
  readonly began: number;
  readonly counts: { readonly reads: number; readonly writes: number };
}

/** The address that the plan has for what an event is about. */
export function plannedAddress({ address, action }: Pick<ApplyEvent, 'address' | 'action'>): string {
  return action === 'deploy' ? deployAddress(address) : address;
}

/** How far an action is after an event. */
export function nextStage(before: Stage, told: ApplyEvent, now: number): Stage {
  const since = before.is === 'running' ? before.since : undefined;
  switch (told.event) {
    case 'started':
      return before.is === 'running' ? before : { is: 'running', since: now };
    case 'waiting':
      return { is: 'running', since: since ?? now, waits: { for: told.for, since: now } };
    case 'done':
    case 'failed':
      return { is: told.event, at: now, took: since === undefined ? undefined : now - since };
    case 'skipped':
      return { is: 'skipped' };
    default:
      return told satisfies never;
  }
}

/** How far the action of a row is. */
export function stageOf({ stages }: ProgressView, { address }: ProgressRow): Stage {
  return stages.get(address) ?? waiting;
}

const waiting: Stage = { is: 'waiting' };

/** Whether a row is told of by itself: its action sends something, or went wrong. */
export function isTold(view: ProgressView, row: ProgressRow): boolean {
  if (row.action === undefined) return false;
  if (!row.isQuiet) return true;
  const { is } = stageOf(view, row);
  return is === 'failed' || (is === 'skipped' && row.action !== 'no-op');
}

/** The places of the rows that are told of by themselves, by how far their actions are, each in the order of the tree. */
export type Told = Readonly<Record<Stage['is'], readonly number[]>>;

/** Sorts the rows of a tree by how far they are. */
export function toldIn(view: ProgressView): Told {
  const told: Record<Stage['is'], number[]> = { running: [], failed: [], skipped: [], done: [], waiting: [] };
  for (const [place, row] of view.rows.entries()) if (isTold(view, row)) told[stageOf(view, row).is].push(place);
  return told;
}

/** An action that runs, under the address that its events bear; times in milliseconds. */
export interface Running {
  readonly address: string;
  readonly action: ActionName;
  readonly took: number;
  readonly waits?: { readonly for: WaitsFor; readonly took: number };
}

/** The actions that run, the longest first. */
export function runningIn(view: ProgressView, now: number): Running[] {
  const running = view.rows.flatMap((row): Running[] => {
    const stage = stageOf(view, row);
    if (stage.is !== 'running' || row.action === undefined) return [];
    const { waits } = stage;
    return [
      {
        address: blockAddress(row.address),
        action: row.action,
        took: now - stage.since,
        ...(waits === undefined ? {} : { waits: { for: waits.for, took: now - waits.since } }),
      },
    ];
  });
  return running.toSorted((a, b) => b.took - a.took);
}
