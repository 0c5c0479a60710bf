import { describe, expect, test } from 'vitest';
import { contains } from '../../src/kind/shared-set.ts';
import type { Resource } from '../../src/manifest/resource.ts';
import type { ObservedObject } from '../../src/observe/observed.ts';
import type { Action, Member, AttributeChange } from '../../src/plan/action.ts';
import type { PlanFile } from '../../src/plan/file.ts';
import type { FileInput } from '../../src/plan/fingerprint.ts';
import { isIntact, planFile, platformName } from '../../src/plan/fingerprint.ts';
import { secret } from '../../src/secrets/secret.ts';
import type { StateRecord } from '../../src/state/record.ts';
import {
  actionOf,
  anything,
  declared,
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

/** What a plan file holds. Here its digests hide nothing, so that they show what they are made of. */

const digest = (text: string): string => text;
const of = (...scope: readonly unknown[]): string => JSON.stringify(['plan file', ...scope]);
const main = 'production.redis.main';
const host = { address: 'production.redis.other', output: 'host' };

interface About {
  readonly actions?: readonly Action[];
  readonly resources?: readonly Resource[];
  readonly objects?: Readonly<Record<string, ObservedObject>>;
  readonly records?: Readonly<Record<string, StateRecord>>;
  readonly more?: Partial<FileInput>;
  readonly isNew?: boolean;
}

function fileOf({
  actions = [],
  resources = [],
  objects = {},
  records = {},
  more = {},
  isNew = false,
}: About): PlanFile {
  const { state, observed } = inputOf(objects, records);
  const plan = { base: state, saved: isNew ? undefined : state, observed, actions, diagnostics: [] };
  return planFile({
    plan,
    resources,
    settings: { platform: 'emulator', moved: [] },
    deploys: true,
    destroys: false,
    madeBy: '1.2.3',
    madeAt: '2026-01-02T03:04:05Z',
    digest,
    ...more,
  });
}

const actionIn = (action: Action, about: About = {}) =>
  fileOf({ ...about, actions: [action, ...(about.actions ?? [])] }).actions[0];
const stepOf = (members: Readonly<Record<string, Member>>) =>
  ({ operation: 'redis.update', role: 'update', members, changed: ['a'] }) as const;

describe('the file', () => {
  test('names what the plan is for and what it was made from', () => {
    const { seal: sealed, ...file } = fileOf({ records: { [main]: recordOf('redis', 'r') } });
    expect(file).toEqual({
      format: 'trueup/plan-file',
      version: 1,
      madeBy: '1.2.3',
      madeAt: '2026-01-02T03:04:05Z',
      platform: 'emulator',
      organizationId: 'org_1',
      projectId: 'prj_1',
      deploys: true,
      destroys: false,
      state: {
        lineage: 'lineage',
        serial: 3,
        content: of('state', {
          [main]: { dependsOn: [], id: 'r', kind: 'redis', options: {}, pairs: {}, parent: null },
        }),
      },
      moved: of('moved', []),
      resources: [],
      actions: [],
    });
    expect(JSON.parse(sealed)).toEqual(['plan file', 'seal', { ...file, seal: '' }]);
  });

  test('has what the first state is to begin with where there is none', () => {
    expect(fileOf({ isNew: true }).state).toEqual({ lineage: 'lineage', digestKey: 'key' });
  });

  test('says what moved: says, without its place in the manifest', () => {
    const { at } = declared(null);
    const moved = [{ from: 'a', to: 'b', at }];
    expect(fileOf({ more: { settings: { platform: 'emulator', moved } } }).moved).toBe(of('moved', [['a', 'b']]));
  });

  test('is as it was made when nothing in it was changed', () => {
    const file = fileOf({});
    expect(isIntact(file, digest)).toBe(true);
    expect(isIntact({ ...file, deploys: false }, digest)).toBe(false);
    expect(isIntact(file, (text) => `${text}, made with another key`)).toBe(false);
  });

  test('names a platform by its address, however it is written', () => {
    expect(platformName('emulator')).toBe('emulator');
    for (const url of ['https://deploy.example.com', 'https://deploy.example.com//', 'HTTPS://Deploy.example.com:443/'])
      expect(platformName({ url })).toBe('https://deploy.example.com');
    expect(platformName({ url: 'https://example.com/deploy/' })).toBe('https://example.com/deploy');
  });
});

describe('of everything that is declared', () => {
  const declaredIn = (resource: Resource) =>
    Object.fromEntries(
      fileOf({ resources: [resource] }).resources[0]?.declared.map(({ path, value }) => [path, value]) ?? [],
    );
  const at = (path: string, content: unknown) => ({ digest: of(main, path, content) });
  const redis = (more: Partial<Resource>) => resourceOf(kindNamed('redis'), main, more);

  test('it has the fields, where they stand in YAML', () => {
    expect(declaredIn(redis({ fields: { dockerImage: declared('redis:8') } }))).toStrictEqual({
      dockerImage: at('dockerImage', { value: 'redis:8' }),
      envMode: at('envMode', 'own'),
    });
    const shop = resourceOf(kindNamed('compose'), main, { fields: { composeFile: declared('a') } });
    expect(declaredIn(shop)['source.composeFile']).toEqual(at('source.composeFile', { value: 'a' }));
  });

  test('it tells what a secret flowed into, what needs one that the run does not have, and what is not known yet', () => {
    const fields = { a: declared('a', true), b: lacking('S'), c: referring(host) };
    expect(declaredIn(redis({ fields }))).toStrictEqual({
      a: { ...at('a', { value: 'a' }), concealed: true },
      b: { ...at('b', { shape: { is: 'text', pieces: [{ secret: 'S' }] } }), concealed: true, missing: ['S'] },
      c: at('c', { shape: { is: 'text', pieces: [{ address: host.address, output: host.output }] } }),
      envMode: at('envMode', 'own'),
    });
  });

  test('it has the keys of maps, and that there is a map, also an empty one', () => {
    const maps = { env: new Map([['A', declared('1')]]) };
    expect(declaredIn(redis({ maps, mapMode: 'merge' }))).toStrictEqual({
      env: at('env', 'a map'),
      'env.A': at('env.A', { value: '1' }),
      envMode: at('envMode', 'merge'),
    });
    expect(declaredIn(redis({ maps: { env: new Map() } }))).toHaveProperty('env');
  });

  test('it has the options and the id that is pinned', () => {
    const found = declaredIn(redis({ options: { protect: true }, pinned: 'redis_1' }));
    expect(found).toMatchObject({ protect: at('protect', true), id: at('id', 'redis_1') });
    expect(declaredIn(redis({}))).not.toHaveProperty('id');
    expect(declaredIn(resourceOf(kindNamed('sshKey'), main))).toStrictEqual({});
  });
});

describe('of each action', () => {
  test('it has what changes something, with what was warned of', () => {
    const action = actionOf(main, {
      action: 'adopt',
      needsConsent: true,
      dataAtRisk: 'its data',
      notes: [
        { code: 'goes-along', severity: 'warning', message: 'beware' },
        { code: 'released', severity: 'note', message: 'by the way' },
      ],
    });
    expect(fileOf({ actions: [actionOf('production'), action] }).actions).toStrictEqual([
      {
        address: main,
        action: 'adopt',
        id: `id of ${main}`,
        teardown: [],
        steps: [],
        before: [],
        needsConsent: true,
        dataAtRisk: 'its data',
        warnings: ['beware'],
      },
    ]);
    const plain = actionIn(actionOf(main, { action: 'create', id: undefined }));
    expect(plain).toStrictEqual({ address: main, action: 'create', teardown: [], steps: [], before: [], warnings: [] });
  });

  test('it has every request with every member, and no value', () => {
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
        removed: ['OLD'],
      },
      d: { is: 'set', field: anything, wanted: declared(['d']), formerly: ['x', 'y'] },
      e: { is: 'id', address: 'production' },
      f: { is: 'as read', from: 'gitProvider.name' },
      g: { is: 'mark' },
    };
    const step = stepOf(members);
    const filed = actionIn(actionOf(main, { action: 'update', steps: [step], teardown: [{ ...step, members: {} }] }));
    const scope = (...rest: readonly unknown[]) => of(main, 'redis.update', ...rest);
    expect(filed?.teardown).toEqual([{ operation: 'redis.update', role: 'update', members: [], changed: ['a'] }]);
    expect(filed?.steps).toStrictEqual([
      {
        operation: 'redis.update',
        role: 'update',
        changed: ['a'],
        members: [
          { is: 'value', name: 'a', value: { digest: scope('a', { value: { x: 1 } }) } },
          { is: 'value', name: 'b', value: { digest: scope('b', { value: 'b' }) } },
          {
            is: 'map',
            name: 'c',
            keepsOthers: true,
            entries: [
              { key: 'A', value: { digest: scope('c', 'A', { value: 'a' }) } },
              { key: 'M', value: { digest: scope('c', 'M', { value: 'm' }), concealed: true } },
              { key: 'Z', value: { digest: scope('c', 'Z', { value: 'z' }) } },
            ],
            removed: ['OLD'],
          },
          {
            is: 'set',
            name: 'd',
            value: { digest: scope('d', { value: ['d'] }) },
            formerly: scope('d', 'formerly', ['x', 'y']),
          },
          { is: 'id', name: 'e', of: 'production' },
          { is: 'as read', name: 'f', from: 'gitProvider.name' },
          { is: 'mark', name: 'g' },
        ],
      },
    ]);
  });

  describe('it has a value as far as it is known:', () => {
    const valueOf = (wanted: AttributeChange['wanted'], about: About = {}) => {
      if (wanted === undefined) throw new Error('nothing is wanted');
      const steps = [stepOf({ a: { is: 'wanted', field: anything, wanted } })];
      const [member] = actionIn(actionOf(main, { action: 'update', steps }), about)?.steps[0]?.members ?? [];
      return member?.is === 'value' ? member.value : undefined;
    };
    const other = objectOf('r', { appName: 'other-abc' });
    const known = { digest: of(main, 'redis.update', 'a', { value: 'other-abc' }) };
    const later = {
      digest: of(main, 'redis.update', 'a', {
        shape: { is: 'text', pieces: [{ address: host.address, output: 'host' }] },
      }),
      after: ['production.redis.other.host'],
    };

    test('with an output of something that stays', () => {
      const about = { objects: { [host.address]: other } };
      expect(valueOf(referring(host), { ...about, actions: [actionOf(host.address)] })).toStrictEqual(known);
    });

    test('and not with one of what is made, or of what is not there', () => {
      const about = { objects: { [host.address]: other } };
      expect(
        valueOf(referring(host), { ...about, actions: [actionOf(host.address, { action: 'replace' })] }),
      ).toStrictEqual(later);
      expect(valueOf(referring(host), { actions: [actionOf(host.address)] })).toStrictEqual(later);
      expect(valueOf(referring(host), about)).toStrictEqual(later);
    });

    test('and not without its secret', () => {
      expect(valueOf(lacking('S'))).toStrictEqual({
        digest: of(main, 'redis.update', 'a', { shape: { is: 'text', pieces: [{ secret: 'S' }] } }),
        concealed: true,
        missing: ['S'],
      });
    });
  });
});

