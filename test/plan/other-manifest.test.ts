import { expect, test } from 'vitest';
import { otherManifest } from '../../src/plan/other-manifest.ts';
import type { Action } from '../../src/plan/action.ts';
import type { Resource } from '../../src/manifest/resource.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { actionOf, inputOf, kindNamed, objectOf, recordOf, resourceOf } from '../support/plan-values.ts';

/** A state and a manifest without an address in common are perhaps not meant for each other. */

const { kinds, state: empty } = inputOf({});
const redis = kindNamed('redis');
const [old, fresh] = ['production.redis.old', 'production.redis.new'];
const there = new Map([[old, objectOf('redis_1', {})]]);

function judged({
  records = { [old]: recordOf('redis', 'redis_1') },
  resources = [resourceOf(redis, fresh)],
  actions = [actionOf(old, { action: 'delete' })],
  deletesEverything = false,
  objects = there,
}: {
  readonly records?: Readonly<Record<string, StateRecord>>;
  readonly resources?: readonly Resource[];
  readonly actions?: readonly Action[];
  readonly deletesEverything?: boolean;
  readonly objects?: ReadonlyMap<string, ReturnType<typeof objectOf>>;
}): string[] {
  const state = { ...empty, resources: records };
  return otherManifest({ kinds, resources, state }, { actions, objects, deletesEverything }).map(
    ({ message, remedy = '' }) => `${message} | ${remedy}`,
  );
}

test('a deletion is refused with both sides and both remedies', () => {
  const [said = '', ...more] = judged({
    records: {
      [old]: recordOf('redis', 'redis_1'),
      'production.redis.unknown': recordOf('redis', null),
      production: recordOf('environment', 'env_1'),
      'sshKeys.old': recordOf('sshKey', 'key_1'),
    },
  });
  expect(more).toEqual([]);
  expect(said).toMatch(
    /^the state holds nothing that this manifest declares: it holds production\.redis\.old; the manifest declares production\.redis\.new \| /,
  );
  expect(said).toMatch(
    / \| If the state is that of another manifest, give this one a state of its own: another name: or prefix: under state:, /,
  );
  expect(said).toMatch(/If all of them are to go, apply needs --allow-mass-delete\.$/);
  expect(judged({ deletesEverything: true })[0]).toMatch(/If all of them are to go, use trueup destroy\.$/);
});

test('a record of a kind that this version does not know counts as one in the project', () => {
  const records = { [old]: recordOf('redis', 'redis_1'), 'production.future.one': recordOf('future', 'f_1') };
  expect(judged({ records })[0]).toContain('it holds production.future.one, production.redis.old; the manifest');
});

test('what leaves the state and stays on the platform is as much', () => {
  const actions = [actionOf(old, { action: 'forget', why: 'stays there' })];
  expect(judged({ actions })).toHaveLength(1);
  expect(judged({ actions, objects: new Map() })).toEqual([]);
});

test.each<[string, Parameters<typeof judged>[0]]>([
  ['nothing goes', { actions: [actionOf(old)] }],
  ['something else goes', { actions: [actionOf('production.redis.third', { action: 'delete' })] }],
  ['nothing is declared', { resources: [] }],
  ['one address is both declared and known', { resources: [resourceOf(redis, fresh), resourceOf(redis, old)] }],
  ['the state knows only what may never have been there', { records: { [old]: recordOf('redis', null) } }],
  [
    'what goes is an environment, which two repositories may share',
    {
      records: { staging: recordOf('environment', 'env_2'), [old]: recordOf('redis', 'redis_1') },
      actions: [actionOf('staging', { action: 'delete', kind: kindNamed('environment') })],
    },
  ],
  [
    'the organization is all that is declared, which nothing creates',
    { resources: [resourceOf(kindNamed('organization'), 'organization')] },
  ],
  ['only environments are declared', { resources: [resourceOf(kindNamed('environment'), 'staging')] }],
])('nothing is said where %s', (_what, input) => {
  expect(judged(input)).toEqual([]);
});

test('where both have something in the project, only that counts', () => {
  const key = kindNamed('sshKey');
  const records = { [old]: recordOf('redis', 'redis_1'), 'sshKeys.old': recordOf('sshKey', 'key_1') };
  const actions = [actionOf('sshKeys.old', { action: 'delete', kind: key })];
  expect(judged({ records, actions })).toEqual([]);
  expect(judged({ records, actions, resources: [resourceOf(redis, fresh), resourceOf(key, 'sshKeys.new')] })).toEqual(
    [],
  );
  expect(judged({ records: { 'sshKeys.old': records['sshKeys.old'] }, actions })).toHaveLength(1);
});
