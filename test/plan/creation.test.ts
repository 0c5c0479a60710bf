import { describe, expect, test } from 'vitest';
import type { Kind } from '../../src/kind/kind.ts';
import type { Resource } from '../../src/manifest/resource.ts';
import type { Action } from '../../src/plan/action.ts';
import { comesWithParent } from '../../src/plan/action.ts';
import { planCreation } from '../../src/plan/creation.ts';
import { project as projectKind } from '../../src/resources/top/project.ts';
import type { StateRecord } from '../../src/state/record.ts';
import type { ObservedObject } from '../../src/observe/observed.ts';
import {
  actionOf,
  creating,
  declared,
  here,
  inputOf,
  kindNamed,
  lacking,
  makeDigest,
  objectOf,
  pairOf,
  recordOf,
  referring,
  resourceOf,
} from '../support/plan-values.ts';

/** A block of which the platform has no object. */

const at = 'production.redis.main';
const host = { address: 'staging.redis.other', output: 'host' };
const complete = { name: declared('main'), databasePassword: declared('p') };

interface About {
  readonly kind?: Kind;
  readonly resource?: Partial<Resource>;
  readonly object?: ObservedObject;
  readonly record?: StateRecord;
  readonly parent?: Action;
}

function plan({ kind = kindNamed('redis'), resource, object, record, parent }: About): Action {
  const input = inputOf(object === undefined ? {} : { [at]: object }, record === undefined ? {} : { [at]: record });
  return planCreation(
    input,
    resourceOf(kind, at, { fields: kind.kind === 'redis' ? complete : {}, ...resource }),
    object,
    parent,
  );
}

const codes = ({ notes }: Action) => notes.map(({ code }) => code);

describe('an environment that comes with its project', () => {
  const project = actionOf('project', { kind: projectKind, action: 'create', id: undefined });
  const coming = (fields: Resource['fields'], about: About = {}) =>
    plan({ kind: kindNamed('environment'), parent: project, resource: { fields, parent: 'project' }, ...about });
  const changes = ({ changes: all }: Action) => all.map(({ path, cause }) => `${cause} ${path}`);

  test('is taken over and updated where it differs from what the platform makes', () => {
    const fields = { name: declared('production'), description: declared('The shop.'), env: declared('A=1') };
    const action = coming(fields);
    expect(action).toMatchObject({
      action: 'adopt',
      from: 'parent',
      steps: [{ operation: 'environment.update', changed: ['description', 'env'] }],
    });
    expect(changes(action)).toEqual(['create description', 'create env']);
    expect(
      action.attributes.map(({ attribute, decision, before }) => [attribute.field, decision, before.reveal()]),
    ).toEqual([
      ['name', { do: 'nothing', settled: true }, null],
      ['description', { do: 'write', cause: 'create' }, 'Production environment'],
      ['env', { do: 'write', cause: 'create' }, null],
    ]);
  });

  test('sends nothing where nothing is declared', () => {
    expect(coming({ name: declared('production') })).toMatchObject({ action: 'adopt', steps: [], changes: [] });
  });

  test('is none of another name, of a project that is there, or that is there itself', () => {
    const named = { name: declared('production') };
    expect(coming({ name: declared('staging') })).toMatchObject({ action: 'create' });
    expect(coming({}).action).toBe('create');
    expect(coming(named, { parent: actionOf('project', { kind: projectKind }) }).action).toBe('create');
    const there = objectOf('env_1', { environmentId: 'env_1', isDefault: true });
    expect(comesWithParent(coming(named, { object: there }))).toBe(false);
  });

  test('is none of a kind that comes with nothing', () => {
    expect(plan({ parent: project }).action).toBe('create');
  });
});

