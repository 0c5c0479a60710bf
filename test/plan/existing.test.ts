import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import type { ChangeAtRisk } from '../../src/kind/lifecycle.ts';
import type { Resource } from '../../src/manifest/resource.ts';
import type { ObservedObject } from '../../src/observe/observed.ts';
import type { Action } from '../../src/plan/action.ts';
import { needsConsent } from '../../src/plan/action.ts';
import { planExisting } from '../../src/plan/existing.ts';
import type { StateRecord } from '../../src/state/record.ts';
import {
  actionOf,
  creating,
  declared,
  documentedKind,
  here,
  inputOf,
  kindNamed,
  objectOf,
  pairOf,
  recordOf,
  referring,
  resourceOf,
} from '../support/plan-values.ts';

/** A block whose object the platform has. */

const at = 'production.redis.main';
const production = actionOf('production', { kind: kindNamed('environment'), id: 'env_1' });
const image = { dockerImage: declared('redis:8') };
const settledImage = (value: string) => recordOf('redis', 'redis_1', { pairs: { dockerImage: pairOf(value) } });

interface About {
  /** `--replace` names it. */
  readonly isRequested?: boolean;
  readonly kind?: Kind;
  readonly resource?: Partial<Resource>;
  readonly row?: Row;
  readonly object?: Partial<ObservedObject>;
  readonly record?: StateRecord;
  readonly parent?: Action | undefined;
}

function plan(about: About): Action {
  const { kind = kindNamed('redis'), row = { dockerImage: 'redis:8' } } = about;
  const found = objectOf('redis_1', row, { parentId: 'env_1', ...about.object });
  const known = inputOf({ [at]: found }, about.record === undefined ? {} : { [at]: about.record });
  const replaces = about.isRequested === true ? [at] : [];
  const input = { ...known, narrowing: { ...known.narrowing, replaces } };
  const resource = resourceOf(kind, at, { fields: image, ...about.resource });
  const parent = 'parent' in about ? about.parent : production;
  return planExisting(input, resource, found, { parent, awaited: [] });
}

const told = ({ notes }: Action) =>
  notes.map(({ code, message, remedy, removal = '' }) => `${code}: ${message} | ${remedy ?? removal}`);
const codes = ({ notes }: Action) => notes.map(({ code }) => code);

