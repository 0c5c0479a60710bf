import { describe, expect, test } from 'vitest';
import type { Change } from '../../src/plan/action.ts';
import { overwriting, recreating, restarting, risking, underWay } from '../../src/plan/summary.ts';
import { actionOf, changeAt } from '../support/plan-values.ts';

/** What a summary says of a plan: whom it restarts, what it overwrites, whose data it puts at risk. */

const deployment = (name: string, more: Parameters<typeof actionOf>[1] = {}) =>
  actionOf(`production.compose.${name} (deploy)`, { action: 'deploy', ...more });

const change = (cause: Change['cause']) => changeAt('env.A', { cause });

describe('services', () => {
  const actions = [
    deployment('new'),
    deployment('edited', { because: ['env.A'] }),
    deployment('waiting', { start: 'under way' }),
    actionOf('production.compose.edited', { action: 'update' }),
    actionOf('production.compose.new', { action: 'replace' }),
    actionOf('production.redis.replaced', { action: 'replace' }),
  ];

  test('restart when a plan deploys them, and not for the first time', () => {
    expect(restarting(actions)).toEqual(['production.compose.edited']);
  });

  test('are under way when an earlier run deployed them', () => {
    expect(underWay(actions)).toEqual(['production.compose.waiting']);
  });

  test('are created again when they are replaced and deployed', () => {
    expect(recreating(actions)).toEqual(['production.compose.new']);
  });
});

test('what a person changed on the platform is overwritten', () => {
  const changed = (name: string, ...causes: readonly Change['cause'][]) =>
    actionOf(`production.redis.${name}`, { action: 'update', changes: causes.map(change) });
  const actions = [
    changed('drifted', 'edit', 'drift'),
    changed('in-conflict', 'conflict'),
    changed('edited', 'edit', 'first managed'),
    changed('same'),
  ];
  expect(overwriting(actions)).toEqual(['production.redis.drifted', 'production.redis.in-conflict']);
});

test('data is at risk where an action says so', () => {
  const actions = [
    actionOf('production.redis.gone', { action: 'delete', dataAtRisk: 'the data of this database' }),
    actionOf('production.redis.main', { action: 'update' }),
  ];
  expect(risking(actions)).toEqual(['production.redis.gone']);
});
