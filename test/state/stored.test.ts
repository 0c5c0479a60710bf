import { describe, expect, test } from 'vitest';
import type { Field } from '../../src/kind/field.ts';
import type { Storing } from '../../src/state/stored.ts';
import { matchesStored, membersOf, toStored } from '../../src/state/stored.ts';
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
    expect(stored('a\nb', { isSecret: true, secretLines: [1] })).toEqual({ ...digestOf('a\nb'), secretLines: [1] });
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

test('our members are known where the state has their values, not where it has a digest', () => {
  expect(membersOf({ value: ['a', 1] })).toEqual(['a', '1']);
  expect(membersOf({ value: null })).toEqual([]);
  expect(membersOf({ digest: 'abc' })).toEqual([]);
  expect(membersOf(undefined)).toEqual([]);
});
