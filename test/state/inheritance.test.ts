import { describe, expect, test } from 'vitest';
import { findHolder } from '../../src/state/holder.ts';
import { inheritedFrom, pastOf, quietSince } from '../../src/state/inheritance.ts';
import type { Hold, LeaseEntry, Past } from '../../src/state/lease-entry.ts';
import type { Seen } from '../../src/state/register.ts';
import { leaseContext } from '../../src/state/lease.ts';

/** What who takes a lease knows of those before. All times in milliseconds; it is 100,000 by the clock that only grows. */

const now = 100_000;
const terms = { beatMs: 10_000, lastsMs: 60_000, inFlightMs: 30_000 };
const since = '2026-01-01T00:00:00Z';
const hold: Hold = {
  id: 'h',
  owner: 'ann',
  machine: 'm',
  pid: 1,
  purpose: 'apply',
  since,
  beat: 0,
  lastsMs: 60_000,
};
const past = (mayLandMs: number, more: Partial<Past> = {}): Past => ({
  owner: 'ben',
  purpose: 'destroy',
  since,
  mayLandMs,
  ...more,
});
const seen = (entry: Partial<LeaseEntry>, ageMs: number | undefined): Seen => ({
  entry: { counter: 7, holder: null, past: null, ...entry },
  version: '1',
  ageMs,
});
const removed = { wasRemoved: true } as const;

describe('of whom a request may still land', () => {
  test.each<[string, Seen, { owner: string; mayLandUntil: number; wasRemoved: boolean } | undefined]>([
    ['nobody, after one that gave it back', seen({}, 5), undefined],
    ['nobody, when the time of the one before is over', seen({ past: past(5_000) }, 5_000), undefined],
    ['nobody, long after it', seen({ past: past(5_000, removed) }, 9_000), undefined],
    [
      'of the one before, for what is left of its time',
      seen({ past: past(5_000) }, 2_000),
      { owner: 'ben', mayLandUntil: now + 3_000, wasRemoved: false },
    ],
    [
      'of one that somebody says has longer than a timer can wait, for an hour',
      seen({ past: past(2 ** 40) }, 0),
      { owner: 'ben', mayLandUntil: now + 3_600_000, wasRemoved: false },
    ],
    [
      'of one from whom it was taken away',
      seen({ past: past(5_000, removed) }, 2_000),
      { owner: 'ben', mayLandUntil: now + 3_000, wasRemoved: true },
    ],
    [
      'of a holder whose lease has just ended, for the in-flight timeout',
      seen({ holder: hold }, 60_000),
      { owner: 'ann', mayLandUntil: now + 30_000, wasRemoved: false },
    ],
    [
      'of a holder whose lease ended a while ago, for what is left of the in-flight timeout',
      seen({ holder: hold }, 70_000),
      { owner: 'ann', mayLandUntil: now + 20_000, wasRemoved: false },
    ],
    [
      'of a holder that is dead before its lease ended, for the in-flight timeout and no longer',
      seen({ holder: hold }, 1_000),
      { owner: 'ann', mayLandUntil: now + 30_000, wasRemoved: false },
    ],
    [
      'of a holder whose time is over: until now',
      seen({ holder: hold }, 500_000),
      { owner: 'ann', mayLandUntil: now, wasRemoved: false },
    ],
    [
      'of one before the holder, when that may land later',
      seen({ holder: hold, past: past(90_000, removed) }, 70_000),
      { owner: 'ann', mayLandUntil: now + 20_000, wasRemoved: true },
    ],
    [
      'of one before the holder, when only that may land',
      seen({ holder: hold, past: past(400_000, removed) }, 100_000),
      { owner: 'ann', mayLandUntil: now + 300_000, wasRemoved: true },
    ],
    [
      'not of one before the holder whose time is over',
      seen({ holder: hold, past: past(70_000, removed) }, 70_000),
      { owner: 'ann', mayLandUntil: now + 20_000, wasRemoved: false },
    ],
    [
      'for the whole in-flight timeout, where the state location has no clock',
      seen({ holder: hold }, undefined),
      { owner: 'ann', mayLandUntil: now + 30_000, wasRemoved: false },
    ],
    [
      'for the whole time, where the clock of the place was set back',
      seen({ past: past(5_000) }, -60_000),
      { owner: 'ben', mayLandUntil: now + 5_000, wasRemoved: false },
    ],
  ])('%s', (_, before, told) => {
    const inherited = inheritedFrom(before, now, terms);
    expect(inherited).toEqual(
      told === undefined ? undefined : { ...told, purpose: told.owner === 'ann' ? 'apply' : 'destroy', since },
    );
  });
});

