import { describe, expect, test } from 'vitest';
import { isOver, resultOf } from '../../src/apply/job.ts';
import { readBack } from '../../src/apply/read-back.ts';
import type { JobEvent } from '../../src/apply/job.ts';
import type { Run } from '../../src/apply/apply-run.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Action } from '../../src/plan/action.ts';
import type { Decision } from '../../src/plan/decide.ts';
import { actionOf, attributeChange, declared, kindNamed, objectOf, pairOf, recordOf } from '../support/plan-values.ts';
import { secret } from '../../src/secrets/secret.ts';
import type { Answers } from '../support/run-values.ts';
import { dispatchAt, failure, jobFor, runOf } from '../support/run-values.ts';

/** What is recorded and told of an action, by how far it got and what the platform shows afterwards. */

const address = 'production.redis.main';
const write: Decision = { do: 'write', cause: 'edit' };
const wants = {
  attributes: [attributeChange('description', { wanted: declared('b'), decision: write, before: secret('a') })],
};
const staging = actionOf('staging', { kind: kindNamed('environment'), id: 'env_2' });
const before = recordOf('redis', 'redis_1', {
  parent: 'production',
  dependsOn: ['production.redis.other'],
  pairs: { description: pairOf('a') },
});

const change = (more: Partial<Action> = {}): Action =>
  actionOf(address, { action: 'update', id: 'redis_1', parent: 'staging', ...wants, ...more });

const sent: JobEvent[] = [{ is: 'announced' }, { is: 'sent', at: 1_000 }];
const acknowledged: JobEvent[] = [...sent, { is: 'answered' }];
const refused: JobEvent[] = [...sent, { is: 'refused' }, { is: 'failed' }];
const lost: JobEvent[] = [...sent, { is: 'lost', mayLandLater: true }, { is: 'failed' }];

const unread = 'platform-answer: something went wrong (redis.one at https://platform.example)';

const shows =
  (more: Row): Answers =>
  (operation) =>
    operation === 'redis.one' ? { redisId: 'redis_1', environmentId: 'env_2', ...more } : undefined;

interface Ended {
  readonly run: Run;
  readonly result: string | undefined;
  readonly told: readonly string[];
  readonly remedies: readonly (string | undefined)[];
  readonly requests: readonly string[];
}

/** Reads an action back after some events. */
async function ended(
  action: Action,
  events: readonly JobEvent[],
  { answers, known = before, created }: { answers?: Answers; known?: typeof before | undefined; created?: string } = {},
): Promise<Ended> {
  const { run, requests } = runOf([staging, action], {
    objects: { [address]: objectOf('redis_1', { redisId: 'redis_1' }) },
    resources: { [address]: known },
    ...(answers === undefined ? {} : { answers }),
  });
  dispatchAt(run, action.address, ...events);
  const job = jobFor(run, action);
  if (created !== undefined) job.object = { id: created };
  await readBack(run, job.scope);
  expect(isOver(job)).toBe(true);
  return {
    run,
    result: resultOf(job),
    told: job.diagnostics.map(({ code, message }) => `${code}: ${message}`),
    remedies: job.diagnostics.map(({ remedy }) => remedy),
    requests,
  };
}

describe('an update that was acknowledged', () => {
  test('is done when the platform has its value, and uses what the manifest says', async () => {
    const { run, result, told } = await ended(change({ dependsOn: ['staging'] }), acknowledged, {
      answers: shows({ description: 'b' }),
    });
    expect([result, told]).toEqual(['done', []]);
    expect(run.journal.now(address)).toMatchObject({
      id: 'redis_1',
      dependsOn: ['staging'],
      pairs: { description: pairOf('b') },
    });
  });

  test('is ignored when the platform keeps another value, and may still use what it was to let go of', async () => {
    const { run, result } = await ended(change({ dependsOn: ['staging'] }), acknowledged, {
      answers: shows({ description: 'a' }),
    });
    expect(result).toBe('ignored');
    expect(run.journal.now(address)?.dependsOn).toEqual(['staging', 'production.redis.other']);
    expect(run.journal.now(address)).not.toHaveProperty('pending');
  });

  test('of an object that is gone is unverified: the record stays, and says so once', async () => {
    const { run, result, told, remedies } = await ended(change(), acknowledged);
    expect(result).toBe('failed');
    expect(told).toEqual([`unverified: ${address} was sent, and the platform does not have it`]);
    expect(remedies).toEqual(['Plan again.']);
    expect(run.journal.wave()).toEqual([]);
  });

  test('is unverified when nothing can be read', async () => {
    const { result, told } = await ended(change(), acknowledged, {
      answers: () => {
        throw failure('connection');
      },
    });
    expect(result).toBe('unverified');
    expect(told).toEqual([unread]);
  });
});

