import type { Client } from '../api/client.ts';
import type { Action } from '../plan/action.ts';
import { isMade } from '../plan/action.ts';
import { lookUntil } from './look.ts';
import { createReader } from '../observe/reader.ts';
import type { LaneRow } from './read-back.ts';
import { readLane } from './read-back.ts';
import type { Run } from './run.ts';
import { laneRoot } from './run.ts';

/** How old what was read of a lane may be when something of it is overwritten or deleted. Milliseconds. */
export const freshMs = 5_000;

/** The lane as it was a few seconds ago at most: read once for all requests that follow one another quickly. */
export function laneBefore(
  run: Run,
  lane: string,
  { isAnew = false, client }: { readonly isAnew?: boolean; readonly client?: Client } = {},
): Promise<LaneRow | 'gone'> {
  const now = run.clock.monotonic();
  const known = run.before.get(lane);
  const id = run.ids.get(lane);
  if (known !== undefined && known.id === id && !isAnew && now - known.since <= freshMs) return known.reading;
  const reading = id === undefined ? Promise.resolve('gone' as const) : readOwn(run, laneRoot(run, lane), id, client);
  run.before.set(lane, { id, since: now, reading });
  reading.catch(() => run.before.delete(lane)); // it may be read the next time
  return reading;
}

/** Reads the object of a lane. What this run made may show a little later than it was made. */
export function readOwn(run: Run, root: Action, id: string, client = run.input.client): Promise<LaneRow | 'gone'> {
  const look = () => readLane(createReader(client), root, id);
  return lookUntil(run, look, { isSeen: (seen) => seen !== 'gone' || !isMade(root) });
}
