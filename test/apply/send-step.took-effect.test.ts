import { describe, expect, test } from 'vitest';
import { isAtHome } from '../../src/apply/rows.ts';
import { tookEffect } from '../../src/apply/send-step.ts';
import type { Action, Member, AttributeChange, Step } from '../../src/plan/action.ts';
import type { Decision } from '../../src/plan/decide.ts';
import { actionOf, anything, aStep, declared, kindNamed, attributeChange } from '../support/plan-values.ts';
import type { Answers } from '../support/run-values.ts';
import { jobFor, failure, having, runOf } from '../support/run-values.ts';

/** Whether the platform has what a request was to bring that nobody answered. */

const address = 'production.redis.main';
const write: Decision = { do: 'write', cause: 'edit' };
const member: Member = { is: 'wanted', field: anything, wanted: declared('b') };

const production = actionOf('production', { kind: kindNamed('environment'), id: 'env_1' });

/** A Redis of which the description is written, when nothing else is said. */
function redis(more: Partial<Action> = {}): Action {
  const attributes = [attributeChange('description', { wanted: declared('b'), decision: write })];
  return actionOf(address, { action: 'update', id: 'redis_1', attributes, ...more });
}

function updating(changed: readonly string[], members: Step['members'] = {}): Step {
  const all = Object.fromEntries(changed.map((name) => [name, member]));
  return { operation: 'redis.update', role: 'update', members: { ...all, ...members }, changed };
}

/** Whether a request took effect, on a platform that answers something. */
function took(answers: Answers, step: Step, action = redis(), others: readonly Action[] = []): Promise<boolean> {
  const { run } = runOf([...others, action], { answers });
  return tookEffect(run, jobFor(run, action), step);
}

const answering = (description: string) => having({ redisId: 'redis_1', description });

describe('an update took effect', () => {
  const changed = updating(['description']);

  test('when the platform has what it writes, and not otherwise', async () => {
    expect(await took(answering('b'), changed)).toBe(true);
    expect(await took(answering('a'), changed)).toBe(false);
  });

  test('when it carries a field under another name, and the field has its value', async () => {
    const wanted = declared('b');
    const action = redis({ attributes: [attributeChange('description', { wanted, decision: write })] });
    const members = { text: { is: 'wanted', field: anything, wanted } } as const;
    const step: Step = { operation: 'redis.update', role: 'update', members, changed: ['text'] };
    expect(await took(answering('b'), step, action)).toBe(true);
    expect(await took(answering('a'), step, action)).toBe(false);
  });

  test('only when every changed member has its value', async () => {
    const attributes = [...redis().attributes, attributeChange('name', { wanted: declared('b'), decision: write })];
    const both = updating(['description', 'name']);
    expect(await took(having({ redisId: 'redis_1', description: 'b', name: 'b' }), both, redis({ attributes }))).toBe(
      true,
    );
    expect(await took(having({ redisId: 'redis_1', description: 'b', name: 'a' }), both, redis({ attributes }))).toBe(
      false,
    );
    expect(await took(answering('b'), changed, redis({ attributes }))).toBe(true);
  });

  test('when every variable is written or removed as planned', async () => {
    const variable = (key: string, more: Partial<AttributeChange>) =>
      attributeChange('env', { attribute: { field: 'env', key }, ...more });
    const attributes = [
      variable('A', { wanted: declared('1'), decision: write }),
      variable('B', { wanted: undefined, decision: { do: 'remove' } }),
      variable('C', { wanted: declared('whatever it is') }),
    ];
    const at = (env: string) => took(having({ redisId: 'redis_1', env }), updating(['env']), redis({ attributes }));
    expect(await at('A=1\n')).toBe(true);
    expect(await at('A=1\nB=1\n')).toBe(false);
    expect(await at('A=9\n')).toBe(false);
  });

  test('is never concluded for a set, nor for a change without a member', async () => {
    const set: Member = { is: 'set', field: anything, wanted: declared('b'), formerly: [] };
    expect(await took(answering('b'), updating(['description'], { description: set }))).toBe(false);
    expect(await took(answering('b'), updating(['sourceType']))).toBe(false);
    const attributes = [attributeChange('description', { wanted: declared('b') })];
    expect(await took(answering('b'), changed, redis({ attributes }))).toBe(false);
  });

  test('is not concluded when the object is missing or another one answers', async () => {
    expect(await took(() => undefined, changed)).toBe(false);
    expect(await took(having({ redisId: 'redis_2', description: 'b' }), changed)).toBe(false);
  });
});

