import { describe, expect, test } from 'vitest';
import type { Action } from '../../src/plan/action.ts';
import { withDeposed } from '../../src/plan/deposed.ts';
import type { Row } from '../../src/formats/json.ts';
import { kinds } from '../../src/resources/index.ts';
import { type Kind, root } from '../../src/kind/kind.ts';
import type { Digests } from '../../src/secrets/digest.ts';
import { actionOf, aStep, inputOf, kindNamed, makeDigest, objectOf, recordOf } from '../support/plan-values.ts';

/** Where two can stand side by side, the new one is made first, and the old one goes when nobody uses it any more. */

const kind = kindNamed('sshKey');
const options = { protect: false, note: 'x' };
const key = actionOf('sshKeys.deploy', { kind, action: 'replace', order: 'create first', options });
const old = 'sshKeys.deploy (old)';
const present = objectOf('key_1', { sshKeyId: 'key_1' });

function withOld(actions: readonly Action[], objects: Parameters<typeof inputOf>[0] = { 'sshKeys.deploy': present }) {
  const input = inputOf(objects, { 'sshKeys.deploy': recordOf('sshKey', 'key_1') });
  return withDeposed(input, new Map(actions.map((action) => [action.address, action])));
}

const deletionIn = ({ planned }: ReturnType<typeof withOld>, address = old) =>
  planned.find((action) => action.address === address);

const followedBy = (action: Action | undefined) => (action?.action === 'delete' ? action.follows : []);

describe('the old object', () => {
  test('gets an address of its own and an action that deletes it there', () => {
    const found = withOld([key]);
    expect([...found.objects]).toEqual([[old, present]]);
    expect(found.planned.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'replace sshKeys.deploy',
      `delete ${old}`,
    ]);
    expect(deletionIn(found)).toMatchObject({
      id: 'key_1',
      parent: undefined,
      dependsOn: [],
      options: { note: 'x' },
      teardown: [{ operation: 'sshKey.remove', members: { sshKeyId: { is: 'id', address: old } } }],
    });
  });

  test('stays below what it was below', () => {
    const found = withOld([{ ...key, parent: 'production' }]);
    expect(deletionIn(found)).toMatchObject({ parent: 'production' });
  });

  test('leaves the address to an older one that is still there', () => {
    const older = actionOf(old, { kind, action: 'delete', teardown: [aStep] });
    const found = withOld([key, older]);
    expect([...found.objects.keys()]).toEqual([`${old} (old)`]);
    expect(deletionIn(found, `${old} (old)`)).toMatchObject({ action: 'delete', id: 'key_1' });
  });

  test('exists only for a replacement that creates first', () => {
    const first = actionOf(key.address, { ...key, order: 'delete first', teardown: [aStep] });
    const other = actionOf('production.redis.main', { action: 'replace' });
    const update = actionOf('sshKeys.other', { kind, action: 'update' });
    const { planned, objects } = withOld([first, other, update]);
    expect(planned).toEqual([first, other, update]);
    expect([...objects.keys()]).toEqual(['sshKeys.deploy']);
  });
});

test('the old object shows the lines around secrets that the record of its block has', () => {
  const rows: Row[] = [];
  const holding: Kind = { ...kind, lifecycle: { ...kind.lifecycle, holds: (row) => (rows.push(row), {}) } };
  const digests: Digests = (address, attribute) => (text) => makeDigest(`${address} ${attribute} ${text}`);
  const text = 'for: the shop\npassword-of-the-shop';
  const stored = { digest: digests('sshKeys.deploy', 'description')(JSON.stringify(text)), secretLines: [1] };
  const record = recordOf('sshKey', 'key_1', { pairs: { description: { wanted: stored, answered: stored } } });
  const there = { 'sshKeys.deploy': objectOf('key_1', { sshKeyId: 'key_1', description: text }) };
  const input = { ...inputOf(there, { 'sshKeys.deploy': record }), digests };
  withDeposed(input, new Map([[key.address, { ...key, kind: holding }]]));
  expect(rows.map(({ description }) => description)).toEqual(['for: the shop\n(sensitive)']);
});

test('only what stands at the top is replaced by a new object first: a row never holds an old object', () => {
  const made = kinds.filter(({ lifecycle }) => lifecycle?.createBeforeDestroy !== undefined);
  expect(made.length).toBeGreaterThan(3);
  expect(made.filter(({ parents }) => Object.keys(parents).join() !== root)).toEqual([]);
});

describe('the old object is deleted after', () => {
  test('its successor and the actions that refer to the address, and after nothing else', () => {
    const user = actionOf('production.compose.shop', { dependsOn: ['production', 'sshKeys.deploy'] });
    const found = withOld([key, user, actionOf('production.compose.other', { dependsOn: ['production'] })]);
    expect(followedBy(deletionIn(found))).toEqual(['sshKeys.deploy', 'production.compose.shop']);
  });

  test('no other deletion', () => {
    const going = actionOf('production.compose.shop', { action: 'delete', dependsOn: ['sshKeys.deploy'] });
    expect(followedBy(deletionIn(withOld([key, going])))).toEqual(['sshKeys.deploy']);
  });

  test('which no other deletion has to follow', () => {
    const { planned } = withOld([key, actionOf('production.redis.main', { action: 'delete' })]);
    expect(planned.flatMap((action) => (followedBy(action).length > 0 ? [action.address] : []))).toEqual([old]);
  });

  test('the work grows linearly with the number of actions', () => {
    const counts = [50, 100].map((count) => {
      let reads = 0;
      const counted = (action: Action) =>
        new Proxy(action, {
          get: (target, name) => {
            if (name === 'dependsOn') reads++;
            return Reflect.get(target, name) as unknown;
          },
        });
      const keys = Array.from({ length: count }, (_, n) => ({ ...key, address: `sshKeys.k${n}` }));
      const users = keys.map(({ address }, n) => actionOf(`production.compose.s${n}`, { dependsOn: [address] }));
      const actions = [...keys, ...users].map(counted);
      const objects = Object.fromEntries(keys.map(({ address }) => [address, objectOf(`id of ${address}`, {})]));
      const { planned } = withDeposed(inputOf(objects), new Map(actions.map((action) => [action.address, action])));
      expect(planned.flatMap(followedBy)).toHaveLength(2 * count);
      return reads;
    });
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts[1]).toBe(2 * (counts[0] ?? 0));
  });
});
