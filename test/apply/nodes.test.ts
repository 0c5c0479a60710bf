import { describe, expect, test } from 'vitest';
import type { ApplyNode } from '../../src/apply/nodes.ts';
import { planNodes } from '../../src/apply/nodes.ts';
import { deployAddress, oldAddress } from '../../src/kind/address.ts';
import type { Action } from '../../src/plan/action.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { actionOf, aStep, inputOf, kindNamed, objectOf, recordOf } from '../support/made-up.ts';

/** The order in which the actions of a plan are carried out: what each of them waits for, and how. */

const env = 'production';
const shop = 'production.compose.shop';
const domain = 'production.compose.shop.domains.www';
const mount = 'production.compose.shop.mounts.data';
const file = 'production.compose.shop.files.settings';
const main = 'production.redis.main';
const other = 'production.redis.other';
const key = 'sshKeys.deploy';

const aCreate = { operation: 'redis.create', role: 'create', members: {}, changed: [] } as const;

const created = (address: string, more: Partial<Action> = {}) =>
  actionOf(address, { action: 'create', id: undefined, steps: [aCreate], ...more });
const updated = (address: string, more: Partial<Action> = {}) =>
  actionOf(address, { action: 'update', steps: [aCreate], ...more });
const deleted = (address: string, more: Partial<Action> = {}) =>
  actionOf(address, { action: 'delete', teardown: [aStep], ...more });
const replaced = (address: string, more: Partial<Action> = {}) =>
  actionOf(address, { action: 'replace', teardown: [aStep], steps: [aCreate], ...more });
const deployed = (service: string, dependsOn: readonly string[]) =>
  actionOf(deployAddress(service), {
    action: 'deploy',
    id: `id of ${service}`,
    parent: service,
    dependsOn,
    steps: [aStep],
  });

/** Declared below a parent, with what else it refers to; what stands below a service shares its lane. */
const below = (parent: string, ...referred: string[]) => ({ parent, dependsOn: [parent, ...referred] });
const inLane = (parent: string, ...referred: string[]) => ({ ...below(parent, ...referred), lane: parent });

/** What was applied last: the parent, and what was referred to. */
const was = (parent: string | null, ...referred: string[]): StateRecord =>
  recordOf('redis', 'id', { parent, dependsOn: [...(parent === null ? [] : [parent]), ...referred] });

const old = (address: string) => `${address} (teardown)`;
const removals = (service: string) => `${service} (removals)`;

/** Several names, where their order says nothing. */
const all = (...names: string[]) => names.toSorted();

interface Needs {
  readonly after?: readonly string[];
  readonly behind?: readonly string[];
  readonly settled?: readonly string[];
}

/** The order of a plan; `inside` says in which object the platform has one. */
function orderOf(
  actions: readonly Action[],
  records: Readonly<Record<string, StateRecord>> = {},
  inside: Readonly<Record<string, string>> = {},
) {
  const objects = Object.entries(inside).map(([address, parentId]) => [address, objectOf('id', {}, { parentId })]);
  const { state, saved, observed } = inputOf(Object.fromEntries(objects), records);
  const nodes = planNodes({ base: state, saved, observed, actions, diagnostics: [] });

  const node = (name: string): ApplyNode => {
    const found = nodes.filter((item) => item.name === name);
    if (found[0] === undefined || found.length > 1) throw new Error(`there are ${found.length} nodes ${name}`);
    return found[0];
  };
  /** What one node itself waits for. */
  const needs = (name: string): Needs => {
    const { after, behind, settled } = node(name);
    const lists = Object.entries({ after, behind, settled }).map(([how, list]) => [how, [...new Set(list)].toSorted()]);
    return Object.fromEntries(lists.filter(([, list]) => list?.length !== 0));
  };
  /** Whether one node is over before another begins, be it through others; of one and the same: a circle. */
  const isBefore = (first: string, name: string): boolean => {
    const found = new Set<string>();
    const open = [node(name)];
    for (const { after, behind, settled } of open) {
      const before = nodes.filter((item) => [...after, ...behind].includes(item.name) || settled.includes(item.lane));
      open.push(...before.filter((item) => !found.has(item.name)));
      for (const item of before) found.add(item.name);
    }
    return found.has(node(first).name);
  };
  return { nodes, node, needs, isBefore };
}

