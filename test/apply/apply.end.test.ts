import { describe, expect, test } from 'vitest';
import { PlatformError } from '../../src/api/platform-error.ts';
import { apply } from '../../src/apply/apply.ts';
import { reasonOf } from '../../src/apply/deploy-request.ts';
import { type Row, defined } from '../../src/formats/json.ts';
import type { Action, Staleness, Step } from '../../src/plan/action.ts';
import { memoryStore } from '../../src/state/backends/memory.ts';
import type { State } from '../../src/state/state.ts';
import { actionOf, aStep, attributeChange, declared, kindNamed, objectOf, pairOf } from '../support/plan-values.ts';
import { recordOf, serviceOf } from '../support/plan-values.ts';
import type { Answers } from '../support/run-values.ts';
import { runOf } from '../support/run-values.ts';

/** How a deletion ends that is answered with an error, and when the state is written at the end. */

const address = 'production.redis.main';
const record = recordOf('redis', 'redis_1', { pairs: { description: pairOf('a') } });
const row: Row = { redisId: 'redis_1', description: 'a' };

/** Applies actions on a platform that answers something, and tells what was written to the state at the end. */
async function applied(actions: readonly Action[], answers: Answers) {
  const written: State[] = [];
  const store = {
    ...memoryStore(),
    append: () => Promise.resolve(),
    write: (state: State) => {
      written.push(state);
      return Promise.resolve();
    },
  };
  const objects = { [address]: objectOf('redis_1', row) };
  const made = runOf(actions, { objects, resources: { [address]: record }, answers, more: { store } });
  const { outcomes, state } = await apply(made.run.input);
  return {
    results: outcomes.map(({ result }) => result),
    told: outcomes.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message)),
    written,
    state,
  };
}

/** An error that the platform answers. */
function answer(status: number, failure: PlatformError['failure'], serverMessage: string): PlatformError {
  const url = 'https://platform.example/api/redis.remove';
  const event = `the platform answered ${status}`;
  return new PlatformError({
    operation: 'redis.remove',
    url,
    isWrite: true,
    failure,
    outcome: 'not executed',
    event,
    status,
    serverMessage,
  });
}

describe('a deletion that the platform refuses', () => {
  const removal = actionOf(address, { action: 'delete', id: 'redis_1', teardown: [aStep] });
  const production = actionOf('production', { kind: kindNamed('environment'), id: 'env_1' });

  /** Whether the object is there before the deletion, and after it. */
  const refusing =
    (error: PlatformError, isThere: boolean): Answers =>
    (operation) => {
      if (operation !== 'redis.remove') return isThere ? row : undefined;
      isThere = false;
      throw error;
    };

  test.each([
    ['404', answer(404, 'not found', 'no such thing')],
    ['400 with words that say the same', answer(400, 'invalid', 'Redis Not Found')],
  ])('because the object is gone already is done: %s', async (_how, error) => {
    const { results, told, state } = await applied([production, removal], refusing(error, true));
    expect([results, told]).toEqual([['done', 'done'], []]);
    expect(state.resources).not.toHaveProperty([address]);
  });

  test.each([
    ['400 for another reason', answer(400, 'invalid', 'in use')],
    ['403 with such words', answer(403, 'forbidden', 'permission not found')],
  ])('for another reason is told: %s', async (_how, error) => {
    const { told } = await applied([production, removal], refusing(error, true));
    expect(told.join('\n')).toContain(`the platform answered ${String(error.status)}`);
  });
});

describe('at its end a run', () => {
  const idle = actionOf(address, {
    id: 'redis_1',
    attributes: [attributeChange('description', { wanted: declared('a'), pair: pairOf('a') })],
  });

  test('that changed nothing writes nothing, and gives the state that it had', async () => {
    const { results, written, state } = await applied([idle], () => row);
    expect([results, written, state.serial]).toEqual([['done'], [], 3]);
  });

  test('that settled a value anew writes it once, under the next serial', async () => {
    const attributes = [attributeChange('description', { wanted: declared('b') })];
    const { written, state } = await applied([{ ...idle, attributes }], () => ({ ...row, description: 'b' }));
    expect(written).toEqual([state]);
    expect(state.serial).toBe(4);
  });

  test('that sent something writes the state also when nothing in it is new', async () => {
    const sending = actionOf(address, {
      ...idle,
      action: 'update',
      steps: [{ operation: 'redis.update', role: 'update', members: {}, changed: ['description'] }],
    });
    const { written, state } = await applied([{ ...sending }, actionOf('production.redis.other')], () => row);
    expect(written).toEqual([state]);
  });
});

describe('whether a service is stale is settled', () => {
  const update: Step = { operation: 'redis.update', role: 'update', members: {}, changed: ['description'] };

  /**
   * Applies an update of one Redis; gives what the state records of the deployments of the others, and when: before the answer
   * to the update, or after it.
   */
  async function settledBy(others: readonly Action[], staleness?: Partial<Staleness>) {
    const log: string[] = [];
    const withDigest = (action: Action): Action => {
      const inputs = () => {
        log.push(`digest of ${action.address}`);
        return 'now';
      };
      return { ...action, service: serviceOf({ known: { inputs: 'before' }, inputs, ...defined({ staleness }) }) };
    };
    const answers: Answers = async (operation) => {
      if (operation !== 'redis.update') return row;
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      log.push('answer to the update');
      return row;
    };
    const updating = actionOf(address, { id: 'redis_1', action: 'update', steps: [update] });
    const objects = { [address]: objectOf('redis_1', row) };
    const resources = { [address]: record };
    const actions = [updating, ...others.map(withDigest)];
    const { state } = await apply(runOf(actions, { objects, resources, answers }).run.input);
    return { log, deployments: state.deployments };
  }

  const [a, b] = ['production.redis.a', 'production.redis.b'];

  test('once, while the first requests are on their way, where nothing else decides about it', async () => {
    expect(await settledBy([actionOf(a), actionOf(b)])).toEqual({
      log: [`digest of ${a}`, `digest of ${b}`, 'answer to the update'],
      deployments: { [a]: { inputs: 'now' }, [b]: { inputs: 'now' } },
    });
  });

  test('once, while they are on their way, where only the service itself decides about it', async () => {
    expect(await settledBy([actionOf(a)], { through: [a] })).toMatchObject({
      log: [`digest of ${a}`, 'answer to the update'],
    });
  });

  test('once, at the end of the run, where an action elsewhere decides about it', async () => {
    expect(await settledBy([actionOf(a)], { through: [address] })).toMatchObject({
      log: ['answer to the update', `digest of ${a}`],
    });
  });
});

test('the reason of a failed request is the text of the platform, where it gave one', () => {
  expect(reasonOf(answer(400, 'invalid', 'the disk is full'))).toBe('the disk is full');
  expect(reasonOf(answer(502, 'server', ''))).toContain('the platform answered 502');
});
