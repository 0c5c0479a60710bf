import type { ApplyEvent } from '../apply/job.ts';
import type { PlanDocument } from './document-schemas.ts';
import { buildRows } from './progress-rows.ts';
import { type ProgressView, type Stage, nextStage, plannedName } from './progress-view.ts';

/** Reports the events of an apply until it ends. */
export interface Progress {
  readonly onEvent: (event: ApplyEvent) => void;
  /** Nothing is reported after it. `isCut`: the process is about to end with requests in flight. */
  readonly end: (isCut?: boolean) => void;
}

/** A plan that is applied, and the clock that measures it; the times are the caller's. */
export interface ProgressInput {
  readonly plan: PlanDocument;
  /** The requests sent so far, at any moment. */
  readonly counts: { readonly reads: number; readonly writes: number };
  readonly reporter: Reporter;
  /** Milliseconds since 1970; never goes back. */
  readonly clock: () => number;
  /** Repeats some work after each pause; returns what stops that. */
  readonly every: (milliseconds: number, work: () => void) => () => void;
}

/** A form of progress; begins to report an apply. */
export type Reporter = (view: ProgressView, input: Omit<ProgressInput, 'reporter'>) => Report;

/** Reports each event; `tick` runs every `pace` milliseconds. */
interface Report {
  readonly pace: number;
  readonly event: (event: ApplyEvent, stage: Stage) => void;
  readonly tick: () => void;
  readonly end: (isCut: boolean) => void;
}

/** Begins to report an apply. */
export function createProgress({ reporter, ...input }: ProgressInput): Progress {
  const { plan, counts, clock, every } = input;
  const stages = new Map<string, Stage>();
  const view: ProgressView = { ...buildRows(plan), stages, began: clock(), counts };
  const report = reporter(view, input);
  const stop = every(report.pace, report.tick);
  return {
    onEvent: (event) => {
      const address = plannedName(event);
      const stage = nextStage(stages.get(address) ?? { is: 'waiting' }, event, clock());
      stages.set(address, stage);
      report.event(event, stage);
    },
    end: (isCut = false) => {
      stop();
      report.end(isCut);
    },
  };
}
