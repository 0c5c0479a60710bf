import { expect, test } from 'vitest';
import { attributeField, changedFields, pathOf, readRow } from '../../src/kind/attribute.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { anything, kindNamed } from '../support/plan-values.ts';

/** The attributes of an object: where they stand, and their values in a row of the platform. */

const redis = kindNamed('redis');
const branch = { ...anything, readAt: 'repository.branch' };
const partsOf = (row: Row, kind: Kind = { ...redis, fields: { ...redis.fields, branch } }) => readRow(kind, row);

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

test('a missing value is null, also of a map without a text', () => {
  const read = partsOf({ env: 'A=1' });
  expect(read.value({ field: 'description' })).toBeNull();
  expect(read.value({ field: 'env', key: 'B' })).toBeNull();
  for (const env of [undefined, null, '', 7]) {
    const without = partsOf(env === undefined ? {} : { env });
    expect([without.value({ field: 'env', key: 'A' }), without.keys('env')]).toEqual([null, []]);
  }
});

test('a field that is no map has no keys', () => {
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

test('two rows differ in the fields that mean something else', () => {
  const then = { name: 'a', description: null, dockerImage: 'redis:7' };
  const now = { name: 'b', description: '', dockerImage: 'redis:8' };
  expect(changedFields(redis, ['name', 'description'], then, now)).toEqual(['name']);
  expect(changedFields(redis, [], then, now)).toEqual([]);
});

test('an attribute stands where its field does in YAML; a key of a map is compared as it is', () => {
  const compose = kindNamed('compose');
  expect(pathOf(compose, { field: 'composeFile' })).toBe('source.composeFile');
  expect(pathOf(compose, { field: 'env', key: 'A' })).toBe('env.A');
  const env = compose.fields['env'];
  expect(attributeField(compose, { field: 'env' })).toBe(env);
  const key = attributeField(compose, { field: 'env', key: 'A' });
  expect(key).toMatchObject({ secrecy: 'private', appliesAt: 'deploy' });
  expect([key.codec?.normal(null), env?.codec?.normal(null)]).toEqual([null, '']);
});
