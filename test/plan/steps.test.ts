import { describe, expect, test } from 'vitest';
import type { Json, Row } from '../../src/formats/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import type { Resource } from '../../src/manifest/resource.ts';
import type { Outputs, Wanted } from '../../src/manifest/wanted.ts';
import type { Member, AttributeChange, Step } from '../../src/plan/action.ts';
import type { Decision } from '../../src/plan/decide.ts';
import type { StepInput } from '../../src/plan/steps.ts';
import { missingAtCreation } from '../../src/manifest/required.ts';
import { bodySize, createSteps, deleteSteps, updateSteps } from '../../src/plan/steps.ts';
import { secret } from '../../src/secrets/secret.ts';
import {
  declared,
  kindNamed,
  lacking,
  pairOf,
  attributeChange,
  referring,
  resourceOf,
} from '../support/plan-values.ts';

/** The requests that an action has, and what they carry. */

const write: Decision = { do: 'write', cause: 'edit' };
const settled: Decision = { do: 'nothing', settled: true };
const place = { projectId: 'prj_1', organizationId: 'org_1', userId: 'user_1' };
const host = { address: 'production.redis.main', output: 'host' };

/** Where a member comes from, in a few words. */
function told(member: Member): string {
  switch (member.is) {
    case 'value':
      return JSON.stringify(member.value.reveal());
    case 'wanted': {
      const content = member.wanted.content.reveal();
      return `declared ${content.is === 'value' ? JSON.stringify(content.value) : 'later'}`;
    }
    case 'map':
      return `${member.name}: ${[...member.entries.keys()].join(' ')}, removed ${member.removed.map(String).join(' ')}${member.keepOthers ? ', others stay' : ''}`;
    case 'set':
      return `a set, formerly ${member.formerly.join(' ')}`;
    case 'id':
      return `id of ${member.address}`;
    case 'as read':
      return `${member.from} as read`;
    case 'mark':
      return 'mark';
    default:
      return member satisfies never;
  }
}

/** `role operation: member = …; member = …`, with a star at what it is sent for, and what it is sent for without it. */
function view({ operation, role, members, changed }: Step): string {
  const all = Object.entries(members).map(
    ([name, member]) => `${name}${changed.includes(name) ? '*' : ''} = ${told(member)}`,
  );
  const others = changed.filter((name) => members[name] === undefined).map((name) => `for ${name}`);
  return `${role} ${operation}: ${[...all, ...others].join('; ')}`;
}

/** What is declared of a field, to be written; or all that was decided about it. */
type Fields = Readonly<Record<string, string | boolean | null | { readonly planned: Partial<AttributeChange> }>>;

function as(wanted: Wanted, decision: Decision, more: Partial<AttributeChange> = {}) {
  return { planned: { wanted, decision, ...more } };
}

/** A resource with fields, and what was decided about each. */
function inputFor(kind: Kind, fields: Fields, more: Partial<Resource> = {}): StepInput {
  const attributes = Object.entries(fields).map(([name, value]): AttributeChange => {
    const field = kind.fields[name];
    if (field === undefined) throw new Error(`a ${kind.kind} has no ${name}`);
    return typeof value === 'object' && value !== null
      ? attributeChange(name, { field, ...value.planned })
      : attributeChange(name, { field, wanted: declared(value), decision: write });
  });
  const own = Object.fromEntries(
    attributes.flatMap(({ attribute, wanted }) => (wanted === undefined ? [] : [[attribute.field, wanted]])),
  );
  return { resource: resourceOf(kind, 'it', { fields: own, ...more }), attributes };
}

function created(name: string, fields: Fields, more: Partial<Resource> = {}, chosenId?: string) {
  const input = inputFor(kindNamed(name), fields, more);
  return { steps: createSteps(input, place, chosenId).map(view), missing: missingAtCreation(input.resource) };
}

function updated(
  name: string,
  fields: Fields,
  row: Row = {},
  about: { more?: Partial<Resource>; moveTo?: string } = {},
) {
  const { steps, notes } = updateSteps(inputFor(kindNamed(name), fields, about.more), row, about.moveTo);
  return { steps: steps.map(view), notes };
}

/** The link of a kind to one kind of parent. */
const below = (name: string, parent: string): Partial<Resource> => {
  const link = kindNamed(name).parents[parent];
  if (link === undefined) throw new Error(`no ${name} below ${parent}`);
  return { link, parent: 'above' };
};

