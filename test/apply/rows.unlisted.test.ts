import { describe, expect, test } from 'vitest';
import type { JobEvent } from '../../src/apply/job.ts';
import type { Run } from '../../src/apply/apply-run.ts';
import { jobOf } from '../../src/apply/apply-run.ts';
import { unlisted } from '../../src/apply/rows.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Action } from '../../src/plan/action.ts';
import { actionOf, kindNamed, objectOf } from '../support/plan-values.ts';
import type { Answers } from '../support/run-values.ts';
import { dispatchAt, failure, runOf } from '../support/run-values.ts';

/** Which deletions a list proves: it showed the object before, the platform answered the deletion, and the list lacks it. */

const [one, two] = ['staging.redis.one', 'staging.redis.two'];
const deleted: JobEvent[] = [{ is: 'announced' }, { is: 'sent', at: 1_000 }, { is: 'answered' }];
const refused: JobEvent[] = [{ is: 'announced' }, { is: 'sent', at: 1_000 }, { is: 'refused' }];
const lost: JobEvent[] = [{ is: 'announced' }, { is: 'sent', at: 1_000 }, { is: 'lost', mayLandLater: true }];

/** The list of the environment, with the Redis databases of these ids. */
const listing =
  (...ids: string[]): Answers =>
  (operation) =>
    operation === 'environment.one'
      ? { environmentId: 'env_2', redis: ids.map((redisId) => ({ redisId })) }
      : undefined;

interface Facts {
  readonly answers?: Answers;
  /** What happened to the second of the two. */
  readonly events?: readonly JobEvent[];
  /** The ids that lists showed when the run was planned. */
  readonly listed?: readonly string[];
  /** Where the platform has the second of the two. */
  readonly parentId?: string;
  /** The action of the environment. */
  readonly environment?: Partial<Action>;
  readonly scopes?: readonly string[];
}

/** The addresses of scopes that their lists prove to be gone, of those at some addresses. */
async function unlistedAt(run: Run, addresses: readonly string[]): Promise<readonly string[]> {
  const gone = await unlisted(
    run,
    addresses.map((address) => jobOf(run, address).scope),
  );
  return [...gone].map(({ root }) => root.action.address);
}

/** Two databases below an environment that a run deleted, and which of them lists prove to be gone. */
async function gone(facts: Facts = {}) {
  const { answers = listing(), events = deleted, listed = ['id 1', 'id 2', 'env_2'], parentId = 'env_2' } = facts;
  const environment = actionOf('staging', { kind: kindNamed('environment'), id: 'env_2', ...facts.environment });
  const about = { action: 'delete', parent: 'staging' } as const;
  const { run, requests } = runOf(
    [environment, actionOf(one, { ...about, id: 'id 1' }), actionOf(two, { ...about, id: 'id 2' })],
    {
      objects: {
        staging: objectOf('env_2', {}),
        [one]: objectOf('id 1', {}, { parentId: 'env_2' }),
        [two]: objectOf('id 2', {}, { parentId }),
      },
      answers,
    },
  );
  const { plan } = run.input;
  const seen = {
    ...run,
    input: { ...run.input, plan: { ...plan, observed: { ...plan.observed, listed: new Set(listed) } } },
  };
  dispatchAt(seen, one, ...deleted);
  dispatchAt(seen, two, ...events);
  if (environment.action === 'delete') dispatchAt(seen, 'staging', ...deleted);
  return { gone: await unlistedAt(seen, facts.scopes ?? [one, two]), requests };
}

describe('one look at the list of the parent proves', () => {
  test('that all objects are gone that it lacks', async () => {
    expect(await gone()).toEqual({ gone: [one, two], requests: ['environment.one env_2'] });
  });

  test('nothing of an object that it still shows', async () => {
    expect(await gone({ answers: listing('id 2') })).toEqual({ gone: [one], requests: ['environment.one env_2'] });
  });

  test('the same of an object that the platform does not have, by its answer to the deletion', async () => {
    expect((await gone({ events: refused })).gone).toEqual([one, two]);
    expect((await gone({ events: refused, answers: listing('id 2') })).gone).toEqual([one]);
  });

  test('that everything is gone below a parent that this run deleted, and that the platform does not have any more', async () => {
    const answers = () => undefined;
    expect((await gone({ answers, environment: { action: 'delete' } })).gone).toEqual([one, two]);
    expect((await gone({ answers })).gone).toEqual([]);
  });
});

