import { describe, expect, test } from 'vitest';
import { contains } from '../../src/kind/shared-set.ts';
import type { Resource } from '../../src/manifest/resource.ts';
import type { Settings } from '../../src/manifest/settings.ts';
import type { ObservedObject } from '../../src/observe/observed.ts';
import type { Action, AttributeChange, Member, Plan } from '../../src/plan/action.ts';
import type { PlanFile } from '../../src/plan/plan-file.ts';
import { isIntact, planFacts, planFile, platformName } from '../../src/plan/plan-facts.ts';
import { secret } from '../../src/secrets/secret.ts';
import type { StateRecord } from '../../src/state/record.ts';
import {
  actionOf,
  anything,
  declared,
  here,
  inputOf,
  kindNamed,
  lacking,
  objectOf,
  pairOf,
  attributeChange,
  recordOf,
  referring,
  resourceOf,
} from '../support/plan-values.ts';
import { testKey } from '../support/state-key.ts';

/** What a plan file holds. Here its digests hide nothing, so that they show what they are made of. */

const same = (text: string): string => text;
const clear = { planMac: same, encryptPlan: same };
const of = (...scope: readonly unknown[]): string => JSON.stringify(['fact', ...scope]);
const main = 'production.redis.main';
const host = { address: 'production.redis.other', output: 'host' };

const signed = (address: string, path: string, content: unknown): string => {
  const [kind = '', ...rest] = path.split(' ');
  return of(address, kind, rest.join(' '), content);
};

const manifest = {
  settings: { platform: { emulator: true }, project: 'prj_1', moved: [] } as const,
  resources: [],
  accepted: [],
};

interface About {
  readonly actions?: readonly Action[];
  readonly resources?: readonly Resource[];
  readonly objects?: Readonly<Record<string, ObservedObject>>;
  readonly records?: Readonly<Record<string, StateRecord>>;
  readonly moved?: Settings['moved'];
  readonly isNew?: boolean;
  readonly destroys?: boolean;
}

function planOf({ actions = [], objects = {}, records = {}, isNew = false, destroys = false }: About): Plan {
  const { state, observed } = inputOf(objects, records);
  const saved = isNew ? undefined : state;
  return { base: state, saved, observed, actions, destroys, narrowed: undefined, diagnostics: [] };
}

function fileOf(about: About): PlanFile {
  const { resources = [], moved = [], destroys = false } = about;
  const purpose = {
    manifest: { settings: { platform: { emulator: true }, project: 'prj_1', moved } as const, resources, accepted: [] },
    deploys: true,
    destroys,
  };
  return planFile(planOf(about), purpose, { version: '1.2.3', at: '2026-01-02T03:04:05Z', shown: 'a plan' }, clear);
}

/** The facts of an action, but for what it is and which object it is about. */
function factsIn(action: Action, about: About = {}): Record<string, string> {
  const all = fileOf({ ...about, actions: [action, ...(about.actions ?? [])] }).facts[action.address] ?? {};
  return Object.fromEntries(Object.entries(all).filter(([path]) => !/^(action |id$)/.test(path)));
}

const stepOf = (members: Readonly<Record<string, Member>>) =>
  ({ operation: 'redis.update', role: 'update', members, changed: ['a'] }) as const;

