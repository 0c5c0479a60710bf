import { describe, expect, test } from 'vitest';
import type { ApplyNode } from '../../src/plan/request-order.ts';
import { planNodes } from '../../src/plan/request-order.ts';
import { diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { partAddress } from '../../src/kind/address.ts';
import type { Action, Plan } from '../../src/plan/action.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { secret } from '../../src/secrets/secret.ts';
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
  serviceOf,
} from '../support/plan-values.ts';

/** The order in which the actions of a plan are carried out: what each of them waits for, and how. */

const env = 'production';
const shop = 'production.compose.shop';
const domain = 'production.compose.shop.domains.www';
const mount = 'production.compose.shop.mounts.data';
const file = 'production.compose.shop.files.settings';
const main = 'production.redis.main';
const other = 'production.redis.other';
const key = 'sshKeys.deploy';
const deploymentAddress = (service: string) => partAddress(service, 'deployment');
const deposedAddress = (address: string) => partAddress(address, 'deposed');

const aCreate = { operation: 'redis.create', role: 'create', members: {}, changed: [] } as const;

const created = (address: string, more: ActionMembers = {}) =>
  actionOf(address, { action: 'create', id: undefined, steps: [aCreate], ...more });
const updated = (address: string, more: ActionMembers = {}) =>
  actionOf(address, { action: 'update', steps: [aCreate], ...more });
const deleted = (address: string, more: ActionMembers = {}) =>
  actionOf(address, { action: 'delete', teardown: [aStep], ...more });
const replaced = (address: string, more: ActionMembers = {}) =>
  actionOf(address, { action: 'replace', teardown: [aStep], steps: [aCreate], ...more });
const deployed = (service: string, dependsOn: readonly string[]) =>
  actionOf(deploymentAddress(service), {
    action: 'deploy',
    id: `id of ${service}`,
    parent: service,
    dependsOn,
    steps: [aStep],
  });

/** Declared below a parent, with what else it refers to; what stands below a service shares its scope. */
const below = (parent: string, ...referred: string[]) => ({ parent, dependsOn: [parent, ...referred] });
const inScope = (parent: string, ...referred: string[]) => ({ ...below(parent, ...referred), scope: parent });

/** What was applied last: the parent, and what was referred to. */
const was = (parent: string | null, ...referred: string[]): StateRecord =>
  recordOf('redis', 'id', { parent, dependsOn: [...(parent === null ? [] : [parent]), ...referred] });

const old = (address: string) => `${address} (teardown)`;
const removals = (what: string) => `${what} (removals)`;
const readBack = (scope: string) => `${scope} (read back)`;

/** Of a service that is not deployed in the plan: what it refers to is. */
const referencesDeployed = (of: string) => `${of} (references deployed)`;

/** Of a service that stays or comes. */
const service = { service: serviceOf() };

/** Several names, where their order says nothing. */
const all = (...names: string[]) => names.toSorted();

interface Needs {
  /** Names of the nodes that must succeed before. */
  readonly success?: readonly string[];
  /** Names of the nodes that must be over before. */
  readonly over?: readonly string[];
  /** Scopes that are read back before. */
  readonly readBack?: readonly string[];
}

/** A plan; `inside` says in which object the platform has one. */
function planOf(
  actions: readonly Action[],
  records: Readonly<Record<string, StateRecord>> = {},
  inside: Readonly<Record<string, string>> = {},
): Plan {
  const objects = Object.entries(inside).map(([address, parentId]) => [address, objectOf('id', {}, { parentId })]);
  const { state, saved, observed } = inputOf(Object.fromEntries(objects), records);
  return { base: state, saved, observed, actions, destroys: false, narrowed: undefined, diagnostics: [] };
}

/** The schedule of a plan. */
function orderOf(...of: Parameters<typeof planOf>) {
  const { nodes, edges } = planNodes(planOf(...of));

  const node = (name: string): ApplyNode => {
    const found = nodes.filter((item) => item.name === name);
    if (found[0] === undefined || found.length > 1) throw new Error(`there are ${found.length} nodes ${name}`);
    return found[0];
  };
  /** What one node itself waits for. */
  const needs = (name: string): Needs => {
    const entering = edges.filter((edge) => edge.to === name);
    const lists = { success: new Set<string>(), over: new Set<string>(), readBack: new Set<string>() };
    for (const { from, is } of entering) {
      const before = node(from);
      if (before.part === 'read back') lists.readBack.add(before.scope);
      else lists[is].add(from);
    }
    const named = Object.entries(lists).map(([how, names]) => [how, [...names].toSorted()] as const);
    return Object.fromEntries(named.filter(([, names]) => names.length > 0));
  };
  /** Whether one node is over before another begins, be it through others; of one and the same: a circle. */
  const isBefore = (first: string, name: string): boolean => {
    const found = new Set<string>();
    const open = [node(name).name];
    for (const item of open) {
      const before = edges.filter((edge) => edge.to === item && !found.has(edge.from)).map((edge) => edge.from);
      open.push(...before);
      for (const one of before) found.add(one);
    }
    return found.has(node(first).name);
  };
  return { nodes, edges, node, needs, isBefore };
}

