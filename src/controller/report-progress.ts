import type { ApplyEvent } from '../index.ts';
import { isChange } from '../render/action-words.ts';
import { plannedName } from '../render/progress-view.ts';
import type { Records } from './records/all.ts';
import { type ActionProgress, isRunning } from './records/progress.ts';

/** Milliseconds between two statements of a run. */
const paceMs = 500;

/** Where the progress of runs is noted, and who hears that it cannot be. */
export interface Noting {
  readonly records: Pick<Records, 'noteProgress'>;
  readonly onError: (error: unknown) => void;
}

/**
 * Works, and notes meanwhile how far the run is: what changed, at most every 500 ms. Nothing waits for that. Where it fails it is
 * tried again, and reported once until it succeeds.
 *
 * @throws what `work` throws
 */
export async function withProgress<T>(
  { records, onError }: Noting,
  run: string,
  work: (onEvent: (event: ApplyEvent) => void) => Promise<T>,
): Promise<T> {
  const begun = new Map<string, Begun>();
  let [isDirty, isWriting, isFailing] = [false, false, false];
  const write = async (): Promise<void> => {
    if (!isDirty || isWriting) return;
    [isDirty, isWriting] = [false, true];
    try {
      const now = performance.now();
      await records.noteProgress(
        run,
        [...begun.values()].map((one) => shown(one, now)),
      );
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error);
      [isDirty, isFailing] = [true, true];
    }
    isWriting = false;
  };
  const timer = setInterval(() => void write(), paceMs);
  try {
    return await work((event) => {
      if (!isChange(event)) return;
      const name = plannedName(event);
      const now = performance.now();
      const { since = now, waitsFor } = begun.get(name) ?? {};
      begun.set(name, { event, since, at: now, waitsFor: event.event === 'waiting' ? event.for : waitsFor });
      isDirty = true;
    });
  } finally {
    // The end of the run removes what was noted: its document says more.
    clearInterval(timer);
  }
}

/** The last event of an action; times are milliseconds of `performance.now`. */
interface Begun {
  readonly event: ApplyEvent;
  /** The time of its first event. */
  readonly since: number;
  readonly at: number;
  readonly waitsFor: ActionProgress['for'];
}

/** An action without the reasons of its events, which may be long. */
function shown({ event, since, at, waitsFor }: Begun, now: number): ActionProgress {
  const { address, action, event: name } = event;
  const ms = (isRunning(event) ? now : at) - since;
  return {
    address,
    action,
    event: name,
    for: waitsFor,
    seconds: Math.round(ms) / 1_000,
  };
}