describe('the plan file', () => {
  test('names the platform, the project and the state of the plan', () => {
    const { mac, ...file } = fileOf({ records: { [main]: recordOf('redis', 'r') } });
    expect(file).toEqual({
      format: 'trueup/plan-file',
      version: 6,
      madeBy: '1.2.3',
      madeAt: '2026-01-02T03:04:05Z',
      root: 'trueup.yaml',
      platform: 'emulator',
      organizationId: 'org_1',
      projectId: 'prj_1',
      deploys: true,
      destroys: false,
      narrowing: { targets: [], excludes: [], replaces: [] },
      state: {
        lineage: 'lineage',
        serial: 3,
        content: of('state', [
          { [main]: { dependsOn: [], id: 'r', kind: 'redis', options: {}, pairs: {}, parent: null } },
          {},
        ]),
      },
      moved: of('moved', []),
      accepted: of('accepted', []),
      facts: {},
      shown: 'a plan',
    });
    expect(JSON.parse(mac)).toEqual(['file', { ...file, mac: '' }]);
  });

  test('names the version of the platform that the state knows', () => {
    const plan = planOf({});
    const platform = { version: 'v0.30.2', operations: [], sought: '' };
    const facts = planFacts({ ...plan, base: { ...plan.base, platform } }, manifest, clear);
    expect(facts.platformVersion).toBe('v0.30.2');
  });

  test('holds a digest of accepted drift without its lines', () => {
    const entry = { because: 'b', by: 'ada', kind: 'redis', objectId: 'r', until: '2026-12-01' };
    const { accepted } = planFacts(planOf({}), { ...manifest, accepted: [{ ...entry, position: here }] }, clear);
    expect(accepted).toBe(of('accepted', [entry]));
  });

  test('holds the lineage of the first state, and no key, when there is no state', () => {
    expect(fileOf({ isNew: true }).state).toEqual({ lineage: 'lineage' });
  });

  test('holds a digest of moved: without its lines', () => {
    const { at } = declared(null);
    const moved = [{ from: 'a', to: 'b', at }];
    expect(fileOf({ moved }).moved).toBe(of('moved', [['a', 'b']]));
  });

  test('holds no declared facts when the plan destroys', () => {
    const { at } = declared(null);
    const resources = [resourceOf(kindNamed('redis'), main)];
    const file = fileOf({ resources, moved: [{ from: 'a', to: 'b', at }], destroys: true });
    expect([file.facts, file.moved]).toEqual([{}, of('moved', [])]);
  });

  test('is intact until somebody changes a member of it', () => {
    const file = fileOf({ resources: [resourceOf(kindNamed('redis'), main)] });
    expect(isIntact(file, clear)).toBe(true);
    expect(isIntact({ ...file, deploys: false }, clear)).toBe(false);
    expect(isIntact(file, { planMac: (text) => `${text}, made with another key` })).toBe(false);
    const { [main]: facts = {} } = file.facts;
    const others = [{}, { [main]: {} }, { [main]: { ...facts, consent: '' } }, { [main]: { ...facts, block: 'x' } }];
    for (const forged of others) expect(isIntact({ ...file, facts: forged }, clear)).toBe(false);
  });

  test('names a platform by its normalized URL', () => {
    expect(platformName({ emulator: true })).toBe('emulator');
    for (const url of ['https://deploy.example.com', 'https://deploy.example.com//', 'HTTPS://Deploy.example.com:443/'])
      expect(platformName({ url })).toBe('https://deploy.example.com');
    expect(platformName({ url: 'https://example.com/deploy/' })).toBe('https://example.com/deploy');
  });
});

test('makes its digests with the key of plan files, bound to address and path', () => {
  const resource = resourceOf(kindNamed('redis'), main, { fields: { dockerImage: declared('redis:8') } });
  const about = {
    manifest: {
      settings: { platform: { emulator: true }, project: 'prj_1', moved: [] } as const,
      resources: [resource],
      accepted: [],
    },
  };
  const purpose = { ...about, deploys: true, destroys: false };
  const file = planFile(planOf({}), purpose, { version: '', at: '', shown: '' }, testKey);
  const text = signed(main, 'declared dockerImage', { value: 'redis:8' });
  expect(file.facts[main]?.['declared dockerImage']).toBe(testKey.planMac(text));
  expect(isIntact(file, testKey)).toBe(true);
});

