import { describe, expect, test } from 'vitest';
import type { Field } from '../../src/kind/field.ts';
import type { Stored } from '../../src/state/record.ts';
import type { Storing } from '../../src/state/stored.ts';
import { matchesStored, membersOf, toStored, withoutSecrets } from '../../src/state/stored.ts';
import { concealedMark } from '../../src/secrets/secret.ts';
import { anything, makeDigest } from '../support/plan-values.ts';

/** Values as the state holds them. */

const text: Field = { ...anything, secrecy: 'private' };
const digest = makeDigest;
const stored = (value: string, more: Partial<Storing> = {}) =>
  toStored({ field: text, attribute: { field: 'value' }, isSecret: false, digest, ...more }, value);
const digestOf = (value: string) => ({ digest: digest(JSON.stringify(value)) });

describe('the state holds', () => {
  test('the value of what stands in the manifest in clear', () => {
    expect(stored('a: 1\n')).toEqual({ value: 'a: 1\n' });
    expect(stored('1.28', { attribute: { field: 'env', key: 'TAG' } })).toEqual({ value: '1.28' });
  });

  test('the digest of a secret, and of everything that may hold one somewhere', () => {
    expect(stored('a', { field: { ...anything, secrecy: 'secret' } })).toEqual(digestOf('a'));
    expect(stored('a', { isSecret: true })).toEqual(digestOf('a'));
    expect(stored('a', { field: anything, isSecret: true })).toEqual(digestOf('a'));
  });

  test('the digest of a text that a secret flowed into, with its lines', () => {
    const secretLines = new Map([[1, [2, 0]]] as const);
    expect(stored('a\nb: c', { isSecret: true, secretLines })).toEqual({
      ...digestOf('a\nb: c'),
      secretLines: [1],
      clearAround: [[2, 0]],
    });
  });

  test.each<[string, Partial<Storing>]>([
    ['hunter2', { attribute: { field: 'env', key: 'DB_PASSWORD' } }],
    ['eu', { attribute: { field: 'env', key: 'REGION' }, privateKeys: new Set(['REGION']) }],
    ['redis://:hunter2@cache', {}],
    ['server --password hunter2', { field: anything }],
    ['https://bot:hunter2@git.example.com', { field: anything }],
    ['x'.repeat(1_025), {}],
  ])('the digest of %s, which looks secret or is long', (value, more) => {
    expect(stored(value, more)).toEqual({ ...digestOf(value), secretLines: [] });
  });

  test('a long value of a field that is declared open, and ids of random letters', () => {
    for (const value of ['x'.repeat(1_025), 'V1StGXR8Z5jdHi6BmyT9'])
      expect(stored(value, { field: anything })).toEqual({ value });
  });
});

test('a value equals itself in each form', () => {
  for (const form of [{ value: 'a' }, digestOf('a'), { ...digestOf('a'), secretLines: [] }]) {
    expect(matchesStored({ field: text, digest }, form, 'a')).toBe(true);
    expect(matchesStored({ field: text, digest }, form, 'b')).toBe(false);
  }
});

test.each<[string, Stored, string | undefined]>([
  ['in clear', { value: 'a: 1' }, 'a: 1'],
  ['that is long', { digest: '', secretLines: [] }, 'a: 1'],
  ['of which nothing is known', { digest: '' }, undefined],
  ['with a secret in a line', { digest: '', secretLines: [0], clearAround: [[3, 2]] }, 'a: (sensitive)bd\nb: 1'],
  [
    'with several',
    {
      digest: '',
      secretLines: [1, 0],
      clearAround: [
        [3, 0],
        [0, 2],
      ],
    },
    '(sensitive)bd\nb: (sensitive)',
  ],
  ['whose lines alone are known', { digest: '', secretLines: [1] }, 'a: xbd\n(sensitive)'],
  ['with a line that the run knows', { digest: '', secretLines: [0], clearAround: [[1, 0]] }, 'a: (x)bd\nb: 1'],
])('a settled value %s shows without what came from secrets', (what, form, shown) => {
  const value = what.startsWith('in clear') || what.startsWith('that is') ? 'a: 1' : 'a: xbd\nb: 1';
  const known = what.endsWith('the run knows') ? new Map([['a: xbd', 'a: (x)bd']]) : undefined;
  expect(withoutSecrets(form, value, known)).toBe(shown?.replaceAll('(sensitive)', concealedMark));
});

test('our members are known where the state has their values, not where it has a digest', () => {
  expect(membersOf({ value: ['a', 1] })).toEqual(['a', '1']);
  expect(membersOf({ value: null })).toEqual([]);
  expect(membersOf({ digest: 'abc' })).toEqual([]);
  expect(membersOf(undefined)).toEqual([]);
});