describe('a create or an update', () => {
  test('comes after its parent and what it refers to', () => {
    const { needs, node } = orderOf([
      created(shop, below(env, main)),
      created(domain, inScope(shop)),
      created(main, below(env)),
      created(env),
    ]);
    expect(needs(env)).toEqual({});
    expect(needs(main)).toEqual({ success: [env] });
    expect(needs(shop)).toEqual({ success: all(env, main) });
    expect(needs(domain)).toEqual({ success: [shop] });
    expect(node(domain)).toMatchObject({ part: 'make', scope: shop, action: { address: domain } });
  });

  test('waits for nothing that is not in the plan, or that goes', () => {
    const { needs } = orderOf([created(main, below(env, 'production.redis.gone')), deleted('production.redis.gone')]);
    expect(needs(main)).toEqual({});
    const forgotten = (address: string, other: string) => actionOf(address, { action: 'forget', ...below(env, other) });
    const both = orderOf([forgotten('a', 'b'), forgotten('b', 'a')]);
    expect([both.needs('a'), both.needs('b')]).toEqual([{}, {}]);
  });

  test('that a narrowed plan leaves out waits for nothing: it may depend, as applied last, on what now depends on it', () => {
    const { needs } = orderOf([
      updated(main, below(env, other)),
      actionOf(other, { ...below(env, main), kept: 'left out' }),
    ]);
    expect(needs(other)).toEqual({});
    expect(needs(main)).toEqual({ success: [other] });
  });

  test('counts towards the most requests at a time, unless it is a deployment (check: the body says isWaiting)', () => {
    const { nodes } = orderOf([created(env), deleted(main), created(shop), deployed(shop, [shop])]);
    expect(nodes.map((node) => [node.name, node.part, 'isWaiting' in node])).toEqual([
      [env, 'make', false],
      [old(main), 'teardown', false],
      [shop, 'make', false],
      [deploymentAddress(shop), 'deploy', true],
      [readBack(env), 'read back', false],
      [readBack(main), 'read back', false],
      [readBack(shop), 'read back', false],
    ]);
  });
});

test('scopes are read back together that are deleted, and in bulk all in which something is written', () => {
  const plan = planOf([actionOf(env), updated(shop), deleted(main), actionOf(other), created(file, { scope: other })]);
  const shown = (how?: 'in bulk') =>
    planNodes(plan, how).nodes.flatMap((node) =>
      node.part === 'read back' && node.shownBy !== undefined ? [[node.scope, node.shownBy]] : [],
    );
  expect(shown()).toEqual([[main, 'list redis']]);
  expect(shown('in bulk')).toEqual([
    [shop, shop],
    [main, 'list redis'],
    [other, other],
  ]);
});

describe('a scope in which nothing is to do', () => {
  const counted = (...actions: Action[]) => {
    const { nodes, resting } = planNodes(planOf(actions));
    return { resting, scopes: [...new Set(nodes.flatMap(({ scope }) => scope ?? []))] };
  };

  test('has no node', () => {
    expect(counted(actionOf(env), updated(shop, below(env)), actionOf(main, below(env)))).toEqual({
      resting: [env, main],
      scopes: [shop],
    });
    expect(counted(actionOf(env), actionOf(shop, below(env)), actionOf(file, inScope(shop)))).toEqual({
      resting: [env, shop],
      scopes: [],
    });
  });

  test('has one as soon as something changes in it, is deployed or leaves the state', () => {
    for (const busy of [
      updated(file, inScope(shop)),
      deleted(file, inScope(shop)),
      actionOf(file, { ...inScope(shop), action: 'forget' }),
      deployed(shop, []),
      actionOf(partAddress(file, 'run'), { block: file, action: 'run', parent: file }),
    ]) {
      const beside = [actionOf(env), actionOf(shop, below(env)), actionOf(main, below(env))];
      expect(counted(...beside, actionOf(file, inScope(shop)), busy).resting).toEqual([env, main]);
    }
  });

  test('has one where its service failed before: that holds back what depends on it', () => {
    const note = diagnostic('failed-before', 'no');
    expect(counted(actionOf(env), actionOf(shop, { ...below(env), notes: [note] })).resting).toEqual([env]);
  });

  test('has one where it depends on another that has, through others too', () => {
    const chain = [updated(main, below(env)), actionOf(other, below(env, main)), actionOf(shop, below(env, other))];
    expect(counted(actionOf(env), ...chain)).toEqual({ resting: [env], scopes: [main, other, shop] });
    expect(counted(updated(env), ...chain).resting).toEqual([]);
  });
});

