import { describe, expect, test } from 'vitest';
import type { Kind } from '../../src/kind/kind.ts';
import type { ObservedObject } from '../../src/observe/observed.ts';
import type { Action } from '../../src/plan/action.ts';
import { protectOf, protection } from '../../src/plan/action-target.ts';
import { planDeletion } from '../../src/plan/deletion.ts';
import { planRemoval } from '../../src/plan/removal.ts';
import { kinds } from '../../src/resources/index.ts';
import { project as projectKind } from '../../src/resources/top/project.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { actionOf, here, inputOf, kindNamed, objectOf, pairOf, recordOf, resourceOf } from '../support/plan-values.ts';

/** What becomes of an object whose block is gone. */

const at = 'production.redis.main';
const there = objectOf('redis_1', { redisId: 'redis_1' });

interface About {
  readonly kind?: Kind;
  readonly object?: ObservedObject | undefined;
  readonly record?: Partial<Omit<StateRecord, 'pending'>>;
  readonly others?: readonly Action[];
  readonly objects?: Readonly<Record<string, ObservedObject>>;
}

function plan(about: About = {}): Action {
  const { kind = kindNamed('redis'), others = [], objects = {} } = about;
  const object = 'object' in about ? about.object : there;
  const { id = 'redis_1', ...more } = about.record ?? {};
  const record = recordOf(kind.kind, id, { parent: 'production', dependsOn: ['production'], ...more });
  const input = inputOf({ ...objects, ...(object === undefined ? {} : { [at]: object }) }, { [at]: record });
  return planRemoval(input, { kind, address: at, record }, new Map(others.map((action) => [action.address, action])));
}

const said = ({ notes }: Action) => notes.map(({ code, message, remedy = '' }) => `${code}: ${message} | ${remedy}`);

describe('it is deleted', () => {
  test('with what the state knows of it', () => {
    expect(plan({ record: { options: { protect: false } } })).toMatchObject({
      address: at,
      scope: at,
      action: 'delete',
      id: 'redis_1',
      parent: 'production',
      dependsOn: ['production'],
      options: { protect: false },
      protect: false,
      teardown: [{ operation: 'redis.remove', members: { redisId: { is: 'id', address: at } } }],
      steps: [],
      attributes: [],
      changes: [],
      dataAtRisk: 'the data of this database',
      by: 'request',
      notes: [],
      position: undefined,
    });
    expect(plan({ record: { parent: null } }).parent).toBeUndefined();
  });

  test('with the managed fields that may be shown, as the platform has them', () => {
    const row = {
      redisId: 'redis_1',
      dockerImage: 'redis:8',
      databasePassword: 'pw',
      env: 'A=1',
      command: 'run',
      description: 'x',
    };
    const pair = (value: string) => ({ wanted: { value }, answered: { value } });
    const digest = { wanted: { digest: 'd' }, answered: { digest: 'd' } };
    const pairs = {
      dockerImage: pair('redis:7'),
      databasePassword: digest,
      'env["A"]': digest,
      // A secret flowed into it.
      command: digest,
      memoryLimit: pair('1'),
    };
    const { changes } = plan({ object: objectOf('redis_1', row), record: { pairs } });
    expect(changes).toEqual([
      {
        path: 'dockerImage',
        cause: 'delete',
        before: { is: 'value', value: 'redis:8' },
        after: { is: 'absent' },
        atDeploy: false,
        forcesReplacement: false,
      },
    ]);
  });

  test('with a managed field whose value holds a secret of the run, and without the value', () => {
    const pair = (value: string) => ({ wanted: { value }, answered: { value } });
    const object = objectOf('redis_1', { redisId: 'redis_1', dockerImage: 'hub/main:8' });
    const record = recordOf('redis', 'redis_1', { pairs: { dockerImage: pair('redis:7') } });
    const input = {
      ...inputOf({ [at]: object }, { [at]: record }),
      redact: (text: string) => text.replace('main', '-'),
    };
    const { changes } = planRemoval(input, { kind: kindNamed('redis'), address: at, record }, new Map());
    expect(changes).toMatchObject([{ path: 'dockerImage', cause: 'delete', before: { is: 'hidden' } }]);
  });

  test('with the services of a compose file', () => {
    const row = { composeId: 'redis_1', sourceType: 'raw', composeFile: 'services: { web: { image: nginx } }' };
    const compose = { kind: kindNamed('compose'), object: objectOf('redis_1', row) };
    expect(plan(compose)).toMatchObject({ holds: { services: ['web (nginx)'] } });
    const cloned = { ...compose, object: objectOf('redis_1', { ...row, sourceType: 'git' }) };
    expect(plan(cloned)).toHaveProperty('holds', {});
  });

  test('in the scope of what it is below, when that holds its row', () => {
    const shop = actionOf('production.compose.shop', { kind: kindNamed('compose'), scope: 'the scope' });
    const domain = { kind: kindNamed('domain'), record: { parent: shop.address } };
    expect(plan({ ...domain, others: [shop] }).scope).toBe('the scope');
    expect(plan(domain).scope).toBe(at);
    const production = actionOf('production', { kind: kindNamed('environment'), scope: 'the scope' });
    expect(plan({ others: [production] }).scope).toBe(at);
  });

  test('without a request when the platform deletes it with its parent', () => {
    const shop = (action: Action['action']) =>
      actionOf('production.compose.shop', { kind: kindNamed('compose'), action, id: 'compose_1' });
    const file = {
      object: { ...there, parentId: 'compose_1' },
      kind: {
        ...kindNamed('fileMount'),
        lifecycle: {
          ...kindNamed('fileMount').lifecycle,
          dataAtRisk: () => ({ of: 'data' as const, what: 'its content' }),
        },
      },
      record: { parent: 'production.compose.shop' },
    };
    for (const action of ['delete', 'replace'] as const)
      expect(plan({ ...file, others: [shop(action)] })).toMatchObject({
        action: 'delete',
        teardown: [],
        dataAtRisk: undefined,
      });
    const alone = { teardown: [{ operation: 'mounts.remove' }], dataAtRisk: 'its content' };
    expect(plan({ ...file, others: [shop('update')] })).toMatchObject(alone);
    const elsewhere = { ...there, parentId: 'compose_2' };
    expect(plan({ ...file, object: elsewhere, others: [shop('delete')] })).toMatchObject(alone);
    // What does not go along is taken out of what goes before.
    const database = plan({ others: [actionOf('production', { kind: kindNamed('environment'), action: 'delete' })] });
    expect(database.teardown).toHaveLength(1);
  });
});

