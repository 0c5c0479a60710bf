import { describe, expect, test } from 'vitest';
import type { Job, JobEvent, Phase, Reach } from '../../src/apply/job.ts';
import {
  advance,
  isOver,
  isSent,
  mayHaveWritten,
  mayLand,
  noteObject,
  reaches,
  reachOf,
  report,
  resultOf,
  sentAt,
  withDuplicate,
} from '../../src/apply/job.ts';
import { diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { actionOf, objectOf } from '../support/plan-values.ts';
import { jobFor, runOf } from '../support/run-values.ts';

/** The life of an action: what each event makes of each phase, and what can then be said of it. */

const address = 'production.redis.main';
const action = actionOf(address, { action: 'update', id: 'redis_1' });

/** The job of an update before anything is sent. */
function starting(update = action): Job {
  const { run } = runOf([update], { objects: { [address]: objectOf('redis_1', { name: 'a' }) } });
  return jobFor(run, update);
}

const phases = {
  planned: { is: 'planned' },
  announced: { is: 'announced' },
  sent: { is: 'sent', at: 5, before: 'not sent' },
  'sent again': { is: 'sent', at: 6, before: 'may land later' },
  unknown: { is: 'unknown', at: 5, reach: 'may land later' },
  'unknown, answered by the platform': { is: 'unknown', at: 5, reach: 'may be executed' },
  answered: { is: 'answered', at: 5, reach: 'may be executed' },
  refused: { is: 'answered', at: 5, reach: 'not executed' },
  'failed before anything': { is: 'failed', reach: 'not sent' },
  failed: { is: 'failed', reach: 'may be executed' },
  settled: { is: 'settled', reach: 'may be executed', result: 'done' },
} as const satisfies Record<string, Phase>;

type PhaseName = keyof typeof phases;

const events = {
  announced: { is: 'announced' },
  sent: { is: 'sent', at: 9 },
  needless: { is: 'needless' },
  answered: { is: 'answered' },
  refused: { is: 'refused' },
  lost: { is: 'lost', mayLandLater: true },
  'answered with an error': { is: 'lost', mayLandLater: false },
  seen: { is: 'seen' },
  failed: { is: 'failed' },
  skipped: { is: 'skipped' },
  settled: { is: 'settled', result: 'ignored' },
} as const satisfies Record<string, JobEvent>;

const sent = (before: Reach): Phase => ({ is: 'sent', at: 9, before });
const unknown = (reach: Reach, at = 5): Phase => ({ is: 'unknown', at, reach });
const answered = (reach: Reach, at: number | undefined = 5): Phase => ({ is: 'answered', at, reach });
const failed = (reach: Reach): Phase => ({ is: 'failed', reach });
const settled = (reach: Reach, result: 'ignored' | 'skipped' | 'done' = 'ignored'): Phase => ({
  is: 'settled',
  reach,
  result,
});

/** No such thing can happen then: a mistake of Trueup itself. */
const never = 'never';

/** What each event makes of each phase, in the order of the events. */
const table: Record<PhaseName, readonly (Phase | typeof never)[]> = {
  planned: [
    phases.announced,
    sent('not sent'),
    { is: 'answered', at: undefined, reach: 'not sent' },
    never,
    never,
    never,
    never,
    never,
    failed('not sent'),
    settled('not sent', 'skipped'),
    settled('not sent'),
  ],
  announced: [
    phases.announced,
    sent('not sent'),
    { is: 'answered', at: undefined, reach: 'not sent' },
    never,
    never,
    never,
    never,
    never,
    failed('not sent'),
    settled('not sent', 'skipped'),
    settled('not sent'),
  ],
  sent: [
    phases.sent,
    sent('not executed'),
    answered('not executed'),
    answered('may be executed'),
    answered('not executed'),
    unknown('may land later'),
    unknown('may be executed'),
    answered('may be executed'),
    failed('not executed'),
    settled('not executed', 'skipped'),
    settled('not executed'),
  ],
  'sent again': [
    phases['sent again'],
    sent('may land later'),
    answered('may land later', 6),
    answered('may land later', 6),
    answered('may land later', 6),
    unknown('may land later', 6),
    unknown('may land later', 6),
    answered('may land later', 6),
    failed('may land later'),
    failed('may land later'),
    settled('may land later'),
  ],
  unknown: [
    phases.unknown,
    sent('may land later'),
    answered('may land later'),
    answered('may land later'),
    answered('may land later'),
    unknown('may land later'),
    unknown('may land later'),
    answered('may land later'),
    failed('may land later'),
    failed('may land later'),
    settled('may land later'),
  ],
  'unknown, answered by the platform': [
    phases['unknown, answered by the platform'],
    sent('may be executed'),
    answered('may be executed'),
    answered('may be executed'),
    answered('may be executed'),
    unknown('may land later'),
    unknown('may be executed'),
    answered('may be executed'),
    failed('may be executed'),
    failed('may be executed'),
    settled('may be executed'),
  ],
  answered: [
    phases.answered,
    sent('may be executed'),
    answered('may be executed'),
    never,
    never,
    never,
    never,
    never,
    failed('may be executed'),
    failed('may be executed'),
    settled('may be executed'),
  ],
  refused: [
    phases.refused,
    sent('not executed'),
    answered('not executed'),
    never,
    never,
    never,
    never,
    never,
    failed('not executed'),
    settled('not executed', 'skipped'),
    settled('not executed'),
  ],
  'failed before anything': [
    never,
    never,
    never,
    never,
    never,
    never,
    never,
    never,
    failed('not sent'),
    failed('not sent'),
    settled('not sent'),
  ],
  failed: [
    never,
    never,
    never,
    never,
    never,
    never,
    never,
    never,
    failed('may be executed'),
    failed('may be executed'),
    settled('may be executed'),
  ],
  settled: [
    never,
    never,
    never,
    never,
    never,
    never,
    never,
    never,
    phases.settled,
    phases.settled,
    settled('may be executed'),
  ],
};

const cells = Object.entries(table).flatMap(([phase, row]) =>
  Object.entries(events).map(([event, value], at) => [phase as PhaseName, event, value, row[at] ?? never] as const),
);

describe('an action that is', () => {
  test('in any phase meets every event in this table', () => {
    for (const row of Object.values(table)) expect(row).toHaveLength(Object.keys(events).length);
    expect(cells).toHaveLength(121);
  });

  test.each(cells)('%s, and %s', (phase, _event, event, expected) => {
    const job = { action, phase: phases[phase] };
    if (expected === never)
      expect(() => advance(job, event)).toThrow(`${address} is ${phases[phase].is}, and cannot be`);
    else expect(advance(job, event)).toEqual({ phase: expected });
    expect(job.phase).toEqual(phases[phase]);
  });
});

test.each<[PhaseName, Reach, string | undefined, number | undefined]>([
  ['planned', 'not sent', undefined, undefined],
  ['announced', 'not sent', undefined, undefined],
  ['sent', 'not executed', undefined, 5],
  ['sent again', 'may land later', undefined, 6],
  ['unknown', 'may land later', undefined, 5],
  ['unknown, answered by the platform', 'may be executed', undefined, 5],
  ['answered', 'may be executed', undefined, 5],
  ['refused', 'not executed', undefined, 5],
  ['failed before anything', 'not sent', 'failed', undefined],
  ['failed', 'may be executed', 'failed', undefined],
  ['settled', 'may be executed', 'done', undefined],
])('the requests of an action that is %s are "%s"', (phase, reach, result, at) => {
  const job = { phase: phases[phase] };
  expect([reachOf(job), resultOf(job), sentAt(job)]).toEqual([reach, result, at]);
  expect(isOver(job)).toBe(result !== undefined);
  expect([isSent(job), mayHaveWritten(job), mayLand(job)]).toEqual(
    [1, 2, 3].map((level) => reaches.indexOf(reach) >= level),
  );
});

describe('the object of an action', () => {
  test('is that of the plan, then none, then the one that was created', () => {
    const job = starting();
    expect(job.object).toEqual({ id: 'redis_1', row: { name: 'a' } });
    job.object = undefined;
    noteObject(job, { id: 'redis_2', row: { name: 'b' } });
    expect(job.object).toEqual({ id: 'redis_2', row: { name: 'b' } });
  });

  test('keeps its row when the same id is found again, and loses it with another id', () => {
    const job = starting();
    noteObject(job, { id: 'redis_1' });
    expect(job.object).toEqual({ id: 'redis_1', row: { name: 'a' } });
    noteObject(job, { id: 'redis_2' });
    expect(job.object).toEqual({ id: 'redis_2', row: undefined });
  });

  test('is unknown where the plan has no id', () => {
    expect(starting(actionOf(address, { id: undefined })).object).toBeUndefined();
  });
});

test('a diagnostic is reported once, in its order, in every phase', () => {
  const [one, two] = [diagnostic('platform-answer', 'one'), diagnostic('unverified', 'two')];
  for (const phase of Object.values(phases)) {
    const job = starting();
    job.phase = phase;
    for (const item of [one, two, one]) report(job, item);
    expect(job.diagnostics).toEqual([one, two]);
    expect(job.phase).toBe(phase);
  }
});

test('the place of a duplicate is kept once', () => {
  const place = { key: { name: 'a' } };
  expect(withDuplicate(withDuplicate([], place), { key: { name: 'a' } })).toEqual([place]);
  expect(withDuplicate([place], {})).toEqual([place, {}]);
});
