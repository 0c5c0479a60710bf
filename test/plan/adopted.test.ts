import { describe, expect, test } from 'vitest';
import type { Action, AttributeChange } from '../../src/plan/action.ts';
import { adoptedState, differing } from '../../src/plan/adopted.ts';
import {
  actionOf,
  attributeChange,
  declared,
  inputOf,
  kindNamed,
  makeDigests,
  objectOf,
} from '../support/plan-values.ts';

/** Objects that are managed as the platform has them, without a request. */

const attribute = (field: string, decision: AttributeChange['decision']) => attributeChange(field, { decision });

test('what differs is what a plan writes, replaces or cannot bring to what is declared', () => {
  const attributes = [
    attribute('name', { do: 'nothing', settled: true }),
    attribute('command', { do: 'wait' }),
    attribute('dockerImage', { do: 'write', cause: 'edit' }),
    attribute('databaseName', { do: 'replace', cause: 'edit' }),
  ];
  expect(differing(actionOf('production.redis.main', { attributes }))).toEqual(['dockerImage', 'databaseName']);
});

describe('the state', () => {
  const main = 'production.redis.main';
  const row = { redisId: 'redis_1', dockerImage: 'redis:8' };
  const named = (value: string) => [attributeChange('dockerImage', { wanted: declared(value) })];
  const { state, observed } = inputOf({ [main]: objectOf('redis_1', row) });
  const stateAfter = (...actions: readonly Action[]) =>
    adoptedState(
      { base: state, saved: state, observed, actions, destroys: false, narrowed: undefined, diagnostics: [] },
      new Set([main, 'production', 'production.redis.new']),
      makeDigests,
    );

  test('has an object with its parent, what it needs and its settled values, and is the next one', () => {
    const adopted = actionOf(main, {
      action: 'adopt',
      id: 'redis_1',
      parent: 'production',
      dependsOn: ['production'],
      options: { protect: true },
      attributes: named('redis:8'),
    });
    const pair = { wanted: { value: 'redis:8' }, answered: { value: 'redis:8' } };
    expect(stateAfter(adopted)).toEqual({
      ...state,
      serial: state.serial + 1,
      resources: {
        [main]: {
          kind: 'redis',
          id: 'redis_1',
          parent: 'production',
          dependsOn: ['production'],
          pairs: { dockerImage: pair },
          options: { protect: true },
        },
      },
      deployments: { [main]: {} },
    });
  });

  test('has no parent of what is at the top, and no deployment of what is never deployed', () => {
    const production = actionOf('production', { kind: kindNamed('environment'), action: 'adopt', id: 'env_1' });
    expect(stateAfter(production).deployments).toEqual({});
    expect(stateAfter(production).resources['production']).toEqual({
      kind: 'environment',
      id: 'env_1',
      parent: null,
      dependsOn: [],
      pairs: {},
      options: {},
    });
  });

  test('has nothing of another address, of what is not there, and of a deployment', () => {
    const actions = [
      actionOf('production.redis.other', { action: 'adopt' }),
      actionOf('production.redis.new', { action: 'create', id: undefined }),
      actionOf(main, { action: 'deploy' }),
    ];
    expect(stateAfter(...actions).resources).toEqual({});
  });
});
