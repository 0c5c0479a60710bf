import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import { isCreated } from '../../src/observe/lost-create.ts';
import type { PendingCreate, StateRecord } from '../../src/state/record.ts';
import { creating, kindNamed, makeDigest, makeDigests, pairOf, recordOf } from '../support/plan-values.ts';

/** Whether what bears the key of a create that got no answer is what that made. */

const at = Date.UTC(2030, 0, 1);
const minute = 60_000;
const row = { redisId: 'redis_1', name: 'main', dockerImage: 'redis:8', description: null };
const says = {
  name: { value: 'main' },
  dockerImage: { digest: makeDigest('"redis:8"') },
  description: { value: '' },
};
const isOurs = (pending: Partial<PendingCreate>, more: Readonly<Record<string, string>> = {}) =>
  isCreated(
    kindNamed('redis'),
    { ...row, ...more },
    recordOf('redis', null, { pending: creating({ at, says, timeoutMs: minute, ...pending }) }),
    makeDigests,
  );

describe('a row with the key of a pending create is its object', () => {
  test('when the fields are those that the create sent', () => {
    expect(isOurs({})).toBe(true);
  });

  test('when the platform extended appName as usual, and not when it begins differently', () => {
    const said = { ...says, appName: { value: 'shop' } };
    expect(isOurs({ says: said }, { appName: 'shop-x1y2z3' })).toBe(true);
    expect(isOurs({ says: said }, { appName: 'store-x1y2z3' })).toBe(false);
  });

  test.each<[string, PendingCreate['says']]>([
    ['another name', { ...says, name: { value: 'other' } }],
    ['another image', { ...says, dockerImage: { digest: makeDigest('"redis:7"') } }],
    ['a field that it does not have', { ...says, databasePassword: { digest: makeDigest('"p"') } }],
    ['what is no field any more', { ...says, lost: { value: null } }],
    ['nothing', {}],
  ])('except when the create sent %s', (_what, said) => {
    expect(isOurs({ says: said })).toBe(false);
  });

  test.each([
    ['long before it was sent', -11, false],
    ['before, by a clock that is a little late', -9, true],
    ['when it was sent', 0, true],
    ['within its in-flight timeout, by a clock that is a little early', 10.9, true],
    ['long after its in-flight timeout', 11.1, false],
  ])('by createdAt: %s', (_when, minutes, expected) => {
    const createdAt = new Date(at + minutes * minute).toISOString();
    expect(isOurs({}, { createdAt })).toBe(expected);
  });

  test.each([
    ['A=1', false],
    ['', true],
    ['\n', true],
  ])('unless a person gave it variables: %j', (env, expected) => {
    expect(isOurs({}, { env })).toBe(expected);
  });

  test('by its fields alone, when createdAt is not a date', () => {
    expect(isOurs({}, { createdAt: 'long ago' })).toBe(true);
  });

  describe('for a kind that is listed late', () => {
    const lab = { gitlabUrl: 'https://lab.example.com', groupName: 'shop', gitProvider: { name: 'lab' } };
    const secretSent = { digest: makeDigest('"correct-horse"') };
    const sent = {
      name: pairOf('lab'),
      gitlabUrl: pairOf('https://lab.example.com'),
      secret: { wanted: secretSent, answered: secretSent },
    };
    const isListed = (pairs: StateRecord['pairs'], row: Row) =>
      isCreated(kindNamed('gitlab'), row, recordOf('gitlab', null, { pairs }), makeDigests);

    test('when it has all that the answered create sent', () => {
      expect(isListed(sent, { ...lab, secret: 'correct-horse' })).toBe(true);
    });

    test.each<[string, Row]>([
      ['another URL', { gitlabUrl: 'https://other.example.com' }],
      ['another secret', { secret: 'battery-staple' }],
      ['another name', { gitProvider: { name: 'other' } }],
      ['no URL that the list shows', { gitlabUrl: undefined }],
    ])('except when it has %s', (_what, other) => {
      expect(isListed(sent, { ...lab, secret: 'correct-horse', ...other })).toBe(false);
    });

    test('except when nothing but the name can be compared, or the create got no answer', () => {
      expect(isListed({ name: pairOf('lab') }, lab)).toBe(false);
      const unanswered = recordOf('gitlab', null, { pending: creating({ at, says: { name: { value: 'lab' } } }) });
      expect(isCreated(kindNamed('gitlab'), lab, unanswered, makeDigests)).toBe(false);
    });
  });
});
