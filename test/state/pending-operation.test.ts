import { describe, expect, test } from 'vitest';
import { readEntries } from '../../src/state/formats.ts';
import { pendingCreate, withPending, withWrite } from '../../src/state/pending-operation.ts';
import { creating, recordOf } from '../support/plan-values.ts';

/** The one operation of a record that is open at the platform, and what becomes of it when another begins. */

const sent = { at: 1, timeoutMs: 60_000 } as const;
const write = { is: 'write', ...sent } as const;
const deploy = { is: 'deploy', ...sent, mark: 'm', inputs: 'i', newest: null } as const;
const create = creating();
const record = recordOf('redis', 'redis_1');

test('a write that is about to be sent is the pending operation, under the id of its object', () => {
  expect(withWrite(record, { id: 'redis_1', ...sent })).toStrictEqual({ ...record, pending: write });
  expect(withWrite(recordOf('redis', null, { pending: create }), { id: 'redis_2', ...sent })).toStrictEqual({
    ...recordOf('redis', 'redis_2'),
    pending: write,
  });
});

test('an error is noted with the pending operation alone', () => {
  const unproven = ['name', 'env["A"]'];
  expect(withPending({ ...record, pending: write }, { unproven })).toStrictEqual({
    ...record,
    pending: { ...write, unproven },
  });
  const made = recordOf('redis', null, { pending: create });
  expect(withPending(made, { unproven })).toStrictEqual({ ...made, pending: { ...create, unproven } });
  expect(withPending(record, { unproven })).toBe(record);
});

describe('a request that is sent again', () => {
  test('was about to be sent when it is sent last', () => {
    expect(withPending({ ...record, pending: write }, { at: 9 })).toStrictEqual({
      ...record,
      pending: { ...write, at: 9 },
    });
    for (const id of [null, 'redis_1']) {
      const made = recordOf('redis', id, { pending: create });
      expect(withPending(made, { at: 9 })).toStrictEqual({ ...made, pending: { ...create, at: 9 } });
    }
  });

  test('changes no record without a pending operation', () => {
    for (const same of [record, recordOf('redis', null)]) expect(withPending(same, { at: 9 })).toBe(same);
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
  expect(readEntries(2, 'a', content)).toBeUndefined();
});
