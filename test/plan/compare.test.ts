import { describe, expect, test } from 'vitest';
import { text } from '../../src/kind/codecs.ts';
import type { Json, Row } from '../../src/kind/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import type { AttributeChange } from '../../src/plan/action.ts';
import type { Verdict } from '../../src/plan/compare.ts';
import { changedFields, compare, readRow } from '../../src/plan/compare.ts';
import { secret } from '../../src/secrets/secret.ts';
import {
  actionOf,
  anything,
  declared,
  kindNamed,
  lacking,
  attributeChange,
  referring,
} from '../support/plan-values.ts';

/** What a row of the platform says of single fields, and of single keys of a map. */

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

const host = { address: 'production.postgres.main', output: 'host' };
const outputs = ({ output }: { output: string }) => (output === 'host' ? 'db-1' : undefined);

/** What is said of a description that was x when the plan was made. */
function verdictOf(more: Partial<AttributeChange>, value: Json, created?: Row): Verdict | undefined {
  const planned = attributeChange('description', {
    before: secret('x'),
    decision: { do: 'write', cause: 'edit' },
    ...more,
  });
  const action = actionOf('production.redis.main', { kind: redis, attributes: [planned] });
  const before = created === undefined ? undefined : () => created;
  return compare(action, { description: value }, outputs, before)[0]?.verdict;
}

describe('an attribute is', () => {
  test.each<[string, Partial<AttributeChange>, Json, Verdict]>([
    ['as wanted, with the wanted value', { wanted: declared('b') }, 'b', 'as wanted'],
    ['other, with a value that is neither wanted nor was there', { wanted: declared('b') }, 'a', 'other'],
    ['as before, with the value that the plan saw', { wanted: declared('b') }, 'x', 'as before'],
    ['as wanted, when both are the same', { wanted: declared('x') }, 'x', 'as wanted'],
    [
      'as wanted, with a value of the same meaning',
      { wanted: declared(''), field: { ...anything, codec: text } },
      null,
      'as wanted',
    ],
    ['as wanted, when it is to go and is gone', { wanted: undefined, decision: { do: 'remove' } }, null, 'as wanted'],
    ['as before, when it is to go and is there', { wanted: undefined, decision: { do: 'remove' } }, 'x', 'as before'],
    [
      'other, when it is to go and somebody changed it',
      { wanted: undefined, decision: { do: 'remove' } },
      'a',
      'other',
    ],
    ['as wanted, with an output that is known now', { wanted: referring(host) }, 'db-1', 'as wanted'],
    [
      'not known, while its output is not known',
      { wanted: referring({ ...host, output: 'port' }) },
      'db-1',
      'not known',
    ],
    ['as before, while its output is not known', { wanted: referring({ ...host, output: 'port' }) }, 'x', 'as before'],
    ['not known, without its secret', { wanted: lacking('WORD') }, 'db-1', 'not known'],
    ['not known, when nothing is wanted of it', { wanted: undefined, decision: { do: 'release' } }, 'a', 'not known'],
  ])('%s', (_title, more, value, verdict) => {
    expect(verdictOf(more, value)).toBe(verdict);
  });

  test('held against what the create of this run gave it, where that is told', () => {
    expect(verdictOf({ wanted: declared('b') }, 'made', { description: 'made' })).toBe('as before');
    expect(verdictOf({ wanted: declared('b') }, 'x', { description: 'made' })).toBe('other');
  });
});

test('the wanted value is told beside the verdict, once it is known', () => {
  const planned = [
    attributeChange('description', { wanted: referring(host) }),
    attributeChange('name', { wanted: lacking('WORD') }),
  ];
  const action = actionOf('production.redis.main', { kind: redis, attributes: planned });
  expect(compare(action, { name: 'a' }, outputs).map(({ meant, seen }) => [meant, seen])).toEqual([
    ['db-1', null],
    [undefined, 'a'],
  ]);
});

test('two rows differ in the fields that mean something else', () => {
  const then = { name: 'a', description: null, dockerImage: 'redis:7' };
  const now = { name: 'b', description: '', dockerImage: 'redis:8' };
  expect(changedFields(redis, ['name', 'description'], then, now)).toEqual(['name']);
  expect(changedFields(redis, [], then, now)).toEqual([]);
});