describe('what is deleted', () => {
  test('goes after what is below it', () => {
    const { needs, node } = orderOf([deleted(env), deleted(shop, below(env)), deleted(domain, inScope(shop))], {
      [shop]: was(env),
      [domain]: was(shop),
    });
    expect(needs(old(env))).toEqual({ success: [old(shop)] });
    expect(needs(old(shop))).toEqual({ success: [old(domain)] });
    expect(needs(old(domain))).toEqual({});
    expect(node(old(domain))).toMatchObject({ part: 'teardown', scope: shop, action: { address: domain } });
  });

  test('goes after what its record places below it, used or not', () => {
    const apart = recordOf('redis', 'id', { parent: env, dependsOn: [] });
    const { needs } = orderOf([deleted(env), deleted(main, { parent: env })], { [env]: was(null), [main]: apart });
    expect(needs(old(env)).success).toEqual([old(main)]);
  });

  test('comes after the objects that the platform deletes with it', () => {
    const { needs } = orderOf([deleted(shop), deleted(domain, { ...inScope(shop), teardown: [] })], {
      [domain]: was(shop),
    });
    expect(needs(old(shop))).toEqual({ success: [old(domain)] });
  });

  test('does not wait for an object below it that is only removed from the state, or moved', () => {
    const { needs } = orderOf(
      [
        deleted(env),
        actionOf(main, { ...below(env), action: 'forget' }),
        actionOf(other, { ...below('staging'), action: 'move', steps: [aCreate] }),
      ],
      { [main]: was(env), [other]: was(env) },
    );
    expect(needs(old(env))).toEqual({});
  });

  test('waits for nothing that stays above it', () => {
    const { needs } = orderOf([updated(env), deleted(main, below(env))], { [main]: was(env) });
    expect(needs(old(main))).toEqual({});
  });

  test('goes after those that referred to it and go as well', () => {
    const { needs } = orderOf([deleted(main, below(env)), deleted(shop, below(env, main))], {
      [main]: was(env),
      [shop]: was(env, main),
    });
    expect(needs(old(main))).toEqual({ success: [old(shop)] });
    expect(needs(old(shop))).toEqual({});
  });
});

describe('what referred to a deleted object lets go of it first:', () => {
  const records = { [main]: was(env), [shop]: was(env, main) };

  test('with the write that says so', () => {
    const { needs } = orderOf([deleted(main, below(env)), updated(shop, below(env))], records);
    expect(needs(old(main))).toEqual({ success: [shop] });
    expect(needs(shop)).toEqual({});
  });

  test('with its deployment, when it runs elsewhere', () => {
    const { needs } = orderOf([deleted(main, below(env)), updated(shop, below(env)), deployed(shop, [shop])], records);
    expect(needs(old(main))).toEqual({ success: all(shop, deploymentAddress(shop)) });
  });

  test('with the deployment alone, when all was written before', () => {
    const { needs } = orderOf([deleted(main, below(env)), actionOf(shop, below(env)), deployed(shop, [shop])], records);
    expect(needs(old(main))).toEqual({ success: [deploymentAddress(shop)] });
  });

  test('without the deployment of its own service, which comes later', () => {
    const { needs } = orderOf(
      [updated(shop), deleted(mount, inScope(shop)), updated(domain, inScope(shop)), deployed(shop, [shop, mount])],
      { [mount]: was(shop), [domain]: was(shop, mount) },
    );
    expect(needs(old(mount))).toEqual({ success: [domain] });
    expect(needs(deploymentAddress(shop))).toEqual({ success: all(shop, old(mount)), readBack: [shop] });
  });

  test('a referrer without a write is not waited for', () => {
    const { needs } = orderOf([deleted(main, below(env)), actionOf(shop, below(env))], records);
    expect(needs(old(main))).toEqual({});
  });

  test('not when the object is replaced: its referrers get the new one later', () => {
    const letsGo = orderOf([replaced(main, below(env)), updated(shop, below(env)), deployed(shop, [shop])], records);
    expect(letsGo.needs(old(main))).toEqual({});
    const { needs } = orderOf([replaced(main, below(env)), updated(shop, below(env, main))], records);
    expect(needs(old(main))).toEqual({});
    expect(needs(shop)).toEqual({ success: [main] });
  });

  test('an object at the top is deleted after the read-back of their scopes', () => {
    const { needs } = orderOf(
      [deleted(key), updated(shop, below(env)), updated(file, inScope(shop)), deployed(shop, [shop, file])],
      { [shop]: was(env, key), [file]: was(shop, key) },
    );
    expect(needs(old(key))).toEqual({
      success: all(shop, deploymentAddress(shop), file),
      readBack: [shop],
    });
  });

  test('its own scope is read back after its deletion', () => {
    const { needs } = orderOf([deleted(key), updated(file, { scope: key }), updated(shop)], {
      [file]: was(null, key),
      [shop]: was(null, key),
    });
    expect(needs(old(key))).toEqual({ success: all(file, shop), readBack: [shop] });
  });
});