describe('a create', () => {
  const redis = { name: 'main', databasePassword: 'p' };

  test('carries the members that it takes; an update carries the rest', () => {
    expect(created('redis', { ...redis, memoryLimit: '1G', cpuLimit: '2' })).toEqual({
      steps: [
        'create redis.create: environmentId* = id of production; name* = declared "main"; databasePassword* = declared "p"',
        'update redis.update: redisId = id of it; memoryLimit* = declared "1G"; cpuLimit* = declared "2"',
      ],
      missing: [],
    });
  });

  test('carries a null where it takes one; otherwise the update writes it, whatever the default of the platform is', () => {
    expect(created('redis', { ...redis, description: null }).steps).toEqual([
      expect.stringContaining('description* = declared null'),
    ]);
    expect(created('compose', { name: 'shop', sourceType: 'raw', composeFile: null }).steps).toEqual([
      expect.not.stringContaining('composeFile'),
      'update compose.update: composeId = id of it; composeFile* = declared null',
    ]);
    expect(
      created('compose', { name: 'shop', sourceType: 'raw', composeFile: as(referring(host), write) }).steps,
    ).toHaveLength(1);
  });

  test('names the required members that are missing, also those that only the case of a union needs', () => {
    expect(created('redis', { name: 'main' }).missing).toEqual(['databasePassword']);
    expect(created('compose', { name: 'shop' }).missing).toEqual(['sourceType']);
    expect(created('compose', { name: 'shop', sourceType: 'raw' }).missing).toEqual(['composeFile']);
    expect(created('compose', { name: 'shop', sourceType: 'git' }).missing).toEqual([
      'customGitUrl',
      'customGitBranch',
    ]);
    const git = { name: 'shop', sourceType: 'git', customGitUrl: 'u', customGitBranch: 'b' };
    expect(created('compose', git).missing).toEqual([]);
    const domain = { host: 'a.test' };
    expect(created('domain', domain, below('domain', 'application')).missing).toEqual([]);
    expect(created('domain', domain, below('domain', 'compose')).missing).toEqual(['serviceName']);
  });

  test('carries the parent and the constants of the place', () => {
    expect(created('sshKey', { name: 'k', publicKey: 'a', privateKey: 'b' }).steps).toEqual([
      'create sshKey.create: organizationId* = "org_1"; name* = declared "k"; publicKey* = declared "a"; privateKey* = declared "b"',
    ]);
    expect(created('fileMount', { filePath: 'a.conf', content: 'x' }).steps).toEqual([
      'create mounts.create: serviceId* = id of production; serviceType* = "compose"; type* = "file"; mountPath* = declared "a.conf"; filePath* = declared "a.conf"; content* = declared "x"',
    ]);
    expect(created('fileMount', { content: 'x' })).toMatchObject({ missing: ['mountPath'] });
    expect(created('redis', redis, { parent: undefined }).missing).toEqual(['environmentId']);
  });

  test('carries what is sent with every create, unless something else is declared', () => {
    const backup = { schedule: '0 3 * * *', prefix: 'p', destinationId: 'd', database: 'shop' };
    const place = below('backup', 'postgres');
    expect(created('backup', backup, place).steps).toEqual([expect.stringContaining('; enabled* = true;')]);
    expect(created('backup', { ...backup, enabled: false }, place).steps).toEqual([
      expect.stringContaining('enabled* = declared false'),
    ]);
  });

  test('carries the id where it is ours to choose', () => {
    const [step] = created('bitbucket', { name: 'b' }, {}, 'chosen').steps;
    expect(step).toBe('create bitbucket.create: authId* = "user_1"; bitbucketId* = "chosen"; name* = declared "b"');
    expect(created('bitbucket', { name: 'b' }).steps[0]).not.toContain('bitbucketId');
  });

  test('is followed by the operation that chooses the case of a union, with its required members', () => {
    const fields = { name: 'web', sourceType: 'git', customGitUrl: 'u', customGitBranch: 'b' };
    expect(created('application', fields).steps).toEqual([
      'create application.create: environmentId* = id of production; name* = declared "web"; sourceType* = declared "git"',
      'update application.saveGitProvider: applicationId = id of it; customGitBuildPath = customGitBuildPath as read; customGitUrl* = declared "u"; watchPaths = watchPaths as read; customGitBranch* = declared "b"; for sourceType',
    ]);
    expect(created('application', { name: 'web' }).steps).toHaveLength(1);
    // There is no row yet of which it could be told what has to go along.
    const github = { name: 'web', sourceType: 'github', githubId: 'h', repository: 'r', owner: 'o', branch: 'b' };
    expect(created('application', github).steps[1]).not.toContain('triggerType');
    const docker = created('application', { name: 'web', sourceType: 'docker' });
    expect(docker).toMatchObject({
      steps: [{}, expect.stringContaining('update application.saveDockerProvider')],
      missing: ['dockerImage'],
    });
  });

  test('is none where no operation makes such an object', () => {
    expect(created('memberPermissions', { canAccessToAPI: true })).toEqual({ steps: [], missing: [] });
  });
});