describe('it is removed from the state only', () => {
  const forgotten = { action: 'forget', teardown: [], dataAtRisk: undefined };

  test('when it is gone', () => {
    expect(plan({ object: undefined })).toMatchObject({ ...forgotten, id: undefined, notes: [] });
  });

  test('when the platform made it by itself and keeps it', () => {
    const kind = kindNamed('environment');
    expect(plan({ kind, object: { ...there, isProvided: true } })).toMatchObject({
      ...forgotten,
      id: 'redis_1',
      notes: [],
    });
    const taken = plan({ kind, object: { ...there, foundBy: 'key', isProvided: true }, record: { id: null } });
    expect(taken).toMatchObject({ ...forgotten, notes: [] });
    expect(plan({ kind }).action).toBe('delete');
    expect(plan({ kind: kindNamed('mount'), object: { ...there, isProvided: true } }).action).toBe('delete');
  });

  test('when the outcome of its create is unknown, with a warning', () => {
    const lost = plan({ object: undefined, record: { id: null } });
    expect(lost).toMatchObject(forgotten);
    expect(said(lost)).toEqual([
      `unverified: ${at} was about to be created when a run ended; whether it exists is not known | Look for it on the platform.`,
    ]);
    expect(lost.notes[0]?.address).toBe(at);
  });

  test('when the platform does not list it yet, with a warning', () => {
    const kind = kindNamed('gitlab');
    const pending = plan({ kind, object: undefined, record: { id: null } });
    expect(pending).toMatchObject(forgotten);
    expect(said(pending)[0]).toMatch(
      new RegExp(`^stays-there: ${at} was created, stays on the platform, and is listed only once it is connected`),
    );
    expect(pending.notes[0]).toMatchObject({
      address: at,
      remedy: 'Delete it there before you declare it again: it would be created twice.',
    });
    expect(plan({ kind, object: undefined }).notes).toEqual([]);
  });

  test('when the platform lists another of its name instead, with a warning that names it', () => {
    const kind = kindNamed('gitlab');
    const other = { ...objectOf('lab_2', { gitlabId: 'lab_2' }), foundBy: 'key' } as const;
    const left = plan({ kind, object: other, record: { id: null, pairs: { name: pairOf('lab') } } });
    expect(left).toMatchObject(forgotten);
    expect(said(left)).toEqual([
      `stays-there: ${at} was created and is listed only once ${kind.identity.listedOnce}; it stays on the platform, as does lab_2, which has its name and differs from it | Delete there what is not needed before you declare it again: it would be created twice.`,
    ]);
    const unanswered = plan({ kind, object: other, record: { id: null } });
    expect(unanswered).toMatchObject({ ...forgotten, notes: [{ code: 'unverified' }] });
  });

  test('when there is no operation that deletes it, with the reason', () => {
    const kind = kindNamed('organization');
    const left = plan({ kind });
    expect(left).toMatchObject({ ...forgotten, id: 'redis_1' });
    expect(said(left)).toEqual([
      `stays-there: ${at} (redis_1) is not deleted: everything in it would go; \`trueup call organization.delete\` does it | `,
    ]);
    expect(left.notes[0]?.address).toBe(at);
    const { cannot: _, ...silent } = kind.operations;
    expect(said(plan({ kind: { ...kind, operations: silent } }))).toEqual([
      `stays-there: ${at} (redis_1) is not deleted: the platform has no operation for it | `,
    ]);
  });
});

