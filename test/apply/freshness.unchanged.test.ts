import { describe, expect, test } from 'vitest';
import * as freshness from '../../src/apply/freshness.ts';
import type { Run } from '../../src/apply/apply-run.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Action, Step } from '../../src/plan/action.ts';
import { secret } from '../../src/secrets/secret.ts';
import {
  actionOf,
  anything,
  aStep,
  declared,
  here,
  kindNamed,
  objectOf,
  attributeChange,
} from '../support/plan-values.ts';
import type { Answers, RunFacts } from '../support/run-values.ts';
import { dispatchAt, jobFor, runOf } from '../support/run-values.ts';

/** What is looked at right before a request is sent, and what keeps it from being sent. */

const address = 'production.redis.main';
const production = actionOf('production', { kind: kindNamed('environment'), id: 'env_1' });
const staging = actionOf('staging', { kind: kindNamed('environment'), id: 'env_2' });

const member = { is: 'wanted', field: anything, wanted: declared('b') } as const;
const update: Step = { operation: 'redis.update', role: 'update', members: { description: member }, changed: [] };
const description = attributeChange('description', {
  wanted: declared('b'),
  decision: { do: 'write', cause: 'edit' },
  before: secret('a'),
});

/** A Redis whose description is to become b. */
function redis(more: Partial<Action> = {}): Action {
  return actionOf(address, { action: 'update', id: 'redis_1', steps: [update], attributes: [description], ...more });
}

/** A run with the object on the platform as it is now; undefined when it is gone. */
function running(row: Row | undefined, action = redis(), { objects = {} }: Pick<RunFacts, 'objects'> = {}) {
  const answers: Answers = () => (row === undefined ? undefined : { redisId: 'redis_1', ...row });
  return runOf([production, staging, action], { answers, objects });
}

type Check = Parameters<typeof freshness.refuseChanged>[2];
const refuseChanged = (run: Run, action: Action, check?: Check) =>
  freshness.refuseChanged(run, jobFor(run, action), check);
const rowNow = (run: Run, action: Action) => freshness.rowNow(run, jobFor(run, action));
const refuseMoved = (run: Run, action: Action) => {
  const job = jobFor(run, action);
  return freshness.refuseMoved(run, job, job.scope);
};

const refusal = (message: string) => ({
  failure: 'platform',
  message,
  diagnostics: [{ code: 'platform-answer', address, position: here, remedy: 'Plan again.' }],
});

describe('before an update is sent', () => {
  test('the object is read as it is now', async () => {
    expect(await refuseChanged(running({ description: 'a' }).run, redis())).toEqual({
      redisId: 'redis_1',
      description: 'a',
    });
  });

  test('a change that the plan never showed is refused', async () => {
    const message = `description of ${address} was changed on the platform since the plan was made; nothing was sent`;
    await expect(refuseChanged(running({ description: 'c' }).run, redis())).rejects.toMatchObject(refusal(message));
  });

  test('the wanted value passes, and another value is refused', async () => {
    const { run } = running({ description: 'b' });
    expect(await refuseChanged(run, redis(), { step: update })).toMatchObject({ description: 'b' });
    expect(await refuseChanged(run, redis())).toMatchObject({ description: 'b' });
    const other = running({ description: 'c' }).run;
    await expect(refuseChanged(other, redis(), { step: update })).rejects.toThrow('was changed on the platform');
  });

  test('the refusal says whether a request of the action was sent', async () => {
    const { run } = running({ description: 'c' });
    dispatchAt(run, address, { is: 'sent', at: 0 });
    const message = `description of ${address} was changed on the platform since the plan was made; nothing more was sent`;
    await expect(refuseChanged(run, redis())).rejects.toMatchObject(refusal(message));
  });

  test('an object that is gone is refused, and so is the row of another one', async () => {
    const message = `${address} is not on the platform any more; nothing was sent`;
    await expect(refuseChanged(running(undefined).run, redis())).rejects.toMatchObject(refusal(message));
    await expect(rowNow(running({}, redis({ id: undefined })).run, redis())).rejects.toMatchObject(refusal(message));
    const other = 'the answer to redis.one is not the redis redis_1 that was asked for';
    await expect(rowNow(running({ redisId: 'redis_2' }).run, redis())).rejects.toMatchObject({ message: other });
  });

  test('what was read a moment ago is not read again, unless it is to be', async () => {
    const { run, requests } = running({ description: 'a' });
    await refuseChanged(run, redis());
    await refuseChanged(run, redis());
    expect(requests).toHaveLength(1);
    await refuseChanged(run, redis(), { refetch: true });
    expect(requests).toHaveLength(2);
  });
});

