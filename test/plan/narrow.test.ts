import { describe, expect, test } from 'vitest';
import type { ObservedObject } from '../../src/observe/observed.ts';
import type { Action } from '../../src/plan/action.ts';
import {
  choose,
  everything,
  isNarrow,
  isTargeted,
  leaveOut,
  leftOutOf,
  readNarrowing,
  unknownIn,
} from '../../src/plan/narrow.ts';
import type { StateRecord } from '../../src/state/record.ts';
import type { ActionMembers } from '../support/plan-values.ts';
import {
  actionOf,
  aStep,
  attributeChange,
  declared,
  inputOf,
  kindNamed,
  objectOf,
  recordOf,
  resourceOf,
} from '../support/plan-values.ts';

/** What a narrowed plan has and leaves out. */

const action = (address: string, about: ActionMembers): Action => actionOf(address, about);

/** The addresses that stay, of actions by their addresses. */
function staying(
  actions: readonly Action[],
  asked: Parameters<typeof readNarrowing>[0],
  records: Readonly<Record<string, StateRecord>> = {},
  objects: ReadonlyMap<string, ObservedObject> = new Map(),
) {
  const { stays, needed } = choose({ actions, records, objects, narrowing: readNarrowing(asked) });
  return { stays: actions.map(({ address }) => address).filter(stays), needed: Object.fromEntries(needed) as object };
}

test('what moves out of an object that goes is done with it', () => {
  const guest = action('other.redis.db', { action: 'move', parent: 'other' });
  const still = action('other.redis.stays', { action: 'update', parent: 'other' });
  const objects = new Map([guest, still].map(({ address }) => [address, objectOf(address, {}, { parentId: 'env_1' })]));
  for (const fate of ['delete', 'replace'] as const) {
    const going = action('env', { action: fate, id: 'env_1' });
    const actions = [going, guest, still];
    expect(staying(actions, { target: ['env'] }, {}, objects).stays).toEqual(['env', guest.address]);
    expect(staying(actions, { exclude: [guest.address] }, {}, objects).stays).toEqual([still.address]);
  }
  const kept = action('env', { action: 'update', id: 'env_1' });
  expect(staying([kept, guest, still], { target: ['env'] }, {}, objects).stays).toEqual(['env']);
});

const env = action('env', { action: 'no-op' });
const db = action('env.redis.db', { action: 'create', parent: 'env', dependsOn: ['env'] });
const app = action('env.compose.app', { action: 'update', parent: 'env', dependsOn: ['env', 'env.redis.db'] });
const leaf = action('env.compose.app.files.a', {
  action: 'create',
  parent: 'env.compose.app',
  dependsOn: ['env.compose.app'],
});
const deploy = action('env.compose.app (deploy)', {
  action: 'deploy',
  parent: 'env.compose.app',
  dependsOn: ['env.compose.app', 'env.compose.app.files.a'],
});
const all = [env, db, app, leaf, deploy];

