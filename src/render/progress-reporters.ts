import type { ApplyEvent } from '../apply/job.ts';
import type { Live } from './output-format.ts';
import type { EventDocument } from './document-schemas.ts';
import type { Reporter } from './progress.ts';
import { isShown, renderCut, renderEvent, renderHeartbeat } from './progress-text.ts';
import { renderTree } from './progress-tree.ts';
import { type ProgressView, type Running, type Stage, plannedName, runningIn } from './progress-view.ts';
import type { Style } from './style.ts';

/** Milliseconds between two drawings, writes of lines and checks for silence, and of silence before a heartbeat; the ratio of rest to drawing. */
const pace = { tree: 100, lines: 100, heartbeat: 1_000, silence: 30_000, rest: 20 };

/** Draws the open actions in place, on a terminal, below a line for each finished one. */
export function eventTree(live: Live, style: Style): Reporter {
  return (view, { clock }) => {
    let next = Number.NEGATIVE_INFINITY;
    let finished = '';
    const draw = (isOver: boolean): void => {
      const { columns, rows } = live.size();
      // The cursor stands on a line of its own, and the last lines above the tree stay in sight.
      const others = rows > 10 ? 3 : 1;
      const canvas = { now: clock(), columns: columns - 1, lines: rows - others, isOver, paint: style.paint };
      live.show(renderTree(view, canvas), finished);
      finished = '';
    };
    const drawInTime = (): void => {
      const start = clock();
      if (start < next) return;
      draw(false);
      // A tree that is slow to draw is drawn less often, so that it takes little of the time of the apply.
      next = start + Math.max(pace.tree, pace.rest * (clock() - start));
    };
    drawInTime();
    return {
      pace: pace.tree,
      event: (event, stage) => {
        const isOver = stage.is !== 'running' && stage.is !== 'waiting';
        if (isOver) finished += lineOf(event, tookOf(stage, clock()), style);
        drawInTime();
      },
      tick: drawInTime,
      end: (isCut) => {
        if (isCut) live.show([], finished + renderCut(view, clock(), style));
        else draw(true);
        live.leave();
      },
    };
  };
}

/** The line of an event, if it has one; `took`: milliseconds. */
function lineOf(event: ApplyEvent, took: number | undefined, style: Style): string {
  return isShown(event) ? renderEvent(event, took === undefined ? undefined : took / 1_000, style) : '';
}

/**
 * Prints a line for each event, and one after each 30 seconds of silence. Lines of a tenth of a second go together: each write
 * to a pipe or a file is a system call that keeps all else waiting.
 */
export function eventLines(write: (text: string) => void, style: Style): Reporter {
  return (view, input) => {
    let lines = '';
    const report = eventByEvent({
      event: (event, { took }) => void (lines += lineOf(event, took, style)),
      heartbeat: (running, { elapsed, counts }) => void (lines += renderHeartbeat({ running, elapsed, counts })),
      cut: (_, now) => void (lines += renderCut(view, now, style)),
    })(view, input);
    const flush = (): void => {
      if (lines !== '') write(lines);
      lines = '';
    };
    return {
      ...report,
      pace: pace.lines,
      tick: () => {
        report.tick();
        flush();
      },
      end: (isCut) => {
        report.end(isCut);
        flush();
      },
    };
  };
}

/** Prints a JSON document for each event, and one after each 30 seconds of silence. */
export function eventDocuments(print: (document: EventDocument) => void): Reporter {
  return eventByEvent({
    event: (event, moment) => print(eventDocument(event, moment)),
    heartbeat: (running, moment) => print(heartbeatDocument(running, moment)),
  });
}

function eventDocument(applied: ApplyEvent, moment: EventMoment): EventDocument {
  const { address, action, event } = applied;
  return {
    ...headOf(moment),
    event,
    address,
    action,
    kind: moment.kind,
    for: event === 'waiting' ? applied.for : undefined,
    seconds: moment.took === undefined ? undefined : inSeconds(moment.took),
    requests: requestsOf(moment),
  };
}

/** The running actions after a silence. */
function heartbeatDocument(running: readonly Running[], moment: Moment): EventDocument {
  return {
    ...headOf(moment),
    event: 'heartbeat',
    running: running.map(({ address, action, took, waits }) => ({
      address,
      action,
      for: waits?.for,
      seconds: inSeconds(took),
    })),
    requests: requestsOf(moment),
  };
}

function headOf({ now }: Moment): Pick<EventDocument, 'format' | 'version' | 'time'> {
  return { format: 'trueup/event', version: 1, time: new Date(now).toISOString() };
}

function requestsOf({ counts }: Moment): EventDocument['requests'] {
  return { reads: counts.reads, writes: counts.writes };
}

function inSeconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1_000;
}

/** The moment of an event. Times are milliseconds. */
interface Moment {
  readonly now: number;
  readonly elapsed: number;
  readonly counts: { readonly reads: number; readonly writes: number };
}

/** The same, with the kind of the object, and the time that its action has run or took. */
interface EventMoment extends Moment {
  readonly kind: string;
  readonly took: number | undefined;
}

function eventByEvent(print: {
  readonly event: (event: ApplyEvent, moment: EventMoment) => void;
  readonly heartbeat: (running: readonly Running[], moment: Moment) => void;
  readonly cut?: (view: ProgressView, now: number) => void;
}): Reporter {
  return (view, { plan, counts, clock }) => {
    const kinds = new Map(plan.actions.map((action) => [plannedName(action), action.kind]));
    let last = clock();
    const moment = (): Moment => ({ now: last, elapsed: last - view.began, counts });
    return {
      pace: pace.heartbeat,
      event: (event, stage) => {
        last = clock();
        const isBegun = event.event !== 'started' && event.event !== 'skipped';
        const kind = kinds.get(plannedName(event)) ?? '';
        print.event(event, { ...moment(), kind, took: isBegun ? tookOf(stage, last) : undefined });
      },
      tick: () => {
        const now = clock();
        if (now - last < pace.silence) return;
        last = now;
        print.heartbeat(runningIn(view, now), moment());
      },
      end: (isCut) => {
        if (isCut) print.cut?.(view, clock());
      },
    };
  };
}

/** The time since the start of an action, or that it took. Milliseconds. */
function tookOf(stage: Stage, now: number): number | undefined {
  switch (stage.is) {
    case 'running':
      return now - stage.since;
    case 'done':
    case 'failed':
    case 'unverified':
      return stage.took;
    case 'waiting':
    case 'skipped':
      return undefined;
    default:
      return stage satisfies never;
  }
}
