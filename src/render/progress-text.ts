import type { ApplyEvent } from '../apply/job.ts';
import { duration, timeTaken } from './duration.ts';
import { requestCounts } from './lines.ts';
import { printable } from './printable.ts';
import type { Running } from './progress-view.ts';
import { reasons } from './progress-words.ts';
import type { Style } from './style.ts';
import { actionWords } from './words.ts';

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
    case 'failed':
      return `${name}: ${style.paint('bad', `${now} failed`)}${time}\n`;
    case 'skipped':
      return `${name}: ${style.paint('change', 'skipped')}\n`;
    case 'waiting':
      return `${name}: ${now}, ${reasons[applied.for].now}\n`;
    default:
      return event satisfies never;
  }
}

/** The number of running actions that a heartbeat names. */
const named = 3;

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
  const actions = running.slice(0, named).map(({ address, action, took, waits }) => {
    const time = waits === undefined ? `for ${duration(took)}` : `${reasons[waits.for].brief} ${duration(waits.took)}`;
    return `${actionWords[action].now} ${printable(address)} (${time})`;
  });
  const more = running.length > named ? ` and ${running.length - named} more` : '';
  const what = actions.length === 0 ? '' : `: ${actions.join(', ')}${more}`;
  return `still going after ${duration(elapsed)}${what}; ${requestCounts(counts)}\n`;
}