describe('an object that the platform has', () => {
  test('stays as it is when nothing is to be changed', () => {
    const action = plan({ record: settledImage('redis:8') });
    expect(action).toMatchObject({
      address: at,
      action: 'no-op',
      id: 'redis_1',
      changes: [],
      teardown: [],
      steps: [],
      dataAtRisk: undefined,
      kept: 'as wanted',
      notes: [],
    });
    expect(action.attributes.map(({ attribute, decision }) => [attribute, decision])).toEqual([
      [{ field: 'dockerImage' }, { do: 'nothing', settled: true }],
    ]);
  });

  test('is updated when a declared field differs', () => {
    expect(plan({ row: { dockerImage: 'redis:7' }, record: settledImage('redis:7') })).toMatchObject({
      action: 'update',
      changes: [{ path: 'dockerImage', cause: 'edit' }],
      steps: [{ operation: 'redis.update' }],
    });
  });

  test('is moved when the manifest gives it another parent', () => {
    const moved = plan({ object: { parentId: 'env_2' }, row: { dockerImage: 'redis:7' } });
    expect(moved).toMatchObject({ action: 'move', notes: [] });
    expect(moved.steps).toMatchObject([
      { operation: 'redis.move', members: { targetEnvironmentId: { is: 'id', address: 'production' } } },
      { operation: 'redis.update' },
    ]);
    // One that is only made has no id yet.
    expect(plan({ parent: { ...production, id: undefined } }).action).toBe('move');
    expect(plan({ parent: undefined }).action).toBe('move');
  });

  test('is refused at the top when it belongs to another project or organization', () => {
    const kind = kindNamed('environment');
    const about = { kind, resource: { fields: {} }, row: {}, parent: undefined };
    expect(plan({ ...about, object: { parentId: 'prj_1' } }).notes).toEqual([]);
    expect(plan({ ...about, object: { parentId: undefined } }).notes).toEqual([]);
    expect(told(plan({ ...about, object: { parentId: 'prj_2' } }))).toEqual([
      `cannot-change: ${at} belongs to another project or organization on the platform | Declare it where it is, or correct id:.`,
    ]);
    const ai = { ...about, kind: kindNamed('ai') };
    expect(plan({ ...ai, object: { parentId: 'org_1' } }).notes).toEqual([]);
    expect(plan({ ...ai, object: { parentId: 'prj_1' } }).notes).toHaveLength(1);
  });

  test('is moved without a search through all objects for each', () => {
    const names = ['production.redis.a', 'production.redis.b', 'production.redis.c'];
    const row = { dockerImage: 'redis:8' };
    const input = inputOf(Object.fromEntries(names.map((name) => [name, objectOf(name, row, { parentId: 'env_2' })])));
    let searches = 0;
    const objects = new Proxy(input.observed.objects, {
      get: (map, name) => {
        if (name === 'values' || name === 'entries' || name === Symbol.iterator) searches++;
        const member: unknown = Reflect.get(map, name);
        return typeof member === 'function' ? (member.bind(map) as unknown) : member;
      },
    });
    const planning = { ...input, observed: { ...input.observed, objects } };
    const moves = names.map((name) => {
      const resource = resourceOf(kindNamed('redis'), name, { fields: image });
      const found = objectOf(name, row, { parentId: 'env_2' });
      return planExisting(planning, resource, found, { parent: production, awaited: [] }).action;
    });
    expect(moves).toEqual(['move', 'move', 'move']);
    expect(searches).toBeLessThan(2);
  });

  test('is refused under another parent when the platform cannot move it, or when it would be adopted', () => {
    const below = {
      object: { parentId: 'compose_2' },
      parent: actionOf('production.compose.shop', { id: 'compose_1' }),
    };
    const domain = plan({
      kind: kindNamed('domain'),
      resource: { fields: {}, parent: 'production.compose.shop' },
      row: {},
      ...below,
    });
    expect(told(domain)).toEqual([
      `cannot-change: ${at} belongs to another parent on the platform | The platform cannot move a domain: remove the entry of moved:, so that it is deleted and created.`,
    ]);
    expect(domain.notes[0]).toMatchObject({ address: at, position: here });
    for (const foundBy of ['key', 'pin'] as const) {
      expect(told(plan({ object: { parentId: 'env_2', foundBy } }))).toEqual([
        `cannot-change: ${at} belongs to another parent on the platform | Declare it where it is, or correct id:.`,
      ]);
    }
  });
});

describe('an object that the state does not know', () => {
  test.each(['key', 'pin'] as const)('is adopted when it is found by its %s', (foundBy) => {
    expect(plan({ object: { foundBy } })).toMatchObject({ action: 'adopt', changes: [], id: 'redis_1' });
  });

  test('is compared without the settled pairs of the object before it', () => {
    const row = { dockerImage: 'redis:7' };
    const [change] = plan({ object: { foundBy: 'key' }, row, record: settledImage('redis:6') }).changes;
    expect(change?.cause).toBe('first managed');
    const [known] = plan({ object: { foundBy: 'pending create' }, row, record: settledImage('redis:6') }).changes;
    expect(known?.cause).toBe('conflict');
  });

  test('is compared with the fields of its pending create, and with newer settled pairs first', () => {
    const row = { dockerImage: 'redis:7', description: 'x' };
    const says = { dockerImage: { value: 'redis:7' }, description: { value: 'y' } };
    const record = recordOf('redis', null, { pending: creating({ says }) });
    const fields = { ...image, description: declared('z') };
    const causes = (known: StateRecord) =>
      plan({ object: { foundBy: 'pending create' }, row, record: known, resource: { fields } }).changes.map(
        ({ cause }) => cause,
      );
    expect(causes(record)).toEqual(['conflict', 'edit']);
    expect(causes({ ...record, pairs: { description: pairOf('x') } })).toEqual(['edit', 'edit']);
    expect(causes(recordOf('redis', null, { pending: creating() }))).toEqual(['first managed', 'first managed']);
  });

  test('needs consent when it is found by its key, and none when it is pinned or its create is pending', () => {
    expect(plan({ object: { foundBy: 'key' } })).toMatchObject({ from: 'key', needsConsent: true });
    expect(plan({ object: { foundBy: 'pin' } })).toMatchObject({ from: 'pin', needsConsent: false });
    expect(plan({ object: { foundBy: 'pending create' } })).toMatchObject({ action: 'no-op' });
  });
});