describe('a replaced object', () => {
  test('is deleted before its successor is created', () => {
    const { needs, node, nodes } = orderOf([replaced(main)]);
    expect(nodes.map(({ name }) => name)).toEqual([old(main), main, readBack(main)]);
    expect(needs(old(main))).toEqual({});
    expect(needs(main)).toEqual({ success: [old(main)] });
    expect([node(old(main)).part, node(main).part]).toEqual(['teardown', 'make']);
  });

  test('is deleted once all values of its successor are known', () => {
    const { needs } = orderOf([created(other), replaced(main, { dependsOn: [env, other] }), actionOf(env)]);
    expect(needs(old(main))).toEqual({ success: [other], readBack: [other] });
    expect(needs(main)).toEqual({ success: all(old(main), other) });
    const withEnv = orderOf([updated(env), created(other), replaced(main, { dependsOn: [env, other] })]);
    expect(withEnv.needs(old(main))).toEqual({ success: all(env, other), readBack: all(env, other) });
  });

  test('goes after the old ones that stand below it or refer to it and go, and comes before the new ones', () => {
    const { needs, isBefore } = orderOf(
      [
        replaced(shop, below(env)),
        replaced(domain, inScope(shop)),
        created(file, inScope(shop)),
        deleted(main, below(env)),
      ],
      { [shop]: was(env), [domain]: was(shop), [main]: was(env, shop) },
    );
    expect(needs(old(shop))).toEqual({ success: all(old(domain), old(main)) });
    expect(needs(domain)).toEqual({ success: all(old(domain), shop), over: [removals(shop)] });
    expect(isBefore(old(domain), file)).toBe(true);
  });

  test('below a replaced parent is taken away before the new parent is there, and others still after their values', () => {
    const { needs } = orderOf(
      [replaced(shop), replaced(domain, inScope(shop)), replaced(main, below(env, other)), created(other)],
      { [domain]: was(shop) },
    );
    expect(needs(old(domain))).toEqual({});
    expect(needs(old(main))).toEqual({ success: [other] });
  });

  test('and refers to one that is deleted goes before that', () => {
    const { needs } = orderOf([replaced(main, below(env)), deleted(key)], { [main]: was(env, key) });
    expect(needs(old(key))).toEqual({ success: [old(main)] });
  });

  test('does not wait for another replacement that referred to it: that one waits for the successor', () => {
    const { needs } = orderOf([replaced(main), replaced(other, { dependsOn: [main] })], { [other]: was(null, main) });
    expect(needs(old(main))).toEqual({});
    expect(needs(old(other))).toEqual({ success: [main], readBack: [main] });
  });
});

describe('a deposed object', () => {
  const oldKey = deposedAddress(key);

  test('goes after all that it follows', () => {
    const { needs } = orderOf([
      replaced(key, { teardown: [] }),
      updated(shop, below(env, key)),
      deleted(oldKey, { follows: [key, shop] }),
    ]);
    expect(needs(key)).toEqual({});
    expect(needs(old(oldKey))).toEqual({ success: all(shop, key), readBack: all(shop, key) });
  });

  test('goes after those that depended on its address and go', () => {
    const { needs } = orderOf(
      [replaced(key, { teardown: [] }), deleted(shop, below(env, key)), deleted(oldKey, { follows: [key] })],
      { [shop]: was(env, key) },
    );
    expect(needs(old(oldKey))).toEqual({ success: all(old(shop), key), readBack: [key] });
  });
});

describe('what the platform has inside an object that goes', () => {
  const inside = { [main]: 'id of staging' };

  test.each([
    ['is moved out of it before', actionOf(main, { action: 'move', steps: [aCreate] }), main],
    ['is deleted before', deleted(main), old(main)],
    ['is taken away before, when it is replaced elsewhere', replaced(main), old(main)],
  ])('%s', (_title, guest, before) => {
    const { needs } = orderOf([deleted('staging'), guest], {}, inside);
    expect(needs(old('staging'))).toMatchObject({ success: [before] });
  });

  test('and is neither moved nor deleted is not waited for', () => {
    const { needs } = orderOf([deleted('staging'), updated(main)], {}, inside);
    expect(needs(old('staging'))).toEqual({});
  });

  test('is nothing while the object that goes has no id', () => {
    const { needs } = orderOf([deleted('staging', { id: undefined }), deleted(main)]);
    expect(needs(old('staging'))).toEqual({});
  });

  test('leaves one by one, and what stays elsewhere has nothing to do with it', () => {
    const move = (address: string) => actionOf(address, { action: 'move', steps: [aCreate] });
    const { needs } = orderOf(
      [deleted('staging'), actionOf('testing'), move(main), move(other), move(shop), created(file)],
      {},
      { ...inside, [other]: 'id of staging', [shop]: 'id of testing', staging: 'id of staging' },
    );
    expect(needs(old('staging'))).toMatchObject({ success: all(main, other) });
  });

  test('leaves also an old object that is replaced, and deployed then', () => {
    const { needs } = orderOf([replaced(shop), deleted(main), deployed(shop, [shop])], {}, { [main]: `id of ${shop}` });
    expect(needs(old(shop))).toEqual({ success: [old(main)] });
    expect(needs(shop)).toEqual({ success: [old(shop)] });
  });
});