describe('what is made', () => {
  test('comes after its parent and what it refers to', () => {
    const { needs, node } = orderOf([
      created(shop, below(env, main)),
      created(domain, inLane(shop)),
      created(main, below(env)),
      created(env),
    ]);
    expect(needs(env)).toEqual({});
    expect(needs(main)).toEqual({ after: [env] });
    expect(needs(shop)).toEqual({ after: all(env, main) });
    expect(needs(domain)).toEqual({ after: [shop] });
    expect(node(domain)).toMatchObject({ part: 'make', lane: shop, action: { address: domain } });
  });

  test('waits for nothing that is not in the plan, or that goes', () => {
    const { needs } = orderOf([created(main, below(env, 'production.redis.gone')), deleted('production.redis.gone')]);
    expect(needs(main)).toEqual({});
  });

  test('takes no place from others unless it is a deployment', () => {
    const { nodes } = orderOf([created(env), deleted(main), created(shop), deployed(shop, [shop])]);
    expect(nodes.map(({ name, part, isWaiting }) => [name, part, isWaiting])).toEqual([
      [env, 'make', undefined],
      [old(main), 'teardown', undefined],
      [shop, 'make', undefined],
      [deployAddress(shop), 'deploy', true],
    ]);
  });
});

describe('what is deleted', () => {
  test('goes after what is below it', () => {
    const { needs, node } = orderOf([deleted(env), deleted(shop, below(env)), deleted(domain, inLane(shop))], {
      [shop]: was(env),
      [domain]: was(shop),
    });
    expect(needs(old(env))).toEqual({ after: [old(shop)] });
    expect(needs(old(shop))).toEqual({ after: [old(domain)] });
    expect(needs(old(domain))).toEqual({});
    expect(node(old(domain))).toMatchObject({ part: 'teardown', lane: shop, action: { address: domain } });
  });

  test('goes after what it takes along without a request', () => {
    const { needs } = orderOf([deleted(shop), deleted(domain, { ...inLane(shop), teardown: [] })], {
      [domain]: was(shop),
    });
    expect(needs(old(shop))).toEqual({ after: [old(domain)] });
  });

  test('does not wait for what stood below it and is only forgotten, or is moved away', () => {
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
    expect(needs(old(main))).toEqual({ after: [old(shop)] });
    expect(needs(old(shop))).toEqual({});
  });
});

describe('who referred to a deleted object lets go first:', () => {
  const records = { [main]: was(env), [shop]: was(env, main) };

  test('with the write that says so', () => {
    const { needs } = orderOf([deleted(main, below(env)), updated(shop, below(env))], records);
    expect(needs(old(main))).toEqual({ after: [shop] });
    expect(needs(shop)).toEqual({});
  });

  test('with its deployment, when it runs elsewhere', () => {
    const { needs } = orderOf([deleted(main, below(env)), updated(shop, below(env)), deployed(shop, [shop])], records);
    expect(needs(old(main))).toEqual({ after: all(shop, deployAddress(shop)) });
  });

  test('with the deployment alone, when all was written before', () => {
    const { needs } = orderOf([deleted(main, below(env)), actionOf(shop, below(env)), deployed(shop, [shop])], records);
    expect(needs(old(main))).toEqual({ after: [deployAddress(shop)] });
  });

  test('without the deployment of its own service, which comes later', () => {
    const { needs } = orderOf(
      [updated(shop), deleted(mount, inLane(shop)), updated(domain, inLane(shop)), deployed(shop, [shop, mount])],
      { [mount]: was(shop), [domain]: was(shop, mount) },
    );
    expect(needs(old(mount))).toEqual({ after: [domain] });
    expect(needs(deployAddress(shop))).toEqual({ after: all(shop, old(mount)), settled: [shop] });
  });

  test('nobody is waited for who has nothing to write', () => {
    const { needs } = orderOf([deleted(main, below(env)), actionOf(shop, below(env))], records);
    expect(needs(old(main))).toEqual({});
  });

  test('of one that is only replaced nobody does, and who still refers to it gets the new one later', () => {
    const letsGo = orderOf([replaced(main, below(env)), updated(shop, below(env)), deployed(shop, [shop])], records);
    expect(letsGo.needs(old(main))).toEqual({});
    const { needs } = orderOf([replaced(main, below(env)), updated(shop, below(env, main))], records);
    expect(needs(old(main))).toEqual({});
    expect(needs(shop)).toEqual({ after: [main] });
  });

  test('one at the top goes when it was seen in their lanes that they did', () => {
    const { needs } = orderOf(
      [deleted(key), updated(shop, below(env)), updated(file, inLane(shop)), deployed(shop, [shop, file])],
      { [shop]: was(env, key), [file]: was(shop, key) },
    );
    expect(needs(old(key))).toEqual({
      after: all(shop, deployAddress(shop), file),
      settled: all(shop, deployAddress(shop)),
    });
  });

  test('its own lane is not waited for, which is over only after it', () => {
    const { needs } = orderOf([deleted(key), updated(file, { lane: key }), updated(shop)], {
      [file]: was(null, key),
      [shop]: was(null, key),
    });
    expect(needs(old(key))).toEqual({ after: all(file, shop), settled: [shop] });
  });
});