describe('an update', () => {
  test('carries what changed and nothing else', () => {
    const fields = {
      dockerImage: 'redis:8',
      memoryLimit: as(declared('1G'), settled),
      cpuLimit: as(declared('2'), { do: 'leave', sentence: '' }),
      description: as(declared(null), { do: 'remove' }),
    };
    expect(updated('redis', fields).steps).toEqual([
      'update redis.update: redisId = id of it; dockerImage* = declared "redis:8"; description* = declared null',
    ]);
    expect(updated('redis', { dockerImage: as(declared('a'), settled) })).toEqual({ steps: [], notes: [] });
  });

  test('carries required members as declared, or else as read', () => {
    const fields = {
      schedule: '0 4 * * *',
      prefix: as(declared('p'), settled),
      metadata: as(lacking('S'), settled),
      destinationId: as(declared('d'), { do: 'leave', sentence: '' }),
    };
    expect(updated('backup', fields, {}, { more: below('backup', 'postgres') }).steps).toEqual([
      'update backup.update: backupId = id of it; databaseType = "postgres"; schedule* = declared "0 4 * * *"; enabled = enabled as read; prefix = declared "p"; destinationId = destinationId as read; database = database as read; keepLatestCount = keepLatestCount as read; serviceName = serviceName as read; metadata = metadata as read',
    ]);
  });

  test('carries what the platform would guess wrong, and no other constant of its place', () => {
    expect(updated('domain', { host: 'a.test' }, {}, { more: below('domain', 'application') }).steps).toEqual([
      'update domain.update: domainId = id of it; domainType = "application"; host* = declared "a.test"',
    ]);
    expect(updated('fileMount', { content: 'b' }).steps).toEqual([
      'update mounts.update: mountId = id of it; content* = declared "b"',
    ]);
  });

  test('carries what goes with every update, when it is declared or there', () => {
    const fields = { name: 'new', model: as(declared('m'), settled) };
    expect(updated('ai', fields, { apiKey: 'k', apiUrl: null }).steps).toEqual([
      'update ai.update: aiId = id of it; name* = declared "new"; apiKey = apiKey as read; model = declared "m"',
    ]);
    const changed = { apiKey: 'new', apiUrl: as(declared('u'), settled) };
    expect(updated('ai', changed, { model: 'm' }).steps).toEqual([
      'update ai.update: aiId = id of it; apiUrl = declared "u"; apiKey* = declared "new"; model = model as read',
    ]);
    const web = { sourceType: 'git', customGitUrl: 'u', customGitBranch: 'b' };
    expect(updated('application', web, { triggerType: 'push' }).steps[0]).not.toContain('triggerType');
  });

  test('names the object by its old name, and gives it another one under the name of that member', () => {
    const role = { roleName: as(declared('new'), settled), permissions: as(declared({ logs: ['read'] }), write) };
    expect(updated('customRole', role, { role: 'old' }).steps).toEqual([
      'update customRole.update: roleName = role as read; permissions* = declared {"logs":["read"]}',
    ]);
    expect(updated('customRole', { ...role, roleName: 'new' }, { role: 'old' }).steps).toEqual([
      'update customRole.update: roleName = role as read; permissions* = declared {"logs":["read"]}; newRoleName* = declared "new"',
    ]);
    const renamed = { roleName: 'new', permissions: as(declared({ logs: ['read'] }), settled) };
    expect(updated('customRole', renamed, { role: 'old' }).steps).toEqual([
      'update customRole.update: roleName = role as read; permissions = declared {"logs":["read"]}; newRoleName* = declared "new"',
    ]);
  });

  test('reads a member where the row has it', () => {
    const [step] = updated('gitlab', { gitlabUrl: 'u' }, {}).steps;
    expect(step).toContain('name = gitProvider.name as read');
    expect(step).toContain('gitlabUrl* = declared "u"');
  });

  test('sends each operation once, in the order of what changed', () => {
    const fields = {
      env: as(declared('A=1'), write),
      buildType: 'static',
      buildArgs: as(declared('B=1'), write),
      sourceType: as(declared('docker'), settled),
      dockerImage: 'nginx',
    };
    expect(updated('application', fields).steps.map((step) => step.split(':')[0])).toEqual([
      'update application.saveEnvironment',
      'update application.saveBuildType',
      'update application.saveDockerProvider',
    ]);
    // What no operation carries in this case is not sent.
    const other = { customGitUrl: 'u', sourceType: as(declared('docker'), settled) };
    expect(updated('application', other).steps).toEqual([]);
    expect(updated('application', { customGitUrl: 'u' }).steps).toEqual([]);
    expect(updated('application', { customGitUrl: 'u', sourceType: as(referring(host), settled) }).steps).toEqual([]);
  });

  test('uses the operation of a field where the row allows it, behind the update of the row that it reads', () => {
    const fields = { databasePassword: 'new', dockerImage: 'postgres:17' };
    expect(updated('postgres', fields, { applicationStatus: 'done' })).toEqual({
      steps: [
        'update postgres.update: postgresId = id of it; dockerImage* = declared "postgres:17"',
        'update postgres.changePassword: postgresId = id of it; password* = declared "new"',
      ],
      notes: [],
    });
    const idle = updated('postgres', fields, { applicationStatus: 'idle' });
    expect(idle.steps).toEqual([
      'update postgres.update: postgresId = id of it; databasePassword* = declared "new"; dockerImage* = declared "postgres:17"',
    ]);
    expect(idle.notes).toEqual([expect.stringContaining('the database does not run')]);
    const same = updated('postgres', { databasePassword: as(declared('p'), settled) }, { applicationStatus: 'done' });
    expect(same).toEqual({ steps: [], notes: [] });
  });

  test('gives the object another parent first: by an operation of its own, or with the rest', () => {
    expect(updated('redis', { dockerImage: 'redis:8' }, {}, { moveTo: 'staging' }).steps).toEqual([
      'move redis.move: redisId = id of it; targetEnvironmentId* = id of staging',
      'update redis.update: redisId = id of it; dockerImage* = declared "redis:8"',
    ]);
    expect(updated('redis', {}, {}, { moveTo: 'staging' }).steps).toEqual([
      'move redis.move: redisId = id of it; targetEnvironmentId* = id of staging',
    ]);
    expect(updated('compose', { command: 'up' }, {}, { moveTo: 'staging' }).steps).toEqual([
      'update compose.update: composeId = id of it; command* = declared "up"; environmentId* = id of staging',
    ]);
    expect(updated('domain', {}, {}, { moveTo: 'staging' }).steps).toEqual([]);
  });

  test('takes the id under the name that the operation gives it', () => {
    expect(updated('memberPermissions', { canAccessToAPI: true }).steps[0]).toMatch(
      /^update user\.assignPermissions: id = id of it; /,
    );
  });
});

