import { describe, expect, test } from 'vitest';
import { attempts } from '../../src/api/attempts.ts';
import type { Resource } from '../../src/manifest/resource.ts';
import type { ObservedObject } from '../../src/observe/observed.ts';
import type { Action } from '../../src/plan/action.ts';
import { hasChanges, isEffective, isDeferred } from '../../src/plan/action.ts';
import type { PlanInput } from '../../src/plan/input.ts';
import { buildPlan } from '../../src/plan/build-plan.ts';
import { bodySize } from '../../src/plan/steps.ts';
import type { StateRecord } from '../../src/state/record.ts';
import {
  actionOf,
  aStep,
  declared,
  here,
  inputOf,
  kindNamed,
  objectOf,
  pairOf,
  recordOf,
  referring,
  resourceOf,
} from '../support/plan-values.ts';

/** A plan as a whole. */

const production = resourceOf(kindNamed('environment'), 'production', { fields: { name: declared('production') } });
const redis = (key: string, fields: Resource['fields'] = {}) =>
  resourceOf(kindNamed('redis'), `production.redis.${key}`, {
    fields: { name: declared(key), databasePassword: declared('p'), ...fields },
  });
const shop = resourceOf(kindNamed('compose'), 'production.compose.shop', {
  fields: {
    name: declared('shop'),
    sourceType: declared('raw'),
    composeFile: declared('a: b'),
    composeType: declared('stack'),
  },
});
const domain = (key: string) => {
  const link = kindNamed('domain').parents['compose'];
  if (link === undefined) throw new Error('a compose has no domains');
  const fields = { host: declared(key), serviceName: declared('web') };
  return resourceOf(kindNamed('domain'), `production.compose.shop.domains.${key}`, {
    parent: shop.address,
    link,
    fields,
  });
};

interface About {
  readonly objects?: Readonly<Record<string, ObservedObject>>;
  readonly records?: Readonly<Record<string, StateRecord>>;
  readonly destroys?: boolean;
}

function plan(resources: readonly Resource[], { objects = {}, records = {}, destroys = false }: About = {}) {
  return buildPlan({ ...inputOf(objects, records), resources, destroys });
}

const inShort = (actions: readonly Action[]) => actions.map(({ action, address }) => `${action} ${address}`);
const environment = { production: objectOf('env_1', { name: 'production' }, { parentId: 'prj_1' }) };

describe('it has an action', () => {
  test('for everything that is declared, each after what it depends on, and then for what has to be deployed', () => {
    const { actions, base, saved, observed, diagnostics } = plan([production, redis('main')], { objects: environment });
    expect(inShort(actions)).toEqual([
      'no-op production',
      'create production.redis.main',
      'deploy production.redis.main (deploy)',
    ]);
    expect(diagnostics).toEqual([]);
    expect(saved).toBe(base);
    expect([...observed.objects.keys()]).toEqual(['production']);
  });

  test('for everything that is remembered and not declared any more, parents before what is in them', () => {
    const records = {
      'production.compose.shop.domains.a': recordOf('domain', 'd', { parent: 'production.compose.shop' }),
      'production.compose.shop': recordOf('compose', 'c', { parent: 'production' }),
      production: recordOf('environment', 'env_1'),
      'no.longer.known': recordOf('kind of another version', 'x'),
    };
    const objects = {
      ...environment,
      'production.compose.shop': objectOf('c', { domains: [{ domainId: 'd' }] }),
      'production.compose.shop.domains.a': objectOf('d', {}),
    };
    const { actions } = plan([production], { objects, records });
    expect(inShort(actions)).toEqual([
      'no-op production',
      'delete production.compose.shop',
      'delete production.compose.shop.domains.a',
    ]);
    expect(actions[2]?.scope).toBe('production.compose.shop');
  });
});

