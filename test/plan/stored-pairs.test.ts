import { expect, test } from 'vitest';
import { sentPair, storedPair } from '../../src/plan/stored-pairs.ts';
import { anything, declared, makeDigest } from '../support/plan-values.ts';

test('the pair of a change that is answered as meant is made once: a run announces, records and settles it', () => {
  const field = { ...anything, secrecy: 'secret' } as const;
  const counted = { digests: 0 };
  const storage = {
    outputs: () => undefined,
    digest: (content: string) => {
      counted.digests++;
      return makeDigest(content);
    },
  };
  const change = { attribute: { field: 'value' }, field };
  const sent = (meant: string) => sentPair(change, declared(meant), meant, storage);
  const pairOf = (meant: string, answered?: string) => storedPair(change, declared(meant), [meant, answered], storage);
  const first = sent('a');
  expect(counted.digests).toBeGreaterThan(0);
  counted.digests = 0;
  expect([sent('a'), pairOf('a', 'a')]).toEqual([first, first]);
  expect(counted.digests).toBe(0);
  sent('a');
  expect(pairOf('b')).not.toEqual(first);
  expect(pairOf('a', 'other')).toMatchObject({ wanted: first.wanted });
  expect(pairOf('a', 'other').answered).not.toEqual(first.answered);
  expect(pairOf('a')).toEqual(first);
});