describe('words', () => {
  test('are read as Trueup writes addresses, each once', () => {
    expect(readNarrowing({ target: ['a["b"].c', 'a.b.c', 'a.*'], replace: ['x["1"]'] })).toEqual({
      targets: ['a.b.c', 'a.*'],
      excludes: [],
      replaces: ['x["1"]'],
    });
    expect([everything, readNarrowing({ replace: ['a'] }), readNarrowing({ exclude: ['a'] })].map(isNarrow)).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('are known when something has that address, is below it, or fits the pattern', () => {
    const known = ['env', 'env.redis.db', 'env.compose.app.domains["*.example.com"]'];
    const unknown = (target: string) => unknownIn(readNarrowing({ target: [target] }), known, []).length;
    const fitting = [
      'env',
      'env.redis',
      'env.*',
      '*',
      'env.compose.app.domains["*.example.com"]',
      'env.compose',
      '*com"]',
    ];
    expect(fitting.map(unknown)).toEqual(fitting.map(() => 0));
    const others = [
      '',
      'en',
      'env.redi',
      'env.redis.db.x',
      'nothing.*',
      '__proto__',
      'env.compose.app.domains["x.example.com"]',
    ];
    expect(others.map(unknown)).toEqual(others.map(() => 1));
  });

  test('that name nothing are answered with the one address that ends with them', () => {
    const remedies = (target: string) =>
      unknownIn(
        readNarrowing({ target: [target] }),
        ['production.redis.db', 'production.redis.main', 'staging.redis.main'],
        [],
      ).map(({ remedy }) => remedy);
    expect(remedies('redis.db')).toEqual(['Did you mean production.redis.db?']);
    expect(remedies('edis.db')).toEqual(['trueup state list and the manifest have the addresses.']);
    expect(remedies('redis.main')).toEqual(['trueup state list and the manifest have the addresses.']);
  });

  test('name an address before a pattern, where it is one', () => {
    const domain = (key: string) => action(`app.domains["${key}"]`, { action: 'update', parent: 'app' });
    const domains = [domain('*.example.com'), domain('a.example.com')];
    expect(staying(domains, { target: ['app.domains["*.example.com"]'] }).stays).toEqual([
      'app.domains["*.example.com"]',
    ]);
    expect(staying(domains, { target: ['app.domains[*.example.com*'] }).stays).toHaveLength(2);
  });
});

describe('a target', () => {
  test('stays with what is below it, and with what it needs', () => {
    expect(staying(all, { target: ['env.redis.db'] }).stays).toEqual(['env.redis.db']);
    expect(staying(all, { target: ['env.compose.app'] }).stays).toEqual([
      'env.redis.db',
      ...all.slice(2).map(({ address }) => address),
    ]);
    expect(staying(all, { target: ['env'] }).stays).toEqual(all.map(({ address }) => address));
    expect(staying(all, { target: ['env.compose.app.files.a'] }).stays).toEqual(['env.compose.app.files.a']);
  });

  test('takes along what a new service is deployed with', () => {
    const made = action(app.address, { ...app, action: 'create' });
    const user = action('env.compose.user', {
      action: 'create',
      parent: 'env',
      dependsOn: [made.address],
    });
    const stays = ['env.redis.db', ...[made, leaf, user].map(({ address }) => address)];
    expect(staying([env, db, made, leaf, deploy, user], { target: ['env.compose.user'] }).stays).toEqual(stays);
  });

  test('that goes takes along who uses it and what is below it', () => {
    const records = {
      'env.redis.db': recordOf('redis', 'r', { parent: 'env', dependsOn: ['env'] }),
      'env.redis.db.mounts.a': recordOf('mount', 'm', { parent: 'env.redis.db', dependsOn: ['env.redis.db'] }),
      'env.compose.app': recordOf('compose', 'c', { parent: 'env', dependsOn: ['env', 'env.redis.db'] }),
      'env.compose.calm': recordOf('compose', 'c2', { parent: 'env', dependsOn: ['env', 'env.redis.db'] }),
    };
    const going = action('env.redis.db', { action: 'delete', parent: 'env', teardown: [aStep] });
    const mount = action('env.redis.db.mounts.a', { action: 'delete', parent: 'env.redis.db' });
    const free = action('env.compose.app', { action: 'update', parent: 'env', dependsOn: ['env'] });
    const calm = action('env.compose.calm', { action: 'no-op', parent: 'env' });
    const actions = [env, going, mount, free, calm];
    expect(staying(actions, { target: ['env.redis.db'] }, records).stays).toEqual(
      [going, mount, free].map(({ address }) => address),
    );
    // It goes with its parent, so it needs that.
    expect(staying(actions, { target: [mount.address] }, records).stays).toEqual(
      [going, mount, free].map(({ address }) => address),
    );
    expect(staying(actions, { exclude: [mount.address] }, records).stays).toEqual([
      'env',
      'env.compose.app',
      'env.compose.calm',
    ]);
  });

  test('is replaced as a whole, with its old object', () => {
    const key = action('sshKeys.a', { action: 'replace', order: 'create first' });
    const old = action('sshKeys.a (old)', {
      action: 'delete',
      teardown: [aStep],
      follows: ['sshKeys.a', 'env.compose.app'],
    });
    const user = action('env.compose.app', { action: 'update', parent: 'env', dependsOn: ['env', 'sshKeys.a'] });
    const records = { 'env.compose.app': recordOf('compose', 'c', { dependsOn: ['env', 'sshKeys.a'] }) };
    const actions = [env, key, user, old];
    const whole = [key, user, old].map(({ address }) => address);
    for (const target of ['sshKeys.a', 'env.compose.app'])
      expect(staying(actions, { target: [target] }, records).stays).toEqual(whole);
    for (const exclude of ['sshKeys.a', 'env.compose.app'])
      expect(staying(actions, { exclude: [exclude] }, records).stays).toEqual(['env']);
  });
});

describe('an exclusion', () => {
  test('wins over a target, and says why others go', () => {
    const { stays, needed } = staying(all, { target: ['env.compose.app'], exclude: ['env.redis'] });
    expect(stays).toEqual(['env.compose.app.files.a', 'env.compose.app (deploy)']);
    expect(needed).toEqual({ 'env.compose.app': 'env.redis.db' });
  });
});

test('what waits below something that is left out and is not there is not mentioned either', () => {
  const about = { records: {}, objects: new Map(), observed: new Map() } as const;
  const held = { kept: 'held', parent: app.address, scope: app.address } as const;
  const waiting = action(`${app.address}.domains.a`, held);
  const made = action(app.address, { ...app, action: 'create' });
  const stays = (address: string) => address === 'env' || address === waiting.address;
  expect(leaveOut([env, made, waiting], stays, about).actions).toEqual([env]);
  // One that the state has, from another parent, stands alone.
  const records = { [waiting.address]: recordOf('domain', 'd', { parent: 'env.compose.other' }) };
  const alone = leaveOut([env, made, waiting], stays, { ...about, records }).actions[1];
  expect(alone).toMatchObject({ address: waiting.address, scope: waiting.address, kept: 'left out' });
});

test('what is left out is held as the state has it, or is not mentioned', () => {
  const record = recordOf('redis', 'r', { parent: 'env', dependsOn: ['env'], options: { protect: true } });
  const records = { 'env.redis.db': record };
  const observed = new Map([['env.redis.db', objectOf('r', {})]]);
  const replaced = action('env.redis.db', {
    kind: kindNamed('redis'),
    action: 'replace',
    order: 'create first',
    steps: [aStep],
    dataAtRisk: 'all of it',
  });
  const old = action('env.redis.db (old)', { action: 'delete', teardown: [aStep] });
  const objects = new Map([['env.redis.db (old)', objectOf('r', {})]]);
  const rest = leaveOut([env, replaced, old, leaf], (address) => address === 'env', { records, objects, observed });
  expect([...rest.objects.keys()]).toEqual(['env.redis.db']);
  expect(rest.actions.map(({ address }) => address)).toEqual(['env', 'env.redis.db']);
  expect(rest.actions[1]).toMatchObject({
    action: 'no-op',
    id: 'r',
    parent: 'env',
    dependsOn: ['env'],
    options: { protect: true },
    steps: [],
    teardown: [],
    notes: [],
    dataAtRisk: undefined,
    kept: 'left out',
  });
});

test('of what is left out, no attribute is written or settled, and what would change is not known', () => {
  const still = attributeChange('a');
  const changed = attributeChange('b', { wanted: declared('new'), decision: { do: 'write', cause: 'edit' } });
  const app = action('env.redis.db', { action: 'update', attributes: [still, changed] });
  const about = {
    records: { [app.address]: recordOf('redis', 'r') },
    objects: new Map<string, ObservedObject>(),
    observed: new Map([[app.address, objectOf('r', {})]]),
  };
  const [held] = leaveOut([app], () => false, about).actions;
  expect(held?.attributes.map(({ wanted, decision }) => [wanted, decision])).toEqual([
    [still.wanted, { do: 'nothing', settled: false }],
    [undefined, { do: 'nothing', settled: false }],
  ]);
});

test('a target names an address, and what is below it; no target names everything', () => {
  const parents = new Map([
    ['env.redis.db', 'env'],
    ['env.compose.app', 'env'],
  ]);
  const named = (targets: readonly string[], address: string) => {
    const input = {
      ...inputOf({}, { 'env.redis.db': recordOf('redis', 'r1'), env: recordOf('environment', 'e1') }),
      resources: [resourceOf(kindNamed('compose'), 'env.compose.app')],
      narrowing: readNarrowing({ target: targets }),
    };
    const parentOf = (one: string) => parents.get(one);
    // The second answer is of what the first one found.
    return [isTargeted(input, address, parentOf), isTargeted(input, address, parentOf)];
  };
  expect(named([], 'env.redis.db')).toEqual([true, true]);
  expect(named(['env.redis.db'], 'env.redis.db')).toEqual([true, true]);
  expect(named(['env.redis'], 'env.redis.db')).toEqual([true, true]);
  expect(named(['env'], 'env.redis.db')).toEqual([true, true]);
  expect(named(['env.compose.app'], 'env.compose.app')).toEqual([true, true]);
  expect(named(['env.compose.app'], 'env.redis.db')).toEqual([false, false]);
  expect(named(['env.redis.db'], 'env')).toEqual([false, false]);
});

test('what is left out are the changes that the narrowed plan does not have, with what needs them', () => {
  const old = action('env.compose.app (old)', { action: 'delete' });
  const needed = new Map([['env.redis.db', old.address]]);
  expect(leftOutOf([env, db, app, old, leaf], [env, app, old], needed)).toStrictEqual([
    { address: 'env.redis.db', action: 'create', needs: 'env.compose.app' },
    { address: 'env.compose.app.files.a', action: 'create' },
  ]);
  expect(leftOutOf([env], [], needed)).toEqual([]);
  const unchanged = action('env.redis.db', { action: 'no-op' });
  expect(leftOutOf([db], [unchanged], new Map()).map(({ address }) => address)).toEqual(['env.redis.db']);
});