describe('below a service that stays', () => {
  test('removals go before what is made or changed, and hold it up only while they are under way', () => {
    const { needs, node } = orderOf([
      actionOf(shop),
      deleted(file, inScope(shop)),
      deleted(mount, inScope(shop)),
      created(domain, inScope(shop)),
    ]);
    expect(node(removals(shop))).toEqual({ part: 'hub', name: removals(shop), scope: undefined });
    expect(needs(removals(shop))).toEqual({ over: all(old(file), old(mount)) });
    expect(needs(domain)).toEqual({ success: [shop], over: [removals(shop)] });
  });

  test('what is replaced frees its path and its name before another object takes them', () => {
    const { needs } = orderOf([actionOf(shop), replaced(file, inScope(shop)), created(domain, inScope(shop))]);
    expect(needs(removals(shop))).toEqual({ over: [old(file)] });
    expect(needs(domain)).toEqual({ success: [shop], over: [removals(shop)] });
    expect(needs(old(file))).toEqual({ success: [shop] });
  });

  test('an action without requests waits for no removal, nor does the service itself', () => {
    const { needs } = orderOf([updated(shop), deleted(file, inScope(shop)), actionOf(domain, inScope(shop))]);
    expect(needs(domain)).toEqual({ success: [shop] });
    expect(needs(shop)).toEqual({});
  });

  test('what is below another service does not wait', () => {
    const { needs } = orderOf([
      actionOf(shop),
      deleted(file, inScope(shop)),
      actionOf('production.compose.blog'),
      created('production.compose.blog.domains.www', inScope('production.compose.blog')),
    ]);
    expect(needs('production.compose.blog.domains.www')).toEqual({ success: ['production.compose.blog'] });
  });

  test.each([
    ['that send nothing', deleted(file, { ...inScope(shop), teardown: [] }), shop],
    ['of services, which have scopes of their own,', deleted(main, below(shop)), shop],
    ['below what is not in the plan', deleted(file, inScope('production.compose.blog')), 'production.compose.blog'],
  ])('removals %s hold up nothing', (_title, removal, service) => {
    const { nodes } = orderOf([actionOf(shop), removal, created(domain, inScope(shop))]);
    expect(nodes.map(({ name }) => name)).not.toContain(removals(service));
  });
});

describe('a name that only one object can have', () => {
  const certificate = kindNamed('certificate');
  const [one, two] = ['certificates.one', 'certificates.two'];
  const everyCertificate = removals('every certificate');
  const taking = { ...aCreate, members: { certificatePath: { is: 'id', address: one } } } as const;

  test('is freed, or its holder failed to free it, before another object takes it', () => {
    const { needs } = orderOf([
      created(two, { kind: certificate, steps: [taking] }),
      deleted(one, { kind: certificate }),
      replaced('certificates.three', { kind: certificate }),
      actionOf('certificates.four', { kind: certificate }),
      deleted(main),
    ]);
    expect(needs(two)).toEqual({ over: [everyCertificate] });
    expect(needs(everyCertificate)).toEqual({ over: all(old(one), old('certificates.three')) });
  });

  test('is not waited for by an object without the name, or with it already', () => {
    const { needs } = orderOf([
      deleted(one, { kind: certificate }),
      created(two, { kind: certificate }),
      updated('certificates.three', { kind: certificate, steps: [{ ...taking, role: 'update' }] }),
    ]);
    expect(needs(two)).toEqual({});
    expect(needs('certificates.three')).toEqual({});
  });

  test('is taken over from its own old object in the order of that replacement', () => {
    const { needs } = orderOf([
      replaced(one, { kind: certificate, steps: [taking] }),
      replaced(two, { kind: certificate, teardown: [], steps: [taking] }),
      deleted(deposedAddress(two), { kind: certificate, follows: [two] }),
    ]);
    expect(needs(one)).toEqual({ success: [old(one)], over: [everyCertificate] });
    expect(needs(everyCertificate)).toEqual({ over: all(old(one), old(deposedAddress(two))) });
    // Its own old object goes after it, so that it waits for all others one by one.
    expect(needs(two)).toEqual({ over: [old(one)] });
  });

  test('is taken after the object that has it took another one', () => {
    const named = (address: string, before: string, name: string) =>
      updated(address, {
        kind: kindNamed('tag'),
        attributes: [
          attributeChange('name', {
            before: secret(before),
            wanted: declared(name),
            decision: { do: 'write', cause: 'edit' },
          }),
        ],
      });
    const { needs } = orderOf([named('tags.a', 'x', 'y'), named('tags.b', 'y', 'z'), named('tags.c', 'w', 'w2')]);
    expect([needs('tags.a'), needs('tags.b'), needs('tags.c')]).toEqual([{ over: ['tags.b'] }, {}, {}]);
  });

  test('does not exist for a kind whose names may repeat', () => {
    const sshKey = kindNamed('sshKey');
    const { needs } = orderOf([deleted(key, { kind: sshKey }), created('sshKeys.new', { kind: sshKey })]);
    expect(needs('sshKeys.new')).toEqual({});
  });
});