describe('where an object is', () => {
  const moving = redis({ action: 'move', parent: 'production', steps: [], attributes: [] });
  const at = (now: string, action = moving, planned: Row | undefined = { environmentId: 'env_2' }) => {
    const objects = planned === undefined ? {} : { [address]: objectOf('redis_1', planned) };
    return refuseChanged(running({ environmentId: now }, action, { objects }).run, action);
  };

  test('it must be where the plan saw it, or where it is to be', async () => {
    expect(await at('env_2')).toMatchObject({ environmentId: 'env_2' });
    expect(await at('env_1')).toMatchObject({ environmentId: 'env_1' });
    const message = `${address} was moved on the platform since the plan was made; nothing was sent`;
    await expect(at('env_3')).rejects.toMatchObject(refusal(message));
  });

  test('it must be there also for an update and a deletion, and when the plan has no action for its parent', async () => {
    const message = `${address} was moved on the platform since the plan was made; nothing was sent`;
    await expect(at('env_3', actionOf(address, { ...moving, action: 'update' }))).rejects.toMatchObject(
      refusal(message),
    );
    await expect(at('env_3', { ...moving, parent: undefined })).rejects.toMatchObject(refusal(message));
    const going = actionOf(address, { ...moving, action: 'delete', teardown: [aStep] });
    const objects = { [address]: objectOf('redis_1', { environmentId: 'env_2' }) };
    const { run } = running({ environmentId: 'env_3' }, going, { objects });
    await expect(refuseChanged(run, going, { step: aStep })).rejects.toMatchObject(refusal(message));
  });

  test('its parent is not checked when the plan did not see it, or the platform does not name it', async () => {
    const unseen = running({ environmentId: 'env_3' }, moving).run;
    expect(await refuseChanged(unseen, moving)).toMatchObject({ environmentId: 'env_3' });
    const objects = { [address]: objectOf('redis_1', { environmentId: 'env_2' }) };
    const unnamed = running({ description: 'a' }, moving, { objects }).run;
    expect(await refuseChanged(unnamed, moving)).toMatchObject({ description: 'a' });
  });

  test('a request below it reads it, and is refused when it was moved', async () => {
    const below = actionOf(`${address}.mounts["/a"]`, { kind: kindNamed('mount'), scope: address, action: 'create' });
    const objects = { [address]: objectOf('redis_1', { environmentId: 'env_2' }) };
    const there = (environmentId: string) =>
      runOf([production, staging, redis(), below], { answers: () => ({ redisId: 'redis_1', environmentId }), objects });
    const moved = there('env_3');
    await expect(refuseMoved(moved.run, below)).rejects.toThrow(`${address} was moved on the platform since`);
    expect(moved.requests).toHaveLength(1);
    await refuseMoved(there('env_2').run, below);
    const created = runOf([production, redis({ action: 'create' }), below], { answers: () => undefined, objects });
    await refuseMoved(created.run, below);
    expect(created.requests).toEqual([]);
  });
});

describe('of an object that this run creates', () => {
  test.each(['create', 'replace'] as const)('by a %s, nothing is compared with what the plan saw', async (action) => {
    const made = redis({ action });
    expect(await refuseChanged(running({ description: 'c' }, made).run, made)).toMatchObject({ description: 'c' });
  });

  test('no row is read while it has no id', async () => {
    const action = redis({ action: 'create', id: undefined });
    const { run, requests } = running({}, action);
    expect(await refuseChanged(run, action)).toBeUndefined();
    expect(requests).toEqual([]);
  });

  test('its scope is read anew when the last read precedes its create', async () => {
    const main = redis({ attributes: [] });
    const mount = actionOf(`${address}.mounts["/a"]`, { kind: kindNamed('mount'), scope: address, action: 'create' });
    const mounts: Row[] = [];
    const other = actionOf('other', {
      ...mount,
      id: 'other',
      action: 'update',
      address: 'other',
    });
    const answers = () => ({ redisId: 'redis_1', mounts: [...mounts] });
    const { run, requests } = runOf([main, mount, other], { answers });
    await rowNow(run, main);
    mounts.push({ mountId: mount.id });
    expect(await refuseChanged(run, mount)).toEqual({ mountId: mount.id });
    expect(requests).toHaveLength(2);
    // What somebody else made is not waited for.
    await expect(rowNow(run, other)).rejects.toThrow('any more');
    expect(requests).toHaveLength(2);
  });
});

const deletion = redis({ action: 'delete', teardown: [aStep], steps: [], attributes: [description] });
const leaving = actionOf('staging', { ...staging, action: 'delete', teardown: [aStep] });

test.each([
  ['deletion of a service in a destroy', 4_900, 0, deletion, true],
  ['deletion of a service in a destroy', 5_100, 1, deletion, true],
  // Others may have put something into it.
  ['deletion of an environment in a destroy', 0, 1, leaving, true],
  ['deletion of a service', 0, 1, deletion, undefined],
  ['update', 0, 1, redis(), undefined],
] as const)('a %s reads what the plan read %i ms ago so often: %i', async (_, readAgoMs, times, action, destroys) => {
  const id = action.id ?? '';
  const row = { [action.kind.identity.id]: id, description: 'a' };
  const objects = { [action.address]: objectOf(id, row) };
  const { run, requests } = runOf([production, action], { answers: () => row, objects, readAgoMs, destroys });
  const [step] = action.teardown;
  expect(await refuseChanged(run, action, step === undefined ? {} : { step })).toEqual(row);
  expect(requests).toHaveLength(times);
});

test('a deletion is refused when it would lose something that the plan did not show', async () => {
  const going = redis({ action: 'delete', teardown: [aStep], steps: [], attributes: [description] });
  const objects = { [address]: objectOf('redis_1', { redisId: 'redis_1', description: 'a' }) };
  const at = (row: Row | undefined) => refuseChanged(running(row, going, { objects }).run, going, { step: aStep });
  expect(await at({ description: 'a' })).toEqual({ redisId: 'redis_1', description: 'a' });
  expect(await at(undefined)).toBeUndefined();
  const message = `description of ${address} was changed on the platform since the plan was made; nothing was sent`;
  await expect(at({ description: 'c' })).rejects.toMatchObject(refusal(message));
});