describe('of what is overwritten, and of what goes', () => {
  const was = (action: Action, about: About = {}) => actionIn(action, about)?.before;
  const write = { do: 'write', cause: 'edit' } as const;
  const at = (path: string, content: unknown) => ({ path, was: [of(main, 'before', path, content)] });

  test('it has what was there before', () => {
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
    expect(was(actionOf(main, { action: 'update', attributes }))).toStrictEqual([
      at('dockerImage', 'redis:7'),
      at('env.A', '1'),
    ]);
    for (const action of ['create', 'replace'] as const)
      expect(was(actionOf(main, { action, attributes }))).toEqual([]);
  });

  test('it has that in the form that stands for all that mean the same', () => {
    const field = kindNamed('redis').fields['networkIds'] ?? anything;
    const attributes = [attributeChange('networkIds', { field, decision: write, before: secret(['b', 'a']) })];
    expect(was(actionOf(main, { action: 'update', attributes }))).toStrictEqual([at('networkIds', ['a', 'b'])]);
  });

  test('it has each member of a set that others add to by itself', () => {
    const field = { ...anything, codec: contains };
    const attributes = [attributeChange('a', { field, decision: write, before: secret(['y', 'x']) })];
    const member = (id: string) => of(main, 'before', 'a', 'member', id);
    expect(was(actionOf(main, { action: 'update', attributes }))).toStrictEqual([
      { path: 'a', was: [member('x'), member('y')] },
    ]);
  });

  test('it has the outputs in what is wanted there', () => {
    const attributes = [
      attributeChange('dockerImage', { decision: write, before: secret('x'), wanted: referring(host) }),
    ];
    expect(was(actionOf(main, { action: 'update', attributes }))).toStrictEqual([
      { ...at('dockerImage', 'x'), refersTo: ['production.redis.other.host'] },
    ]);
  });

  test('it has everything that is known to be ours of what goes', () => {
    const pairs = {
      dockerImage: pairOf('a'),
      'env["A"]': pairOf('1'),
      'env["B"]': pairOf('2'),
      description: pairOf('d'),
      lost: pairOf('x'),
    };
    const records = { [main]: recordOf('redis', 'r', { pairs }) };
    const objects = { [main]: objectOf('r', { dockerImage: 'redis:7', env: 'A=1\nB=2', name: 'not declared' }) };
    const all = [at('dockerImage', 'redis:7'), at('env', 'A=1\nB=2'), at('description', '')];
    for (const action of ['delete', 'replace'] as const)
      expect(was(actionOf(main, { action }), { records, objects })).toStrictEqual(all);
    expect(was(actionOf(main, { action: 'delete' }), { records })).toEqual([]);
    expect(was(actionOf(main, { action: 'delete' }), { objects })).toEqual([]);
    expect(was(actionOf(main, { action: 'forget' }), { records, objects })).toEqual([]);
  });

  test('it has that of an old object, which the state knows by the address of the new one', () => {
    const kind = kindNamed('sshKey');
    const old = `${main} (old)`;
    const records = { [main]: recordOf('sshKey', 'k', { pairs: { name: pairOf('a') } }) };
    const objects = { [old]: objectOf('k', { name: 'a' }) };
    expect(was(actionOf(old, { kind, action: 'delete' }), { records, objects })).toStrictEqual([
      { path: 'name', was: [of(old, 'before', 'name', 'a')] },
    ]);
  });
});
