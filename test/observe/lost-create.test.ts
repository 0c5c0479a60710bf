import { describe, expect, test } from 'vitest';
import { isCreated } from '../../src/observe/lost-create.ts';
import type { Intent } from '../../src/state/state.ts';
import { kindNamed, makeDigest, pairOf, recordOf } from '../support/made-up.ts';

/** Whether what bears the key of a create that got no answer is what that made. */

const at = Date.UTC(2030, 0, 1);
const minute = 60_000;
const row = { redisId: 'redis_1', name: 'main', dockerImage: 'redis:8', description: null };
const sent = {
  name: { value: 'main' },
  dockerImage: { digest: makeDigest('"redis:8"') },
  description: { value: '' },
};
const isOurs = (intent: Partial<Intent>, more: Readonly<Record<string, string>> = {}) =>
  isCreated(
    kindNamed('redis'),
    { ...row, ...more },
    recordOf('redis', null, { intent: { at, sent, fenceMs: minute, ...intent } }),
    makeDigest,
  );

describe('it is ours', () => {
  test('when it is what that said', () => {
    expect(isOurs({})).toBe(true);
  });

  test('when the platform made more of a value, as it always does', () => {
    const said = { ...sent, appName: { value: 'shop' } };
    expect(isOurs({ sent: said }, { appName: 'shop-x1y2z3' })).toBe(true);
    expect(isOurs({ sent: said }, { appName: 'store-x1y2z3' })).toBe(false);
  });

  test.each<[string, Intent['sent']]>([
    ['another name', { ...sent, name: { value: 'other' } }],
    ['another image', { ...sent, dockerImage: { digest: makeDigest('"redis:7"') } }],
    ['a field that it does not have', { ...sent, databasePassword: { digest: makeDigest('"p"') } }],
    ['what is no field any more', { ...sent, lost: { value: null } }],
    ['nothing', {}],
    ['nobody knows what', undefined],
  ])('not when that said %s', (_what, said) => {
    expect(isOurs({ sent: said })).toBe(false);
  });

  test.each([
    ['long before it was sent', -11, false],
    ['before, by a clock that is a little late', -9, true],
    ['when it was sent', 0, true],
    ['within its fence, by a clock that is a little early', 10.9, true],
    ['long after its fence', 11.1, false],
  ])('by the time at which it was made: %s', (_when, minutes, expected) => {
    const createdAt = new Date(at + minutes * minute).toISOString();
    expect(isOurs({}, { createdAt })).toBe(expected);
  });

  test.each([
    ['A=1', false],
    ['', true],
    ['\n', true],
  ])('not when somebody gave it variables: %j', (env, expected) => {
    expect(isOurs({}, { env })).toBe(expected);
  });

  test('by what it is alone, when nobody can read when it was made', () => {
    expect(isOurs({}, { createdAt: 'long ago' })).toBe(true);
  });

  test('of what is listed long after it was made, only when the create was answered', () => {
    const isAnswered = (pairs: Parameters<typeof recordOf>[2]) =>
      isCreated(kindNamed('labgit'), {}, recordOf('labgit', null, pairs), makeDigest);
    expect(isAnswered({ pairs: { labgitUrl: pairOf('https://lab.example.com') } })).toBe(true);
    expect(isAnswered({ intent: { at, sent } })).toBe(false);
  });
});
