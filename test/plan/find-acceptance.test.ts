import { describe, expect, test } from 'vitest';
import type { AcceptedDrift } from '../../src/manifest/accepted-drift.ts';
import { acceptancesOn, subjectField } from '../../src/plan/find-acceptance.ts';
import type { Digests } from '../../src/secrets/digest.ts';
import { kindNamed } from '../support/plan-values.ts';

/** Digests of a state that knows the keys 2 and 3: like one made with either, and with 3 by default. */
const digests: Digests =
  (address, attribute) =>
  (text, like = '3.') =>
    `${like.startsWith('2.') ? 2 : 3}.${address}/${attribute}/${text}`;

const entry: AcceptedDrift = {
  kind: 'redis',
  objectId: 'redis_1',
  address: 'production.redis.cache',
  field: 'dockerImage',
  digest: '2.redis_1/dockerImage/redis:8',
  until: '2027-01-31',
  because: 'hot fix',
  by: 'ops',
};
const { until, because, by, ...subject } = entry;
const seen = (value: string) => (like: string) => digests('redis_1', 'dockerImage')(value, like);

describe('an acceptance', () => {
  test.each([
    ['on its last day', '2027-01-31', false],
    ['after it', '2027-02-01', true],
  ])('counts for the value that was accepted, %s', (_, today, over) => {
    const acceptances = acceptancesOn(today, [entry], digests);
    expect(acceptances.diagnostics).toEqual([]);
    expect(acceptances.of(subject, seen('redis:8'))).toEqual({ until, because, by, over });
    expect(acceptances.of(subject, seen('redis:7'))).toBeUndefined();
    expect(acceptances.of({ ...subject, objectId: 'redis_2' }, seen('redis:8'))).toBeUndefined();
    expect(acceptances.ofAnother(subject)).toEqual(over ? undefined : { until, because, by });
  });

  test.each<[string, Partial<AcceptedDrift>, string]>([
    ['without a digest', { digest: undefined }, 'it has no digest of the value that was accepted'],
    [
      'with a digest of another key',
      { digest: '1.redis_1/dockerImage/redis:8' },
      'its digest was made with a key that this state does not have',
    ],
    [
      'with a digest that names no key',
      { digest: 'redis:8' },
      'its digest was made with a key that this state does not have',
    ],
    ['of 367 days', { until: '2027-12-03' }, '2027-12-03 is more than a year away'],
  ])('%s counts for nothing, and the command renews it', (_, change, why) => {
    const acceptances = acceptancesOn('2026-12-01', [{ ...entry, ...change }], digests);
    expect(acceptances.of(subject, seen('redis:8'))).toBeUndefined();
    expect(acceptances.diagnostics.map(({ code, message, remedy }) => [code, message, remedy])).toEqual([
      [
        'acceptance-void',
        `the acceptance of production.redis.cache dockerImage counts for nothing: ${why}`,
        "To renew it: trueup drift accept production.redis.cache --field dockerImage --until DAY --because 'hot fix'. " +
          'Or remove the entry.',
      ],
    ]);
  });

  test('is renewed with a reason that a shell reads as it was written', () => {
    const [voided] = acceptancesOn(
      '2026-12-01',
      [{ ...entry, because: "ada's fix", digest: undefined }],
      digests,
    ).diagnostics;
    expect(voided?.remedy).toContain(String.raw`--because 'ada'\''s fix'. Or`);
  });

  test.each(['2.', '3.'])('of 366 days with the key %s counts', (key) => {
    const long = { ...entry, digest: `${key}redis_1/dockerImage/redis:8`, until: '2027-12-02' };
    const acceptances = acceptancesOn('2026-12-01', [long], digests);
    expect(acceptances.diagnostics).toEqual([]);
    expect(acceptances.of(subject, seen('redis:8'))).toMatchObject({ over: false });
  });
});

test.each([
  ['redis', { field: 'dockerImage' }, 'dockerImage'],
  ['application', { field: 'dockerImage' }, 'source.image'],
  ['application', { field: 'env', key: 'REGION' }, 'env.REGION'],
  ['application', { field: 'branch' }, 'source.branch (branch)'],
  ['application', { field: 'giteaBranch' }, 'source.branch (giteaBranch)'],
  ['application', { field: 'herokuVersion' }, 'build.version (herokuVersion)'],
])('a finding in %s about %j is named %s', (kind, attribute, name) => {
  expect(subjectField(kindNamed(kind), attribute)).toBe(name);
});
