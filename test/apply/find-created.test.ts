import { describe, expect, test } from 'vitest';
import { findLost } from '../../src/apply/find-created.ts';
import { announceCreate } from '../../src/apply/announce.ts';
import type { Row } from '../../src/formats/json.ts';
import { fieldOf } from '../../src/kind/row-values.ts';
import type { Action, Member } from '../../src/plan/action.ts';
import { actionOf, declared, here, kindNamed, attributeChange } from '../support/plan-values.ts';
import type { Answers, RunFacts } from '../support/run-values.ts';
import { jobFor, runOf } from '../support/run-values.ts';

/** What is looked for, and taken, of a create that got no answer. */

const address = 'sshKeys.deploy';
const minute = 61_000;

/** The create of something with fields. */
function creating(
  kind: string,
  of: string,
  fields: Readonly<Record<string, string>>,
  more: Partial<Action> = {},
): Action {
  const known = Object.entries(fields).map(([name, value]) => {
    const field = fieldOf(kindNamed(kind), name);
    return { name, field, wanted: declared(value) };
  });
  const members = Object.fromEntries(
    known.map(({ name, field, wanted }): [string, Member] => [name, { is: 'wanted', field, wanted }]),
  );
  return actionOf(of, {
    kind: kindNamed(kind),
    action: 'create',
    id: undefined,
    attributes: known.map(({ name, field, wanted }) => attributeChange(name, { field, wanted })),
    steps: [{ operation: kind === 'sshKey' ? 'sshKey.create' : 'redis.create', role: 'create', members, changed: [] }],
    ...more,
  });
}

const key = creating('sshKey', address, { publicKey: 'ssh-rsa A', name: 'deploy' });
const row = (sshKeyId: string, more: Row = {}): Row => ({ sshKeyId, publicKey: 'ssh-rsa A', name: 'deploy', ...more });

/** A run that has sent a create and got no answer to it. */
async function runAfter(action: Action, others: readonly Action[], facts: RunFacts) {
  const made = runOf([...others, action], facts);
  const [step] = action.steps;
  if (step === undefined) throw new Error('there is no create');
  await announceCreate(made.run, jobFor(made.run, action), step);
  return made;
}

/** Looks for a key for a minute, on a platform whose list is another one at each look, until it stays as it is. */
async function looking(lists: readonly (readonly Row[])[], { more, chosen, claimed = [] }: Looking = {}) {
  let look = 0;
  const answers: Answers = () => lists[Math.min(look++, lists.length - 1)];
  const { run, requests, passed } = await runAfter(key, [], { answers, ...(more === undefined ? {} : { more }) });
  for (const id of claimed) run.creations.taken.add(id);
  return { made: await findLost(run, jobFor(run, key), { until: minute, chosen }), run, requests, passed: passed() };
}

interface Looking {
  readonly more?: NonNullable<RunFacts['more']>;
  readonly chosen?: string;
  /** What is somebody's already. */
  readonly claimed?: readonly string[];
}

describe('a row with the key and the fields of the lost create', () => {
  test('is claimed as soon as the list shows it, for one address only', async () => {
    const { made, run, requests, passed } = await looking([[], [], [row('key_2')]]);
    expect(made).toEqual(row('key_2'));
    expect(run.creations.taken.has('key_2')).toBe(true);
    expect(requests).toEqual(['sshKey.all', 'sshKey.all', 'sshKey.all']);
    expect(passed).toBeLessThan(5_000);
  });

  test('is claimed beside rows that differ from the create or were there before', async () => {
    const { made } = await looking([[row('key_1'), row('key_2', { name: 'other' }), row('key_3')]], {
      claimed: ['key_1'],
    });
    expect(made).toEqual(row('key_3'));
  });

  test('is not claimed when two rows match: the run stops as ambiguous', async () => {
    await expect(looking([[row('key_1'), row('key_2')]])).rejects.toMatchObject({
      failure: 'platform',
      message: `the same was created twice at the same time: one of key_1, key_2 is ${address}`,
      diagnostics: [
        {
          code: 'ambiguous',
          address,
          position: here,
          remedy: 'Write id: with the one that is meant, or remove the other on the platform.',
        },
      ],
    });
  });

  test('is claimed by only one of two simultaneous searches', async () => {
    const { run } = await runAfter(key, [], { answers: () => [row('key_1')] });
    const both = [key, key].map((action) => findLost(run, jobFor(run, action), { until: minute, chosen: undefined }));
    expect((await Promise.all(both)).filter((made) => made !== undefined)).toEqual([row('key_1')]);
  });
});