describe('a deletion took effect', () => {
  test('when the object is not there any more, and not while it is', async () => {
    expect(await took(() => undefined, aStep)).toBe(true);
    expect(await took(answering('b'), aStep)).toBe(false);
    expect(await took(having({ status: 'maintenance' }), aStep)).toBe(false);
  });

  test('when its service is gone, or no longer lists it', async () => {
    const main = redis({ attributes: [] });
    const mount = actionOf(`${address}.mounts["/a"]`, { kind: kindNamed('mount'), scope: address, id: 'mount_1' });
    const at = (answers: Answers) => took(answers, { ...aStep, operation: 'mounts.remove' }, mount, [main]);
    expect(await at(() => undefined)).toBe(true);
    expect(await at(having({ redisId: 'redis_1', mounts: [] }))).toBe(true);
    expect(await at(having({ redisId: 'redis_1', mounts: [{ mountId: 'mount_1' }] }))).toBe(false);
  });
});

test('a move took effect when the object is below its new parent', async () => {
  const step: Step = { operation: 'redis.move', role: 'move', members: {}, changed: [] };
  const at = (environmentId: string) =>
    took(having({ redisId: 'redis_1', environmentId }), step, redis({ parent: 'production' }), [production]);
  expect(await at('env_1')).toBe(true);
  expect(await at('env_2')).toBe(false);
});

describe('no effect is concluded', () => {
  test('without an id of the object or of its service: no request is sent', async () => {
    const without = redis({ id: undefined });
    const mount = actionOf('the mount', { kind: kindNamed('mount'), scope: address, id: 'mount_1' });
    const unmade = actionOf('another mount', { kind: kindNamed('mount'), scope: 'production', id: undefined });
    for (const action of [without, mount, unmade]) {
      const { run, requests } = runOf([production, without, mount, unmade]);
      expect(await tookEffect(run, jobFor(run, action), aStep)).toBe(false);
      expect(requests).toEqual([]);
    }
  });

  test('while the platform does not answer', async () => {
    const answers = () => {
      throw failure('server', 500);
    };
    expect(await took(answers, aStep)).toBe(false);
    expect(await took(answers, updating(['description']))).toBe(false);
  });

  test('an error of Trueup itself is thrown', async () => {
    const answers = () => {
      throw new TypeError('a mistake');
    };
    await expect(took(answers, aStep)).rejects.toThrow('a mistake');
  });
});

test('the scope is read anew, although it was read just before the request', async () => {
  const step = updating(['description']);
  let description = 'a';
  const { run, requests } = runOf([redis()], { answers: () => ({ redisId: 'redis_1', description }) });
  expect(await tookEffect(run, jobFor(run, redis()), step)).toBe(false);
  description = 'b';
  expect(await tookEffect(run, jobFor(run, redis()), step)).toBe(true);
  expect(requests).toEqual(['redis.one redis_1', 'redis.one redis_1']);
});

test('an object is at home below its declared parent; at the top, or below a parent outside the plan, always', () => {
  const home = (action: Action, environmentId: string) =>
    isAtHome(jobFor(runOf([production, action]).run, action), { environmentId });
  expect(home(redis({ parent: 'production' }), 'env_1')).toBe(true);
  expect(home(redis({ parent: 'production' }), 'env_2')).toBe(false);
  expect(home(redis({ parent: undefined }), 'env_2')).toBe(true);
  expect(home(redis({ parent: 'elsewhere' }), 'env_2')).toBe(true);
  expect(home(actionOf('a key', { kind: kindNamed('sshKey'), parent: 'production' }), 'env_2')).toBe(true);
});