describe('it is created', () => {
  test('with everything that is declared', () => {
    const action = plan({});
    expect(action).toMatchObject({
      address: at,
      scope: at,
      action: 'create',
      id: undefined,
      parent: 'production',
      dependsOn: ['production'],
      teardown: [],
      steps: [{ operation: 'redis.create' }],
      dataAtRisk: undefined,
      notes: [],
      position: here,
    });
    expect(
      action.attributes.map(({ attribute, decision, before, pair }) => [attribute, decision, before.reveal(), pair]),
    ).toEqual([
      [{ field: 'name' }, { do: 'write', cause: 'create' }, null, undefined],
      [{ field: 'databasePassword' }, { do: 'write', cause: 'create' }, null, undefined],
    ]);
  });

  test('with values of which none was settled before', () => {
    const fields = {
      name: declared('shop'),
      composeFile: lacking('FILE'),
      command: referring(host),
      description: declared(null),
    };
    const { attributes } = plan({ kind: kindNamed('compose'), resource: { fields } });
    expect(attributes.map(({ attribute: { field }, standing }) => [field, standing.declared, standing.there])).toEqual([
      ['name', 'new', 'other'],
      ['composeFile', 'new, secret missing', 'other'],
      ['command', 'known after apply', 'other'],
      ['description', 'new', 'as wanted'],
    ]);
  });

  test('in the scope of what it is below, when that holds its row', () => {
    const link = kindNamed('domain').parents['compose'];
    const parent = actionOf('production.compose.shop', { kind: kindNamed('compose'), scope: 'the scope' });
    const below = {
      kind: kindNamed('domain'),
      resource: { parent: parent.address, ...(link === undefined ? {} : { link }) },
    };
    expect(plan({ ...below, parent }).scope).toBe('the scope');
    expect(plan(below).scope).toBe(at);
    expect(plan({ parent: actionOf('production', { scope: 'the scope' }) }).scope).toBe(at);
  });

  test('and the plan shows each field and each key of a map, and hides what may be secret', () => {
    const kind = kindNamed('compose');
    const fields = { name: declared('shop'), composeFile: declared('a:\n  b\n'), command: referring(host) };
    const maps = {
      env: new Map([
        ['A', declared('1')],
        ['A_TOKEN', declared('x1')],
      ]),
    };
    const common = { cause: 'create', before: { is: 'absent' }, position: here, forcesReplacement: false };
    expect(plan({ kind, resource: { fields, maps } }).changes).toStrictEqual([
      { ...common, path: 'name', after: { is: 'value', value: 'shop' }, atDeploy: false },
      { ...common, path: 'source.composeFile', after: { is: 'value', value: 'a:\n  b\n' }, atDeploy: true },
      { ...common, path: 'command', after: { is: 'known after apply' }, atDeploy: true },
      { ...common, path: 'env.A', after: { is: 'value', value: '1' }, atDeploy: true },
      { ...common, path: 'env.A_TOKEN', after: { is: 'hidden' }, atDeploy: true },
    ]);
  });

  test('with what Trueup itself sends, which the plan shows too', () => {
    const kind = kindNamed('backup');
    const sent = (resource: Partial<Resource>) =>
      plan({ kind, resource }).changes.filter(({ path }) => path === 'enabled');
    const enabled = {
      path: 'enabled',
      cause: 'create',
      before: { is: 'absent' },
      atDeploy: false,
      forcesReplacement: false,
    };
    expect(sent({ fields: {} })).toStrictEqual([{ ...enabled, after: { is: 'value', value: true } }]);
    expect(sent({ fields: { enabled: declared(false) } })).toMatchObject([{ after: { is: 'value', value: false } }]);
    const [link] = Object.values(kind.parents);
    if (link === undefined) throw new Error('a backup stands nowhere');
    expect(sent({ fields: {}, link: { ...link, set: { enabled: { value: true } } } })).toEqual([]);
    expect(plan({ kind, resource: { fields: {} } }).changes).toHaveLength(1);
  });

  test('after an earlier run announced its create, with a warning', () => {
    const action = plan({ record: recordOf('redis', null) });
    expect(action.action).toBe('create');
    expect(action.notes).toEqual([
      {
        code: 'unverified',
        severity: 'note',
        message: `${at} was about to be created when an earlier run ended; it is not found and is created now`,
        remedy: 'If its name was changed since, look for the old one on the platform.',
        address: at,
      },
    ]);
    expect(codes(plan({ record: recordOf('redis', 'redis_1') }))).toEqual([]);
  });

  test.each([
    [1, 'created when'],
    [3, 'created (attempt 3) when'],
  ])('after its create was sent %d times, with a warning that counts them', (sends, words) => {
    const [note] = plan({ record: recordOf('redis', null, { pending: creating({ sends }) }) }).notes;
    expect(note?.message).toContain(`${at} was about to be ${words} an earlier run ended`);
  });

  test('not again when the platform lists it only later', () => {
    const kind = kindNamed('gitlab');
    expect(plan({ kind, record: recordOf('gitlab', null) })).toMatchObject({ action: 'no-op', kept: 'held' });
    expect(plan({ kind, record: recordOf('gitlab', 'lab_1') })).toMatchObject({ action: 'create' });
    expect(plan({ kind })).toMatchObject({ action: 'create' });
  });
});

