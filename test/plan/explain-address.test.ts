import { describe, expect, test } from 'vitest';
import { findPart } from '../../src/manifest/value-at.ts';
import type { Step } from '../../src/plan/action.ts';
import { actionsAt, explainPart, explainRemoved } from '../../src/plan/explain-address.ts';
import { literal } from '../../src/plan/steps.ts';
import { actionOf, aStep, changeAt, declared, here, kindNamed, referring, resourceOf } from '../support/plan-values.ts';

/** What a manifest and a plan say of an address. */

const main = resourceOf(kindNamed('redis'), 'production.redis.main', {
  fields: {
    name: declared('main'),
    command: referring({ address: 'production.redis.other', output: 'host' }),
    dockerImage: referring({ address: 'production.compose.shop', output: 'appName' }),
  },
});
const production = resourceOf(kindNamed('environment'), 'production', { fields: { name: declared('production') } });
const all = [production, main];

function explained(path: string) {
  const part = findPart(path, all);
  return part === undefined
    ? undefined
    : explainPart(part, { resources: all, leftOut: new Map([['production', ['protect']]]) });
}

describe('a resource', () => {
  test('needs what it refers to and its parent, and is needed by what refers to it', () => {
    expect(explained('production.redis.main')).toEqual({
      address: 'production.redis.main',
      path: '',
      kind: 'redis',
      position: here,
      dependsOn: ['production', 'production.compose.shop', 'production.redis.other'],
      neededBy: [],
      leftOut: [],
    });
    expect(explained('production')).toMatchObject({
      dependsOn: [],
      neededBy: ['production.redis.main'],
      leftOut: ['protect'],
    });
  });

  test('needs in one field only what that refers to', () => {
    expect(explained('production.redis.main.command')).toMatchObject({
      address: 'production.redis.main',
      path: 'command',
      position: here,
      dependsOn: ['production.redis.other'],
      neededBy: [],
    });
  });
});

describe('an object that only the state has', () => {
  const gone = actionOf('production.redis.gone', {
    action: 'delete',
    dependsOn: ['production.redis.gone', 'production.compose.shop', 'production.compose.shop', 'production'],
  });
  const others = [
    actionOf('production.redis.gone (deploy)', { action: 'deploy', dependsOn: ['production.redis.gone'] }),
    actionOf('production.redis.main', { dependsOn: ['production.redis.gone'] }),
    actionOf('production.compose.shop', { dependsOn: ['production.redis.gone', 'production'] }),
    actionOf('production.compose.other', { dependsOn: ['production'] }),
  ];

  test('needs what the state says, each once, and not itself', () => {
    expect(explainRemoved('production.redis.gone', [...others, gone])).toEqual({
      address: 'production.redis.gone',
      path: '',
      kind: 'redis',
      position: undefined,
      leftOut: [],
      dependsOn: ['production', 'production.compose.shop'],
      neededBy: ['production.compose.shop', 'production.redis.main'],
    });
  });

  test('is not explained where the plan has none', () => {
    expect(explainRemoved('production.redis.none', [...others, gone])).toBeUndefined();
  });
});

describe('the requests of an address', () => {
  const address = 'production.redis.main';
  const update: Step = {
    operation: 'redis.update',
    role: 'update',
    members: { redisId: { is: 'id', address }, dockerImage: literal('redis:8') },
    changed: ['dockerImage'],
  };
  const saveEnvironment: Step = {
    operation: 'redis.saveEnvironment',
    role: 'update',
    members: { redisId: { is: 'id', address }, env: literal('A=1') },
    changed: ['env'],
  };
  const updated = actionOf(address, {
    action: 'replace',
    changes: [changeAt('dockerImage'), changeAt('env.A'), changeAt('envelope')],
    teardown: [aStep],
    steps: [update, saveEnvironment],
  });
  const deployment = actionOf(`${address} (deploy)`, {
    action: 'deploy',
    because: ['dockerImage'],
    steps: [{ operation: 'redis.deploy', role: 'deploy', members: {}, changed: [] }],
  });
  const actions = [updated, deployment, actionOf('production.redis.other', { steps: [update] })];
  const sent = (path: string, fields: readonly string[], of = actions) =>
    actionsAt({ address, path }, new Set(fields), of).map(({ action, sends }) => [
      action.changes.map((one) => one.path),
      sends.map(({ operation }) => operation),
    ]);

  test('are all of its own and its deployment, what goes first', () => {
    expect(sent('', [])).toEqual([
      [
        ['dockerImage', 'env.A', 'envelope'],
        ['redis.remove', 'redis.update', 'redis.saveEnvironment'],
      ],
      [[], ['redis.deploy']],
    ]);
    const [first] = actionsAt({ address, path: '' }, new Set(), [updated]);
    expect(first?.sends[1]).toEqual({
      operation: 'redis.update',
      method: 'POST',
      changes: ['dockerImage'],
      with: ['redisId'],
    });
  });

  test('are of a field those that carry it, and the deployment that follows from it', () => {
    expect(sent('dockerImage', ['dockerImage'])).toEqual([
      [['dockerImage'], ['redis.update']],
      [[], ['redis.deploy']],
    ]);
    expect(sent('env', ['env'])).toEqual([[['env.A'], ['redis.saveEnvironment']]]);
    expect(sent('command', ['command'])).toEqual([]);
  });
});