describe('an update that failed', () => {
  test('of an object that is gone tells nothing more than why it failed', async () => {
    const { run, result, told } = await ended(change(), refused);
    expect([result, told]).toEqual(['failed', []]);
    expect(run.journal.wave()).toEqual([]);
  });

  test('keeps its pending operation while its request may still land', async () => {
    const { run } = runOf([staging, change()], {
      resources: { [address]: before },
      answers: shows({ description: 'a' }),
    });
    const pending = { is: 'write', at: 900, timeoutMs: 60_000 } as const;
    await run.journal.save(address, { record: { ...before, pending } });
    dispatchAt(run, address, ...lost);
    await readBack(run, jobFor(run, change()).scope);
    expect(run.journal.now(address)).toMatchObject({ id: 'redis_1', pending });
  });

  test('keeps none when its request was surely not executed', async () => {
    const { run } = runOf([staging, change()], {
      resources: { [address]: before },
      answers: shows({ description: 'a' }),
    });
    await run.journal.save(address, { record: { ...before, pending: { is: 'write', at: 900, timeoutMs: 60_000 } } });
    dispatchAt(run, address, ...refused);
    await readBack(run, jobFor(run, change()).scope);
    expect(run.journal.now(address)).not.toHaveProperty('pending');
  });

  test('and that may land keeps nothing pending when nothing was announced', async () => {
    const { run, result } = await ended(change(), lost, { answers: shows({ description: 'a' }) });
    expect(result).toBe('failed');
    expect(run.journal.now(address)).not.toHaveProperty('pending');
  });
});

describe('a move', () => {
  const moving = change({ action: 'move', attributes: [] });

  test('that was acknowledged is done when the object stands below its new parent', async () => {
    expect((await ended(moving, acknowledged, { answers: shows({}) })).result).toBe('done');
  });

  test('that was acknowledged has failed when the object is where it was', async () => {
    const { run, result, told, remedies } = await ended(moving, acknowledged, {
      answers: shows({ environmentId: 'env_1' }),
    });
    expect(result).toBe('failed');
    expect(told).toEqual([`platform-answer: ${address} was to be moved and is still where it was`]);
    expect(remedies).toEqual(['Apply again.']);
    expect(run.journal.wave()).toEqual([]);
  });

  test('that failed is not told twice', async () => {
    const { run, result, told } = await ended(moving, refused, { answers: shows({ environmentId: 'env_1' }) });
    expect([result, told]).toEqual(['failed', []]);
    expect(run.journal.now(address)).toMatchObject({ id: 'redis_1' });
  });

  test('that nobody could read back is unverified', async () => {
    const { result, told } = await ended(moving, acknowledged, {
      answers: () => {
        throw failure('connection');
      },
    });
    expect([result, told]).toEqual(['unverified', [unread]]);
  });

  test('is the only action that asks where an object stands', async () => {
    const { result, told } = await ended(change(), acknowledged, {
      answers: shows({ environmentId: 'env_1', description: 'b' }),
    });
    expect([result, told]).toEqual(['done', []]);
  });
});

describe('a replacement that failed', () => {
  const replacing = change({ action: 'replace' });

  test('leaves the record of the old object as it was', async () => {
    const { run, result } = await ended(replacing, refused, { answers: shows({ description: 'b' }) });
    expect(result).toBe('failed');
    expect(run.journal.now(address)).toEqual(before);
  });

  test('records the new object when that is there', async () => {
    const { run, result } = await ended(replacing, refused, {
      created: 'redis_2',
      answers: () => ({ redisId: 'redis_2', environmentId: 'env_2', description: 'b' }),
    });
    expect(result).toBe('failed');
    expect(run.journal.now(address)).toMatchObject({ id: 'redis_2', pairs: {} });
  });

  test('and one that succeeded records the new object', async () => {
    const { run, result } = await ended(replacing, acknowledged, {
      created: 'redis_2',
      answers: () => ({ redisId: 'redis_2', environmentId: 'env_2', description: 'b' }),
    });
    expect(result).toBe('done');
    expect(run.journal.now(address)).toMatchObject({ id: 'redis_2', dependsOn: [] });
  });

  test.each(['update', 'adopt'] as const)('is not confused with an %s that failed', async (action) => {
    const { run } = await ended(change({ action }), refused, { answers: shows({ description: 'b' }) });
    expect(run.journal.now(address)).not.toEqual(before);
  });
});

describe('a create that shows only after somebody has done something', () => {
  const gitlab = actionOf('gitlab.main', {
    kind: kindNamed('gitlab'),
    action: 'create',
    id: undefined,
  });
  const lists: Answers = (operation) => (operation === 'gitlab.gitlabProviders' ? [] : undefined);

  test('is done, and recorded without an id', async () => {
    const { run, result, told, remedies } = await ended(gitlab, acknowledged, { answers: lists });
    expect(result).toBe('done');
    expect(told).toEqual([
      'pending: gitlab.main was created and is listed only once it is connected in the browser, under Git',
    ]);
    expect(remedies).toEqual(['Apply again after that.']);
    expect(run.journal.now('gitlab.main')).toMatchObject({ kind: 'gitlab', id: null });
  });

  test('is not recorded when it failed', async () => {
    const { run, result, told } = await ended(gitlab, refused, { answers: lists });
    expect([result, told]).toEqual(['failed', []]);
    expect(run.journal.wave()).toEqual([]);
  });
});

test('what was never sent is recorded without a request', async () => {
  const idle = change({ action: 'no-op', attributes: [attributeChange('description', { wanted: declared('b') })] });
  const { requests, result } = await ended(idle, []);
  expect([requests, result]).toEqual([[], 'done']);
});