describe('an object that the platform creates by itself', () => {
  const kind = kindNamed('environment');
  const environment = (fields: Resource['fields'], row: Row, about: About = {}) =>
    plan({
      kind,
      parent: undefined,
      row,
      ...about,
      resource: { fields, ...about.resource },
      object: { parentId: 'prj_1', foundBy: 'key', isProvided: true, ...about.object },
    });

  test('is adopted without consent when no value of it is overwritten', () => {
    const fields = { description: declared('Ours') };
    for (const description of ['', null, 'Production environment'])
      expect(environment(fields, { description })).toMatchObject({ action: 'adopt', needsConsent: false });
    expect(environment(fields, { description: 'Of somebody' })).toMatchObject({ action: 'adopt', needsConsent: true });
    expect(needsConsent(environment({ description: declared('Of somebody') }, { description: 'Of somebody' }))).toBe(
      false,
    );
    expect(needsConsent(environment(fields, { description: 'Of somebody' }, { object: { foundBy: 'pin' } }))).toBe(
      false,
    );
    const maps = { env: new Map([['A', declared('1')]]) };
    expect(needsConsent(environment({}, { env: 'B=1' }, { resource: { maps } }))).toBe(true);
  });

  test('keeps the fields that the platform does not let anybody change, also after the adoption', () => {
    for (const foundBy of ['key', 'id'] as const) {
      const named = environment({ name: declared('live') }, { name: 'production' }, { object: { foundBy } });
      expect(codes(named)).toEqual(['cannot-change']);
    }
    const own = environment({ name: declared('live') }, { name: 'old' }, { object: { isProvided: false } });
    expect(codes(own)).toEqual([]);
  });

  test('is refused where it may not be managed, unless the state has its id', () => {
    const mount = (about: Partial<ObservedObject>) =>
      plan({
        kind: kindNamed('mount'),
        resource: { fields: { mountPath: declared('/data') } },
        row: { mountPath: '/data' },
        parent: { ...production },
        object: { isProvided: true, ...about },
      });
    expect(told(mount({ foundBy: 'key' }))).toEqual([
      `cannot-change: ${at} is the one that the platform made by itself | Remove the block: it is not to be managed.`,
    ]);
    expect(mount({ foundBy: 'id' }).notes).toEqual([]);
    expect(mount({ foundBy: 'key', isProvided: false }).notes).toEqual([]);
  });
});