describe('what is replaced', () => {
  test('is taken away before it is made', () => {
    const { needs, node, nodes } = orderOf([replaced(main)]);
    expect(nodes).toHaveLength(2);
    expect(needs(old(main))).toEqual({});
    expect(needs(main)).toEqual({ after: [old(main)] });
    expect([node(old(main)).part, node(main).part]).toEqual(['teardown', 'make']);
  });

  test('is taken away when what the new one is made from is known', () => {
    const { needs } = orderOf([created(other), replaced(main, { dependsOn: [env, other] }), actionOf(env)]);
    expect(needs(old(main))).toEqual({ after: all(env, other), settled: all(env, other) });
    expect(needs(main)).toEqual({ after: all(env, old(main), other) });
  });

  test('goes after the old ones that stand below it or refer to it and go, and comes before the new ones', () => {
    const { needs, isBefore } = orderOf(
      [
        replaced(shop, below(env)),
        replaced(domain, inLane(shop)),
        created(file, inLane(shop)),
        deleted(main, below(env)),
      ],
      { [shop]: was(env), [domain]: was(shop), [main]: was(env, shop) },
    );
    expect(needs(old(shop))).toEqual({ after: all(old(domain), old(main)) });
    expect(needs(domain)).toEqual({ after: all(old(domain), shop) });
    expect(isBefore(old(domain), file)).toBe(true);
  });

  test('below a replaced parent is taken away before the new parent is there, and others still after their values', () => {
    const { needs } = orderOf(
      [replaced(shop), replaced(domain, inLane(shop)), replaced(main, below(env, other)), created(other)],
      { [domain]: was(shop) },
    );
    expect(needs(old(domain))).toEqual({});
    expect(needs(old(main))).toEqual({ after: [other] });
  });

  test('waits with its old object for no other replacement that referred to it: that one waits for the new', () => {
    const { needs } = orderOf([replaced(main), replaced(other, { dependsOn: [main] })], { [other]: was(null, main) });
    expect(needs(old(main))).toEqual({});
    expect(needs(old(other))).toEqual({ after: [main], settled: [main] });
  });
});

describe('an old object beside its new one', () => {
  const oldKey = oldAddress(key);

  test('goes after all that it follows', () => {
    const { needs } = orderOf([
      replaced(key, { teardown: [] }),
      updated(shop, below(env, key)),
      deleted(oldKey, { follows: [key, shop] }),
    ]);
    expect(needs(key)).toEqual({});
    expect(needs(old(oldKey))).toEqual({ after: all(shop, key), settled: all(shop, key) });
  });

  test('goes after those that depended on its address and go', () => {
    const { needs } = orderOf(
      [replaced(key, { teardown: [] }), deleted(shop, below(env, key)), deleted(oldKey, { follows: [key] })],
      { [shop]: was(env, key) },
    );
    expect(needs(old(oldKey))).toEqual({ after: all(old(shop), key), settled: [key] });
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
    expect(needs(old('staging'))).toMatchObject({ after: [before] });
  });

  test('and is neither moved nor deleted is not waited for', () => {
    const { needs } = orderOf([deleted('staging'), updated(main)], {}, inside);
    expect(needs(old('staging'))).toEqual({});
  });

  test('leaves one by one, and what stays elsewhere has nothing to do with it', () => {
    const move = (address: string) => actionOf(address, { action: 'move', steps: [aCreate] });
    const { needs } = orderOf(
      [deleted('staging'), actionOf('testing'), move(main), move(other), move(shop), created(file)],
      {},
      { ...inside, [other]: 'id of staging', [shop]: 'id of testing', staging: 'id of staging' },
    );
    expect(needs(old('staging'))).toMatchObject({ after: all(main, other) });
  });

  test('leaves also an old object that is replaced, and deployed then', () => {
    const { needs } = orderOf([replaced(shop), deleted(main), deployed(shop, [shop])], {}, { [main]: `id of ${shop}` });
    expect(needs(old(shop))).toEqual({ after: [old(main)] });
    expect(needs(shop)).toEqual({ after: [old(shop)] });
  });
});

