import { expect, test } from 'vitest';
import { readParts } from '../../src/apply/parts.ts';
import type { Row } from '../../src/kind/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { actionOf, anything, kindNamed } from '../support/made-up.ts';

/** What a row of the platform says of single fields, and of single keys of a map. */

const redis = kindNamed('redis');
const branch = { ...anything, readAt: 'repository.branch' };
const partsOf = (row: Row, kind: Kind = { ...redis, fields: { ...redis.fields, branch } }) =>
  readParts(actionOf('production.redis.main', { kind }), row);

test('a field has the value that stands where it is read', () => {
  const read = partsOf({ description: 'a', branch: 'not this', repository: { branch: 'main' }, replicas: 0 });
  expect(['description', 'branch', 'replicas'].map((field) => read.value({ field }))).toEqual(['a', 'main', 0]);
});

test('a map has a value for each of its keys, and those keys', () => {
  const read = partsOf({ env: 'A=1\nB="2 3"\n' });
  expect(['A', 'B'].map((key) => read.value({ field: 'env', key }))).toEqual(['1', '2 3']);
  expect(read.keys('env')).toEqual(['A', 'B']);
  expect(read.value({ field: 'env' })).toBe('A=1\nB="2 3"\n');
});

test('what is not there is null, also of a map without a text', () => {
  const read = partsOf({ env: 'A=1' });
  expect(read.value({ field: 'description' })).toBeNull();
  expect(read.value({ field: 'env', key: 'B' })).toBeNull();
  for (const env of [undefined, null, '', 7]) {
    const without = partsOf(env === undefined ? {} : { env });
    expect([without.value({ field: 'env', key: 'A' }), without.keys('env')]).toEqual([null, []]);
  }
});

test('what is no map has no keys', () => {
  const read = partsOf({ description: 'A=1' });
  expect([read.keys('description'), read.keys('nothing')]).toEqual([[], []]);
  expect(read.value({ field: 'description', key: 'A' })).toBeNull();
});

test('the text of a map is read once, and each map on its own', () => {
  const texts: string[] = [];
  const map = {
    read: (text: string) => {
      texts.push(text);
      return new Map([['A', text]]);
    },
    write: () => ({ text: '', refused: [] }),
  };
  const fields = { env: { ...anything, map }, labels: { ...anything, map } };
  const read = partsOf({ env: 'one', labels: 'two' }, { ...redis, fields });
  expect(['A', 'A', 'B'].map((key) => read.value({ field: 'env', key }))).toEqual(['one', 'one', null]);
  expect([read.keys('env'), read.value({ field: 'labels', key: 'A' })]).toEqual([['A'], 'two']);
  expect(texts).toEqual(['one', 'two']);
});
