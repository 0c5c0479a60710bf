import { expect, test } from 'vitest';
import { knownPairs } from '../../src/state/pending-operation.ts';
import { creating, pairOf, recordOf } from '../support/plan-values.ts';

/** The pairs by which a plan knows what is its own: the settled ones, and before any those that a create sent. */

const says = { name: { value: 'sent' }, databasePassword: { digest: 'sha256:aa' } };
const pairs = { name: pairOf('settled') };

test('nothing is known without a record, and of a new one', () => {
  expect(knownPairs(undefined)).toStrictEqual({});
  expect(knownPairs(recordOf('redis', null))).toStrictEqual({});
});

test('the fields of a pending create count as settled, until they are', () => {
  const sent = {
    name: { wanted: says.name, answered: says.name },
    databasePassword: { wanted: says.databasePassword, answered: says.databasePassword },
  };
  expect(knownPairs(recordOf('redis', null, { pending: creating({ says }) }))).toStrictEqual(sent);
  expect(knownPairs(recordOf('redis', 'redis_1', { pairs, pending: creating({ says }) }))).toStrictEqual({
    ...sent,
    ...pairs,
  });
});

test('a pending write proves nothing', () => {
  const pending = { is: 'write', at: 1, timeoutMs: 1 } as const;
  expect(knownPairs(recordOf('redis', 'redis_1', { pairs, pending }))).toStrictEqual(pairs);
});