describe('the facts of a declared resource', () => {
  const declaredIn = (resource: Resource) => fileOf({ resources: [resource] }).facts[main];
  const at = (path: string, content: unknown) => ({ [`declared ${path}`]: signed(main, `declared ${path}`, content) });
  const redis = (more: Partial<Resource>) => resourceOf(kindNamed('redis'), main, more);
  const block = { block: '' };

  test('hold each field at its path in YAML', () => {
    expect(declaredIn(redis({ fields: { dockerImage: declared('redis:8') } }))).toStrictEqual({
      ...block,
      ...at('dockerImage', { value: 'redis:8' }),
      ...at('envMode', 'own'),
    });
    const shop = resourceOf(kindNamed('compose'), main, { fields: { composeFile: declared('a') } });
    expect(declaredIn(shop)).toMatchObject(at('source.composeFile', { value: 'a' }));
  });

  test('hold the missing secrets of a value, and its references', () => {
    const fields = { a: declared('a', true), b: lacking('S'), c: referring(host) };
    expect(declaredIn(redis({ fields }))).toStrictEqual({
      ...block,
      ...at('a', { value: 'a' }),
      ...at('b', { shape: { is: 'text', pieces: [{ from: 'secret', name: 'S' }] } }),
      'missing b': signed(main, 'missing b', ['S']),
      ...at('c', { shape: { is: 'text', pieces: [{ address: host.address, output: host.output }] } }),
      ...at('envMode', 'own'),
    });
  });

  test('hold each key of a map, and the map itself when it is empty', () => {
    const maps = { env: new Map([['A', declared('1')]]) };
    expect(declaredIn(redis({ maps, mapMode: 'merge' }))).toStrictEqual({
      ...block,
      ...at('env', 'a map'),
      ...at('env.A', { value: '1' }),
      ...at('envMode', 'merge'),
    });
    expect(declaredIn(redis({ maps: { env: new Map() } }))).toHaveProperty('declared env');
  });

  test('hold the options and the pinned id', () => {
    const found = declaredIn(redis({ options: { protect: true }, pinned: 'redis_1' }));
    expect(found).toMatchObject({ ...at('protect', true), ...at('id', 'redis_1') });
    expect(declaredIn(redis({}))).not.toHaveProperty('declared id');
    expect(declaredIn(resourceOf(kindNamed('sshKey'), main))).toStrictEqual(block);
  });
});

