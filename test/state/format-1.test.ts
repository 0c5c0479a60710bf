import { describe, expect, test } from 'vitest';
import { firstRecord, migrateFirst } from '../../src/state/format-1.ts';

/** A record of format 1 in the form of formats 2 and 3; the corpus in formats.test.ts holds what old versions wrote. */

const facts = { kind: 'redis', parent: 'production', dependsOn: ['production'], pairs: {}, options: { protect: true } };
const migrated = (former: object) =>
  firstRecord()
    .transform(migrateFirst)
    .safeParse({ ...facts, id: 'redis_1', ...former }).data;
const known = { ...facts, id: 'redis_1' };
const says = { name: { value: 'main' } };
const at = 7;
const sent = { mark: 'm', inputs: 'i', at };
const deploy = { is: 'deploy', mark: 'm', inputs: 'i', at, timeoutMs: 60_000, newest: null };

test('stays as it is while nothing is open', () => {
  expect(migrated({})).toStrictEqual(known);
  expect(migrated({ id: null })).toStrictEqual({ ...known, id: null });
  expect(migrated({ deployed: {} })).toStrictEqual({ ...known, deployed: {} });
  expect(migrated({ deployed: { inputs: 'i' } })).toStrictEqual({ ...known, deployed: { inputs: 'i' } });
});

describe('has a pending write', () => {
  test('where a request without members was about to be sent', () => {
    const pairs = { name: { wanted: { value: 'a' }, answered: { value: 'a' } } };
    const write = { is: 'write', at, timeoutMs: 60_000 };
    expect(migrated({ pairs, intent: { at } })).toStrictEqual({ ...known, pairs, pending: write });
    expect(migrated({ pairs, intent: { at, fenceMs: 5 } })?.pending).toStrictEqual({ ...write, timeoutMs: 5 });
  });

  test('beside the deployment that is pending', () => {
    expect(migrated({ intent: { at: 9 }, deployed: { sent } })?.pending).toStrictEqual({ ...deploy, isWriting: true });
  });
});

test('has no pending deployment without an id', () => {
  const former = { id: null, intent: { at }, deployed: { owes: {}, sent } };
  expect(migrated(former)).toMatchObject({ id: null, pending: { is: 'create' }, deployed: { stale: {} } });
  expect(migrated({ id: null, deployed: { sent } })).not.toHaveProperty('pending');
});

describe('has a pending create', () => {
  const create = { is: 'create', at, timeoutMs: 60_000, says: {}, sends: 1 };

  test.each<[string, object, object]>([
    ['where nothing was settled under a chosen id', { intent: { at } }, create],
    ['where it has no id and a request was sent', { id: null, intent: { at } }, create],
    [
      'where a key was sent under a chosen id',
      { intent: { at, key: { name: 'a' } } },
      { ...create, key: { name: 'a' } },
    ],
    ['where fields were sent under a chosen id', { intent: { at, sent: says } }, { ...create, says }],
    [
      'with its parent and its timeout',
      { intent: { at, sent: says, below: 'env_1', fenceMs: 5 } },
      { ...create, says, below: 'env_1', timeoutMs: 5 },
    ],
    [
      'that was sent twice',
      { intent: { at, sent: says }, repeated: [{ key: { name: 'a' } }] },
      { ...create, says, sends: 2 },
    ],
  ])('%s', (_where, former, pending) => {
    expect(migrated(former)?.pending).toStrictEqual(pending);
  });

  test.each([{ key: { name: 'a' } }, { sent: says }])('where something was settled before: %j', (more) => {
    const pairs = { name: { wanted: { value: 'a' }, answered: { value: 'a' } } };
    expect(migrated({ pairs, intent: { at, ...more } })?.pending?.is).toBe('create');
  });
});

test('has the places of its duplicates; one without a record is under the key of its block', () => {
  const places = [{ key: { name: 'a' }, below: 'env_1' }, { key: { name: 'b' } }];
  expect(migrated({ repeated: places })).toStrictEqual({ ...known, duplicates: places });
  expect(migrated({ repeated: true })).toStrictEqual({ ...known, duplicates: [{}] });
});

describe('has a stale service', () => {
  const saved = { inputs: 'i', newest: 'd1' };

  test.each<[string, object, object]>([
    ['that owes a deployment', { owes: {} }, { stale: {} }],
    ['that owes code', { inputs: 'h', owes: { code: true } }, { inputs: 'h', stale: { code: true } }],
    ['of which all was saved', { owes: { code: true }, saved }, { stale: { code: true, saved } }],
    ['of which all was saved, whatever it owes', { saved }, { stale: { saved } }],
    ['whose deployment is pending', { sent }, { stale: {} }],
  ])('%s', (_which, former, deployed) => {
    expect(migrated({ deployed: former })?.deployed).toStrictEqual(deployed);
  });

  test('with a pending deployment keeps all its facts', () => {
    expect(migrated({ deployed: { sent } })?.pending).toStrictEqual(deploy);
    const more = { newest: 'd1', isAnswered: true, id: 'd2' };
    expect(migrated({ deployed: { sent: { ...sent, ...more } } })?.pending).toStrictEqual({ ...deploy, ...more });
  });
});

test.each([
  ['what no version wrote', { more: 1 }],
  ['what only newer versions write', { pending: { is: 'write', at, timeoutMs: 1 } }],
  ['no id', { id: undefined }],
  ['an intent without a time', { intent: {} }],
])('is none with %s', (_what, former) => {
  expect(migrated(former)).toBeUndefined();
});