describe('a reference', () => {
  const user = {
    ...redis('user'),
    fields: { ...redis('user').fields, dockerImage: referring({ address: 'production.redis.main', output: 'host' }) },
  };
  const of = (
    objects: Readonly<Record<string, ObservedObject>>,
    fields: Resource['fields'] = {},
    records: About['records'] = {},
  ) => {
    const { actions } = plan([production, redis('main', fields), user], {
      objects: { ...environment, ...objects },
      records,
    });
    return actions.find(({ address }) => address === user.address)?.changes.find(({ path }) => path === 'dockerImage')
      ?.after;
  };
  const main = objectOf(
    'r',
    { name: 'main', databasePassword: 'p', appName: 'main-abc', serverId: 'srv_1' },
    { parentId: 'env_1' },
  );

  test('to what is there is known', () => {
    expect(of({ 'production.redis.main': main })).toEqual({ is: 'value', value: 'main-abc' });
  });

  test('to what is made in this run is known after apply', () => {
    expect(of({})).toEqual({ is: 'known after apply' });
    const records = { 'production.redis.main': recordOf('redis', 'r', { pairs: { serverId: pairOf('srv_1') } }) };
    expect(of({ 'production.redis.main': main }, { serverId: declared('srv_2') }, records)).toEqual({
      is: 'known after apply',
    });
  });

  test('to an output that the platform does not show yet is known after apply as well', () => {
    const { row: _, ...object } = main;
    expect(of({ 'production.redis.main': { ...object, row: { name: 'main', databasePassword: 'p' } } })).toEqual({
      is: 'known after apply',
    });
  });
});

describe('what is below something that is replaced', () => {
  const row = {
    name: 'shop',
    sourceType: 'raw',
    composeFile: 'a: b',
    composeType: 'docker-compose',
    domains: [{ domainId: 'd' }],
  };
  const records = { [shop.address]: recordOf('compose', 'c', { pairs: { composeType: pairOf('docker-compose') } }) };
  const objects = (parentId: string, composeType = 'docker-compose') => ({
    ...environment,
    [shop.address]: objectOf('c', { ...row, composeType }, { parentId: 'env_1' }),
    [domain('a').address]: objectOf('d', { host: 'a', serviceName: 'web' }, { parentId }),
  });
  const of = (all: Readonly<Record<string, ObservedObject>>) =>
    inShort(plan([production, shop, domain('a')], { objects: all, records }).actions).filter((action) =>
      action.includes('domains'),
    );

  test('is made anew with it', () => {
    expect(of(objects('c'))).toEqual([`replace ${domain('a').address}`]);
  });

  test('is not replaced when it has another parent on the platform, or when the parent stays', () => {
    expect(of(objects('other'))).toEqual([`move ${domain('a').address}`]);
    expect(of(objects('c', 'stack'))).toEqual([`no-op ${domain('a').address}`]);
  });
});

test('what one request cannot carry is refused before anything is sent', () => {
  const big = redis('main', { dockerImage: declared('x'.repeat(11_000_000)) });
  const [, action] = plan([production, big], { objects: environment }).actions;
  expect(action?.notes).toMatchObject([
    {
      code: 'too-large',
      severity: 'error',
      message: expect.stringMatching(/^production\.redis\.main: redis\.create would carry 11\d{6} bytes$/) as string,
      remedy: expect.stringMatching(
        /^The platform takes at most \d+ bytes in one request\. Make the file smaller\.$/,
      ) as string,
      address: 'production.redis.main',
      position: here,
    },
  ]);
  const sized = (length: number) =>
    plan([production, redis('main', { dockerImage: declared('x'.repeat(length)) })], { objects: environment })
      .actions[1];
  const [none] = sized(0)?.steps ?? [];
  const about = { kind: kindNamed('redis'), row: undefined, outputs: () => undefined };
  const most = attempts.request.maxBytes - (none === undefined ? 0 : bodySize(none, about));
  expect([sized(most)?.notes.length, sized(most + 1)?.notes.length]).toEqual([0, 1]);
  const [, twice] = plan([production, redis('main', { dockerImage: declared('x') })], { objects: environment }).actions;
  expect(twice?.notes).toEqual([]);
});

test('what waits for something that is not listed yet is held back', () => {
  const lab = resourceOf(kindNamed('gitlab'), 'gitlab.lab', { fields: { name: declared('lab') } });
  const other = {
    ...redis('main'),
    fields: { ...redis('main').fields, dockerImage: referring({ address: 'gitlab.lab', output: 'id' }) },
  };
  const { actions } = plan([production, lab, other], {
    objects: environment,
    records: { 'gitlab.lab': recordOf('gitlab', null) },
  });
  expect(actions.map((action) => [action.address, isDeferred(action)])).toEqual([
    ['production', false],
    ['gitlab.lab', true],
    ['production.redis.main', true],
  ]);
});

test('a deletion of everything is told, unless that is what was asked for', () => {
  const records = {
    production: recordOf('environment', 'env_1'),
    'production.redis.main': recordOf('redis', 'r', { parent: 'production' }),
  };
  const objects = { production: objectOf('env_1', {}), 'production.redis.main': objectOf('r', {}) };
  expect(plan([], { objects, records }).diagnostics.map(({ code }) => code)).toEqual(['deletes-everything']);
  expect(plan([], { objects, records, destroys: true }).diagnostics).toEqual([]);
});