describe('the facts of an action', () => {
  test('hold its id, warnings, data at risk and consent; a no-op has no facts', () => {
    const action = actionOf(main, {
      action: 'adopt',
      needsConsent: true,
      dataAtRisk: 'its data',
      notes: [
        { code: 'goes-along', severity: 'warning', message: 'beware' },
        { code: 'released', severity: 'note', message: 'by the way' },
      ],
    });
    expect(fileOf({ actions: [actionOf('production'), action] }).facts).toStrictEqual({
      [main]: { 'action adopt': '', id: `id of ${main}`, 'warning beware': '', risk: 'its data', consent: '' },
    });
    const plain = actionOf(main, { action: 'create', id: undefined });
    expect(fileOf({ actions: [plain] }).facts).toStrictEqual({ [main]: { 'action create': '' } });
  });

  test('stand beside the declared facts of the same address', () => {
    const resources = [resourceOf(kindNamed('sshKey'), main)];
    expect(fileOf({ resources, actions: [actionOf(main, { action: 'update' })] }).facts).toStrictEqual({
      [main]: { block: '', 'action update': '', id: `id of ${main}` },
    });
  });

  test.each<[Action['action'], string | undefined, readonly string[]]>([
    ['create', undefined, ['action create']],
    ['update', 'i', ['action update']],
    ['move', 'i', ['action move', 'action update']],
    ['replace', 'i', ['action replace']],
    ['delete', 'i', ['action delete', 'action forget gone']],
    ['adopt', 'i', ['action adopt']],
    ['forget', 'i', ['action forget', 'action forget gone']],
    ['forget', undefined, ['action forget gone']],
    ['deploy', 'i', ['action deploy']],
  ])('of a %s (id: %s) hold the actions that it may become', (action, id, paths) => {
    const facts = fileOf({ actions: [actionOf(main, { action, id })] }).facts[main] ?? {};
    expect(Object.keys(facts).filter((path) => path !== 'id')).toEqual(paths);
    expect(facts['id']).toBe(id);
  });

  test('hold every request and every member, and no value', () => {
    const members: Record<string, Member> = {
      a: { is: 'value', value: secret({ x: 1 }) },
      b: { is: 'wanted', field: anything, wanted: declared('b') },
      c: {
        is: 'map',
        field: anything,
        name: 'c',
        entries: new Map([
          ['Z', declared('z')],
          ['A', declared('a')],
          ['M', declared('m', true)],
        ]),
        keepOthers: true,
        removed: ['OLD', 'a key'],
      },
      d: { is: 'set', field: anything, wanted: declared(['d']), formerly: ['x', 'y'] },
      e: { is: 'id', address: 'production' },
      f: { is: 'as read', from: 'gitProvider.name' },
      g: { is: 'mark' },
    };
    const remove = { operation: 'redis.remove', role: 'delete', members: {}, changed: [] } as const;
    const action = actionOf(main, { action: 'replace', steps: [stepOf(members)], teardown: [remove] });
    const step = 'redis.update:update';
    const member = (name: string, content: unknown) => ({
      [`member ${step} ${name}`]: signed(main, `member ${step} ${name}`, content),
    });
    const entries = { A: { value: 'a' }, M: { value: 'm' }, Z: { value: 'z' } };
    expect(factsIn(action)).toStrictEqual({
      'send redis.remove:delete': '',
      'order redis.remove:delete in teardown': '',
      [`send ${step}`]: '',
      [`order ${step} in steps`]: '',
      [`order ${step} after redis.remove:delete`]: '',
      [`changed ${step} a`]: '',
      ...member('a', { value: { x: 1 } }),
      ...member('b', { value: 'b' }),
      ...member('c', { entries, keepsOthers: true }),
      [`member ${step} c OLD`]: '',
      [`member ${step} c a key`]: '',
      ...member('d', { formerly: ['x', 'y'], set: { value: ['d'] } }),
      ...member('e', { address: 'production', is: 'id' }),
      ...member('f', { from: 'gitProvider.name', is: 'as read' }),
      ...member('g', { is: 'mark' }),
    });
  });

  test('hold each of several requests with the same operation', () => {
    const [one, other] = ['x', 'y'].map((value) => stepOf({ a: { is: 'value', value: secret(value) } }));
    if (one === undefined || other === undefined) throw new Error('there are two');
    const facts = factsIn(actionOf(main, { action: 'update', steps: [one, other, one] }));
    const paths = Object.keys(facts).filter((path) => path.startsWith('send '));
    expect(paths.length).toBe(3);
    expect(paths[0]).toBe('send redis.update:update');
    const values = Object.entries(facts).flatMap(([path, value]) => (path.startsWith('member ') ? [value] : []));
    expect(values.map((value) => (JSON.parse(value) as unknown[]).at(-1))).toEqual(
      ['x', 'y', 'x'].map((value) => ({ value })),
    );
  });

  describe('hold a value', () => {
    const valueOf = (wanted: AttributeChange['wanted'], about: About = {}) => {
      if (wanted === undefined) throw new Error('nothing is wanted');
      const steps = [stepOf({ a: { is: 'wanted', field: anything, wanted } })];
      return factsIn(actionOf(main, { action: 'update', steps }), about)['member redis.update:update a'];
    };
    const at = (content: unknown) => signed(main, 'member redis.update:update a', content);
    const other = objectOf('r', { appName: 'other-abc' });
    const known = at({ value: 'other-abc' });
    const later = at({
      after: ['production.redis.other.host'],
      shape: { is: 'text', pieces: [{ address: host.address, output: 'host' }] },
    });

    test('with the output of an object that stays', () => {
      const about = { objects: { [host.address]: other } };
      expect(valueOf(referring(host), { ...about, actions: [actionOf(host.address)] })).toBe(known);
    });

    test('with the reference when the object is created or missing', () => {
      const about = { objects: { [host.address]: other } };
      expect(valueOf(referring(host), { ...about, actions: [actionOf(host.address, { action: 'replace' })] })).toBe(
        later,
      );
      expect(valueOf(referring(host), { actions: [actionOf(host.address)] })).toBe(later);
      expect(valueOf(referring(host), about)).toBe(later);
    });

    test('with the name of a missing secret', () => {
      expect(valueOf(lacking('S'))).toBe(at({ shape: { is: 'text', pieces: [{ from: 'secret', name: 'S' }] } }));
    });
  });
});

