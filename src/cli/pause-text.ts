import type { Pause } from '../api/circuit-breaker.ts';
import { describeRefusal } from '../api/pauses.ts';

/** Renders the start and the end of a pause of the platform, as one line. */
export function renderPause(pause: Pause): string {
  const seconds = (ms: number): number => Math.round(ms / 1_000);
  return pause.event === 'paused'
    ? `${describeRefusal(pause)}: waiting up to ${seconds(pause.limitMs)} s\n`
    : `the platform accepts requests again after ${seconds(pause.waitedMs)} s\n`;
}

/** Renders the reason why objects are read one by one from now on, as one line. */
export function renderBulkOff(why: string): string {
  return `note: Trueup reads each object with a request of its own from now on: ${why}. --no-bulk does so from the start.\n`;
}

/** Renders how many requests are sent at a time to a platform that is overloaded, as one line. */
export function renderFewer(connections: number): string {
  return `note: the platform does not keep up, or limits requests: Trueup sends at most ${connections} requests at a time, and more again while it answers well.\n`;
}