describe('an object with the key of a pending create', () => {
  const row = { composeId: 'compose_1', domains: [] as unknown[] };
  const lost = (object: ObservedObject) => plan({ kind: kindNamed('compose'), object, record: { id: null } });

  test('is deleted when the create made it', () => {
    expect(lost(objectOf('compose_1', row, { foundBy: 'pending create' }))).toMatchObject({
      action: 'delete',
      id: 'compose_1',
      notes: [],
      teardown: [{ operation: 'compose.delete' }],
    });
  });

  test.each([
    ["is somebody else's", objectOf('compose_1', row, { foundBy: 'key' })],
    [
      'has something below it, which no run of ours can have made',
      objectOf('compose_1', { ...row, domains: [{ domainId: 'd' }] }, { foundBy: 'pending create' }),
    ],
  ])('stays, with a warning, when it %s', (_what, object) => {
    const action = lost(object);
    expect(action).toMatchObject({ action: 'forget', teardown: [], dataAtRisk: undefined });
    expect(action.notes).toMatchObject([
      {
        code: 'unverified',
        message: `${at} was about to be created when a run ended, and compose_1 has its key; whether it is that object is not known`,
        remedy: 'Check it on the platform, and delete it there if it is not needed.',
        address: at,
      },
    ]);
  });
});

describe('a project', () => {
  const service = (at: number) => ({ redisId: `redis_${at}`, name: `cache-${at}` });
  const holding = (count: number) => {
    const redis = Array.from({ length: count }, (_, index) => service(index + 1));
    return objectOf('prj_1', {
      environments: [{ environmentId: 'env_1', name: 'production', isDefault: true, redis }],
    });
  };
  /** What becomes of it, while that many of its services are managed. */
  const removal = (managed: number, object: ObservedObject) => {
    const services = Array.from({ length: managed }, (_, index) => service(index + 1));
    const objects = Object.fromEntries(
      services.map((row) => [`production.redis.${row.name}`, objectOf(row.redisId, row)]),
    );
    const record = recordOf('project', 'prj_1');
    return planRemoval(
      inputOf({ ...objects, project: object }, { project: record }),
      { kind: projectKind, address: 'project', record },
      new Map(),
    );
  };

  test('is deleted when everything in it is managed', () => {
    expect(removal(2, holding(2))).toMatchObject({ action: 'delete', notes: [] });
  });

  test('is not deleted with what is of others: the first ten are named', () => {
    expect(said(removal(1, holding(2)))[0]).toMatch(
      /: project holds what is not in the state: redis cache-2 in production \(redis_2\) \| /,
    );
    const [ten, eleven] = [10, 12].map((count) => said(removal(0, holding(count)))[0] ?? '');
    expect(ten).toMatch(/cache-10 in production \(redis_10\) \| Move them/);
    expect(eleven).toMatch(
      /cache-9 in production \(redis_9\), redis cache-10 in production \(redis_10\) and 2 more \| Move them/,
    );
  });
});

