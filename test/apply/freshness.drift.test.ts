import { describe, expect, test } from 'vitest';
import { lossSince } from '../../src/apply/freshness.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import type { ObservedObject } from '../../src/observe/observed.ts';
import type { Action } from '../../src/plan/action.ts';
import { actionOf, aStep, kindNamed, objectOf, pairOf, attributeChange, recordOf } from '../support/plan-values.ts';
import { jobFor, runOf } from '../support/run-values.ts';

/** What would be lost with an object that goes, and came there after the plan that says so. */

const address = 'production.redis.main';
const mounted = `${address}.mounts["/a"]`;
const redis = kindNamed('redis');

const going = (more: Partial<Action> = {}): Action =>
  actionOf(address, { action: 'delete', id: 'redis_1', teardown: [aStep], ...more });
const mount = (more: Partial<Action> = {}): Action =>
  actionOf(mounted, {
    kind: kindNamed('mount'),
    scope: address,
    parent: address,
    action: 'delete',
    id: 'mount_1',
    attributes: [attributeChange('hostPath')],
    ...more,
  });

interface Case {
  /** The Redis and what is below it; the action at hand is the first one. */
  readonly actions?: readonly [Action, ...Action[]];
  readonly planned?: Row;
  readonly now?: Row;
  readonly settled?: readonly string[];
  readonly objects?: Readonly<Record<string, ObservedObject>>;
}

/** What somebody changed, when the plan saw the Redis as one row, and it is another one now. */
function loss({ actions = [going()], planned = {}, now = {}, settled = [], objects = {} }: Case): string | undefined {
  const [action] = actions;
  const pairs = Object.fromEntries(settled.map((name) => [name, pairOf('a')]));
  const { run } = runOf(actions, {
    objects: { [address]: objectOf('redis_1', { redisId: 'redis_1', ...planned }), ...objects },
    resources: { [address]: recordOf('redis', 'redis_1', { pairs }) },
  });
  return lossSince(run, jobFor(run, action), { redisId: 'redis_1', ...now });
}

const changed = (path: string, of = address) => `${path} of ${of} was changed on the platform`;

describe('before a deletion, Trueup compares', () => {
  test('declared fields and fields with a settled pair, no others', () => {
    const declares = [going({ attributes: [attributeChange('description')] })] as const;
    const edited = { planned: { description: 'a' }, now: { description: 'b' } };
    expect(loss({ ...edited, actions: declares })).toBe(changed('description'));
    expect(loss({ ...edited, settled: ['description'] })).toBe(changed('description'));
    expect(loss(edited)).toBeUndefined();
    expect(loss({ ...edited, settled: ['name', 'dockerImage'] })).toBeUndefined();
  });

  test('a field of which a single key was settled', () => {
    expect(loss({ planned: { env: 'A=1\n' }, now: { env: 'A=1\nB=1\n' }, settled: ['env["A"]'] })).toBe(changed('env'));
  });

  test('values by their meaning: an equivalent or a missing value is no change', () => {
    expect(
      loss({ planned: { description: '' }, now: { description: null }, settled: ['description'] }),
    ).toBeUndefined();
    expect(loss({ planned: { description: 'a' }, now: {}, settled: ['description'] })).toBe(changed('description'));
    expect(loss({ settled: ['name', 'no field of it'] })).toBeUndefined();
    expect(loss({ planned: { name: null }, now: {}, settled: ['name'] })).toBeUndefined();
  });

  test('the objects below it: a new one is a change', () => {
    const [one, two, three] = ['mount_1', 'mount_2', 'mount_3'].map((mountId) => ({ mountId, type: 'bind' }));
    const added = (count: number) => `${count} of mounts was added below ${address} on the platform`;
    expect(loss({ planned: { mounts: [one] }, now: { mounts: [one, two] } })).toBe(added(1));
    expect(loss({ planned: { mounts: [one] }, now: { mounts: [three, two, one] } })).toBe(added(2));
    expect(loss({ planned: { mounts: [one, two] }, now: { mounts: [two] } })).toBeUndefined();
  });

  test('the data at risk: new data at risk is a change', () => {
    const kind: Kind = {
      ...redis,
      lifecycle: {
        dataAtRisk: ({ row, action, options }) =>
          row.data === undefined
            ? undefined
            : { of: 'data', what: `${String(row.data)} by ${action}, ${String(options.keep)}` },
      },
    };
    const at = (planned: Row, now: Row, action: 'delete' | 'replace' = 'delete') =>
      loss({ actions: [going({ kind, action, options: { keep: 'a' } })], planned, now });
    expect(at({}, { data: 'data' })).toBe(`data by delete, a came to be at risk with ${address}`);
    expect(at({}, { data: 'data' }, 'replace')).toBe(`data by replace, a came to be at risk with ${address}`);
    expect(at({ data: 'data' }, { data: 'more' })).toBe(`more by delete, a came to be at risk with ${address}`);
    expect(at({ data: 'data' }, { data: 'data' })).toBeUndefined();
    expect(at({ data: 'data' }, {})).toBeUndefined();
    const { lifecycle: _nothing, ...without } = kind;
    expect(loss({ actions: [going({ kind: without })], now: { data: 'data' } })).toBeUndefined();
  });

  test('nothing, when the object is gone or the plan did not see it', () => {
    const { run } = runOf([going()]);
    expect(lossSince(run, jobFor(run, going()), undefined)).toBeUndefined();
    expect(lossSince(run, jobFor(run, going()), { redisId: 'redis_1' })).toBeUndefined();
    expect(loss({ planned: { name: 'a' }, now: { redisId: 'redis_2', name: 'b' }, settled: ['name'] })).toBeUndefined();
  });
});

describe('when a whole service goes', () => {
  const rows = (hostPath: string): Row => ({ mounts: [{ mountId: 'mount_1', hostPath }] });
  const objects = { [mounted]: objectOf('mount_1', { mountId: 'mount_1', hostPath: '/a' }) };
  const at = (...actions: readonly [Action, ...Action[]]) =>
    loss({ actions, planned: rows('/a'), now: rows('/b'), objects });

  test.each<[string, Partial<Action>]>([
    ['is deleted', {}],
    ['is replaced', { action: 'replace' }],
    ['is deleted and has no request of its own', { teardown: [] }],
  ])('each object is looked at where the service %s', (_title, more) => {
    expect(at(going(more), mount())).toBe(changed('hostPath', mounted));
  });

  test('an object that stays is not compared', () => {
    expect(at(going(), mount({ action: 'move' }))).toBeUndefined();
    expect(at(going(), mount({ action: 'replace' }))).toBe(changed('hostPath', mounted));
  });

  test('when the service stays, only the deleted object is compared', () => {
    const stays = going({ action: 'update', teardown: [] });
    const other = mount({ address: `${address}.mounts["/b"]`, id: 'mount_2' });
    expect(at(mount(), stays)).toBe(changed('hostPath', mounted));
    expect(at(other, stays, mount())).toBeUndefined();
  });
});