test('a deletion beside a creation is told, also when everything is to go', () => {
  const records = { 'production.redis.old': recordOf('redis', 'r', { parent: 'production' }) };
  const objects = { ...environment, 'production.redis.old': objectOf('r', {}) };
  expect(plan([production, redis('new')], { objects, records }).diagnostics.map(({ code }) => code)).toEqual([
    'renamed',
    'other-manifest',
  ]);
});

test('an old object that goes later stands at an address of its own, and its deletion is told of those who use it', () => {
  const key = resourceOf(kindNamed('sshKey'), 'sshKeys.deploy', {
    fields: { name: declared('deploy'), publicKey: declared('new'), privateKey: declared('k') },
  });
  const objects = {
    'sshKeys.deploy': objectOf('key_1', { name: 'deploy', publicKey: 'old', privateKey: 'k' }, { parentId: 'org_1' }),
  };
  const records = { 'sshKeys.deploy': recordOf('sshKey', 'key_1', { pairs: { publicKey: pairOf('old') } }) };
  const { actions, observed } = plan([key], { objects, records });
  expect(inShort(actions)).toEqual(['replace sshKeys.deploy', 'delete sshKeys.deploy (old)']);
  expect([...observed.objects.keys()]).toEqual(['sshKeys.deploy (old)']);
  expect(actions[1]?.notes.map(({ code }) => code)).toEqual(['goes-along']);
});

test('what an action is', () => {
  const kind = kindNamed('sshKey');
  const first = actionOf('sshKeys.deploy', { kind, action: 'replace' });
  expect(isEffective(first)).toBe(false);
  expect(isEffective({ ...first, steps: [aStep] })).toBe(true);
  expect(isEffective({ ...first, teardown: [aStep] })).toBe(true);
  expect(isEffective({ ...first, action: 'delete' })).toBe(true);
  const { state, observed } = inputOf({});
  const of = (...actions: readonly Action[]) => ({ base: state, saved: state, observed, actions, diagnostics: [] });
  expect(hasChanges(of(actionOf('a'), actionOf('b')))).toBe(false);
  expect(hasChanges(of(actionOf('a'), actionOf('b', { action: 'forget' })))).toBe(true);
});

describe('a plan without a part of it', () => {
  const records = {
    production: recordOf('environment', 'env_1'),
    'production.redis.main': recordOf('redis', 'r_1', { parent: 'production' }),
    'production.redis.other': recordOf('redis', 'r_2', { parent: 'production' }),
  };
  const objects = {
    production: objectOf('env_1', { name: 'production' }, { parentId: 'prj_1' }),
    'production.redis.main': objectOf('r_1', {}),
    'production.redis.other': objectOf('r_2', {}),
  };
  const told = (resources: readonly Resource[], narrowing: Partial<PlanInput['narrowing']>) => {
    const input = { ...inputOf(objects, records), resources, destroys: false };
    return buildPlan({ ...input, narrowing: { ...input.narrowing, ...narrowing } }).diagnostics.map(
      ({ code, severity, message }) => `${severity} ${code}: ${message}`,
    );
  };
  const refused =
    'error deletes-everything: without --exclude, this plan deletes everything that the state holds, 3 resources: production, production.redis.main, production.redis.other';

  test('is an error where the whole one deletes everything', () => {
    expect(told([], { excludes: ['production.redis.other'] })).toEqual([refused]);
  });

  test.each<[string, readonly Resource[], Partial<PlanInput['narrowing']>]>([
    ['that names what it deletes', [], { targets: ['production.redis.main'] }],
    ['that deletes nothing itself', [], { excludes: ['production'] }],
    ['of a manifest with something in it', [production, redis('other')], { excludes: ['production.redis.other'] }],
  ])('is none %s', (_what, resources, narrowing) => {
    expect(told(resources, narrowing).filter((line) => line.includes('deletes everything'))).toEqual([]);
  });

  test('says it once where the rest is everything', () => {
    const all = told([], {}).filter((line) => line.includes('deletes everything'));
    expect(all).toEqual([refused.replace('without --exclude, ', '')]);
    expect(told([], { excludes: ['staging'] }).filter((line) => line.includes('deletes everything'))).toEqual(all);
  });
});