describe('below a service that stays', () => {
  test('removals go before what is made or changed, and hold it up only while they are under way', () => {
    const { needs, node } = orderOf([
      actionOf(shop),
      deleted(file, inLane(shop)),
      deleted(mount, inLane(shop)),
      created(domain, inLane(shop)),
    ]);
    expect(node(removals(shop))).toMatchObject({ part: 'barrier', lane: shop, action: { address: shop } });
    expect(needs(removals(shop))).toEqual({ behind: all(old(file), old(mount)) });
    expect(needs(domain)).toEqual({ after: [shop], behind: [removals(shop)] });
  });

  test('what sends nothing waits for no removal, and neither does the service itself', () => {
    const { needs } = orderOf([updated(shop), deleted(file, inLane(shop)), actionOf(domain, inLane(shop))]);
    expect(needs(domain)).toEqual({ after: [shop] });
    expect(needs(shop)).toEqual({});
  });

  test('what is below another service does not wait', () => {
    const { needs } = orderOf([
      actionOf(shop),
      deleted(file, inLane(shop)),
      actionOf('production.compose.blog'),
      created('production.compose.blog.domains.www', inLane('production.compose.blog')),
    ]);
    expect(needs('production.compose.blog.domains.www')).toEqual({ after: ['production.compose.blog'] });
  });

  test.each([
    ['that send nothing', deleted(file, { ...inLane(shop), teardown: [] }), shop],
    ['of services, which have lanes of their own,', deleted(main, below(shop)), shop],
    ['that make room for a new one', replaced(file, inLane(shop)), shop],
    ['below what is not in the plan', deleted(file, inLane('production.compose.blog')), 'production.compose.blog'],
  ])('removals %s are no barrier', (_title, removal, service) => {
    const { nodes } = orderOf([actionOf(shop), removal, created(domain, inLane(shop))]);
    expect(nodes.map(({ name }) => name)).not.toContain(removals(service));
  });
});

describe('what there can be only one of', () => {
  const certificate = kindNamed('certificate');
  const [one, two] = ['certificates.one', 'certificates.two'];
  const taking = { ...aCreate, members: { certificatePath: { is: 'id', address: one } } } as const;

  test('is free before another takes it, or could not be freed', () => {
    const { needs } = orderOf([
      created(two, { kind: certificate, steps: [taking] }),
      deleted(one, { kind: certificate }),
      replaced('certificates.three', { kind: certificate }),
      actionOf('certificates.four', { kind: certificate }),
      deleted(main),
    ]);
    expect(needs(two)).toEqual({ behind: all(old(one), old('certificates.three')) });
  });

  test('is waited for by nobody who does without, or has it already', () => {
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
      deleted(oldAddress(two), { kind: certificate, follows: [two] }),
    ]);
    expect(needs(one)).toEqual({ after: [old(one)], behind: [old(oldAddress(two))] });
    expect(needs(two)).toEqual({ behind: [old(one)] });
  });

  test('is nothing of a kind of which there can be many', () => {
    const sshKey = kindNamed('sshKey');
    const { needs } = orderOf([deleted(key, { kind: sshKey }), created('sshKeys.new', { kind: sshKey })]);
    expect(needs('sshKeys.new')).toEqual({});
  });
});

