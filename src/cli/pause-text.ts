import type { Pause } from '../api/circuit-breaker.ts';
import { describeRefusal } from '../api/pauses.ts';

/** What is said when the platform takes no requests for now, and when it does again: one line. */
export function renderPause(pause: Pause): string {
  const seconds = (ms: number): number => Math.round(ms / 1_000);
  return pause.event === 'paused'
    ? `${describeRefusal(pause)}: waiting until it does, ${seconds(pause.limitMs)} s at most\n`
    : `the platform takes requests again after ${seconds(pause.waitedMs)} s: going on\n`;
}
