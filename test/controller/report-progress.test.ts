import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ActionProgress } from '../../src/controller/records/progress.ts';
import { withProgress } from '../../src/controller/report-progress.ts';
import type { ApplyEvent } from '../../src/index.ts';

/** What a run notes of its actions while it works, and when. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A run that goes on until `end`, and all that it notes; `note` takes the place of the table. */
function begin(note: () => Promise<void> = () => Promise.resolve()) {
  const noted: (readonly ActionProgress[])[] = [];
  const errors: unknown[] = [];
  const noteProgress = (_run: string, actions: readonly ActionProgress[]) => {
    noted.push(actions);
    return note();
  };
  let hear: (event: ApplyEvent) => void = () => undefined;
  let end = (): void => undefined;
  const over = withProgress({ records: { noteProgress }, onError: (error) => void errors.push(error) }, '1', (on) => {
    hear = on;
    return new Promise<string>((resolve) => (end = () => resolve('done')));
  });
  const create = (address: string, event: 'started' | 'done' | 'skipped') => hear({ address, action: 'create', event });
  return { noted, errors, hear, create, end, over };
}

test('it is noted every 500 ms at most, with the last of each action, and not where nothing changed', async () => {
  const { noted, hear, create, end, over } = begin();
  create('a', 'started');
  expect(noted).toEqual([]);
  await vi.advanceTimersByTimeAsync(250);
  create('a', 'done');
  create('b', 'started');
  hear({ address: 'c', action: 'no-op', event: 'started' });
  await vi.advanceTimersByTimeAsync(5_000);
  const a = { address: 'a', action: 'create', event: 'done', seconds: 0.25 };
  expect(noted).toEqual([[a, { address: 'b', action: 'create', event: 'started', seconds: 0.25 }]]);
  hear({ address: 'a', action: 'deploy', event: 'waiting', for: 'queue' });
  create('b', 'done');
  await vi.advanceTimersByTimeAsync(500);
  expect(noted.slice(1)).toEqual([
    [
      a,
      { address: 'b', action: 'create', event: 'done', seconds: 5 },
      { address: 'a', action: 'deploy', event: 'waiting', for: 'queue', seconds: 0.25 },
    ],
  ]);
  hear({ address: 'a', action: 'deploy', event: 'done' });
  await vi.advanceTimersByTimeAsync(500);
  expect(noted.at(-1)?.at(-1)).toEqual({ address: 'a', action: 'deploy', event: 'done', for: 'queue', seconds: 0.5 });
  create('d', 'skipped');
  end();
  expect(await over).toBe('done');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(noted).toHaveLength(3);
});

test('why an action failed or was skipped is not noted', async () => {
  const { noted, hear, end, over } = begin();
  hear({ address: 'a', action: 'create', event: 'failed', reason: 'a long answer of the platform' });
  hear({ address: 'b', action: 'create', event: 'skipped', stopped: 'the run was stopped' });
  await vi.advanceTimersByTimeAsync(500);
  expect(JSON.stringify(noted)).not.toMatch(/long answer|was stopped/);
  end();
  await over;
});

test('a database that fails is reported once, tried again, and harms nothing', async () => {
  let fails = true;
  const { noted, errors, create, end, over } = begin(() =>
    fails ? Promise.reject(new Error('the database is away')) : Promise.resolve(),
  );
  create('a', 'started');
  await vi.advanceTimersByTimeAsync(2_000);
  expect([noted.length, errors]).toEqual([4, [new Error('the database is away')]]);
  fails = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect([noted.length, errors.length]).toEqual([5, 1]);
  fails = true;
  create('a', 'done');
  await vi.advanceTimersByTimeAsync(500);
  expect(errors).toHaveLength(2);
  end();
  expect(await over).toBe('done');
});

test('a database that does not answer gets no second statement, and the run does not wait for it', async () => {
  const { noted, errors, create, end, over } = begin(() => new Promise(() => undefined));
  create('a', 'started');
  await vi.advanceTimersByTimeAsync(500);
  create('a', 'done');
  await vi.advanceTimersByTimeAsync(60_000);
  end();
  expect([await over, noted.length, errors]).toEqual(['done', 1, []]);
});
