import { expect, test } from 'vitest';
import { readsOf, touchedBy } from '../../src/plan/reviewed-reads.ts';
import {
  creating,
  declared,
  inputOf,
  kindNamed,
  makeDigests,
  pairOf,
  recordOf,
  referring,
  resourceOf,
} from '../support/plan-values.ts';
import type { Resource } from '../../src/manifest/resource.ts';
import type { StateRecord } from '../../src/state/record.ts';

/** What has to be read so that a reviewed plan can be made again. */

const { kinds } = inputOf({});
const redis = kindNamed('redis');
const [at, other] = ['production.redis.main', 'production.redis.other'];

/** A block that the state holds as it is declared. */
const settled = (address: string, more: Partial<Resource> = {}) =>
  resourceOf(redis, address, { fields: { command: declared('a') }, ...more });
const known = (id: string, more: Parameters<typeof recordOf>[2] = {}) =>
  recordOf('redis', id, { parent: 'production', pairs: { command: pairOf('a') }, ...more });

function read(
  facts: Parameters<typeof touchedBy>[0],
  resources: readonly Resource[],
  records: Readonly<Record<string, StateRecord>>,
): string[] {
  return [...readsOf(touchedBy(facts), { kinds, resources, records, digests: makeDigests })].toSorted();
}

test.each<[string, readonly [string, string][], { blocks: string[]; going: string[]; coming: string[] }]>([
  [
    'what is only declared',
    [
      [at, 'block'],
      [at, 'declared env.A'],
      [at, 'missing env.A'],
    ],
    { blocks: [], going: [], coming: [] },
  ],
  ['an update', [[at, 'action update']], { blocks: [at], going: [], coming: [] }],
  ['data at risk', [[at, 'risk']], { blocks: [at], going: [], coming: [] }],
  ['a deletion', [[at, 'action delete']], { blocks: [at], going: [at], coming: [] }],
  ['a replacement', [[at, 'action replace']], { blocks: [at], going: [at], coming: [] }],
  ['a creation', [[at, 'action create']], { blocks: [at], going: [], coming: [at] }],
  ['an adoption', [[at, 'action adopt']], { blocks: [at], going: [], coming: [at] }],
  ['the deployment of a service', [[`${at} (deploy)`, 'action deploy']], { blocks: [at], going: [], coming: [] }],
  ['a deposed object', [[`${at} (old)`, 'action delete']], { blocks: [at], going: [at], coming: [] }],
])('a plan touches, by its facts: %s', (_what, entries, touched) => {
  const facts: Record<string, Record<string, string>> = {};
  for (const [address, path] of entries) facts[address] = { ...facts[address], [path]: '' };
  const { blocks, going, coming } = touchedBy(facts);
  expect({ blocks: [...blocks], going: [...going], coming: [...coming] }).toEqual(touched);
});

test('what the state holds as it is declared is not read', () => {
  expect(read({}, [settled(at)], { [at]: known('redis_1') })).toEqual([]);
});

test.each<[string, Resource | undefined, StateRecord | undefined]>([
  ['a block that the state does not have', settled(at), undefined],
  ['a record without a block', undefined, known('redis_1')],
  ['a record whose object is not known', settled(at), recordOf('redis', null, { pairs: { command: pairOf('a') } })],
  ['what an earlier run left open', settled(at), known('redis_1', { pending: creating() })],
  ['what may be there twice', settled(at), known('redis_1', { duplicates: [] })],
  ['an edited value', settled(at, { fields: { command: declared('b') } }), known('redis_1')],
  [
    'a value that is new',
    settled(at, { fields: { command: declared('a'), dockerImage: declared('b') } }),
    known('redis_1'),
  ],
  ['a value that is not declared any more', settled(at, { fields: {} }), known('redis_1')],
])('is read, whatever the plan touches: %s', (_what, block, record) => {
  const records = record === undefined ? {} : { [at]: record };
  expect(read({}, block === undefined ? [] : [block], records)).toContain(at);
});

test('what a plan touches is read, with what that refers to, stands below and is deployed with', () => {
  const mount = resourceOf(kindNamed('mount'), `${at}.mounts.x`, { parent: at });
  const resources = [
    resourceOf(kindNamed('environment'), 'production'),
    settled(at, { fields: { command: referring({ address: other, output: 'host' }) } }),
    settled(other),
    settled('production.redis.third'),
    mount,
  ];
  const records = {
    production: recordOf('environment', 'env_1'),
    [at]: known('redis_1', { dependsOn: ['production', other] }),
    [other]: known('redis_2'),
    'production.redis.third': known('redis_3'),
    [mount.address]: recordOf('mount', 'mount_1', { parent: at }),
  };
  expect(read({ [at]: { 'action update': '' } }, resources, records)).toEqual(
    ['production', at, mount.address, other].toSorted(),
  );
});
