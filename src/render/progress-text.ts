import type { ApplyEvent } from '../apply/run.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';
import { actionWords } from './words.ts';

/** One event of an apply on one line; `seconds` is how long it took, where that is known. */
export function renderEvent(told: ApplyEvent, seconds: number | undefined, style: Style): string {
  const { event, address, action } = told;
  const { now, done } = actionWords[action];
  const name = style.paint('strong', printable(address));
  const time = seconds === undefined ? '' : ` ${event === 'done' ? 'in' : 'after'} ${seconds.toFixed(1)}s`;
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
      return `${name}: waits for the ${told.for}\n`;
    default:
      return event satisfies never;
  }
}