describe('a deployment', () => {
  test('comes when everything of its service was read back, and after those that it waits for', () => {
    const { needs, node } = orderOf([
      created(shop),
      created(domain, inLane(shop)),
      deleted(file, inLane(shop)),
      created(main),
      deployed(main, [main]),
      deployed(shop, [shop, domain, file, deployAddress(main)]),
    ]);
    expect(needs(deployAddress(shop))).toEqual({
      after: all(shop, deployAddress(main), domain, old(file)),
      settled: [shop],
    });
    expect(node(deployAddress(shop))).toMatchObject({
      part: 'deploy',
      lane: deployAddress(shop),
      action: { action: 'deploy', parent: shop },
    });
  });

  test('waits for a replaced one until the new one is there', () => {
    const { needs } = orderOf([replaced(shop), deployed(shop, [shop])]);
    expect(needs(deployAddress(shop))).toEqual({ after: [shop], settled: [shop] });
  });

  test('waits in no lane of what is not in the plan', () => {
    const { node } = orderOf([created(shop), deployed(shop, [shop, main])]);
    expect(node(deployAddress(shop)).settled).toEqual([shop]);
  });
});

describe('where a wish would close a circle it gives way, the least first:', () => {
  /** A removal below a service that stays, and what is made there: both wishes hold where nothing contradicts. */
  const blog = 'production.compose.blog';
  const beside = [actionOf(blog), deleted(`${blog}.files.a`, inLane(blog)), created(`${blog}.files.b`, inLane(blog))];
  const isBarrier = ({ isBefore }: ReturnType<typeof orderOf>) => isBefore(old(`${blog}.files.a`), `${blog}.files.b`);

  test('that lanes are read back', () => {
    // The key is made from the service, and the file of the service from the key.
    const order = orderOf([
      created(shop),
      replaced(key, { dependsOn: [shop] }),
      created(file, inLane(shop, key)),
      ...beside,
    ]);
    expect(order.needs(old(key))).toEqual({ after: [shop] });
    expect(order.needs(file)).toEqual({ after: all(shop, key) });
    expect(isBarrier(order)).toBe(true);
  });

  test('then that values are known before the old object goes', () => {
    // On the platform it is inside the one from which it gets a value.
    const order = orderOf(
      [replaced('staging'), replaced(main, below(env, 'staging')), created(env), ...beside],
      {},
      { [main]: 'id of staging' },
    );
    expect(order.needs(old(main))).toEqual({});
    expect(order.needs(old('staging'))).toEqual({ after: [old(main)] });
    expect(order.needs(main)).toEqual({ after: all(env, old(main), 'staging') });
    expect(isBarrier(order)).toBe(true);
  });

  test('then that removals go first', () => {
    // What has to let go of the removed one would wait for its removal.
    const order = orderOf([updated(shop), deleted(mount, inLane(shop)), updated(file, inLane(shop)), ...beside], {
      [mount]: was(shop),
      [file]: was(shop, mount),
    });
    expect(order.needs(old(mount))).toEqual({ after: [file] });
    expect(order.needs(file)).toEqual({ after: [shop] });
    expect(isBarrier(order)).toBe(false);
  });

  test('then that who refers to a deleted object lets go before, and never that what is below goes first', () => {
    const order = orderOf([deleted(env), deleted(main, below(env)), deleted(other, below(env)), ...beside], {
      [main]: was(env, other),
      [other]: was(env, main),
    });
    expect(order.needs(old(main))).toEqual({});
    expect(order.needs(old(other))).toEqual({});
    expect(order.needs(old(env))).toEqual({ after: all(old(main), old(other)) });
    expect(isBarrier(order)).toBe(false);
  });

  test('all of them, when each would close one', () => {
    const guest = 'production.redis.guest';
    const { nodes, isBefore } = orderOf(
      [
        // What refers to the new object stands in the lane of what leaves the old one.
        replaced('staging'),
        actionOf(shop, { ...below(env), action: 'move', steps: [aCreate] }),
        created(domain, inLane(shop, 'staging')),
        // It gets a value from the one that it is inside of.
        replaced(guest, below(env, 'staging')),
        // What is to let go of the removed one would wait for its removal.
        deleted(mount, inLane(shop)),
        updated(file, inLane(shop)),
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

  test('a path that there can be only one of is taken before it is free, when its holder waits for that', () => {
    const certificate = kindNamed('certificate');
    const taking = { ...aCreate, members: { certificatePath: { is: 'id', address: key } } } as const;
    const order = orderOf([
      created(main, { kind: certificate, steps: [taking] }),
      deleted(key, { kind: certificate, follows: [main] }),
    ]);
    expect(order.needs(main)).toEqual({});
    expect(order.needs(old(key))).toEqual({ after: [main] });
  });
});

test('an empty plan has nothing to do', () => {
  expect(orderOf([]).nodes).toEqual([]);
});
