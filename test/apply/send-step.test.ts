import { describe, expect, test } from 'vitest';
import { send } from '../../src/apply/send-step.ts';
import type { Run } from '../../src/apply/apply-run.ts';
import { refuseChanged } from '../../src/apply/freshness.ts';
import { noteObject, sentAt } from '../../src/apply/job.ts';
import { jobOf } from '../../src/apply/apply-run.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Action, Step } from '../../src/plan/action.ts';
import { secret } from '../../src/secrets/secret.ts';
import { actionOf, anything, declared, kindNamed, attributeChange } from '../support/plan-values.ts';
import { dispatchAt, jobFor, runOf } from '../support/run-values.ts';

/** A request that has its connection at last: what is read again, and what is noted, just before it goes out. */

const address = 'production.redis.main';
const production = actionOf('production', { kind: kindNamed('environment'), id: 'env_1' });
const member = { is: 'wanted', field: anything, wanted: declared('b') } as const;
const id = { is: 'id', address } as const;
const update: Step = {
  operation: 'redis.update',
  role: 'update',
  members: { redisId: id, description: member },
  changed: ['description'],
};
const description = attributeChange('description', {
  wanted: declared('b'),
  decision: { do: 'write', cause: 'edit' },
  before: secret('a'),
});
const change = (more: Partial<Action> = {}): Action =>
  actionOf(address, { action: 'update', id: 'redis_1', steps: [update], attributes: [description], ...more });
const record = { kind: 'redis', id: 'redis_1', parent: 'production', dependsOn: [], pairs: {}, options: {} };

/** A run whose requests wait for a connection, or through a pause of the platform. */
async function running(
  action: Action,
  { waitMs = 0, hasPaused = false }: { waitMs?: number; hasPaused?: boolean } = {},
) {
  let row: Row = { redisId: 'redis_1', description: 'a' };
  const made = runOf([production, action], {
    answers: (operation) => (operation === 'redis.one' ? row : true),
  });
  const { client } = made.run.input;
  const run: Run = {
    ...made.run,
    input: {
      ...made.run.input,
      client: {
        ...client,
        withConnection: async (_operation, work) => {
          await made.run.clock.sleep(waitMs);
          return work({ ...client, hasPaused });
        },
      },
    },
  };
  await run.journal.save(address, {
    record: { ...record, pending: { is: 'write', at: run.clock.wall(), timeoutMs: 60_000 } },
  });
  const byHand = (value: string): void => {
    row = { ...row, description: value };
  };
  return { ...made, run, byHand };
}

const [look, write] = ['redis.one redis_1', 'redis.update redis_1 b'];

describe('before an update, Trueup reads the object again', () => {
  test.each([
    ['not when it was read a moment ago', {}, [look, write]],
    ['not after 5 s of waiting for a connection', { waitMs: 5_000 }, [look, write]],
    ['after more than 5 s of waiting for a connection', { waitMs: 5_001 }, [look, look, write]],
    ['after any pause of the circuit breaker', { hasPaused: true }, [look, look, write]],
  ])('%s', async (_when, waiting, expected) => {
    const { run, requests } = await running(change(), waiting);
    await refuseChanged(run, jobFor(run, change()));
    await send(run, jobFor(run, change()), update);
    expect(requests).toEqual(expected);
  });

  test.each([{ waitMs: 5_001 }, { hasPaused: true }])('and does not overwrite a hot fix: %o', async (waiting) => {
    const { run, requests, byHand } = await running(change(), waiting);
    await refuseChanged(run, jobFor(run, change()));
    byHand('fixed by hand');
    await expect(send(run, jobFor(run, change()), update)).rejects.toThrow(
      `description of ${address} was changed on the platform`,
    );
    expect(requests).toEqual([look, look]);
  });
});

describe('an object that this run has just created', () => {
  const made = (): Action => change({ action: 'create' });

  test.each([
    ['is not read again', {}, [write]],
    ['is read again when the next request waited for longer', { waitMs: 5_001 }, [look, write]],
    ['is read again after a pause of the circuit breaker', { hasPaused: true }, [look, write]],
  ])('%s', async (_what, waiting, expected) => {
    const { run, requests } = await running(made(), waiting);
    dispatchAt(run, address, { is: 'sent', at: run.clock.monotonic() }, { is: 'answered' });
    noteObject(jobFor(run, made()), { id: 'redis_1', row: { redisId: 'redis_1', description: 'made' } });
    await send(run, jobFor(run, made()), update);
    expect(requests).toEqual(expected);
  });
});

describe('the recorded time of a request', () => {
  test.each([
    ['stays when it is at most 1 s old', { waitMs: 1_000 }, 0],
    ['is renewed after more than 1 s of waiting', { waitMs: 1_001 }, 1_001],
    ['is renewed after a pause of the circuit breaker', { waitMs: 1, hasPaused: true }, 1],
  ])('%s', async (_what, waiting, later) => {
    const { run } = await running(change(), waiting);
    const at = run.clock.wall();
    await send(run, jobFor(run, change()), update);
    expect((run.journal.now(address)?.pending?.at ?? 0) - at).toBe(later);
    expect(sentAt(jobOf(run, address))).toBe(run.clock.monotonic());
  });

  test('is not recorded when no pending operation is', async () => {
    const { run } = await running(change(), { hasPaused: true });
    await run.journal.save(address, { record });
    await send(run, jobFor(run, change()), update);
    expect(run.journal.now(address)).toEqual(record);
  });
});