describe('it is refused', () => {
  test('without a secret that flows into it, by the name of the secret', () => {
    const action = plan({ resource: { fields: { ...complete, databasePassword: lacking('DB') } } });
    expect(action.notes).toEqual([
      {
        code: 'secret-missing',
        severity: 'error',
        message: 'databasePassword: needs DB, which this run does not have',
        remedy: 'Set TRUEUP_SECRET_DB, or name a source under secrets: that has it.',
        address: at,
        position: here,
      },
    ]);
    const several = { ...lacking('A'), missing: ['A', 'B'] };
    expect(plan({ resource: { fields: { ...complete, databasePassword: several } } }).notes).toMatchObject([
      {
        message: expect.stringContaining('needs A, B,') as string,
        remedy: 'Set TRUEUP_SECRET_A, TRUEUP_SECRET_B, or name a source under secrets: that has them.',
      },
    ]);
    const both = { name: lacking('DB'), databasePassword: lacking('DB') };
    expect(plan({ resource: { fields: both } }).notes.map(({ message }) => message)).toEqual([
      'name, databasePassword: need DB, which this run does not have',
    ]);
  });

  test('without the required fields, which are named as in the manifest', () => {
    expect(plan({ resource: { fields: {} } }).notes).toEqual([
      {
        code: 'cannot-create',
        severity: 'error',
        message: `${at} cannot be created without name, databasePassword`,
        remedy: 'Add name, databasePassword, or id: if it exists under another name.',
        address: at,
        position: here,
      },
    ]);
    const git = { name: declared('shop'), sourceType: declared('git') };
    expect(plan({ kind: kindNamed('compose'), resource: { fields: git } }).notes[0]?.message).toContain(
      'without source.url, source.branch',
    );
  });

  test('where no operation makes one, with the reason', () => {
    const kind = kindNamed('organization');
    expect(plan({ kind }).notes).toEqual([
      {
        code: 'cannot-create',
        severity: 'error',
        message: 'the platform has no such organization, and a new one is out of reach of the key that makes it',
        removal: 'Make it there and apply again, pin an existing one with id:, or remove the block.',
        address: at,
        position: here,
      },
    ]);
    const { cannot: _, ...silent } = kind.operations;
    expect(plan({ kind: { ...kind, operations: silent } }).notes[0]?.message).toBe(
      'the platform has no such organization, and no operation makes one',
    );
  });
});