describe('a deployment', () => {
  test('comes when everything of its service was read back, and after those that it waits for', () => {
    const { needs, node } = orderOf([
      created(shop),
      created(domain, inScope(shop)),
      deleted(file, inScope(shop)),
      created(main),
      deployed(main, [main]),
      deployed(shop, [shop, domain, file, deploymentAddress(main)]),
    ]);
    expect(needs(deploymentAddress(shop))).toEqual({
      success: all(shop, deploymentAddress(main), domain, old(file)),
      readBack: [shop],
    });
    expect(node(deploymentAddress(shop))).toMatchObject({
      part: 'deploy',
      scope: deploymentAddress(shop),
      action: { action: 'deploy', parent: shop },
    });
  });

  test('waits for the deployments behind a service that is not deployed itself, and for none behind one that is', () => {
    const { needs, node } = orderOf([
      updated(main, service),
      updated(other, { ...below(env, main), ...service }),
      actionOf('production.redis.middle', { ...below(env, other), ...service }),
      actionOf('production.redis.middle.mounts.a', inScope('production.redis.middle', 'production.redis.far')),
      actionOf('production.redis.far', { ...below(env, main, 'production.redis.middle'), ...service }),
      updated(shop, { ...below(env), ...service }),
      updated(file, inScope(shop, 'production.redis.middle.mounts.a')),
      updated(env, { dependsOn: ['staging.redis.main'] }),
      updated('staging.redis.main', service),
      deployed('staging.redis.main', ['staging.redis.main']),
      deployed(main, [main]),
      deployed(other, [other, deploymentAddress(main)]),
      deployed(shop, [shop, file]),
    ]);
    const [middle, far] = [referencesDeployed('production.redis.middle'), referencesDeployed('production.redis.far')];
    expect(needs(deploymentAddress(shop))).toEqual({ success: all(shop, file, middle), readBack: [shop] });
    expect(node(middle)).toEqual({ part: 'hub', name: middle, scope: undefined });
    expect(needs(middle)).toEqual({ success: all(deploymentAddress(other), far) });
    // The two refer to each other: the second leaves the first out.
    expect(needs(far)).toEqual({ success: all(deploymentAddress(other), deploymentAddress(main)) });
    expect(needs(deploymentAddress(other))).toEqual({
      success: all(other, deploymentAddress(main)),
      readBack: [other],
    });
  });

  test('waits for a replaced one until the new one is there', () => {
    const { needs } = orderOf([replaced(shop), deployed(shop, [shop])]);
    expect(needs(deploymentAddress(shop))).toEqual({ success: [shop], readBack: [shop] });
  });

  test('waits for no scope of what is not in the plan', () => {
    const { needs } = orderOf([created(shop), deployed(shop, [shop, main])]);
    expect(needs(deploymentAddress(shop))).toEqual({ success: [shop], readBack: [shop] });
  });
});