describe('a deletion or a replacement', () => {
  function take(
    action: 'delete' | 'replace',
    options: StateRecord['options'],
    before: StateRecord['options'] = {},
    destroys = false,
  ) {
    const known = inputOf({ [at]: there }, { [at]: recordOf('redis', 'redis_1', { options: before }) });
    const input = { ...known, destroys };
    const protect = protection(options, recordOf('redis', 'redis_1', { options: before }));
    const about = { kind: kindNamed('redis'), address: at, block: at, options, protect, position: here };
    return planDeletion(input, about, there, { action, parent: undefined });
  }

  test('is refused while the block or the state protects the object', () => {
    expect(take('delete', { protect: true }).notes).toEqual([
      {
        code: 'protected',
        severity: 'error',
        message: `${at} is protected and would be deleted`,
        remedy: 'Put its block back; to delete it, write protect: false, apply, and remove the block then.',
        address: at,
        position: here,
      },
    ]);
    expect(take('replace', { protect: false }, { protect: true }).notes).toMatchObject([
      {
        message: `${at} is protected and would be replaced`,
        remedy: 'Undo the change, or write protect: false and apply that first.',
      },
    ]);
    expect(take('delete', { protect: true }, {}, true).notes).toMatchObject([
      {
        message: `${at} is protected and would be deleted`,
        remedy: 'Write protect: false in its block, apply, and destroy again.',
      },
    ]);
    expect(take('delete', { protect: false }, { protect: false }).notes).toEqual([]);
    expect(take('delete', {}).notes).toEqual([]);
  });

  test.each([
    [undefined, undefined, undefined],
    [false, false, undefined],
    [true, undefined, 'the backups'],
    [undefined, true, 'the backups'],
    [false, true, 'the backups'],
  ])('risks backups where the object has protect: %s and its parent has protect: %s', (own, above, dataAtRisk) => {
    const kind: Kind = {
      ...kindNamed('backup'),
      lifecycle: { dataAtRisk: () => ({ of: 'backups', what: 'the backups' }) },
    };
    const about = { kind, address: at, block: at, options: {}, protect: own, position: here };
    const parent = above === undefined ? undefined : actionOf('production.postgres.shop', { protect: above });
    expect(planDeletion(inputOf({}), about, there, { action: 'delete', parent }).dataAtRisk).toBe(dataAtRisk);
  });

  test.each([
    ['as the platform has it', (text: string) => text, 'the data of cache'],
    ['without a name that holds a secret', (text: string) => text.replace('cache', '***'), 'the data'],
  ])('names the data at risk %s', (_what, redact, dataAtRisk) => {
    const kind: Kind = {
      ...kindNamed('redis'),
      lifecycle: {
        dataAtRisk: ({ row: { name } }) =>
          name === 'cache' ? { of: 'data', what: 'the data of cache', unnamed: 'the data' } : undefined,
      },
    };
    const object = objectOf('redis_1', { redisId: 'redis_1', name: 'cache' });
    const about = { kind, address: at, block: at, options: {}, protect: undefined, position: undefined };
    const gone = planDeletion({ ...inputOf({}), redact }, about, object, { action: 'delete', parent: undefined });
    expect(gone.dataAtRisk).toBe(dataAtRisk);
  });

  test('names the data at risk', () => {
    expect(take('replace', {}).dataAtRisk).toBe('the data of this database');
    expect(take('delete', {}).teardown).toMatchObject([{ operation: 'redis.remove' }]);
    const input = inputOf({});
    const asked: unknown[] = [];
    const kind: Kind = {
      ...kindNamed('redis'),
      lifecycle: { dataAtRisk: (facts) => ({ of: 'data', what: String(asked.push(facts)) }) },
    };
    const about = { kind, address: at, block: at, options: { a: 1 }, protect: undefined, position: undefined };
    planDeletion(input, about, there, { action: 'replace', parent: undefined });
    expect(asked).toEqual([{ row: there.row, parent: {}, options: { a: 1 }, action: 'replace' }]);
    const { lifecycle: _, ...harmless } = kind;
    expect(
      planDeletion(input, { ...about, kind: harmless }, there, { action: 'delete', parent: undefined }).dataAtRisk,
    ).toBeUndefined();
  });
});