describe('the search claims no row', () => {
  test('that was there before or has another key; it polls until the in-flight timeout ends', async () => {
    const { made, passed } = await looking([[row('key_1'), row('key_2', { publicKey: 'ssh-rsa B' })]], {
      claimed: ['key_1'],
    });
    expect(made).toBeUndefined();
    expect(passed).toBe(60_000);
  });

  test('with the key and other fields; it names the differing fields when the timeout ends', async () => {
    const others = [row('key_1', { name: 'a' }), row('key_2', { name: 'b' })];
    const told = (id: string) => `${id} has its key and is something else (name)`;
    await expect(looking([others])).rejects.toMatchObject({
      failure: 'platform',
      message: `the create of ${address} got no answer, and ${told('key_1')}, and ${told('key_2')}: it is not taken`,
      diagnostics: [{ code: 'ambiguous', address }],
    });
    expect((await looking([others, [...others, row('key_3')]])).made).toEqual(row('key_3'));
  });

  test('when the kind has no key there; it sends no request', async () => {
    const nowhere = { ...key, kind: kindNamed('redis') };
    const { run, requests } = runOf([nowhere], { answers: () => [row('key_1')] });
    expect(await findLost(run, jobFor(run, nowhere), { until: minute, chosen: undefined })).toBeUndefined();
    expect(requests).toEqual([]);
  });

  test('after an interruption, unless the last look shows the object', async () => {
    await expect(looking([[]], { more: { signal: AbortSignal.abort() } })).rejects.toMatchObject({
      failure: 'platform',
      message: `the run was interrupted while it looked for ${address}, whose create got no answer`,
      diagnostics: [{ code: 'unverified', address, position: here, remedy: 'Apply again: that looks for it first.' }],
    });
    const { made } = await looking([[row('key_1')]], { more: { signal: AbortSignal.abort() } });
    expect(made).toEqual(row('key_1'));
  });
});

test('a create with an id that Trueup chose is found by that id', async () => {
  const answers: Answers = (_operation, { sshKeyId }) => row(String(sshKeyId), { name: 'whatever' });
  const { run, requests } = runOf([key], { answers });
  expect(await findLost(run, jobFor(run, key), { until: minute, chosen: 'ours' })).toMatchObject({ sshKeyId: 'ours' });
  expect(requests).toEqual(['sshKey.one ours']);
});

test('where a list holds summaries, each row with the key is read whole', async () => {
  const production = actionOf('production', { kind: kindNamed('environment'), id: 'env_1' });
  const cache = creating('redis', 'cache', { name: 'cache', dockerImage: 'redis:8' }, { parent: 'production' });
  const at = async (whole: Readonly<Record<string, Row>>) => {
    const listed = ['redis_1', 'redis_2'].map((redisId) => ({ redisId, name: 'cache' }));
    const answers: Answers = (operation, { redisId }) =>
      operation === 'environment.one'
        ? { environmentId: 'env_1', redis: [...listed, { redisId: 'redis_3', name: 'b' }] }
        : whole[String(redisId)];
    const { run, requests } = await runAfter(cache, [production], { answers });
    return { made: await findLost(run, jobFor(run, cache), { until: 1_000, chosen: undefined }), requests };
  };
  const one = { redisId: 'redis_1', name: 'cache', dockerImage: 'redis:7' };
  const two = { redisId: 'redis_2', name: 'cache', dockerImage: 'redis:8' };
  const { made, requests } = await at({ redis_1: one, redis_2: two });
  expect(made).toEqual(two);
  expect(requests).toEqual(['environment.one env_1', 'redis.one redis_1', 'redis.one redis_2']);
  // What is gone by then is nobody's.
  expect((await at({ redis_2: two })).made).toEqual(two);
  await expect(at({ redis_1: one })).rejects.toThrow('redis_1 has its key and is something else (dockerImage)');
});
