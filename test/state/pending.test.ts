import { describe, expect, test } from 'vitest';
import { deploysOf, isWritePending, pendingCreate, renewed, withDeploys, withWrite } from '../../src/state/pending.ts';
import { readRecord } from '../../src/state/formats.ts';
import { creating, recordOf } from '../support/plan-values.ts';

/** The one operation of a record that is open at the platform, and what becomes of it when another begins. */

const sent = { at: 1, timeoutMs: 60_000 } as const;
const write = { is: 'write', ...sent } as const;
const deploy = { is: 'deploy', ...sent, mark: 'm', inputs: 'i', newest: null } as const;
const create = creating();
const record = recordOf('redis', 'redis_1');
const busy = { ...record, deployed: { stale: {} }, pending: deploy };
const both = { ...busy, pending: { ...deploy, isWriting: true } } as const;

describe('the deployments of a record', () => {
  test('are its deployed inputs, and the pending deployment', () => {
    expect(deploysOf(undefined)).toBeUndefined();
    expect(deploysOf(record)).toBeUndefined();
    expect(deploysOf({ ...record, deployed: { inputs: 'a' }, pending: write })).toStrictEqual({ inputs: 'a' });
    expect(deploysOf(busy)).toStrictEqual({ stale: {}, pending: deploy });
    expect(deploysOf(both)).toStrictEqual({ stale: {}, pending: deploy });
    expect(deploysOf({ ...record, pending: deploy })).toStrictEqual({ pending: deploy });
  });

  test('are replaced as a whole', () => {
    const deployed = { inputs: 'b' };
    expect(withDeploys(busy, deployed)).toStrictEqual({ ...record, deployed });
    expect(withDeploys(record, { ...deployed, pending: deploy })).toStrictEqual({
      ...record,
      deployed,
      pending: deploy,
    });
    expect(withDeploys(busy, { pending: { ...deploy, id: 'd1' } })).toStrictEqual({
      ...record,
      deployed: {},
      pending: { ...deploy, id: 'd1' },
    });
  });

  test('keep a pending write', () => {
    expect(withDeploys({ ...record, pending: write }, { inputs: 'b' })).toStrictEqual({
      ...record,
      deployed: { inputs: 'b' },
      pending: write,
    });
    expect(withDeploys({ ...record, pending: write }, { stale: {}, pending: deploy })).toStrictEqual(both);
    expect(withDeploys(both, { stale: {}, pending: deploy })).toStrictEqual(both);
    expect(withDeploys(both, { inputs: 'b' })).toStrictEqual({ ...record, deployed: { inputs: 'b' }, pending: write });
  });

  test('keep a pending create', () => {
    for (const id of [null, 'redis_1']) {
      const made = recordOf('redis', id, { pending: create });
      expect(withDeploys(made, { stale: {} })).toStrictEqual({ ...made, deployed: { stale: {} } });
    }
  });

  test('begin when the id is known: no other deployment can be', () => {
    const made = recordOf('redis', null, { pending: create });
    expect(withDeploys(made, { stale: {}, pending: deploy })).toStrictEqual({ ...made, deployed: { stale: {} } });
  });
});

describe('a write that is about to be sent', () => {
  test('is the pending operation, under the id of its object', () => {
    expect(withWrite(record, { id: 'redis_1', ...sent })).toStrictEqual({ ...record, pending: write });
    expect(withWrite(recordOf('redis', null, { pending: create }), { id: 'redis_2', ...sent })).toStrictEqual({
      ...recordOf('redis', 'redis_2'),
      pending: write,
    });
  });

  test('stands beside a deployment that is pending', () => {
    expect(withWrite(busy, { id: 'redis_1', at: 9, timeoutMs: 5 })).toStrictEqual(both);
  });

  test('is pending until its outcome is known, and so is a create; a deployment alone has a mark instead', () => {
    expect([write, create].map((pending) => isWritePending({ ...record, pending }))).toEqual([true, true]);
    expect([record, busy, both].map(isWritePending)).toEqual([false, false, true]);
  });
});

describe('a request that is sent again', () => {
  test('was about to be sent when it is sent last', () => {
    expect(renewed({ ...record, pending: write }, 9)).toStrictEqual({ ...record, pending: { ...write, at: 9 } });
    for (const id of [null, 'redis_1']) {
      const made = recordOf('redis', id, { pending: create });
      expect(renewed(made, 9)).toStrictEqual({ ...made, pending: { ...create, at: 9 } });
    }
  });

  test('changes no record without a pending write, and no deployment', () => {
    for (const same of [record, recordOf('redis', null), busy, both]) expect(renewed(same, 9)).toBe(same);
  });
});

test('a create is pending in its record, with a chosen id or without', () => {
  expect(pendingCreate(undefined)).toBeUndefined();
  expect(pendingCreate({ ...record, pending: write })).toBeUndefined();
  expect(pendingCreate({ ...record, pending: create })).toBe(create);
  expect(pendingCreate(recordOf('redis', null, { pending: create }))).toBe(create);
});

test.each<[string, object]>([
  ['a write without an id', { ...record, id: null, pending: write }],
  ['a deployment without an id', { ...record, id: null, pending: deploy }],
  ['two operations', { ...record, pending: [write, deploy] }],
  ['a create that says nothing of how often', { ...record, pending: { is: 'create', ...sent, says: {} } }],
  ['an operation of no kind', { ...record, pending: sent }],
])('%s cannot stand in a record', (_what, content) => {
  expect(readRecord(2, content)).toBeUndefined();
});