describe('a preferred edge that would close a circle is left out, and no other:', () => {
  /** A removal below a service that stays, and what is created there. */
  const blog = 'production.compose.blog';
  const beside = [actionOf(blog), deleted(`${blog}.files.a`, inScope(blog)), created(`${blog}.files.b`, inScope(blog))];
  const isBarrier = ({ isBefore }: ReturnType<typeof orderOf>) => isBefore(old(`${blog}.files.a`), `${blog}.files.b`);
  const second = `${shop}.mounts.second`;
  const third = `${shop}.files.third`;

  test('reading back', () => {
    // The key is made from the service and the Redis, and the file of the service from the key.
    const order = orderOf([
      created(shop),
      created(main),
      replaced(key, { dependsOn: [shop, main] }),
      created(file, inScope(shop, key)),
      ...beside,
    ]);
    expect(order.needs(old(key))).toEqual({ success: all(main, shop), readBack: [main] });
    expect(order.needs(file)).toEqual({ success: all(shop, key) });
    expect(isBarrier(order)).toBe(true);
  });

  test('a value that is known before the old object is deleted', () => {
    // On the platform it is inside the one from which it gets a value.
    const order = orderOf(
      [replaced('staging'), replaced(main, below(env, 'staging')), created(env), ...beside],
      {},
      { [main]: 'id of staging' },
    );
    expect(order.needs(old(main))).toEqual({ success: [env] });
    expect(order.needs(old('staging'))).toEqual({ success: [old(main)] });
    expect(order.needs(main)).toEqual({ success: all(env, old(main), 'staging') });
    expect(isBarrier(order)).toBe(true);
  });

  test('a removal before what is made below the same service', () => {
    // The file has to let go of the mount, and would wait for its removal.
    const order = orderOf(
      [
        updated(shop),
        deleted(mount, inScope(shop)),
        deleted(second, inScope(shop)),
        updated(file, inScope(shop)),
        created(third, inScope(shop)),
        ...beside,
      ],
      { [mount]: was(shop), [file]: was(shop, mount) },
    );
    expect(order.needs(old(mount))).toEqual({ success: [file] });
    // Without the hub it still waits for the other removal.
    expect(order.needs(file)).toEqual({ success: [shop], over: [old(second)] });
    expect(order.needs(third)).toEqual({ success: [shop], over: [removals(shop)] });
    expect(order.isBefore(old(mount), third)).toBe(true);
    expect(isBarrier(order)).toBe(true);
  });

  test('of two deleted objects that referred to each other one goes first, and what is below goes first always', () => {
    const order = orderOf([deleted(env), deleted(main, below(env)), deleted(other, below(env)), ...beside], {
      [main]: was(env, other),
      [other]: was(env, main),
    });
    expect(order.needs(old(main))).toEqual({ success: [old(other)] });
    expect(order.needs(old(other))).toEqual({});
    expect(order.needs(old(env))).toEqual({ success: all(old(main), old(other)) });
    expect(isBarrier(order)).toBe(true);
  });

  test('of two services whose files refer to each other one is deployed first', () => {
    const page = `${blog}.files.page`;
    const order = orderOf([
      created(shop, service),
      created(file, inScope(shop, blog)),
      created(blog, service),
      created(page, inScope(blog, shop)),
      deployed(shop, [shop, file, deploymentAddress(blog)]),
      deployed(blog, [blog, page, deploymentAddress(shop)]),
    ]);
    expect(order.needs(deploymentAddress(shop))).toEqual({
      success: all(shop, file, deploymentAddress(blog)),
      readBack: [shop],
    });
    expect(order.needs(deploymentAddress(blog))).toEqual({ success: all(blog, page), readBack: [blog] });
  });

  test('the order of deployments has priority over letting go of what is deleted', () => {
    // The blog refers to the shop, and no longer to its mount; the shop is deployed when the mount is removed.
    const order = orderOf(
      [
        updated(shop, service),
        deleted(mount, inScope(shop)),
        updated(blog, { ...below(env, shop), ...service }),
        deployed(shop, [shop, mount]),
        deployed(blog, [blog, deploymentAddress(shop)]),
      ],
      { [mount]: was(shop), [blog]: was(env, shop, mount) },
    );
    expect(order.needs(deploymentAddress(shop))).toEqual({ success: all(shop, old(mount)), readBack: [shop] });
    expect(order.needs(deploymentAddress(blog))).toEqual({
      success: all(blog, deploymentAddress(shop)),
      readBack: [blog],
    });
    expect(order.needs(old(mount))).toEqual({ success: [blog] });
  });

  test('removals have priority over values that are known before', () => {
    const certificate = kindNamed('certificate');
    const taking = { ...aCreate, members: { certificatePath: { is: 'id', address: key } } } as const;
    const [one, two] = ['certificates.one', 'certificates.two'];
    const order = orderOf([
      created(two, { kind: certificate, steps: [taking] }),
      created(main),
      replaced(one, { kind: certificate, dependsOn: [two, main] }),
    ]);
    expect(order.needs(two)).toEqual({ over: [removals('every certificate')] });
    expect(order.needs(old(one))).toEqual({ success: [main], readBack: [main] });
  });

  test('all preferred edges, when each would close a circle', () => {
    const guest = 'production.redis.guest';
    const { nodes, isBefore } = orderOf(
      [
        // What refers to the new object stands in the scope of what leaves the old one.
        replaced('staging'),
        actionOf(shop, { ...below(env), action: 'move', steps: [aCreate] }),
        created(domain, inScope(shop, 'staging')),
        // It gets a value from the one that it is inside of.
        replaced(guest, below(env, 'staging')),
        // What is to let go of the removed one would wait for its removal.
        deleted(mount, inScope(shop)),
        updated(file, inScope(shop)),
        // Both referred to each other.
        deleted(main, below(env)),
        deleted(other, below(env)),
      ],
      { [mount]: was(shop), [file]: was(shop, mount), [main]: was(env, other), [other]: was(env, main) },
      { [shop]: 'id of staging', [guest]: 'id of staging' },
    );
    expect(nodes.filter(({ name }) => isBefore(name, name))).toEqual([]);
    expect([isBefore(shop, old('staging')), isBefore(old(guest), old('staging'))]).toEqual([true, true]);
  });

  test('a name that only one can have is taken before it is free, when its holder waits for that', () => {
    const certificate = kindNamed('certificate');
    const taking = { ...aCreate, members: { certificatePath: { is: 'id', address: key } } } as const;
    const order = orderOf([
      created(main, { kind: certificate, steps: [taking] }),
      deleted(key, { kind: certificate, follows: [main] }),
      deleted('certificates.free', { kind: certificate }),
    ]);
    expect(order.needs(main)).toEqual({ over: [old('certificates.free')] });
    expect(order.needs(old(key))).toEqual({ success: [main], readBack: [main] });
  });
});

