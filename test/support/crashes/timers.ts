import { afterAll, beforeAll, vi } from 'vitest';
import type { VirtualTime } from '../../../src/state/conformance/virtual-time.ts';

/** The time in which the timers of the platform run. */
let current: VirtualTime | undefined;

/** The timers of this file are those of the time that was given last. Other files of its worker have their own again. */
export function simulateTimers(): void {
  beforeAll(() => {
    vi.stubGlobal('setTimeout', (task: () => void, ms = 0) => {
      if (current === undefined) throw new Error('no time was begun');
      const stop = current.at(current.now() + Math.max(0, ms), task);
      const timer = { stop, unref: () => timer };
      return timer;
    });
    vi.stubGlobal('clearTimeout', (timer: { readonly stop: () => void } | undefined) => timer?.stop());
  });
  afterAll(() => void vi.unstubAllGlobals());
}

/** From now on the timers of the platform run in a time. */
export function timersRunIn(time: VirtualTime): void {
  current = time;
}