describe('one look at the list of the environments', () => {
  const environment: Partial<Action> = { action: 'delete' };
  const scopes = [one, two, 'staging'];
  const showing =
    (...ids: string[]): Answers =>
    (operation, input) =>
      operation === 'environment.byProjectId'
        ? ['env_1', ...ids].map((environmentId) => ({ environmentId }))
        : listing()(operation, input);

  test('proves that the one is gone that it lacks, and all that was below that', async () => {
    expect(await gone({ environment, scopes, answers: showing() })).toEqual({
      gone: ['staging', one, two],
      requests: ['environment.byProjectId prj_1'],
    });
  });

  test('proves nothing below one that it still shows: that has a list of its own', async () => {
    expect(await gone({ environment, scopes, answers: showing('env_2') })).toEqual({
      gone: [one, two],
      requests: ['environment.byProjectId prj_1', 'environment.one env_2'],
    });
  });

  test('proves nothing of what no list showed in it, or what got no answer', async () => {
    const answers = showing();
    expect((await gone({ environment, scopes, answers, listed: ['id 1', 'env_2'] })).gone).toEqual(['staging', one]);
    expect((await gone({ environment, scopes, answers, events: lost })).gone).toEqual(['staging', one]);
  });
});

describe('the read of the object by its id is left to prove it', () => {
  test.each<[string, Facts]>([
    ['when only one object of the list was deleted', { scopes: [one] }],
    ['when no list showed the other one before', { listed: ['id 1'] }],
    ['when the deletion of the other one got no answer', { events: lost }],
    ['when the other one failed', { events: [...deleted, { is: 'failed' }] }],
    ['when the other one was not sent', { events: [] }],
    ['when the platform has the other one below another parent', { parentId: 'env_3' }],
    ['when the platform has the other one below none', { parentId: '' }],
  ])('%s', async (_, facts) => {
    expect(await gone(facts)).toEqual({ gone: [], requests: [] });
  });

  test.each<[string, Answers]>([
    [
      'fails',
      () => {
        throw failure('connection');
      },
    ],
    ['is no list', (): Row => ({ environmentId: 'env_2', redis: 'none' })],
    ['lacks the rows of the kind', (): Row => ({ environmentId: 'env_2' })],
  ])('when the answer %s', async (_, answers) => {
    expect(await gone({ answers })).toEqual({ gone: [], requests: ['environment.one env_2'] });
  });

  test('and a mistake of Trueup is thrown', async () => {
    const answers = () => {
      throw new Error('a mistake');
    };
    await expect(gone({ answers })).rejects.toThrow('a mistake');
  });
});

test('two kinds below one parent cost one read, and kinds at the top one read for each list', async () => {
  const kinds = ['redis', 'redis', 'mariadb', 'mariadb', 'ai', 'ai'];
  const actions = kinds.map((name, n) => {
    const parent = name === 'ai' ? {} : { parent: 'staging' };
    return actionOf(`${name}${n}`, { action: 'delete', kind: kindNamed(name), id: `id ${n}`, ...parent });
  });
  const environment = actionOf('staging', { kind: kindNamed('environment'), id: 'env_2' });
  const { run, requests } = runOf([environment, ...actions], {
    objects: Object.fromEntries(
      actions.map(({ address, id = '' }) => [address, objectOf(id, {}, { parentId: 'env_2' })]),
    ),
    answers: (operation) => (operation === 'ai.getAll' ? [] : { environmentId: 'env_2', redis: [], mariadb: [] }),
  });
  const { plan } = run.input;
  const listed = new Set(actions.map(({ id = '' }) => id));
  const seen = { ...run, input: { ...run.input, plan: { ...plan, observed: { ...plan.observed, listed } } } };
  for (const { address } of actions) dispatchAt(seen, address, ...deleted);
  const addresses = actions.map(({ address }) => address);
  expect(await unlistedAt(seen, addresses)).toEqual(addresses);
  expect(requests.toSorted()).toEqual(['ai.getAll', 'environment.one env_2']);
});