describe('work grows with the plan, and not with its square:', () => {
  const each = <T>(count: number, one: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => one(n));
  const certificate = kindNamed('certificate');
  const taking = { ...aCreate, members: { certificatePath: { is: 'id', address: key } } } as const;
  const made = (address: string, ...referred: string[]) => [
    created(address, { ...below(env, ...referred), ...service }),
    deployed(address, [address]),
  ];
  const [source, user] = [(n: number) => `staging.redis.s${n}`, (n: number) => `production.redis.u${n}`];

  test.each<[string, (count: number) => Plan]>([
    [
      'many services that mention a variable that refers to many others',
      (count) =>
        planOf([
          ...each(count, (n) => made(source(n))).flat(),
          updated(env, { dependsOn: each(count, source) }),
          ...each(count, (n) => [
            created(user(n), { ...below(env), ...service }),
            deployed(user(n), [user(n), env]),
          ]).flat(),
        ]),
    ],
    [
      'many services that refer to one, which is not deployed and refers to many others',
      (count) =>
        planOf([
          ...each(count, (n) => made(source(n))).flat(),
          actionOf(main, { ...below(env, ...each(count, source)), ...service }),
          ...each(count, (n) => made(user(n), main)).flat(),
        ]),
    ],
    [
      'many removals and many creations below one service',
      (count) =>
        planOf([
          actionOf(shop),
          ...each(count, (n) => deleted(`${shop}.domains.a${n}`, inScope(shop))),
          ...each(count, (n) => created(`${shop}.domains.b${n}`, inScope(shop))),
        ]),
    ],
    [
      'many removals and many creations of a kind of which only one can have a name',
      (count) =>
        planOf([
          ...each(count, (n) => deleted(`certificates.a${n}`, { kind: certificate })),
          ...each(count, (n) => created(`certificates.b${n}`, { kind: certificate, steps: [taking] })),
        ]),
    ],
    [
      'many services whose files refer to each other in one circle',
      (count) =>
        planOf(
          each(count, (n) => [
            created(user(n), service),
            created(`${user(n)}.files.a`, inScope(user(n), user((n + 1) % count))),
            deployed(user(n), [user(n), `${user(n)}.files.a`, deploymentAddress(user((n + 1) % count))]),
          ]).flat(),
        ),
    ],
    [
      'many that referred to one that is deleted',
      (count) =>
        planOf(
          [deleted(key), ...each(count, (n) => [updated(user(n), service), deployed(user(n), [user(n)])]).flat()],
          Object.fromEntries(each(count, (n) => [user(n), was(null, key)])),
        ),
    ],
  ])('%s', (_title, made) => {
    const sizes = [200, 400].map((count) => {
      const plan = made(count);
      let reads = 0;
      const counted = plan.actions.map(
        (action) =>
          new Proxy(action, {
            get: (target, name) => {
              reads++;
              return Reflect.get(target, name) as unknown;
            },
          }),
      );
      const { nodes, edges } = planNodes({ ...plan, actions: counted });
      return { reads, nodes: nodes.length, edges: edges.length };
    });
    const [few, many] = sizes;
    expect(few?.edges).toBeGreaterThan(400);
    for (const what of ['reads', 'nodes', 'edges'] as const)
      expect(many?.[what]).toBeLessThan((few?.[what] ?? 0) * 2.1);
  });
});

test('an empty plan has nothing to do', () => {
  expect(orderOf([]).nodes).toEqual([]);
});