describe('the facts of overwritten and deleted values', () => {
  const was = factsIn;
  const write = { do: 'write', cause: 'edit' } as const;
  const at = (path: string, content: unknown) => ({ [`was ${path}`]: signed(main, `was ${path}`, content) });

  test('hold what the platform has where the action writes', () => {
    const attributes = [
      attributeChange('dockerImage', { decision: write, before: secret('redis:7') }),
      attributeChange('env', {
        attribute: { field: 'env', key: 'A' },
        decision: { do: 'remove' },
        before: secret('1'),
        wanted: undefined,
      }),
      attributeChange('name', { before: secret('stays') }),
      attributeChange('description', { decision: { do: 'release' }, before: secret('stays') }),
    ];
    expect(was(actionOf(main, { action: 'update', attributes }))).toStrictEqual({
      ...at('dockerImage', 'redis:7'),
      ...at('env.A', '1'),
    });
    for (const action of ['create', 'replace'] as const)
      expect(was(actionOf(main, { action, attributes }))).toEqual({});
  });

  test('hold the normal form of a value', () => {
    const field = kindNamed('redis').fields['networkIds'] ?? anything;
    const attributes = [attributeChange('networkIds', { field, decision: write, before: secret(['b', 'a']) })];
    expect(was(actionOf(main, { action: 'update', attributes }))).toStrictEqual(at('networkIds', ['a', 'b']));
  });

  test('hold one digest per member of a set that the platform adds to', () => {
    const field = { ...anything, codec: contains };
    const attributes = [attributeChange('a', { field, decision: write, before: secret(['y', 'x']) })];
    const member = (id: string) => signed(main, 'was a', id);
    expect(was(actionOf(main, { action: 'update', attributes }))).toStrictEqual({
      'was a': `${member('x')} ${member('y')}`,
    });
    const none = [attributeChange('a', { field, decision: write, before: secret([]) })];
    expect(was(actionOf(main, { action: 'update', attributes: none }))).toStrictEqual({ 'was a': '' });
  });

  test('hold every settled field of a deleted or replaced object', () => {
    const pairs = {
      dockerImage: pairOf('a'),
      'env["A"]': pairOf('1'),
      'env["B"]': pairOf('2'),
      description: pairOf('d'),
      lost: pairOf('x'),
    };
    const records = { [main]: recordOf('redis', 'r', { pairs }) };
    const objects = { [main]: objectOf('r', { dockerImage: 'redis:7', env: 'A=1\nB=2', name: 'not declared' }) };
    const all = { ...at('dockerImage', 'redis:7'), ...at('env', 'A=1\nB=2'), ...at('description', '') };
    for (const action of ['delete', 'replace'] as const)
      expect(was(actionOf(main, { action }), { records, objects })).toStrictEqual(all);
    expect(was(actionOf(main, { action: 'delete' }), { records })).toEqual({});
    expect(was(actionOf(main, { action: 'delete' }), { objects })).toEqual({});
    expect(was(actionOf(main, { action: 'forget' }), { records, objects })).toEqual({});
  });

  test('hold the settled fields of a deposed object, from the record of its successor', () => {
    const kind = kindNamed('sshKey');
    const old = `${main} (old)`;
    const records = { [main]: recordOf('sshKey', 'k', { pairs: { name: pairOf('a') } }) };
    const objects = { [old]: objectOf('k', { name: 'a' }) };
    expect(was(actionOf(old, { kind, action: 'delete' }), { records, objects })).toStrictEqual({
      'was name': signed(old, 'was name', 'a'),
    });
  });
});