describe('it is replaced because its parent is replaced', () => {
  const object = objectOf('redis_1', { redisId: 'redis_1' });

  test('and a request deletes the old object, unless the platform deletes it with its parent', () => {
    const action = plan({ object });
    expect(action).toMatchObject({
      action: 'replace',
      order: 'delete first',
      by: 'request',
      id: 'redis_1',
      dataAtRisk: 'the data of this database',
    });
    expect(action.teardown).toMatchObject([{ operation: 'redis.remove' }]);
    expect(action.steps).toMatchObject([{ operation: 'redis.create' }]);
    const along = plan({ object, kind: { ...kindNamed('redis'), lifecycle: { deletedWithParent: true } } });
    expect(along).toMatchObject({ action: 'replace', order: 'delete first', by: 'parent', teardown: [] });
  });

  test('which its protection forbids; a pending create does not matter then', () => {
    expect(plan({ object, resource: { options: { protect: true } } }).notes).toMatchObject([
      { code: 'protected', message: `${at} is protected and would be replaced` },
    ]);
    expect(codes(plan({ object, record: recordOf('redis', null) }))).toEqual([]);
    expect(codes(plan({ object }))).toEqual([]);
  });
});

describe('an id that Trueup chooses', () => {
  const kind = kindNamed('bitbucket');
  const idOf = (action: Action) => {
    const from = action.steps[0]?.members['bitbucketId'];
    return from?.is === 'value' ? from.value.reveal() : undefined;
  };
  const idIn = (about: About) => idOf(plan({ kind, ...about }));

  test('is the same in every run until the state has another version', () => {
    const id = idIn({});
    expect(id).toMatch(/^[\w-]{21}$/);
    expect(idIn({})).toBe(id);
    expect(new Set([id, ...['old', 'other'].map((old) => idIn({ object: objectOf(old, {}) }))]).size).toBe(3);
  });

  test('is that of a pending create', () => {
    expect(idIn({ record: recordOf('bitbucket', 'sent', { pending: creating() }) })).toBe('sent');
  });

  test('is never that of an object that existed: a late deletion would take the new one', () => {
    const id = idIn({});
    expect(idIn({ record: recordOf('bitbucket', 'imported') })).toBe(id);
    expect(idIn({ record: recordOf('bitbucket', 'gone', { pairs: { name: pairOf('b') } }) })).toBe(id);
    expect(idIn({ record: recordOf('bitbucket', 'old'), object: objectOf('old', {}) })).not.toBe('old');
    expect(idIn({ record: recordOf('bitbucket', null, { pending: creating() }) })).toBe(id);
    const sent = recordOf('bitbucket', 'sent', { pending: creating() });
    expect(idIn({ record: sent, object: objectOf('sent', {}) })).not.toBe('sent');
  });

  test('is none that the platform lists: a state that was lost begins to count again', () => {
    const ids: unknown[] = [];
    for (let run = 0; run < 4; run++) {
      const input = inputOf({});
      const observed = { ...input.observed, listed: new Set(ids.map(String)) };
      ids.push(idOf(planCreation({ ...input, observed }, resourceOf(kind, at), undefined, undefined)));
    }
    expect(new Set(ids).size).toBe(4);
  });

  test('does not take a version for another one and an object', () => {
    const input = inputOf({});
    const [after, later] = [inputOf({ [at]: objectOf('1', {}) }).observed, { ...input.state, serial: 31 }];
    const ids = [
      { ...input, observed: after },
      { ...input, state: later },
    ].map((one) => idOf(planCreation(one, resourceOf(kind, at), one.observed.objects.get(at), undefined)));
    expect(new Set(ids).size).toBe(2);
  });

  test('is another one in each version of the state and at each address', () => {
    const input = inputOf({});
    const ids = [3, 4].flatMap((serial) =>
      ['one', 'two'].map((address) => {
        const state = { ...input.state, serial };
        const digests = (place: string) => (content: string) => makeDigest(place + content);
        return idOf(planCreation({ ...input, digests, state }, resourceOf(kind, address), undefined, undefined));
      }),
    );
    expect(new Set(ids).size).toBe(4);
  });

  test('is none where the platform chooses it', () => {
    expect(plan({}).steps[0]?.members).not.toHaveProperty('redisId');
  });
});
