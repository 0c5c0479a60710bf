import { describe, expect, it, test } from 'vitest';
import type { Found } from '../../src/drift/finding.ts';
import { exitCodeOf, judge } from '../../src/drift/judge.ts';
import type { Memory } from '../../src/drift/drift-memory.ts';
import { acceptancesOn } from '../../src/plan/find-acceptance.ts';

const subject = { kind: 'redis', objectId: 'red_1', field: 'dockerImage' };
const about = { ...subject, is: 'drifted' as const, address: 'production.redis.cache' };
const found = (digest: string): Found => ({ ...about, path: 'dockerImage', digest: () => digest });
const accepted = { until: '2026-03-31', because: 'a reason', by: 'ops' };

/** The status of one finding, and the memory after it. `acceptedAs`: the digest that a person accepted. */
function statusOf(memory: Memory, today: string, digest = '1.a', acceptedAs?: string) {
  const entries = acceptedAs === undefined ? [] : [{ ...subject, ...accepted, digest: acceptedAs }];
  const acceptanceOf = acceptancesOn(today, entries, () => () => '1.x').of;
  const judged = judge({ found: [found(digest)], memory, acceptanceOf, today });
  return { status: judged.findings[0]?.status, since: judged.findings[0]?.since, memory: judged.memory };
}

describe('a finding', () => {
  test.each([
    ['new', [], '2026-03-01', '1.a'],
    ['known', [{ ...about, since: '2026-02-01', digest: '1.a' }], '2026-03-01', '1.a'],
    // Neither tells which value was found: each later value would be known.
    ['new', [{ ...about, since: '2026-02-01' }], '2026-03-01', '1.a'],
    ['new', [{ ...about, since: '2026-02-01', digest: '99.a' }], '2026-03-01', '1.a'],
    ['new', [{ ...about, since: '2026-02-01', digest: 'a' }], '2026-03-01', '1.a'],
    ['new', [{ ...about, since: '2026-02-01', digest: '1.b' }], '2026-03-01', '1.a'],
    ['new', [{ ...about, since: '2026-02-01', digest: '1.a', gone: '2026-02-02' }], '2026-03-01', '1.a'],
    ['new', [{ ...about, is: 'missing', since: '2026-02-01' }], '2026-03-01', '1.a'],
    // An earlier version accepted in the memory, which no review sees.
    ['known', [{ ...about, since: '2026-02-01', digest: '1.a', accepted }], '2026-03-31', '1.a'],
  ] as const)('is %s with the memory %j', (status, memory, today, digest) => {
    expect(statusOf(memory, today, digest).status).toBe(status);
  });

  test.each([
    ['accepted', '2026-03-31', '1.a', '1.a'],
    ['expired', '2026-04-01', '1.a', '1.a'],
    ['new', '2026-03-01', '1.a', '1.b'],
    // Made with a key that the state does not have: it cannot be compared, and accepts nothing.
    ['new', '2026-03-01', '1.a', '2.a'],
  ] as const)('is %s on %s with the digest %s, where %s is accepted', (status, today, digest, acceptedAs) => {
    expect(statusOf([], today, digest, acceptedAs).status).toBe(status);
    const memory = [{ ...about, since: '2026-02-01', digest }];
    expect(statusOf(memory, today, digest, acceptedAs).status).toBe(status === 'new' ? 'known' : status);
  });

  it('is new, then known, and stays in the memory as it was', () => {
    const first = statusOf([], '2026-03-01');
    expect(first.memory).toEqual([{ ...about, since: '2026-03-01', digest: '1.a' }]);
    const second = statusOf(first.memory, '2026-03-09');
    expect(second).toEqual({ status: 'known', since: '2026-03-01', memory: first.memory });
  });

  it('keeps the days of at most ten changes, of 30 days', () => {
    let memory: Memory = [];
    for (let day = 1; day <= 28; day++) {
      memory = statusOf(memory, `2026-03-${String(day).padStart(2, '0')}`, `1.${day}`).memory;
    }
    expect(memory[0]?.changes).toHaveLength(10);
    expect(memory[0]?.changes?.[0]).toBe('2026-03-19');
    expect(statusOf(memory, '2026-06-01', '1.x').memory[0]?.changes).toEqual(['2026-06-01']);
  });
});

describe('what is gone', () => {
  const known = [{ ...about, since: '2026-03-01', digest: '1.a' }];

  it('is resolved once, and forgotten after 30 days', () => {
    const first = judge({ found: [], memory: known, today: '2026-03-02' });
    expect(first.resolved).toMatchObject([{ field: 'dockerImage' }]);
    const second = judge({ found: [], memory: first.memory, today: '2026-03-31' });
    expect(second).toMatchObject({ resolved: [], memory: [{ gone: '2026-03-02' }] });
    expect(judge({ found: [], memory: second.memory, today: '2026-04-01' }).memory).toEqual([]);
  });

  it('stays as it is where the run cannot tell', () => {
    const judged = judge({ found: [], memory: known, today: '2026-03-02', isUnknown: () => true });
    expect(judged).toEqual({ findings: [], resolved: [], memory: known });
  });
});

it('remembers no change that was not applied', () => {
  const judged = judge({ found: [{ ...about, is: 'not yet applied' }], memory: [], today: '2026-03-01' });
  expect(judged).toMatchObject({ findings: [{ status: 'not yet applied' }], memory: [] });
});

test.each([
  [0, []],
  [0, ['not yet applied']],
  [8, ['known', 'accepted']],
  [2, ['known', 'new']],
  [2, ['accepted', 'expired']],
] as const)('the exit code is %d for %j', (code, statuses) => {
  expect(exitCodeOf(statuses.map((status) => ({ status })))).toBe(code);
});