test.each<[string, Seen | undefined, number]>([
  ['nobody ever had it: now', undefined, now],
  ['it was given back: then', seen({}, 5_000), now - 5_000],
  ['its lease is over: at its end', seen({ holder: hold }, 70_000), now - 10_000],
  ['it died within its lease: now', seen({ holder: hold }, 1_000), now],
  ['the place has no clock: now', seen({}, undefined), now],
  ['it was taken away, and may go on: when it cannot any more', seen({ past: past(75_000) }, 5_000), now + 40_000],
  ['it was taken away long ago: when the lease was given back', seen({ past: past(30_000) }, 50_000), now - 50_000],
  [
    'one before the holder may have gone on longer: then',
    seen({ holder: hold, past: past(95_000) }, 70_000),
    now - 5_000,
  ],
])('a request may have been started until: %s', (_, before, until) => {
  expect(quietSince(before, now, terms)).toBe(until);
});

test.each<[string, Parameters<typeof pastOf>[0], ReturnType<typeof pastOf>]>([
  ['nothing, when nobody was before', undefined, null],
  [
    'nothing, when nothing of it can land any more',
    { owner: 'ben', purpose: 'destroy', since, mayLandUntil: now, wasRemoved: true },
    null,
  ],
  [
    'the time that is left',
    { owner: 'ben', purpose: 'destroy', since, mayLandUntil: now + 400, wasRemoved: false },
    past(400),
  ],
  [
    'that it was taken away',
    { owner: 'ben', purpose: 'destroy', since, mayLandUntil: now + 1, wasRemoved: true },
    past(1, removed),
  ],
])('the record of the previous holder: %s', (_, inherited, written) => {
  expect(pastOf(inherited, now)).toStrictEqual(written);
});

test.each<[string, Seen, { endsInMs: number | undefined; mayLandMs: number }]>([
  ['whose lease goes on', seen({ holder: hold }, 20_000), { endsInMs: 40_000, mayLandMs: 70_000 }],
  ['whose lease is over', seen({ holder: hold }, 80_000), { endsInMs: 0, mayLandMs: 30_000 }],
  ['at a place without a clock', seen({ holder: hold }, undefined), { endsInMs: undefined, mayLandMs: 90_000 }],
  ['at a place whose clock was set back', seen({ holder: hold }, -9_000), { endsInMs: 60_000, mayLandMs: 90_000 }],
  [
    'after one that may land later',
    seen({ holder: hold, past: past(300_000) }, 0),
    { endsInMs: 60_000, mayLandMs: 300_000 },
  ],
])('the lock of a holder %s is taken away with what may still land', async (_, before, { endsInMs, mayLandMs }) => {
  const swaps: LeaseEntry[] = [];
  const holder = await findHolder(
    {
      of: 'it',
      look: () => Promise.resolve(before),
      swap: (_seen, entry) => {
        swaps.push(entry);
        return Promise.resolve(undefined);
      },
    },
    { ...leaseContext({}), terms },
  );
  expect(holder).toMatchObject({ owner: 'ann', purpose: 'apply', since, endsInMs });
  expect(await holder?.remove()).toBe(false); // somebody was faster
  const { owner, purpose } = hold;
  expect(swaps).toEqual([{ counter: 7, holder: null, past: { owner, purpose, since, mayLandMs, wasRemoved: true } }]);
});

test('a lease that was released, or never taken, is free', async () => {
  for (const before of [undefined, seen({}, 0)]) {
    const register = { of: 'it', look: () => Promise.resolve(before), swap: () => Promise.resolve(undefined) };
    expect(await findHolder(register, leaseContext({}))).toBeUndefined();
  }
});