describe('a map', () => {
  const entry = (key: string, decision: Decision): AttributeChange =>
    attributeChange('env', {
      attribute: { field: 'env', key },
      decision,
      wanted: decision.do === 'remove' ? undefined : declared('1'),
    });
  const resource = (mapMode: 'own' | 'merge') =>
    resourceOf(kindNamed('redis'), 'it', {
      maps: {
        env: new Map([
          ['A', declared('1')],
          ['B', declared('2')],
        ]),
      },
      mapMode,
    });
  const steps = (mapMode: 'own' | 'merge', ...attributes: readonly AttributeChange[]) =>
    updateSteps({ resource: resource(mapMode), attributes }, {}, undefined).steps.map(view);

  test('is sent whole when one of its keys changes, with the keys that are to go', () => {
    const attributes = [entry('A', write), entry('B', settled), entry('C', { do: 'remove' })];
    expect(steps('own', ...attributes)).toEqual([
      'update redis.update: redisId = id of it; env* = env: A B, removed C',
    ]);
    expect(steps('merge', ...attributes)).toEqual([
      'update redis.update: redisId = id of it; env* = env: A B, removed C, others stay',
    ]);
  });

  test('is not sent when no key changes', () => {
    expect(steps('own', entry('A', settled), entry('B', settled))).toEqual([]);
  });

  test('knows the keys of its own field only', () => {
    const other = attributeChange('command', {
      attribute: { field: 'command', key: 'X' },
      wanted: undefined,
      decision: { do: 'remove' },
    });
    expect(steps('own', entry('A', write), other)).toEqual([
      'update redis.update: redisId = id of it; env* = env: A B, removed ',
    ]);
    const whole = attributeChange('env', { wanted: undefined, decision: { do: 'remove' } });
    expect(steps('own', entry('A', write), whole)).toEqual([
      'update redis.update: redisId = id of it; env* = env: A B, removed ',
    ]);
  });

  test('is an ordinary member when it is written as text', () => {
    const key = attributeChange('env', { attribute: { field: 'env', key: 'A' }, decision: write });
    const text = { ...resource('own'), maps: {} };
    const input = { resource: text, attributes: [key] };
    expect(updateSteps(input, {}, undefined).steps).toEqual([]);
  });
});