describe('a change that needs a new object', () => {
  const server = { serverId: declared('srv_2') };
  const row = { serverId: 'srv_1' };
  const record = recordOf('redis', 'redis_1', { pairs: { serverId: pairOf('srv_1') } });
  const fields = { name: declared('main'), databasePassword: declared('p'), ...server };

  test('replaces it: the old one goes, and the new one is made', () => {
    const action = plan({ resource: { fields }, row: { ...row, name: 'main', databasePassword: 'p' }, record });
    expect(action).toMatchObject({
      action: 'replace',
      order: 'delete first',
      by: 'request',
      isRequested: false,
      id: 'redis_1',
      changes: [{ path: 'serverId', forcesReplacement: true }],
      teardown: [{ operation: 'redis.remove' }],
      steps: [{ operation: 'redis.create' }],
      dataAtRisk: 'the data of this database',
      notes: [],
    });
    expect(action.attributes.map(({ decision }) => decision)).toEqual([
      { do: 'write', cause: 'create' },
      { do: 'write', cause: 'create' },
      { do: 'write', cause: 'create' },
    ]);
    expect(action.attributes.every(({ pair }) => pair === undefined)).toBe(true);
  });

  test('is refused where the new one cannot be made, where the old one is protected, and where it is pinned', () => {
    expect(codes(plan({ resource: { fields: server }, row, record }))).toEqual(['cannot-create']);
    expect(told(plan({ resource: { fields, options: { protect: true } }, row, record }))[0]).toMatch(
      /^protected: production\.redis\.main is protected and would be replaced \|/,
    );
    expect(told(plan({ resource: { fields, pinned: 'redis_1' }, row, record }))).toEqual([
      `cannot-change: ${at} is pinned to redis_1, and the change needs a new object | Remove id: first.`,
    ]);
  });

  describe('on purpose', () => {
    const redis = kindNamed('redis');
    const without = (name: 'create' | 'delete', reason?: string): Kind => {
      const { [name]: _, ...operations } = redis.operations;
      return { ...redis, operations: { ...operations, cannot: { [name]: reason } } };
    };
    const record = settledImage('redis:8');

    test('is made for an object that could stay', () => {
      expect(plan({ isRequested: true, record })).toMatchObject({ action: 'replace', isRequested: true });
    });

    test.each<[string, Omit<About, 'isRequested'>]>([
      ['it is not ours yet, and is taken over first', { object: { foundBy: 'pin' } }],
      [
        'the platform made it by itself',
        { kind: kindNamed('environment'), record: recordOf('environment', 'env_1'), object: { isProvided: true } },
      ],
      [
        'everything in it would go; trueup destroy deletes it, and an apply creates it again',
        { kind: { ...redis, isTop: true }, record },
      ],
      ['no operation of the platform creates a redis', { kind: without('create'), record }],
      ['only the dashboard makes one', { kind: without('create', 'only the dashboard makes one'), record }],
      ['no operation of the platform deletes a redis', { kind: without('delete'), record }],
      ['the platform keeps each', { kind: without('delete', 'the platform keeps each'), record }],
    ])('is refused: %s', (reason, about) => {
      const action = plan({ isRequested: true, resource: { fields: {} }, ...about });
      expect(action.action).not.toBe('replace');
      expect(told(action)).toContain(
        `cannot-change: ${at} cannot be replaced: ${reason} | Leave out --replace for it.`,
      );
    });
  });

  describe('of a kind that is created before it is destroyed', () => {
    const kind = documentedKind('certificate');
    const pairs = { certificateData: pairOf('old'), certificatePath: pairOf('here') };
    const certificate = (more: Resource['fields'], old: Row = {}) =>
      plan({
        kind,
        parent: undefined,
        resource: {
          fields: { name: declared('shop'), privateKey: declared('k'), certificateData: declared('new'), ...more },
        },
        row: { name: 'shop', privateKey: 'k', certificateData: 'old', ...old },
        object: { parentId: 'org_1' },
        record: recordOf('certificate', 'redis_1', { pairs }),
      });

    test('creates the new object first; another action deletes the old one', () => {
      const action = certificate({});
      expect(action).toMatchObject({
        action: 'replace',
        order: 'create first',
        teardown: [],
        dataAtRisk: undefined,
      });
      expect(action.id).toBeUndefined();
    });

    test('deletes the old object first when both would need the same unique value', () => {
      const path = { certificatePath: declared('here') };
      const same = certificate(path, { certificatePath: 'here' });
      expect(same).toMatchObject({
        id: 'redis_1',
        order: 'delete first',
        teardown: [{ operation: 'certificates.remove' }],
      });
      const other = certificate(path, { certificatePath: 'elsewhere' });
      expect(other.changes.map((change) => change.path)).not.toContain('certificatePath');
      const edited = certificate({ certificatePath: declared('there') }, { certificatePath: 'here' });
      expect(edited).toMatchObject({ teardown: [], id: undefined });
    });
  });
});

