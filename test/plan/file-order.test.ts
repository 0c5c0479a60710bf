import { expect, test } from 'vitest';
import type { Action } from '../../src/plan/action.ts';
import { inFileOrder } from '../../src/plan/file-order.ts';
import { actionOf, kindNamed, resourceOf } from '../support/plan-values.ts';

/** A plan is read beside the manifest: what is gone stands where it would stand. */

const environment = kindNamed('environment');
const redis = kindNamed('redis');
const mount = kindNamed('mount');
const declared = [
  resourceOf(environment, 'staging', { parent: undefined }),
  resourceOf(redis, 'staging.redis.main', { parent: 'staging' }),
  resourceOf(environment, 'production', { parent: undefined }),
  resourceOf(redis, 'production.redis.b', { parent: 'production' }),
  resourceOf(mount, 'production.redis.b.mounts.x', { parent: 'production.redis.b' }),
  resourceOf(redis, 'production.redis.a', { parent: 'production' }),
];
const kept = declared.map(({ address, kind, parent }) => actionOf(address, { kind, parent }));
const gone = (address: string, kind: Action['kind'], parent?: string) =>
  actionOf(address, { action: 'delete', kind, parent });
const deployment = (service: string) => actionOf(`${service} (deploy)`, { action: 'deploy', parent: service });

const sorted = (...actions: readonly Action[]) => inFileOrder(actions, declared).map(({ address }) => address);

test('declared resources have the order of the manifest', () => {
  expect(sorted(...kept.toReversed())).toEqual(declared.map(({ address }) => address));
});

test('a removed service stands behind its siblings, in its environment', () => {
  expect(sorted(gone('staging.redis.old', redis, 'staging'), ...kept)).toEqual([
    'staging',
    'staging.redis.main',
    'staging.redis.old',
    'production',
    'production.redis.b',
    'production.redis.b.mounts.x',
    'production.redis.a',
  ]);
});

test('the only one of its kind stands behind all that is below its parent', () => {
  const compose = kindNamed('compose');
  expect(sorted(gone('staging.compose.old', compose, 'staging'), ...kept).indexOf('staging.compose.old')).toBe(2);
});

test('what is removed below a service stands before its deployment, and deployments come last', () => {
  const actions = [
    deployment('production.redis.b'),
    gone('production.redis.b.mounts.a', mount, 'production.redis.b'),
    ...kept,
  ];
  expect(sorted(...actions).slice(3)).toEqual([
    'production.redis.b',
    'production.redis.b.mounts.x',
    'production.redis.b.mounts.a',
    'production.redis.a',
    'production.redis.b (deploy)',
  ]);
});

test('what runs once comes behind the deployments, whatever it runs in', () => {
  const run = actionOf('staging.redis.main (run)', { action: 'run', parent: 'staging.redis.main' });
  expect(sorted(run, deployment('production.redis.b'), ...kept).slice(-3)).toEqual([
    'production.redis.a',
    'production.redis.b (deploy)',
    'staging.redis.main (run)',
  ]);
});

test('a removed environment stands behind the last one, with what was in it', () => {
  const actions = [
    gone('preview.redis.main.mounts.x', mount, 'preview.redis.main'),
    gone('preview.redis.main', redis, 'preview'),
    gone('preview', environment),
    ...kept,
  ];
  expect(sorted(...actions).slice(-3)).toEqual(['preview', 'preview.redis.main', 'preview.redis.main.mounts.x']);
});

test('the old object of a replacement stands behind the new one, and what no place is known of at the end', () => {
  const sshKey = kindNamed('sshKey');
  const actions = [gone('sshKeys.old', sshKey), gone('production.redis.b (old)', redis, 'production'), ...kept];
  expect(sorted(...actions)).toEqual([
    'staging',
    'staging.redis.main',
    'production',
    'production.redis.b',
    'production.redis.b (old)',
    'production.redis.b.mounts.x',
    'production.redis.a',
    'sshKeys.old',
  ]);
});
