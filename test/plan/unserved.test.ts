import { expect, test } from 'vitest';
import { unservedKind, unservedRecords } from '../../src/plan/unserved.ts';
import { aStep, actionOf, inputOf, kindNamed, recordOf } from '../support/plan-values.ts';

/** Records of kinds that the platform does not serve: neither read nor deleted, and said. */

const mount = kindNamed('mount');
const at = 'production.redis.main';
const unserved = [mount];

test.each([
  ['goes', actionOf(at, { action: 'delete' }), mount],
  ['goes with its own parent', actionOf(at, { action: 'forget', why: 'parent goes' }), mount],
  ['stays', actionOf(at), undefined],
  ['leaves the state and stays on the platform', actionOf(at, { action: 'forget', why: 'stays there' }), undefined],
  ['is replaced', actionOf(at, { action: 'replace', by: 'request', teardown: [aStep] }), undefined],
])('a record goes with its parent only, when that %s', (_what, parent, kind) => {
  const record = recordOf('mount', 'mount_1', { parent: at });
  expect(unservedKind({ ...inputOf({}), unserved }, record, new Map([[at, parent]]))).toBe(kind);
});

test('a record at the top, of another kind, or without such kinds stays', () => {
  const above = new Map([[at, actionOf(at, { action: 'delete' })]]);
  const input = { ...inputOf({}), unserved };
  expect(unservedKind(input, recordOf('mount', 'mount_1'), above)).toBeUndefined();
  expect(unservedKind(input, recordOf('domain', 'domain_1', { parent: at }), above)).toBeUndefined();
  expect(unservedKind(inputOf({}), recordOf('mount', 'mount_1', { parent: at }), above)).toBeUndefined();
});

const mounts = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `${at}.mounts.m${String(n).padStart(2, '0')}`,
      recordOf('mount', `mount_${n}`),
    ]),
  );
const warned = (count: number, more: object = {}) =>
  unservedRecords({ ...inputOf({}, { ...mounts(count), [at]: recordOf('redis', 'redis_1') }), ...more }, new Map());

test('one record is named, with the command that removes it', () => {
  const address = `${at}.mounts.m00`;
  expect(warned(1, { unserved })).toEqual([
    {
      code: 'not-served',
      severity: 'warning',
      message: `the platform serves no mounts (mounts.one): Trueup neither reads nor deletes ${address}; the state keeps it`,
      removal: `If the platform has it no longer, run trueup state rm '${address}'.`,
    },
  ]);
});

test('of many records ten are named', () => {
  const [first] = warned(12, { unserved });
  expect(first?.message).toMatch(/m08, production\.redis\.main\.mounts\.m09 and 2 more; the state keeps them$/);
  expect(first?.removal).toBe(`If the platform has one no longer, run trueup state rm '${at}.mounts.m00'.`);
});

test('nothing is said where the platform serves all kinds, and of records with an action', () => {
  expect(warned(1)).toEqual([]);
  expect(warned(0, { unserved })).toEqual([]);
  const address = `${at}.mounts.m00`;
  const input = { ...inputOf({}, mounts(1)), unserved };
  expect(unservedRecords(input, new Map([[address, actionOf(address)]]))).toEqual([]);
});