test('a set that others add to is sent with what was ours in it', () => {
  const wanted = declared(['prj_1']);
  const fields = { accessedProjects: as(wanted, write, { pair: pairOf(['prj_1', 'prj_2']) }) };
  expect(updated('memberPermissions', fields, {}, { more: { mapMode: 'merge' } }).steps[0]).toContain(
    'accessedProjects* = a set, formerly prj_1 prj_2',
  );
  expect(updated('memberPermissions', fields).steps[0]).toContain('accessedProjects* = declared ["prj_1"]');
});

describe('a deletion', () => {
  const steps = (name: string, options = {}) =>
    deleteSteps({ kind: kindNamed(name), address: 'it', options }).map(view);

  test('carries the id, and the options that go with it', () => {
    expect(steps('redis')).toEqual(['delete redis.remove: redisId = id of it']);
    expect(steps('compose')).toEqual(['delete compose.delete: composeId = id of it; deleteVolumes = false']);
    expect(steps('compose', { deleteVolumes: true, protect: false })).toEqual([
      'delete compose.delete: composeId = id of it; deleteVolumes = true',
    ]);
    expect(
      deleteSteps({ kind: kindNamed('compose'), address: 'it', options: { deleteVolumes: true } })[0]?.changed,
    ).toEqual([]);
  });

  test('is none where there is no operation for it', () => {
    expect(steps('organization')).toEqual([]);
  });

  test('names its object by a member of the row where the operation does', () => {
    expect(steps('gitlab')).toEqual(['delete gitProvider.remove: gitProviderId = gitProviderId as read']);
  });
});

test('the size of a request counts the bytes of its known values, as they are sent', () => {
  const row = { c: 'x'.repeat(20), env: 'OTHER=1\nGONE=2\nKEY=old\n' };
  const outputs: Outputs = ({ output }) => (output === 'id' ? 'known' : undefined);
  const size = (members: Step['members']) =>
    bodySize(
      { operation: 'redis.update', role: 'update', members, changed: [] },
      { kind: kindNamed('redis'), row, outputs },
    );
  const field = kindNamed('redis').fields['name'] ?? attributeChange('name').field;
  const wanted = (value: Json): Member => ({ is: 'wanted', field, wanted: declared(value) });
  const whole = (body: object) => Buffer.byteLength(JSON.stringify(body));
  expect(size({})).toBe(2);
  expect(size({ ab: { is: 'value', value: secret('cd') } })).toBe(whole({ ab: 'cd' }));
  expect(size({ ab: wanted('é"') })).toBe(whole({ ab: 'é"' }));
  expect(size({ ab: { is: 'wanted', field, wanted: referring(host) } })).toBe(whole({ ab: '' }));
  expect(size({ a: { is: 'id', address: 'it' }, b: { is: 'mark' } })).toBe(whole({ a: '', b: '' }));
  expect(size({ c: { is: 'as read', from: 'c' } })).toBe(whole({ c: row.c }));
  const env = kindNamed('redis').fields['env'] ?? field;
  const entries = new Map([
    ['KEY', declared('v')],
    ['K', declared('"\'')],
  ]);
  const map = { is: 'map', field: env, name: 'env', entries, removed: ['GONE'] } as const;
  expect(size({ env: { ...map, keepOthers: false } })).toBe(whole({ env: 'KEY=v\nK=`"\'`\n' }));
  expect(size({ env: { ...map, keepOthers: true } })).toBe(whole({ env: 'OTHER=1\nKEY=v\nK=`"\'`\n' }));
});
