import type { ApplyEvent } from '../apply/job.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { duration, timeTaken } from './duration.ts';
import { exitCodes } from './exit-codes.ts';
import { fold, requestCounts } from './fold-lines.ts';
import { printable } from './printable.ts';
import { type ProgressView, type Running, type WaitsFor, runningIn, stageRows } from './progress-view.ts';
import type { Style } from './style.ts';
import { actionWords, isChange, isDeployment, unverifiedWords } from './action-words.ts';

/** Renders one event of an apply as one line; `seconds`: the time that its action took, where that is known. */
export function renderEvent(applied: ApplyEvent, seconds: number | undefined, style: Style): string {
  const { event, address, action } = applied;
  const { now, done } = actionWords[action];
  const name = style.paint('strong', printable(address));
  const time = seconds === undefined ? '' : ` ${event === 'done' ? 'in' : 'after'} ${timeTaken(1_000 * seconds)}`;
  switch (event) {
    case 'started':
      return `${name}: ${now}…\n`;
    case 'done':
      return `${name}: ${style.paint('good', done)}${time}\n`;
    case 'failed': {
      const { reason } = applied;
      return `${name}: ${style.paint('bad', `${now} failed`)}${time}${reason === undefined ? '' : `: ${printable(reason)}`}\n`;
    }
    case 'unverified': {
      const { reason } = applied;
      const why = reason === undefined || isDeployment(applied) ? '' : `: ${printable(reason)}`;
      return `${name}: ${style.paint('change', unverifiedWords(action))}${why}\n`;
    }
    case 'skipped':
      return `${name}: ${style.paint('change', 'skipped')}\n`;
    case 'waiting': {
      const { limitMs } = applied;
      const limit = limitMs === undefined ? '' : ` (time limit ${duration(limitMs)})`;
      return `${name}: ${now}, ${reasons[applied.for].now}${limit}\n`;
    }
    default:
      return event satisfies never;
  }
}

/** Returns true for an event with a line of its own: what was not started when the run stopped is counted at the end. */
export function isShown(applied: ApplyEvent): boolean {
  return applied.event !== 'skipped' || (applied.stopped === undefined && isChange(applied));
}

/** The number of running actions that a heartbeat names. */
const maxNamed = 3;

/** Renders the running actions after a silence as one line. */
export function renderHeartbeat({
  running,
  elapsed,
  counts,
}: {
  readonly running: readonly Running[];
  /** Milliseconds. */
  readonly elapsed: number;
  readonly counts: { readonly reads: number; readonly writes: number };
}): string {
  const actions = running.map(({ address, action, took, waits }) => {
    const time = waits === undefined ? `for ${duration(took)}` : `${reasons[waits.for].brief} ${duration(waits.took)}`;
    return `${actionWords[action].now} ${printable(address)} (${time})`;
  });
  const what = actions.length === 0 ? '' : `: ${someOf(actions, maxNamed)}`;
  return `still going after ${duration(elapsed)}${what}; ${requestCounts(counts)}\n`;
}

/** Renders what is done and what is open, of an apply that ends with requests in flight. */
export function renderCut(view: ProgressView, now: number, style: Style): string {
  const { done, failed, unverified, running, skipped, waiting } = stageRows(view);
  const all = [done, failed, unverified, running, skipped, waiting].reduce((sum, { length }) => sum + length, 0);
  const parts = [
    `${done.length} of ${all} done`,
    ...(failed.length === 0 ? [] : [`${failed.length} failed`]),
    ...(unverified.length === 0 ? [] : [`${unverified.length} not verified`]),
    ...(running.length === 0 ? [] : [`${running.length} with unknown outcome`]),
    `${skipped.length + waiting.length} not started`,
  ];
  const open = runningIn(view, now).map(({ address, action }) => `${actionWords[action].now} ${printable(address)}`);
  return [
    `Ended at once after ${duration(now - view.began)}: ${parts.join(', ')}.`,
    ...(open.length === 0 ? [] : [`Outcome unknown: ${someOf(open, 5)}.`]),
    `What is done is recorded. The next run ${open.length === 0 ? '' : 'reads what became of the rest, and '}starts what is left.`,
    `Exit code ${exitCodes.interrupted.code}.`,
  ]
    .flatMap((line) => fold(line, 0, style))
    .map((line) => `${line}\n`)
    .join('');
}

/** A reason to wait: by itself, then in front of a duration, in ever less room. */
interface Reason {
  readonly now: string;
  readonly long: string;
  readonly brief: string;
  readonly briefest: string;
}

/** The words for the phases of a deployment. */
export const reasons: Readonly<Record<WaitsFor, Reason>> = {
  queue: {
    now: 'in the queue of the platform',
    long: 'in the queue of the platform for',
    brief: 'in the queue for',
    briefest: 'in queue',
  },
  deployment: {
    now: 'the deployment runs',
    long: 'the deployment runs,',
    brief: 'running for',
    briefest: 'running',
  },
  answer: {
    now: 'the platform pulls and starts it',
    long: 'the platform pulls and starts it,',
    brief: 'pulling and starting for',
    briefest: 'pulling',
  },
  earlier: {
    now: 'waiting for the end of an earlier deployment',
    long: 'waiting for the end of an earlier deployment,',
    brief: 'waiting for an earlier one for',
    briefest: 'waiting',
  },
  health: {
    now: 'waiting for its containers to stay up',
    long: 'waiting for its containers to stay up,',
    brief: 'waiting for its containers for',
    briefest: 'starting',
  },
  probe: {
    now: 'waiting for the answer of its address',
    long: 'waiting for the answer of its address,',
    brief: 'waiting for its address for',
    briefest: 'asking',
  },
};