describe('a change that puts data at risk is judged by', () => {
  const host = referring({ address: 'production.redis.other', output: 'host' });

  /** What the kind is told of a change of one of its fields. */
  function judged(field: string, about: About) {
    const told: { before: unknown; after: unknown; row: Row; next: unknown }[] = [];
    const judge = ({ before, after, row, next }: Parameters<ChangeAtRisk>[0]) => {
      told.push({ before, after, row, next: next[field] });
      return { what: 'its data' };
    };
    const compose = kindNamed('compose');
    const kind = { ...compose, lifecycle: { ...compose.lifecycle, changeAtRisk: { volume: { [field]: judge } } } };
    const action = plan({ ...about, kind, resource: { fields: {}, ...about.resource } });
    return { told, dataAtRisk: action.dataAtRisk };
  }

  test('the variables that there will be: those that change, go and stay', () => {
    const row = { env: 'A=1\nB=2\nC=3\nOTHER=x' };
    const env = new Map([
      ['A', declared('1')],
      ['B', declared('9')],
      ['D', declared('4')],
      ['E', host],
    ]);
    const record = recordOf('compose', 'c_1', { pairs: { 'env["C"]': pairOf('3') } });
    const about = { row, record, resource: { fields: {}, maps: { env }, mapMode: 'merge' } } as const;
    const after = 'A=1\nB=9\nOTHER=x\nD=4\nE=(not known)\n';
    expect(judged('env', about)).toEqual({
      told: [{ before: row.env, after, row, next: after }],
      dataAtRisk: 'its data',
    });
    const none = { row: { env: null }, resource: { fields: {}, maps: { env: new Map([['A', declared('1')]]) } } };
    expect(judged('env', none).told).toMatchObject([{ before: null, after: 'A=1\n' }]);
  });

  test('a text with gaps where it is not known, but for the variables in it', () => {
    const of = (field: string, wanted: typeof host) =>
      judged(field, { row: { [field]: 'old' }, resource: { fields: { [field]: wanted } } }).told;
    expect(of('composeFile', declared('new'))).toMatchObject([{ before: 'old', after: 'new', next: 'new' }]);
    expect(of('composeFile', host)).toMatchObject([{ before: 'old', after: '' }]);
    expect(of('env', host)).toMatchObject([{ before: 'old', after: '(not known)' }]);
  });

  test('nothing, where the field stays', () => {
    const resource = { fields: { composeFile: declared('same'), description: declared('new') } };
    const row = { composeFile: 'same', description: 'old' };
    expect(judged('composeFile', { row, resource })).toEqual({ told: [], dataAtRisk: undefined });
  });
});

describe('the plan reports', () => {
  test('a change that takes no effect now', () => {
    const kind = kindNamed('postgres');
    const fields = { databasePassword: declared('new') };
    const idle = plan({ kind, resource: { fields }, row: { databasePassword: 'old', applicationStatus: 'idle' } });
    expect(idle.notes).toMatchObject([
      { code: 'not-effective', address: at, message: expect.stringContaining('does not run') as string },
    ]);
    expect(idle).toMatchObject({ action: 'update' });
  });

  test('a member that an update requires and neither the block nor the row has', () => {
    const kind = kindNamed('backup');
    const [link] = Object.values(kind.parents);
    if (link === undefined) throw new Error('a backup stands nowhere');
    const fields = { schedule: declared('0 4 * * *') };
    const whole = { destinationId: 'd', prefix: 'p', database: 'shop', schedule: '0 3 * * *' };
    const backup = (row: Row) => plan({ kind, resource: { fields, link }, row });
    expect(backup(whole).notes).toEqual([]);
    expect(backup({ ...whole, prefix: '', destinationId: null }).notes).toMatchObject([
      {
        code: 'cannot-change',
        message: 'destinationId: the platform has none, and backup.update cannot go without',
        remedy: 'Declare destinationId.',
        address: at,
        position: here,
      },
    ]);
    const gitlab = plan({
      kind: kindNamed('gitlab'),
      resource: { fields: { gitlabUrl: declared('u') } },
      row: { gitProvider: {} },
      parent: undefined,
      object: { parentId: undefined },
    });
    expect(gitlab.notes.map(({ message }) => message.split(':')[0])).toContain('name');
  });

  test('no missing member for a value that is known after apply', () => {
    const host = referring({ address: 'production.redis.other', output: 'host' });
    expect(plan({ resource: { fields: { dockerImage: host } } })).toMatchObject({ action: 'update', notes: [] });
  });
});
