import type { ApplyEvent } from '../apply/result.ts';
import type { Plan } from '../plan/action.ts';
import { eventJson, heartbeatJson } from '../render/progress-json.ts';
import { buildRows } from '../render/progress-rows.ts';
import { renderEvent, renderHeartbeat } from '../render/progress-text.ts';
import { renderLast, renderTree } from '../render/progress-tree.ts';
import type { ProgressView, Stage } from '../render/progress-view.ts';
import { nextStage, plannedAddress, runningIn } from '../render/progress-view.ts';
import type { Style } from '../render/style.ts';
import type { Live } from './live.ts';

/** Tells of an apply as it goes. */
export interface Progress {
  readonly onEvent: (event: ApplyEvent) => void;
  /** Nothing is told after it. */
  readonly end: () => void;
}

/** Where an apply is told of, and in what form. */
export type Telling =
  | { readonly as: 'tree'; readonly live: Live; readonly style: Style }
  | { readonly as: 'lines'; readonly write: (text: string) => void; readonly style: Style }
  | { readonly as: 'documents'; readonly write: (document: object) => void };

/** What progress is made of; the times are the caller's. */
export interface ProgressInput {
  readonly plan: Plan;
  /** As they are at any moment. */
  readonly counts: { readonly reads: number; readonly writes: number };
  readonly telling: Telling;
  /** Milliseconds since 1970; never goes back. */
  readonly clock: () => number;
  /** Does something again and again; what it gives stops that. */
  readonly every: (milliseconds: number, work: () => void) => () => void;
}

/** A form of telling: what it does with an event, from time to time, and at the end. */
interface Teller {
  readonly tell: (event: ApplyEvent, stage: Stage) => void;
  readonly look: () => void;
  readonly end: () => void;
}

/** Milliseconds between two drawings, and between two looks whether it is silent for too long; how long a rest is to a drawing. */
const pace = { tree: 100, heartbeat: 1_000, silence: 30_000, rest: 20 };

/** Begins to tell of an apply. */
export function createProgress(input: ProgressInput): Progress {
  const { plan, counts, telling, clock, every } = input;
  const stages = new Map<string, Stage>();
  const view: ProgressView = { ...buildRows(plan), stages, began: clock(), counts };
  const teller = telling.as === 'tree' ? treeTeller(view, telling, clock) : lineTeller(view, telling, input);
  const stop = every(telling.as === 'tree' ? pace.tree : pace.heartbeat, teller.look);
  return {
    onEvent: (event) => {
      const address = plannedAddress(event);
      const stage = nextStage(stages.get(address) ?? { is: 'waiting' }, event, clock());
      stages.set(address, stage);
      teller.tell(event, stage);
    },
    end: () => {
      stop();
      teller.end();
    },
  };
}

function treeTeller(
  view: ProgressView,
  { live, style }: Extract<Telling, { as: 'tree' }>,
  clock: () => number,
): Teller {
  let next = Number.NEGATIVE_INFINITY;
  const canvas = () => {
    const { columns, rows } = live.size();
    // The cursor stands on a line of its own, and what was said last above the tree stays in sight.
    const others = rows > 10 ? 3 : 1;
    return { now: clock(), columns: columns - 1, lines: rows - others, paint: style.paint };
  };
  const look = (): void => {
    const start = clock();
    if (start < next) return;
    live.show(renderTree(view, canvas()));
    // A tree that is slow to draw is drawn less often, so that it takes little of the time of the apply.
    next = start + Math.max(pace.tree, pace.rest * (clock() - start));
  };
  look();
  return {
    tell: look,
    look,
    end: () => {
      live.show(renderLast(view, canvas()));
      live.leave();
    },
  };
}

function lineTeller(
  view: ProgressView,
  telling: Exclude<Telling, { as: 'tree' }>,
  { plan, counts, clock }: ProgressInput,
): Teller {
  const kinds = new Map(plan.actions.map(({ address, kind }) => [address, kind.kind]));
  let told = clock();
  const moment = () => ({ time: new Date(told).toISOString(), counts });
  return {
    tell: (event, stage) => {
      told = clock();
      const took = tookOf(stage, told);
      const isBegun = event.event !== 'started' && event.event !== 'skipped';
      if (telling.as === 'documents') {
        const kind = kinds.get(plannedAddress(event)) ?? '';
        telling.write(eventJson(event, { ...moment(), kind, took: isBegun ? took : undefined }));
      } else telling.write(renderEvent(event, isBegun && took !== undefined ? took / 1_000 : undefined, telling.style));
    },
    look: () => {
      const now = clock();
      if (now - told < pace.silence) return;
      told = now;
      const running = runningIn(view, now);
      if (telling.as === 'documents') telling.write(heartbeatJson(running, moment()));
      else telling.write(renderHeartbeat({ running, elapsed: now - view.began, counts }));
    },
    end: () => {},
  };
}

/** How long an action took, or goes on already. */
function tookOf(stage: Stage, now: number): number | undefined {
  switch (stage.is) {
    case 'running':
      return now - stage.since;
    case 'done':
    case 'failed':
      return stage.took;
    case 'waiting':
    case 'skipped':
      return undefined;
    default:
      return stage satisfies never;
  }
}