describe('an undeclared object below a deleted one', () => {
  const row = {
    composeId: 'compose_1',
    domains: [{ domainId: 'ours' }, { domainId: 'other' }, { domainId: 'another' }, 'no row'],
    mounts: 'no list',
    backups: [{ backupId: 'b' }],
  };
  const shop = objectOf('compose_1', row);
  const ours = objectOf('ours', {});

  test.each([
    ['somebody else made, though it bears the key of a block that is gone', false, '1 of backups, 3 of domains'],
    ['a block takes over by its key is none of that', true, '1 of backups, 2 of domains'],
  ])('what %s', (_, isDeclared, guests) => {
    const domain = 'production.compose.shop.domains.a';
    const record = recordOf('compose', 'compose_1');
    const input = inputOf({ [at]: shop, [domain]: objectOf('ours', {}, { foundBy: 'key' }) }, { [at]: record });
    const resources = isDeclared ? [resourceOf(kindNamed('domain'), domain)] : [];
    const action = planRemoval({ ...input, resources }, { kind: kindNamed('compose'), address: at, record }, new Map());
    expect(said(action)).toEqual([
      `goes-along: what is below ${at} and not in the manifest goes with it: ${guests} | `,
    ]);
  });

  test('is reported by kind and number', () => {
    const action = plan({
      kind: kindNamed('compose'),
      object: shop,
      objects: { 'production.compose.shop.domains.a': ours },
    });
    expect(said(action)).toEqual([
      `goes-along: what is below ${at} and not in the manifest goes with it: 1 of backups, 2 of domains | `,
    ]);
    expect(action.notes[0]?.address).toBe(at);
    const own = { ...row, domains: [{ domainId: 'ours' }], backups: [] };
    expect(
      plan({ kind: kindNamed('compose'), object: objectOf('compose_1', own), objects: { a: ours } }).notes,
    ).toEqual([]);
  });

  test('is not reported when the platform created it, or when another list has it', () => {
    const mounts = [{ mountId: 'm', type: 'volume', volumeName: 'main-data' }];
    const database = { postgresId: 'pg_1', appName: 'main', mounts, backups: [] };
    const mount = kinds.find(({ kind }) => kind === 'mount');
    const isOwn = mount?.lifecycle?.provided?.is(mounts[0] ?? {}, database);
    expect(isOwn).toBe(true);
    expect(plan({ kind: kindNamed('postgres'), object: objectOf('pg_1', database) }).notes).toEqual([]);
    const byHand = { ...database, mounts: [{ mountId: 'm', type: 'volume', volumeName: 'by-hand' }] };
    expect(plan({ kind: kindNamed('postgres'), object: objectOf('pg_1', byHand) }).notes).toHaveLength(1);
  });

  test.each([
    [
      { redis: [{ redisId: 'r', name: 'cache' }] },
      'a service that is',
      'redis cache (r; the data of this database would be lost)',
    ],
    [
      { redis: [{ redisId: 'r' }], other: [{ name: 'new' }] },
      '2 services that are',
      'redis (r; the data of this database would be lost), other new',
    ],
  ])('is named and refused when it is a service: %j', (row, count, names) => {
    const { notes } = plan({ kind: kindNamed('environment'), object: objectOf('env_1', row) });
    expect(notes).toMatchObject([
      {
        severity: 'error',
        message: `${at} holds ${count} not in the state: ${names}`,
        remedy:
          'Move them to another environment, or delete them on the platform, and plan again. To keep the environment, put its block back.',
        address: at,
      },
    ]);
  });
});

test('a block says of its protection that it is on, that it is off, or nothing', () => {
  expect([{ protect: true }, { protect: false }, {}, { protect: 'yes' }].map(protectOf)).toEqual([
    true,
    false,
    undefined,
    undefined,
  ]);
});
